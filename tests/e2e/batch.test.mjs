// Batches: a result for each message, one commit for all, and how far they are.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+15551234567';
const items = (count, text = 'x') => Array.from({ length: count }, (_, i) => ({ to, text: `${text} ${i}` }));

withServer('batch', {}, (context) => {
  const create = (messages, options) => context.api.call('POST', '/v1/messages/batch', { json: { messages }, ...options });
  const progress = async (id) => (await context.api.get(`/v1/messages/batch/${id}`)).body;

  it('accepts messages and tells how far they are', async () => {
    const { status, body, text } = await create(items(3));
    assert.equal(status, 201, text);
    assert.deepEqual([body.total, body.accepted, body.rejected], [3, 3, 0]);
    assert.deepEqual(body.results.map((r) => [r.index, r.status]), [[0, 'queued'], [1, 'queued'], [2, 'queued']]);
    const message = await context.api.message(body.results[1].messageId);
    assert.equal(message.batchId, body.batchId);
    assert.equal(message.text, 'x 1');
    const done = await until('the batch to be done', async () => {
      const now = await progress(body.batchId);
      assert.equal(Object.values(now.counts).reduce((a, b) => a + b), 3);
      return now.done && now;
    }, { within: 10_000 });
    assert.deepEqual(done, {
      batchId: body.batchId, total: 3, accepted: 3, rejected: 0, createdAt: body.createdAt,
      counts: { scheduled: 0, queued: 0, sent: 0, delivered: 3, failed: 0, cancelled: 0 }, done: true,
    });
  });

  it('judges each message for itself, in the order given', async () => {
    const later = new Date(Date.now() + 3600_000).toISOString();
    const { body } = await create([
      { to, text: 'good' }, { to }, { text: 'x' }, { to, text: 5 }, { to: '0123', text: 'x' }, 'nonsense', null, [],
      { to, text: 'x', dryRun: true }, { to: '+15550001002', text: 'x' }, { to: '+15550009995', text: 'x' },
      { to, text: 'x', from: '+15550100' }, { to, text: 'later', scheduledAt: later }, { to: '+15005550002', text: 'fails later' },
    ]);
    assert.deepEqual(body.results.map((r) => r.status ?? `${r.error.code} ${r.error.field}`), [
      'queued', 'missing_required_field text', 'missing_required_field to', 'invalid_parameter text', 'invalid_phone_number to',
      'invalid_parameter messages', 'invalid_parameter messages', 'invalid_parameter messages', 'invalid_parameter dryRun',
      'carrier_rejected to', 'service_unavailable undefined', 'invalid_from_number from', 'scheduled', 'queued',
    ]);
    assert.deepEqual([body.total, body.accepted, body.rejected], [14, 3, 11]);
    assert.ok(body.results[10].error.retryAfter > 0);
    const settled = await until('what can end to end', async () => {
      const now = await progress(body.batchId);
      return now.counts.delivered === 1 && now.counts.failed === 1 && now;
    }, { within: 10_000 });
    assert.equal(settled.counts.scheduled, 1);
    assert.equal(settled.done, false);
  });

  it('takes 1 to 1000 messages', async () => {
    const { body } = await create(items(1000));
    assert.equal(body.accepted, 1000);
    assert.equal(new Set(body.results.map((r) => r.messageId)).size, 1000);
    const listed = await context.api.get(`/v1/messages?batchId=${body.batchId}&limit=1`);
    assert.equal(listed.body.pagination.totalCount, 1000);
    await context.api.refused(400, 'batch_empty', 'messages', create([]));
    await context.api.refused(400, 'batch_too_large', 'messages', create(items(1001)));
    await context.api.refused(400, 'missing_required_field', 'messages', context.api.call('POST', '/v1/messages/batch', { json: {} }));
    await context.api.refused(400, 'invalid_parameter', 'messages', context.api.call('POST', '/v1/messages/batch', { json: { messages: {} } }));
    await context.api.refused(400, 'unsupported_content_type', undefined,
      context.api.call('POST', '/v1/messages/batch', { form: { messages: '[]' } }));
  });

  it('takes bodies of up to 4 MiB, from those who may send', async () => {
    const text = 'ü'.repeat(1600);
    const large = Array.from({ length: 1000 }, () => ({ to, text }));
    const { status, body, text: answer } = await create(large);
    assert.equal(status, 201, answer.slice(0, 300));
    assert.equal(body.accepted, 1000);
    assert.equal((await context.api.message(body.results[999].messageId)).text, text);

    const exactly = (bytes) => {
      const shell = JSON.stringify({ messages: items(1), pad: '' });
      return JSON.stringify({ messages: items(1), pad: 'x'.repeat(bytes - shell.length) });
    };
    const raw = (bytes, options) => context.api.call('POST', '/v1/messages/batch', { raw: exactly(bytes), type: 'application/json', ...options });
    assert.equal((await raw(4 << 20)).status, 201);
    const over = await raw((4 << 20) + 1);
    await context.api.refused(400, 'request_too_large', undefined, over);
    assert.match(over.body.message, /4194304/);
    const reader = await context.server.createKey({ permissions: 'sms:read' });
    await context.api.refused(403, 'insufficient_permissions', undefined, raw(1 << 20, { key: reader.key }));
    await context.api.refused(401, 'invalid_api_key', undefined, raw(1 << 20, { key: `${reader.key.slice(0, -4)}!!!!` }));
    const elsewhere = await context.api.call('POST', '/v1/send', { raw: exactly((256 << 10) + 1), type: 'application/json' });
    await context.api.refused(400, 'request_too_large', undefined, elsewhere);
    assert.match(elsewhere.body.message, /262144/);
  });

  it('is a batch of its own account and mode', async () => {
    const { body } = await create(items(1));
    const live = await context.server.keyedClient({ type: 'live' });
    for (const [client, id] of [[live, body.batchId], [context.api, 'bat_00000000000'], [context.api, 'nonsense'], [context.api, '%00']]) {
      await context.api.refused(404, 'batch_not_found', undefined, client.get(`/v1/messages/batch/${id}`));
    }
    const rejected = await live.call('POST', '/v1/messages/batch', { json: { messages: items(2) } });
    assert.equal(rejected.status, 201);
    assert.deepEqual(rejected.body.results.map((r) => r.error.code), ['unsupported_destination', 'unsupported_destination']);
    assert.equal((await live.get(`/v1/messages/batch/${rejected.body.batchId}`)).body.done, true);
  });

  it('is one request for the limits', async () => {
    const { key } = await context.server.createKey({ plan: '', 'per-minute': 100 });
    const client = context.server.client(key);
    const { headers } = await client.call('POST', '/v1/messages/batch', { json: { messages: items(50) } });
    assert.equal(headers['x-ratelimit-remaining'], '99');
  });
});

