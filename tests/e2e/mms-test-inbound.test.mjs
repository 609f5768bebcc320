// Pictures from a handset that a test plays: POST /v1/test/inbound with media. They are what an MMSC
// would have brought, so each behaviour here has its live twin in mms-inbound.test.mjs.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mp4, png } from './lib/media-files.mjs';
import { run, sourceRoot } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { Hooks, localhostAllowed, newSecret } from './lib/webhooks.mjs';
import { slowness, until } from './lib/wait.mjs';

const from = '+15557770100';
const file = (contentType, bytes) => ({ contentType, data: bytes.toString('base64') });
const inbound = (client, json, options) => client.call('POST', '/v1/test/inbound', { json, ...options });

const filesIn = (folder) => {
  try { return readdirSync(join(folder, 'media'), { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length; } catch { return 0; }
};

async function received(client, json, options) {
  const { status, body, text } = await inbound(client, json, options);
  assert.equal(status, 201, text);
  return body;
}

// That a message has these files, at the URLs that it shows.
async function assertFiles(client, message, files) {
  assert.equal(message.mediaUrls.length, files.length);
  for (const [i, { contentType, data }] of files.entries()) {
    const url = new URL(message.mediaUrls[i]);
    assert.equal(url.pathname, `/v1/messages/${message.messageId}/media/${i + 1}`);
    const got = await client.exchange('GET', url.pathname);
    assert.equal(got.status, 200, got.text.slice(0, 200));
    assert.equal(got.headers['content-type'], contentType);
    assert.equal(got.headers['x-content-type-options'], 'nosniff');
    assert.ok(got.bytes.equals(Buffer.from(data, 'base64')), `file ${i + 1}`);
  }
}

withServer('pictures from a handset that a test plays', { env: localhostAllowed }, (context) => {
  it('are a message with its media, to be read, downloaded and told', async (t) => {
    const receiver = await Receiver.start();
    t.after(() => receiver.stop());
    await new Hooks(context.api).create({ url: receiver.url(), events: ['message.received'], secret: newSecret() });
    const media = [file('image/jpeg', jpeg(40_000, 1)), file('video/mp4', mp4(900_000, 2))];
    const message = await received(context.api, { from, text: 'Grüße', media });
    assert.deepEqual(
      [message.type, message.status, message.direction, message.segments, message.text, message.livemode, message.to],
      ['mms', 'received', 'inbound', 1, 'Grüße', false, '+18005551234'],
    );
    assert.equal(message.cost.amount, 0);
    await assertFiles(context.api, message, media);
    const [{ data, type }] = await until('the webhook', () => receiver.events.length && receiver.events);
    assert.equal(type, 'message.received');
    assert.deepEqual(data, message);
    const { body } = await context.api.get(`/v1/messages?direction=inbound&from=${encodeURIComponent(from)}`);
    assert.deepEqual(body.data, [message]);
    const events = (await context.api.get('/v1/events?types=message.received')).body.data;
    assert.deepEqual(events[0].data, message);
  });

  it('are as a live one, field for field, whoever they are to', async () => {
    const { messageId } = await received(context.api, { from: '+4915112345678', media: [file('image/png', png())] });
    const { type, text, encoding, segments, messageType } = await context.api.message(messageId);
    assert.deepEqual({ type, text, encoding, segments, messageType }, { type: 'mms', text: '', encoding: 'GSM-7', segments: 1, messageType: 'transactional' });
    const british = await received(context.api, { from, to: '+447700900123', text: '', media: [file('image/png', png())] });
    assert.equal(british.to, '+447700900123');
  });

  it('count as received', async () => {
    const totals = async () => (await context.api.get('/v1/analytics/usage')).body.totals;
    const before = await totals();
    await received(context.api, { from, media: [file('image/png', png())] });
    await until('the count', async () => (await totals()).inbound === before.inbound + 1);
  });

  it('opt a handset out that writes STOP under one', async () => {
    const number = '+15557770101';
    await received(context.api, { from: number, text: ' Stop ', media: [file('image/png', png())] });
    await context.api.refused(400, 'recipient_opted_out', 'to', context.api.send({ to: number, text: 'x' }));
  });

  it('are received once with an Idempotency-Key, and leave no file behind', async () => {
    const headers = { 'Idempotency-Key': 'a picture' };
    const json = { from, media: [file('image/png', png(1000, 'once'))] };
    const message = await received(context.api, json, { headers });
    const files = filesIn(context.server.dataDir);
    const again = await inbound(context.api, { media: json.media, from }, { headers });
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.deepEqual(again.body, message);
    const other = { from, media: [file('image/png', png(1000, 'twice'))] };
    await context.api.refused(400, 'idempotency_key_mismatch', undefined, inbound(context.api, other, { headers }));
    assert.equal(filesIn(context.server.dataDir), files);
  });

  it('are kept as what the handset says, whatever they are', async () => {
    for (const [said, shown] of [['image/png', 'image/png'], ['IMAGE/JPG; name=a.jpg', 'image/jpeg'], ['application/x-strange', 'application/octet-stream']]) {
      const { messageId } = await received(context.api, { from, media: [file(said, Buffer.from('<html>'))] });
      const { headers } = await context.api.exchange('GET', `/v1/messages/${messageId}/media/1`);
      assert.equal(headers['content-type'], shown);
    }
  });

  it('of 3,000,000 bytes are taken, and no more', async () => {
    const most = [file('image/jpeg', jpeg(2_999_000)), file('image/png', png(1000))];
    await assertFiles(context.api, await received(context.api, { from, media: most }), most);
    await context.api.refused(400, 'request_too_large', 'media[1].data', inbound(context.api, { from, media: [most[0], file('image/png', png(1001))] }));
    await context.api.refused(400, 'request_too_large', undefined, inbound(context.api, { from, media: [file('image/jpeg', jpeg(3_200_000))] }));
    // A client that may not do this has no room for it either.
    const reader = await context.server.keyedClient({ permissions: 'sms:read' });
    await reader.refused(403, 'insufficient_permissions', undefined, inbound(reader, { from, media: [file('image/jpeg', jpeg(300_000))] }));
  });

  it('that are none are refused, with the field and the remedy, and nothing comes of them', async () => {
    const count = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;
    const before = [await count(), filesIn(context.server.dataDir)];
    const good = file('image/png', png(500, 'refused'));
    for (const [item, code, field, remedy] of [
      [{ ...good, data: 'AAAA\n' }, 'invalid_parameter', 'data', /without line breaks/],
      [{ ...good, data: 'AA-_' }, 'invalid_parameter', 'data', /with \+ and \//],
      [{ ...good, data: '' }, 'invalid_parameter', 'data', /in base64/],
      [{ data: good.data }, 'missing_required_field', 'contentType', /is required/],
      [{ ...good, contentType: 'png' }, 'invalid_parameter', 'contentType', /such as image\/png/],
      [{ ...good, contentType: 'text/plain' }, 'invalid_parameter', 'contentType', /put it there/],
    ]) {
      const { body } = await context.api.refused(400, code, `media[1].${field}`, inbound(context.api, { from, media: [good, item] }));
      assert.match(body.message, remedy);
    }
    assert.deepEqual([await count(), filesIn(context.server.dataDir)], before);
  });
});

describe('pictures from a handset that a test plays, and the disk', { timeout: 120_000 * slowness }, () => {
  it('are there after kill -9, each that was answered for, and no file without a message', async () => {
    const folder = temporaryFolder();
    let server = await Server.start({ dataDir: folder });
    try {
      const { key } = await server.createKey();
      const acknowledged = new Map(); // id → its files
      for (let cycle = 0; cycle < 3; cycle++) {
        const client = server.client(key);
        const before = acknowledged.size;
        const handsets = Array.from({ length: 4 }, async (_, n) => {
          for (let i = 0; ; i++) {
            const media = ['a', 'b'].map((which) => file('image/jpeg', jpeg(30_000, `${cycle}.${n}.${i}.${which}`)));
            const response = await client.exchange('POST', '/v1/test/inbound', { json: { from, media } }).catch(() => null);
            if (!response) return;
            assert.equal(response.status, 201, response.text);
            acknowledged.set(JSON.parse(response.text).messageId, media);
          }
        });
        await until('some pictures', () => acknowledged.size >= before + 10, { every: 5 });
        await server.crash();
        await Promise.all(handsets);
        server = await Server.start({ dataDir: folder });
      }
      const client = server.client(key);
      for (const [id, media] of acknowledged) await assertFiles(client, await client.message(id), media);
      const { totalCount } = (await client.get('/v1/messages?limit=1')).body.pagination;
      assert.ok(totalCount >= acknowledged.size);
      await until('files of messages only', () => filesIn(folder) === 2 * totalCount, { within: 20_000 });
    } finally {
      await server.dispose();
      removeFolder(folder);
    }
  });

  it('are refused while the disk has no more room than messages need, which texts do not mind', async () => {
    const folder = temporaryFolder();
    const again = { json: { from, media: [file('image/png', png(300))] }, headers: { 'Idempotency-Key': 'before' } };
    let server = await Server.start({ dataDir: folder });
    try {
      const { key } = await server.createKey();
      const before = await received(server.client(key), again.json, { headers: again.headers });
      await server.stop();
      server = await Server.start({ dataDir: folder, env: { SKYLARK_MEDIA_RESERVE: '1000000000000000' } });
      const client = server.client(key);
      const repeated = await received(client, again.json, { headers: again.headers });
      assert.equal(repeated.messageId, before.messageId, 'a repetition needs no room');
      await client.refused(400, 'invalid_phone_number', 'from', inbound(client, { from: 'nobody', media: again.json.media }));
      await client.refused(503, 'service_unavailable', undefined, inbound(client, { from, media: [file('image/png', png())] }));
      await received(client, { from, text: 'x' });
      assert.equal(filesIn(folder), 1);
      assert.match(server.stderr + server.stdout, /cannot be kept: No space left/);
    } finally {
      await server.dispose();
      removeFolder(folder);
    }
  });
});

describe('docs/MMS.md: test a program that receives pictures', { timeout: 60_000 * slowness }, () => {
  const guide = readFileSync(join(sourceRoot, 'docs/MMS.md'), 'utf8');
  const [, commands, answer] = /^## Test a program that receives pictures$.*?```sh\n(.*?)\n```\n\n```json\n(.*?)\n```$/ms.exec(guide);

  it('does what it says', async () => {
    const home = temporaryFolder();
    const server = await Server.start({ dataDir: join(home, '.local/share/skylark') });
    try {
      // The lines as they stand, but for the port, and without jq, which not everybody has.
      const lines = commands.replace(':8443', `:${server.port}`).replace(/ \| jq .*$/m, '');
      const { code, stdout, stderr } = await run('sh', ['-c', lines], { env: { HOME: home, XDG_DATA_HOME: undefined, SKYLARK_API_KEY: undefined } });
      assert.equal(code, 0, stderr);
      const { type, from: writer, text, mediaUrls } = JSON.parse(stdout);
      const plain = (json) => json.replace(/msg_\w+/, 'msg_').replace(/:\d+\/v1/, '/v1');
      assert.equal(plain(JSON.stringify({ type, from: writer, text, mediaUrls }, null, 2)), plain(answer));
      const client = server.client(readFileSync(join(server.dataDir, 'test-key'), 'utf8').trim());
      const { bytes } = await client.exchange('GET', new URL(mediaUrls[0]).pathname);
      assert.equal(bytes.toString('base64'), /^PNG=(\S+)/m.exec(commands)[1]);
    } finally {
      await server.stop().finally(() => server.dispose());
      removeFolder(home);
    }
  });
});
