// What our listener bears: long texts, repetitions, many large bodies at once, and strangers.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { mediaFiles, png } from './lib/media-files.mjs';
import { Mmsc, basic, mmsServer, mmsc, withMms } from './lib/mmsc.mjs';
import { skylark } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { Hooks, localhostAllowed, newSecret } from './lib/webhooks.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const files = () => mediaFiles();

const text = (bytes, charset = 'utf-8') => ({ type: `text/plain; charset=${charset}`, bytes });
// Connections to the listener that say `words` and then nothing more; `open` counts those that were not cut.
const crowd = (listener, words, options = {}) => {
  const { hostname: host, port } = new URL(listener);
  const sockets = [];
  const come = () => net.connect({ host, port, ...options }, function say() { this.write(words); }).on('error', () => {});
  return {
    grow(count) { for (let i = 0; i < count; i++) sockets.push(come()); return this; },
    open: () => sockets.filter((s) => !s.destroyed).length,
    leave: () => sockets.forEach((s) => s.destroy()),
  };
};

const inbox = async (client, query = '') => (await client.get(`/v1/messages?direction=inbound${query}`)).body.data;

describe('mms: what the listener bears', { timeout: 120_000 * slowness }, () => {
  it('long texts: shown up to 16,000 bytes, kept whole as a file, and in nobody\'s way', withMms(files, {}, { server: { env: localhostAllowed } }, async ({ peer, live, client, t }) => {
    const receiver = await Receiver.start();
    t.after(() => receiver.stop());
    await new Hooks(client).create({ url: receiver.url(), events: ['message.received'], secret: newSecret() });
    const long = `${'x'.repeat(15_999)}é${'y'.repeat(5_000_000)}`;
    for (let i = 0; i < 4; i++) {
      const { code } = await peer.deliver({ transaction: `long-${i}`, parts: [text(long), { type: 'image/png', bytes: png() }] });
      assert.equal(code, 1000);
    }
    assert.equal((await peer.deliver({ transaction: 'control', parts: [text('\u0001'.repeat(180_000))] })).code, 1000);
    await peer.deliver({ transaction: 'short', subject: 'one\ntwo', parts: [text('short')] });
    await until('the short one', () => receiver.events.some(({ data }) => data.text === 'short'));
    assert.equal(receiver.events.length, 6);

    const list = await inbox(client, '&limit=100');
    assert.equal(list.length, 6);
    const [{ subject }, control, message] = list;
    assert.equal(subject, 'one two');
    assert.equal(control.text, ' '.repeat(16_000));
    assert.equal(message.text, 'x'.repeat(15_999));
    assert.equal(message.mediaUrls.length, 2);
    const whole = await client.exchange('GET', new URL(message.mediaUrls[1]).pathname);
    assert.match(whole.headers['content-type'], /^text\/plain/);
    assert.ok(whole.bytes.equals(Buffer.from(long)));
    assert.ok((await live.events(message.messageId)).some((e) => e.type === 'media' && /media file 2 has all of it/.test(e.description)));
  }));

  it('texts as handsets write them', withMms(files, {}, {}, async ({ peer, client }) => {
    await peer.deliver({ parts: [text(Buffer.from('\x80 5 \x96 \x93caf\xe9\x94\r\nbye\x07', 'latin1'), 'windows-1252')] });
    assert.equal((await inbox(client))[0].text, '€ 5 – “café”\nbye ');
  }));

  it('more large messages at once than there is room for: they are to come again', withMms(files, {}, {}, async ({ peer, client }) => {
    const head = 'POST /mm7/acme HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 8000000\r\n\r\n';
    const large = Buffer.concat([Buffer.from(head), Buffer.alloc(7_900_000, 32)]);
    let taken = 0;
    const bring = async () => {
      const response = await peer.deliver({ transaction: `large-${taken}`, parts: [{ type: 'image/png', bytes: png(5_000_000) }] });
      taken += response.code === 1000;
      return response;
    };
    // Room is left where one of the crowd was refused beside a message that has come in since, or was cut
    // for being slow: more of them take it.
    const hold = crowd(peer.listener, large);
    const growAndBring = async () => {
      hold.grow(12);
      await sleep(300 * slowness);
      const response = await bring();
      return response.code !== 1000 && response;
    };
    try {
      const refused = await until('no room', growAndBring, { within: 20_000 });
      assert.deepEqual([refused.status, refused.kind, refused.code], [503, 'VASPErrorRsp', 3000]);
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assert.equal((await peer.report('small@mmsc', 'Retrieved')).code, 1000, 'there is always room for what is small');
    } finally {
      hold.leave();
    }
    await until('room', async () => (await bring()).code === 1000);
    assert.equal((await inbox(client, '&limit=100')).length, taken);
  }));

  it('strangers, who are cut before they can be in the way', withMms(files, {}, {
    settings: { listen_username: 'a', listen_password: 'b', allow: '127.0.0.1/32' },
  }, async ({ peer }) => {
    peer.shows = basic('a', 'b');
    const strangers = crowd(peer.listener, 'POST /mm7/acme HTTP/1.1\r\nHost', { localAddress: '127.0.0.2' }).grow(1500);
    try {
      await until('all to be cut', () => strangers.open() === 0, { within: 20_000 });
      assert.equal((await peer.report('x@mmsc', 'Retrieved')).code, 1000);
    } finally {
      strangers.leave();
    }
  }));

  it('no door that everybody could use, where others can reach it', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'skylark.ini');
    const check = (more) => {
      writeFileSync(file, `[sender +18005551234]\ncapabilities = mms\n[mm7]\nlisten = 0.0.0.0:8444\n[mmsc acme]\nurl = http://127.0.0.1:1/\n${more}`);
      return skylark(['config', 'check', '--config', file]);
    };
    try {
      const open = await check('');
      assert.equal(open.code, 78, open.stderr);
      assert.match(open.stderr, /\[mmsc acme\] everybody who reaches mm7\.listen could bring its reports; set listen_username and listen_password, or allow/);
      for (const more of ['allow = 192.0.2.0/24\n', 'listen_username = a\nlisten_password = b\n']) {
        const { code, stderr } = await check(more);
        assert.equal(code, 0, stderr);
      }
    } finally {
      removeFolder(folder);
    }
  });

  it('no door that everybody could use, as long as the listener stays where others can reach it', withMms(files, {}, {
    settings: { listen_username: 'a', listen_password: 'b' }, sections: { mm7: { listen: '0.0.0.0:0' } },
  }, async ({ peer, live }) => {
    live.configure(live.sections({}, { mm7: { listen: '127.0.0.1:0' }, mmsc: { acme: mmsc(peer) } }));
    await until('the word about it', () => /could bring its reports|the configuration was read again/.test(live.server.stderr));
    assert.match(live.server.stderr, /\[mmsc acme\] everybody who reaches the listener could bring its reports/);
    assert.equal((await peer.report('x@mmsc', 'Retrieved')).status, 401);
    peer.shows = basic('a', 'b');
    assert.equal((await peer.report('x@mmsc', 'Retrieved')).code, 1000);
  }));

  it('a message that is brought again is not another one, also after a restart', async () => {
    const folder = temporaryFolder();
    const media = await mediaFiles();
    const peer = await Mmsc.start();
    let live;
    try {
      live = await mmsServer(peer, media, { folder });
      const { key } = live;
      const bring = (more) => peer.deliver({ transaction: 'once-1', parts: [text('hello'), { type: 'image/png', bytes: png(5000, 1) }], ...more });
      for (let round = 0; round < 2; round++) {
        const all = await Promise.all([bring(), bring(), bring()]);
        assert.deepEqual(all.map((r) => [r.status, r.kind, r.code]), Array(3).fill([200, 'DeliverRsp', 1000]));
        const list = await inbox(live.client);
        assert.equal(list.length, 1);
        assert.equal((await live.client.exchange('GET', new URL(list[0].mediaUrls[0]).pathname)).bytes.length, 5000);
        await live.server.crash();
        live = await mmsServer(peer, media, { folder, key });
      }
      // An MMSC that begins to count anew: another message under a name that was used before.
      assert.equal((await bring({ parts: [text('another')] })).code, 1000);
      assert.equal((await bring({ transaction: 'once-2' })).code, 1000);
      assert.equal((await inbox(live.client)).length, 3);
      await live.end();
      live = null;
    } finally {
      await live?.server.dispose();
      await peer.stop();
      await media.stop();
      removeFolder(folder);
    }
  });
});