it('batch: all of it or nothing, through crashes', { timeout: 120_000 * slowness }, async (t) => {
  const size = 50;
  const folder = temporaryFolder();
  const acknowledged = new Set();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey();
    for (let cycle = 0; cycle < 5; cycle++) {
      const client = server.client(key);
      let answered = 0;
      const enough = new Promise((done) => {
        const sender = async () => {
          for (;;) {
            let response;
            try {
              response = await client.exchange('POST', '/v1/messages/batch', { json: { messages: items(size) } });
            } catch {
              return;
            }
            assert.equal(response.status, 201, response.text);
            acknowledged.add(JSON.parse(response.text).batchId);
            if (++answered === 10 + cycle) done();
          }
        };
        for (let i = 0; i < 4; i++) sender();
      });
      await enough;
      await server.crash();
      server = await Server.start({ dataDir: folder });
    }
    const client = server.client(key);
    for (const id of acknowledged) {
      const { status, body } = await client.get(`/v1/messages/batch/${id}`);
      assert.equal(status, 200, `${id} is lost`);
      assert.equal(Object.values(body.counts).reduce((a, b) => a + b), size);
      assert.equal((await client.get(`/v1/messages?batchId=${id}&limit=1`)).body.pagination.totalCount, size);
    }
    const { totalCount } = (await client.get('/v1/messages?limit=1')).body.pagination;
    t.diagnostic(`${acknowledged.size} batches acknowledged, ${totalCount} messages`);
    assert.equal(totalCount % size, 0, 'no batch is there in part');
    assert.ok(totalCount >= acknowledged.size * size);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
