// What an MMSC may answer, and what becomes of the message: every code of the table, every kind of bad answer.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { mediaFiles } from './lib/media-files.mjs';
import { Mmsc, basic, mmsc, withMms } from './lib/mmsc.mjs';
import { freePort } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const files = () => mediaFiles();
const http = (status, body = '') => (submit, response) => {
  response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': body.length, Location: 'http://127.0.0.1:1/' }).end(body);
  return true;
};

const permanent = {
  2000: 'carrier_rejected', 2001: 'carrier_rejected', 2002: 'invalid_destination', 2003: 'invalid_destination', 2004: 'carrier_rejected',
  2005: 'carrier_rejected', 2006: 'carrier_rejected', 2007: 'carrier_rejected', 2999: null, 3001: 'upstream_error', 3002: 'carrier_rejected',
  3003: 'upstream_error', 3005: 'carrier_rejected', 4001: 'upstream_error', 4002: 'upstream_error', 4003: 'upstream_error', 4004: 'carrier_rejected',
  4005: 'upstream_error', 4007: 'upstream_error', 9999: null,
};

describe('mms: what an MMSC answers', { timeout: 180_000 * slowness }, () => {
  const send = async (client, media, text) => (await client.sent({ to: '+14155550123', text, mediaUrls: [media.url('cat.jpg')] })).messageId;
  const answered = async (live, id) => (await live.events(id)).filter((e) => e.type === 'carrier_answer').map((e) => e.description).join(' ');

  it('codes that never change: failed at once, with the code that fits', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => peer.refuse(submit, response, Number(submit.text));
    for (const [code, errorCode] of Object.entries(permanent)) {
      const id = await send(client, media, code);
      const failed = await live.status(id, 'failed');
      if (errorCode) assert.equal(failed.errorCode, errorCode, code);
      assert.ok(failed.errorMessage, code);
      assert.match(JSON.stringify(await live.events(id)), new RegExp(`answered ${code}`), code);
    }
    assert.equal(peer.submits.length, Object.keys(permanent).length, 'none is tried twice');
  }));

  it('codes that pass: queued, and tried again later', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    const codes = ['3000', '4000', '4006'];
    peer.submit = (submit, response) => peer.refuse(submit, response, Number(submit.text));
    const ids = [];
    for (const code of codes) ids.push(await send(client, media, code));
    for (const [i, id] of ids.entries()) {
      const events = await until(`a retry of ${codes[i]}`, async () => {
        const all = await live.events(id);
        return all.some((e) => e.type === 'retry') && all;
      }, { within: 10_000 });
      assert.equal((await client.message(id)).status, 'queued');
      assert.match(JSON.stringify(events), new RegExp(`answered ${codes[i]}`));
    }
  }));

  it('1000 and 1100 take it, also without a MessageID', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => {
      peer.answer(response, peer.rsp(submit, { code: submit.text, id: submit.text === '1100' ? 'part@mmsc' : undefined }));
      return true;
    };
    await live.status(await send(client, media, '1000'), 'sent');
    await live.status(await send(client, media, '1100'), 'sent');
  }));

  it('faults: the code inside counts; without one, who is to blame', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => {
      if (submit.text === 'bare') return peer.fault(submit, response, null);
      return peer.fault(submit, response, Number(submit.text), { status: submit.text === '2003' ? 200 : 500 });
    };
    assert.equal((await live.status(await send(client, media, '2007'), 'failed')).errorCode, 'carrier_rejected');
    assert.equal((await live.status(await send(client, media, '2003'), 'failed')).errorCode, 'invalid_destination');
    for (const text of ['bare', '4006']) {
      const id = await send(client, media, text);
      await until(`a retry of ${text}`, async () => (await live.events(id)).some((e) => e.type === 'retry'), { within: 10_000 });
    }
  }));

  it('answers of HTTP without SOAP', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => http(Number(submit.text), 'words')(submit, response);
    for (const status of ['400', '404', '302']) {
      const id = await send(client, media, status);
      assert.equal((await live.status(id, 'failed')).errorCode, 'upstream_error', status);
      assert.match(JSON.stringify(await live.events(id)), new RegExp(`HTTP ${status}`));
    }
    for (const status of ['500', '503', '429']) {
      const id = await send(client, media, status);
      await until(`a retry of ${status}`, async () => (await live.events(id)).some((e) => e.type === 'retry'), { within: 10_000 });
      assert.equal((await client.message(id)).status, 'queued');
    }
  }));

  it('wrong credentials: nothing goes out, nothing is lost; the right ones help at once', withMms(files, { authorization: basic('user', 'right'), reports: false }, {
    settings: { username: 'user', password: 'wrong', refused_wait: '1h' },
  }, async ({ peer, media, live, client }) => {
    const id = await send(client, media, 'please');
    const row = await until('the refusal', async () => {
      const { acme } = await live.carriers();
      return acme.state === 'down' && acme;
    });
    assert.match(JSON.stringify(row), /401/);
    const tried = peer.requests;
    const second = await send(client, media, 'and me');
    await new Promise((done) => { setTimeout(done, 500); });
    assert.ok(peer.requests <= tried + 1, 'it is left alone');
    assert.equal((await client.message(id)).status, 'queued');
    live.configure(live.sections({ password: 'right' }));
    await live.status(id, 'sent');
    await live.status(second, 'sent');
    assert.deepEqual(peer.submits.map((s) => s.text).sort(), ['and me', 'please']);
  }));

  for (const [name, bad] of Object.entries({
    'half an answer': (submit, response, peer) => peer.half(submit, response),
    'the end of the connection': (submit, response) => { response.destroy(); return true; },
    'silence': () => true,
    'words that mean nothing': http(200, '<html>Welcome to our MMSC</html>'),
  })) {
    it(`${name}: it may have arrived, so it goes again, flagged`, withMms(files, { reports: false }, { settings: { response_timeout: '1s' } }, async ({ peer, media, live, client }) => {
      let bads = 0;
      peer.submit = (submit, response) => (bads++ === 0 ? bad(submit, response, peer) : false);
      const id = await send(client, media, 'again');
      await live.status(id, 'sent', { within: 30_000 });
      assert.equal(peer.submits.length, 2);
      assert.notEqual(peer.submits[0].transaction, peer.submits[1].transaction, 'each attempt has its own');
      assert.deepEqual(peer.submits[0].files[0].bytes, peer.submits[1].files[0].bytes);
      assert.ok((await live.events(id)).some((e) => e.type === 'possible_duplicate'));
    }));

    it(`${name}: failed, when the section says so`, withMms(files, { reports: false }, { settings: { response_timeout: '1s', unanswered: 'fail' } }, async ({ peer, media, live, client }) => {
      peer.submit = (submit, response) => bad(submit, response, peer);
      const failed = await live.status(await send(client, media, 'once'), 'failed', { within: 30_000 });
      assert.equal(failed.errorCode, 'upstream_timeout');
      assert.equal(peer.submits.length, 1);
    }));
  }

  it('a slow answer is an answer', withMms(files, {}, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => { setTimeout(() => peer.take(submit, response), 700); return true; };
    await live.status(await send(client, media, 'slow'), 'delivered');
    assert.equal(peer.submits.length, 1);
  }));

  it('an MMSC that is not there is waited for', withMms(files, {}, {}, async ({ media, live, client }) => {
    const port = await freePort();
    const away = { url: `http://127.0.0.1:${port}/mm7` };
    live.configure(live.sections(away));
    await until('it to be away', async () => (await live.carriers()).acme && /read again/.test(live.server.stderr));
    const id = await send(client, media, 'patience');
    await until('down', async () => (await live.carriers()).acme.state === 'down');
    assert.equal((await client.message(id)).status, 'queued');
    const back = await Mmsc.start({ port, reports: false });
    try {
      await live.status(id, 'sent');
      assert.equal(back.submits.length, 1);
    } finally {
      await back.stop();
    }
  }));

  it('where there is another MMSC, it takes what the first cannot', withMms(files, { reports: false }, {}, async ({ peer, media, live, client }) => {
    const second = await Mmsc.start({ reports: false });
    try {
      live.configure(live.sections({}, {
        mmsc: { acme: mmsc(peer), other: mmsc(second) },
        route: { first: { carrier: 'acme', priority: 1 }, second: { carrier: 'other', priority: 2 } },
      }));
      await until('the other', async () => (await live.carriers()).other);
      peer.submit = (submit, response) => peer.refuse(submit, response, 4007);
      const id = await send(client, media, 'elsewhere');
      await live.status(id, 'sent');
      assert.equal(second.submits.length, 1);
      assert.ok((await live.events(id)).some((e) => e.type === 'failover'), await answered(live, id));
    } finally {
      await second.stop();
    }
  }));
});
