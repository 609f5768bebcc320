// Live MMS over MM7, from 201 to delivered: what goes out is taken apart element by element.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mediaFiles, mp4, png } from './lib/media-files.mjs';
import { NAMESPACE, basic, withMms } from './lib/mmsc.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Hooks, localhostAllowed, newSecret, signature } from './lib/webhooks.mjs';
import { child, contentType, value, xml } from './lib/mime.mjs';
import { slowness, until } from './lib/wait.mjs';

// What follows MM7Version in the schema (3GPP TS 23.140, REL-6-MM7-1-4.xsd, submitReqType).
const ORDER = ['MM7Version', 'SenderIdentification', 'Recipients', 'ServiceCode', 'LinkedID', 'MessageClass', 'TimeStamp', 'ReplyCharging', 'EarliestDeliveryTime',
  'ExpiryDate', 'DeliveryReport', 'ReadReply', 'Priority', 'Subject', 'ChargedParty', 'ChargedPartyID', 'DistributionIndicator', 'DeliveryCondition', 'ApplicID',
  'ReplyApplicID', 'AuxApplicInfo', 'ContentClass', 'DRMContent', 'Content'];

const files = () => mediaFiles({
  'cat.jpg': { type: 'image/jpeg', bytes: jpeg(3001, 1) },
  'dog.png': { type: 'image/png', bytes: png(2000, 2) },
  'film.mp4': { type: 'video/mp4', bytes: mp4(200_000, 3) },
});

