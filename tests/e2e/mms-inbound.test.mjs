// What an MMSC brings to our listener: reports, messages with media, and what must not come in.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mediaFiles, mp4, png } from './lib/media-files.mjs';
import { NAMESPACE, basic, envelope, listenerOf, mmsc, withMms } from './lib/mmsc.mjs';
import { sourceRoot } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Hooks, localhostAllowed, newSecret } from './lib/webhooks.mjs';
import { slowness, until } from './lib/wait.mjs';

const files = () => mediaFiles();

const inbox = async (client) => (await client.get('/v1/messages?direction=inbound')).body.data;

// How many media files the data folder has.
const kept = (live) => {
  try { return readdirSync(join(live.folder, 'media'), { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length; } catch { return 0; }
};

// A capture's request: {type, body}.
const capture = (name) => {
  const [request] = readFileSync(join(sourceRoot, 'tests/data/mm7', name), 'utf8').split(/\n+HTTP\/1\.1 /);
  const end = request.indexOf('\n\n');
  return { type: /^Content-Type: (.*)$/m.exec(request.slice(0, end))[1], body: request.slice(end + 2) };
};

describe('mms: what an MMSC brings', { timeout: 120_000 * slowness }, () => {
  it('is a message with its media, to be read, downloaded and told', withMms(files, {}, { server: { env: localhostAllowed } }, async ({ peer, live, client, t }) => {
    const receiver = await Receiver.start();
    t.after(() => receiver.stop());
    await new Hooks(client).create({ url: receiver.url(), events: ['message.received'], secret: newSecret() });
    const photo = jpeg(40_000, 5);
    const film = mp4(900_000, 6);
    const response = await peer.deliver({
      subject: 'Holiday & more',
      parts: [
        { type: 'application/smil', bytes: '<smil/>' },
        { type: 'text/plain; charset=utf-8', bytes: 'Grüße' },
        { type: 'image/jpeg; name="photo.jpg"', bytes: photo.toString('base64').replace(/.{76}/g, '$&\r\n'), headers: { 'Content-Transfer-Encoding': 'base64', 'Content-ID': '<p1>' } },
        { type: 'text/plain; charset=iso-8859-1', bytes: Buffer.from('caf\xe9', 'latin1') },
        { type: 'video/mp4', bytes: film, headers: { 'Content-Transfer-Encoding': 'binary' } },
      ],
    });
    assert.deepEqual([response.status, response.kind, response.code, response.transaction], [200, 'DeliverRsp', 1000, 'd-1']);
    const [message] = await inbox(client);
    assert.equal(message.status, 'received');
    assert.equal(message.type, 'mms');
    assert.equal(message.from, '+14155550123');
    assert.equal(message.to, '+18005550199');
    assert.equal(message.text, 'Grüße\ncafé');
    assert.equal(message.subject, 'Holiday & more');
    assert.equal(message.segments, 1);
    assert.equal(message.mediaUrls.length, 2);
    for (const [i, [bytes, type, disposition]] of [[photo, 'image/jpeg', /^inline/], [film, 'video/mp4', /^attachment/]].entries()) {
      const url = new URL(message.mediaUrls[i]);
      assert.equal(url.pathname, `/v1/messages/${message.messageId}/media/${i + 1}`);
      assert.equal(url.protocol, 'https:');
      const got = await client.exchange('GET', url.pathname);
      assert.equal(got.status, 200, got.text.slice(0, 200));
      assert.deepEqual(got.bytes, bytes);
      assert.equal(got.headers['content-type'], type);
      assert.match(got.headers['content-disposition'], disposition);
      assert.equal(got.headers['x-content-type-options'], 'nosniff');
    }
    const [{ data, type }] = await until('the webhook', () => receiver.events.length && receiver.events);
    assert.equal(type, 'message.received');
    assert.deepEqual(data.mediaUrls, message.mediaUrls);
    assert.equal(kept(live), 2);
  }));

  it('opts a handset out that writes STOP under a picture', withMms(files, {}, {}, async ({ peer, media, client }) => {
    await peer.deliver({ parts: [{ type: 'text/plain', bytes: ' Stop ' }, { type: 'image/png', bytes: png() }] });
    await client.refused(400, 'recipient_opted_out', 'to', client.send({ to: '+14155550123', text: 'x', mediaUrls: [media.url('cat.jpg')] }));
  }));

  it('to a group goes to those of ours that it names, behind a stranger, too', withMms(files, {}, {}, async ({ peer, client }) => {
    const response = await peer.deliver({ to: '+14155559999', cc: '+18005550199', parts: [{ type: 'text/plain', bytes: 'all of you' }, { type: 'image/png', bytes: png() }] });
    assert.equal(response.code, 1000);
    const [message] = await inbox(client);
    assert.deepEqual([message.to, message.text, message.mediaUrls.length], ['+18005550199', 'all of you', 1]);
  }));

  it('of many slides is taken', withMms(files, {}, {}, async ({ peer, client }) => {
    const slides = Array.from({ length: 20 }, (_, i) => [{ type: 'text/plain', bytes: `slide ${i}` }, { type: 'image/png', bytes: png(500, i) }]).flat();
    assert.equal((await peer.deliver({ parts: slides })).code, 1000);
    const [message] = await inbox(client);
    assert.equal(message.text, Array.from({ length: 20 }, (_, i) => `slide ${i}`).join('\n'));
  }));

  it('keeps ten files, and says how many more there were', withMms(files, {}, {}, async ({ peer, live, client }) => {
    await peer.deliver({ parts: Array.from({ length: 12 }, (_, i) => ({ type: 'image/png', bytes: png(500, i) })) });
    const [message] = await inbox(client);
    assert.equal(message.mediaUrls.length, 10);
    assert.ok((await live.events(message.messageId)).some((e) => e.type === 'media' && /^2 more media files/.test(e.description)));
  }));

  it('words of reports, whoever they say that it is from', withMms(files, {}, {}, async ({ peer, media, live, client }) => {
    let id;
    peer.submit = (submit, response) => { id = peer.take(submit, response, { report: false }); return true; };
    for (const [word, status, errorCode] of [
      ['Retrieved', 'delivered', null], ['Expired', 'failed', 'carrier_expired'], ['Rejected', 'failed', 'carrier_rejected'],
      ['Unrecognised', 'failed', 'undeliverable'], ['unrecognized', 'failed', 'undeliverable'], ['NotSupported', 'failed', 'undeliverable'],
      ['DeliveryConditionNotMet', 'failed', 'undeliverable'], ['Unreachable', 'failed', 'unreachable'],
      ['Forwarded', 'sent', null], ['Deferred', 'sent', null], ['Indeterminate', 'sent', null], ['Frobnicated', 'sent', null],
    ]) {
      const { messageId } = await client.sent({ to: '+14155550123', text: word, mediaUrls: [media.url('cat.jpg')] });
      await live.status(messageId, 'sent');
      // Sender and Recipient are the wrong way round, or somebody else's: the MessageID counts.
      const { code } = await peer.report(` ${id} `, word, { fields: { Sender: { Number: '+14155550123/TYPE=PLMN' }, Recipient: { ShortCode: '999' }, StatusText: 'as it is' } });
      assert.equal(code, 1000);
      const message = await live.status(messageId, status);
      assert.equal(message.errorCode, errorCode, word);
      if (status !== 'delivered') assert.ok((await live.events(messageId)).some((e) => e.description === `The MMSC's report says ${word}: as it is.`), word);
    }
  }));

  it('a report that comes before the answer, twice, or late', withMms(files, {}, {}, async ({ peer, media, live, client }) => {
    peer.submit = (submit, response) => {
      peer.report('early@mmsc', 'Retrieved').then(({ code }) => { assert.equal(code, 1000); peer.take(submit, response, { id: 'early@mmsc', report: false }); });
      return true;
    };
    const { messageId } = await client.sent({ to: '+14155550123', text: 'early', mediaUrls: [media.url('cat.jpg')] });
    await live.status(messageId, 'delivered');
    assert.equal((await peer.report('early@mmsc', 'Retrieved')).code, 1000);
    assert.equal((await peer.report('early@mmsc', 'Expired')).code, 1000);
    assert.equal((await client.message(messageId)).status, 'delivered');
    const read = await peer.report('early@mmsc', 'Read', { kind: 'ReadReplyReq' });
    assert.deepEqual([read.kind, read.code], ['ReadReplyRsp', 1000]);
    assert.ok((await live.events(messageId)).some((e) => e.description === "The handset's read report says Read."));
  }));

  it('a MessageID as long as they come', withMms(files, {}, {}, async ({ peer, media, live, client }) => {
    const id = `${'x'.repeat(200)}@mmsc`;
    peer.submit = (submit, response) => { peer.take(submit, response, { id, report: false }); return true; };
    const { messageId } = await client.sent({ to: '+14155550123', text: 'long', mediaUrls: [media.url('cat.jpg')] });
    await live.status(messageId, 'sent');
    assert.equal((await peer.report(id, 'Retrieved')).code, 1000);
    await live.status(messageId, 'delivered');
  }));

  it('a report of a message that nobody knows is kept as a stray', withMms(files, {}, {}, async ({ peer, live }) => {
    const response = await peer.report('nobody@mmsc', 'Retrieved', { namespace: 'urn:of-their-own' });
    assert.deepEqual([response.status, response.kind, response.code, response.namespace], [200, 'DeliveryReportRsp', 1000, 'urn:of-their-own']);
    const list = await live.server.command('receipts', 'list', '--config', live.file, '-o', 'json');
    assert.match(list, /nobody@mmsc/);
  }));

  it('captures of Mbuni', withMms(files, {}, {}, async ({ peer, client }) => {
    const report = capture('mbuni-deliveryreportreq-rsp.http.txt');
    assert.equal((await peer.post(report.body, report)).status, 200);
    const message = capture('mbuni-deliverreq-rsp.http.txt');
    assert.equal((await peer.post(message.body, message)).status, 200);
    const [{ text, subject, from, to }] = await inbox(client);
    assert.deepEqual({ text, subject, from, to }, { text: 'hello from handset', subject: 'subj', from: '+14155550100', to: '111' });
  }));

  it('what cannot be read is refused, and nothing comes of it', withMms(files, {}, {}, async ({ peer, live, client }) => {
    const laughs = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha">${Array.from('bcdefgh', (c, i) => `<!ENTITY ${c} "${`&${String.fromCharCode(97 + i)};`.repeat(10)}">`).join('')}]><x>&h;</x>`;
    const outside = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${envelope('t', `<DeliverReq xmlns="${NAMESPACE}"><Sender><Number>1</Number></Sender><Subject>&f;</Subject></DeliverReq>`).replace(/^<\?.*\?>\n/, '')}`;
    const deep = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`;
    for (const body of ['', 'nonsense', '<a>', laughs, outside, deep, envelope('t', ''), Buffer.from([0xff, 0xfe, 0, 1])]) {
      const { status, text } = await peer.post(body);
      assert.equal(status, 400, text);
      assert.match(text, /<(\w+:)?StatusCode>(2007|4003|4004)</, text);
    }
    const wrong = await peer.post('x', { type: 'multipart/related; boundary=none' });
    assert.equal(wrong.status, 400);
    const submit = await peer.post(envelope('t-1', `<SubmitReq xmlns="${NAMESPACE}"/>`));
    assert.equal(submit.status, 400);
    assert.match(submit.text, />4003</);
    assert.deepEqual(await inbox(client), []);
    assert.equal(kept(live), 0);
  }));

  it('who may not come in', withMms(files, {}, {
    settings: { listen_username: 'mmsc', listen_password: 'p4ss', listen_path: '/in/acme' },
    sections: {},
  }, async ({ peer, live, client }) => {
    const base = listenerOf(live);
    const deliver = (options) => peer.deliver({ parts: [{ type: 'text/plain', bytes: 'x' }], ...options });
    assert.equal((await deliver()).status, 404, '/mm7/acme is not its path');
    peer.listener = `${base}/in/acme`;
    const refused = await deliver();
    assert.equal(refused.status, 401);
    assert.match(refused.headers['www-authenticate'], /^Basic/);
    peer.shows = basic('mmsc', 'wrong');
    assert.equal((await deliver()).status, 401);
    assert.deepEqual(await inbox(client), []);
    peer.shows = basic('mmsc', 'p4ss');
    assert.equal((await deliver()).status, 200);
    assert.equal((await inbox(client)).length, 1);
    const get = await peer.post('', { method: 'GET' });
    assert.deepEqual([get.status, get.headers.allow], [405, 'POST']);

    // The configuration is read again: another password, and from another network only.
    live.configure(live.sections({ listen_password: 'n3w' }));
    await until('the new password', async () => (await deliver()).status === 401);
    peer.shows = basic('mmsc', 'n3w');
    assert.equal((await deliver()).status, 200);
    live.configure(live.sections({ listen_password: 'n3w', allow: '127.0.0.2/32, 192.0.2.0/24' }));
    // Where no MMSC comes from this address the connection is closed before a word is said.
    const isCut = () => deliver().then(() => false, () => true);
    await until('the allow list', isCut);
    assert.equal((await deliver({ localAddress: '127.0.0.2' })).status, 200);
    live.configure(live.sections({ listen_password: 'n3w', allow: '10.1.2.3/8' }));
    await until('the fault', () => /\[mmsc acme\] allow: '10\.1\.2\.3\/8' is an address in a network/.test(live.server.stderr));
    assert.ok(await isCut(), 'all is as it was');
    // With a second one that may come from everywhere, the path decides.
    live.configure({ ...live.sections(), mmsc: { ...live.sections({ listen_password: 'n3w', allow: '127.0.0.2/32' }).mmsc, other: mmsc(peer) } });
    await until('the second MMSC', () => deliver().then(({ status }) => status === 403, () => false));
  }));

  it('over TLS with the certificate of the API', withMms(files, {}, { sections: { mm7: { listen: '127.0.0.1:0', tls: 'on' } } }, async ({ peer, live, client }) => {
    assert.match(peer.listener, /^https:/);
    peer.ca = live.server.ca;
    assert.equal((await peer.deliver({ parts: [{ type: 'text/plain', bytes: 'secret' }] })).status, 200);
    assert.equal((await inbox(client))[0].text, 'secret');
  }));

  it('ends while an MMSC is connected', withMms(files, {}, {}, async ({ peer }) => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => peer.deliver({ transaction: `d-${i}`, parts: [{ type: 'image/png', bytes: png(20_000, i) }] })));
    assert.ok(all.every((r, i) => r.status === 200 && r.transaction === `d-${i}`));
  }));
});