describe('mms: the life of a message', { timeout: 120_000 * slowness }, () => {
  it('is fetched, goes out in the right form, is delivered, priced and told', withMms(files, { authorization: basic('user', 'pass'), reports: false }, {
    settings: { username: 'user', password: 'pass', service_code: 'gold' },
    server: { env: localhostAllowed },
  }, async ({ peer, media, live, client, t }) => {
    const receiver = await Receiver.start();
    t.after(() => receiver.stop());
    const secret = newSecret();
    await new Hooks(client).create({ url: receiver.url(), events: ['*'], secret });
    const before = Date.now();
    const message = await client.sent({ to: '+14155550123', text: 'Look <at> "this" & that, Zürich 👋', subject: 'Cat & dog', mediaUrls: [media.url('cat.jpg'), media.url('dog.png')], validityPeriod: 3600 });
    assert.equal(message.type, 'mms');
    assert.equal(message.segments, 1);
    assert.deepEqual(message.cost, { amount: 0.02, currency: 'USD' });
    await live.status(message.messageId, 'sent');

    // HTTP and MIME.
    assert.equal(peer.submits.length, 1);
    const [sent] = peer.submits;
    assert.equal(sent.method, 'POST');
    assert.equal(sent.path, '/mm7');
    assert.equal(sent.headers.soapaction, '""');
    assert.equal(Number(sent.headers['content-length']), sent.body.length);
    assert.equal(sent.headers['transfer-encoding'], undefined);
    const outer = contentType(sent.headers['content-type']);
    assert.equal(outer.type, 'multipart/related');
    assert.equal(outer.parameters.type, 'text/xml');
    assert.equal(sent.parts.length, 2);
    assert.equal(sent.soap.type, 'text/xml');

    // SOAP.
    const { root, submit } = sent;
    assert.deepEqual([root.name, root.space], ['Envelope', 'http://schemas.xmlsoap.org/soap/envelope/']);
    const transaction = child(root, 'Header', 'TransactionID');
    assert.equal(transaction.space, NAMESPACE);
    assert.equal(transaction.attributes[Object.keys(transaction.attributes).find((k) => /mustUnderstand$/.test(k))], '1');
    assert.equal(submit.space, NAMESPACE);
    const names = submit.children.map((c) => c.name);
    assert.deepEqual(names, ORDER.filter((name) => names.includes(name)), 'the order of the schema, each once');
    assert.equal(value(submit, 'MM7Version'), '6.8.0');
    assert.deepEqual(child(submit, 'SenderIdentification').children.map((c) => c.name), ['VASPID', 'VASID', 'SenderAddress']);
    assert.equal(value(submit, 'SenderIdentification', 'VASPID'), 'skylark');
    assert.equal(value(submit, 'SenderIdentification', 'VASID'), 'shop');
    assert.equal(value(submit, 'SenderIdentification', 'SenderAddress', 'Number'), '+18005550199');
    assert.deepEqual(child(submit, 'Recipients').children.map((c) => [c.name, c.children.length]), [['To', 1]]);
    assert.equal(value(submit, 'Recipients', 'To', 'Number'), '+14155550123');
    assert.equal(value(submit, 'ServiceCode'), 'gold');
    assert.equal(value(submit, 'DeliveryReport'), 'true');
    assert.equal(value(submit, 'Subject'), 'Cat & dog');
    const expiry = Date.parse(value(submit, 'ExpiryDate'));
    assert.ok(Math.abs(expiry - before - 3_600_000) < 15_000, value(submit, 'ExpiryDate'));

    // The content: SMIL first, then the text, then the files as they were.
    const { content } = sent;
    assert.equal(content.type, 'multipart/related');
    assert.equal(content.parameters.type, 'application/smil');
    assert.deepEqual(content.parts.map((p) => p.type), ['application/smil', 'text/plain', 'image/jpeg', 'image/png']);
    assert.equal(`<${content.parts[0].id}>`, content.parameters.start);
    assert.equal(sent.text, 'Look <at> "this" & that, Zürich 👋');
    assert.deepEqual(content.parts[2].bytes, media.files['cat.jpg'].bytes);
    assert.deepEqual(content.parts[3].bytes, media.files['dog.png'].bytes);
    const smil = xml(content.parts[0].bytes.toString());
    const shown = child(smil, 'body').children.flatMap((par) => par.children.map((c) => c.attributes.src.replace(/^cid:/, '')));
    const named = content.parts.slice(1).flatMap((p) => [p.id, p.headers['content-location']]);
    assert.ok(shown.length >= 3 && shown.every((src) => named.includes(src)), `${shown} are parts: ${named}`);

    // The report.
    const id = (await live.events(message.messageId)).find((e) => e.type === 'carrier_answer').description.match(/m-\w+@mmsc/)[0];
    const response = await peer.report(id, 'Retrieved');
    assert.deepEqual([response.status, response.kind, response.code, response.transaction], [200, 'DeliveryReportRsp', 1000, `r-${id}`]);
    const delivered = await live.status(message.messageId, 'delivered');
    assert.ok(delivered.sentAt && delivered.deliveredAt);
    assert.deepEqual(delivered.mediaUrls, message.mediaUrls);
    const kinds = (await live.events(message.messageId)).map((e) => e.type);
    for (const kind of ['accepted', 'routed', 'queued', 'carrier_answer', 'sent', 'delivered']) assert.ok(kinds.includes(kind), `${kind} of ${kinds}`);
    const events = await until('the webhook', () => {
      const all = receiver.events.filter((e) => e.data.messageId === message.messageId);
      return all.some((e) => e.type === 'message.delivered') && all;
    });
    assert.deepEqual(events.map((e) => e.type), ['message.queued', 'message.sent', 'message.delivered']);
    assert.equal(events.at(-1).data.type, 'mms');
    const last = receiver.requests.at(-1);
    assert.equal(last.headers['x-service-signature'], signature(secret, last.body));
    const acme = (await until('the count', async () => {
      const carriers = await live.carriers();
      return carriers.acme?.receipts >= 1 && carriers;
    })).acme;
    assert.equal(acme.taken, 1);
  }));

  it('sends a large file in binary where the MMSC wants that, and shows a token', withMms(files, { authorization: 'Bearer t0ken' }, {
    settings: { token: 't0ken', encoding: 'binary', numbers: 'plain', namespace: 'urn:other', version: '5.3.0' },
  }, async ({ peer, media, live, client }) => {
    const { messageId } = await client.sent({ to: '+14155550123', text: '', mediaUrls: [media.url('film.mp4')] });
    await live.status(messageId, 'delivered');
    const [sent] = peer.submits;
    assert.equal(sent.submit.space, 'urn:other');
    assert.equal(value(sent.submit, 'MM7Version'), '5.3.0');
    assert.equal(value(sent.submit, 'Recipients', 'To', 'Number'), '14155550123');
    assert.equal(sent.text, undefined, 'no text, no part');
    assert.deepEqual(sent.content.parts.map((p) => [p.type, p.headers['content-transfer-encoding'] ?? '7bit']).at(-1), ['video/mp4', 'binary']);
    assert.deepEqual(sent.files[0].bytes, media.files['film.mp4'].bytes);
  }));

  it('says a short code and /TYPE=PLMN where that is wanted', withMms(files, {}, {
    settings: { numbers: 'plmn', reports: 'off' }, sections: { sender: { 12345: { type: 'short-code', country: 'US', capabilities: 'sms mms' } } },
  }, async ({ peer, media, live, client }) => {
    const { messageId } = await client.sent({ to: '+14155550123', from: '12345', text: 'x', mediaUrls: [media.url('cat.jpg')] });
    await live.status(messageId, 'delivered');
    const [{ submit }] = peer.submits;
    assert.equal(value(submit, 'SenderIdentification', 'SenderAddress', 'ShortCode'), '12345');
    assert.equal(value(submit, 'Recipients', 'To', 'Number'), '+14155550123/TYPE=PLMN');
    assert.equal(value(submit, 'DeliveryReport'), 'false');
  }));

  it('shows its files to whoever may see the message', withMms(files, {}, {}, async ({ media, live, client }) => {
    const { messageId } = await client.sent({ to: '+14155550123', text: 'one', mediaUrls: [media.url('cat.jpg')] });
    await live.status(messageId, 'delivered');
    const { bytes, headers } = await client.exchange('GET', `/v1/messages/${messageId}/media/1`);
    assert.deepEqual(bytes, media.files['cat.jpg'].bytes);
    assert.equal(headers['content-type'], 'image/jpeg');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  }));

  it('keeps to its window', withMms(files, { reports: false }, { settings: { window: 3, response_timeout: '30s' } }, async ({ peer, media, live, client }) => {
    const held = [];
    const ids = [];
    peer.submit = (submit, response) => held.push([submit, response]);
    for (let i = 0; i < 8; i++) ids.push((await client.sent({ to: '+14155550123', text: `w${i}`, mediaUrls: [media.url('cat.jpg')] })).messageId);
    await peer.got(3);
    await new Promise((done) => { setTimeout(done, 300); });
    assert.equal(peer.submits.length, 3, 'no more than the window');
    peer.submit = undefined;
    held.forEach(([submit, response]) => peer.take(submit, response));
    for (const id of ids) await live.status(id, 'sent');
    assert.deepEqual(peer.submits.map((s) => s.text).sort(), ids.map((_, i) => `w${i}`));
  }));

  it('is in the list of carriers, and says where it listens', withMms(files, {}, {}, async ({ live }) => {
    await until('it to be ready', async () => (await live.carriers()).acme?.state === 'ready');
    assert.match(live.server.stderr, /MMSCs bring reports and messages to http:\/\/127\.0\.0\.1:\d+/);
  }));

  it('has none of its files open while it waits for the answer', withMms(files, { reports: false }, { settings: { window: 20, response_timeout: '30s' } }, async ({ peer, media, live, client }) => {
    const held = [];
    peer.submit = (...asked) => held.push(asked);
    const mediaUrls = Array.from({ length: 10 }, (_, i) => media.url(i % 2 ? 'cat.jpg' : 'dog.png'));
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push((await client.sent({ to: '+14155550123', text: `${i}`, mediaUrls })).messageId);
    await peer.got(20);
    const folder = `/proc/${live.server.pid}/fd`;
    const open = readdirSync(folder).map((fd) => {
      try { return readlinkSync(join(folder, fd)); } catch { return ''; } // closed meanwhile
    });
    assert.ok(open.length > 20, 'their connections are');
    assert.deepEqual(open.filter((path) => path.includes('/media/')), []);
    held.forEach(([submit, response]) => peer.take(submit, response));
    for (const id of ids) await live.status(id, 'sent');
  }));
});
