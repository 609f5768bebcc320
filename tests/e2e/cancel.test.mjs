// Calling messages back: while they are scheduled, or queued and with no carrier; and each race has
// one winner.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, withServer } from './lib/server.mjs';
import { slowness, until, within } from './lib/wait.mjs';

const to = '+15551234567';
const ahead = (ms) => new Date(Date.now() + ms).toISOString();
const cancel = (api, id) => api.call('POST', `/v1/messages/${id}/cancel`);
const total = async (api, query) => (await api.get(`/v1/messages?limit=1&${query}`)).body.pagination.totalCount;

withServer('cancelling', {}, (context) => {
  it('calls a scheduled message back, once', async () => {
    const message = await context.api.sent({ to, text: 'x', scheduledAt: ahead(600_000), tags: ['a'] });
    const { status, body } = await cancel(context.api, message.messageId);
    assert.equal(status, 200);
    assert.equal(body.status, 'cancelled');
    assert.equal(body.updatedAt, body.cancelledAt);
    assert.deepEqual(body.cost, { amount: 0, currency: 'USD' });
    assert.deepEqual({ ...body, status: 0, updatedAt: 0, cancelledAt: 0 }, { ...message, status: 0, updatedAt: 0, cancelledAt: 0 });
    assert.deepEqual(await context.api.message(message.messageId), body);
    await context.api.refused(400, 'message_not_cancellable', undefined, cancel(context.api, message.messageId));
  });

  it('refuses what a carrier has, and what is over', async () => {
    const { messageId } = await context.api.sent({ to, text: 'x' });
    await until('sent', async () => (await context.api.message(messageId)).status !== 'queued');
    await context.api.refused(400, 'message_not_cancellable', undefined, cancel(context.api, messageId));
    await until('delivered', async () => (await context.api.message(messageId)).status === 'delivered');
    await context.api.refused(400, 'message_not_cancellable', undefined, cancel(context.api, messageId));
    assert.equal((await context.api.message(messageId)).status, 'delivered');
  });

  it('of many at once one wins', async () => {
    for (let round = 0; round < 20; round++) {
      const { messageId } = await context.api.sent({ to, text: 'x', scheduledAt: ahead(600_000) });
      const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(context.api, messageId)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(400)]);
    }
  });

  it('a message is either sent or cancelled', async () => {
    const outcomes = await Promise.all(Array.from({ length: 100 }, async () => {
      const { messageId } = await context.api.sent({ to: '+15550001234', text: 'x' });
      const { status } = await cancel(context.api, messageId);
      const message = await until('the end', async () => {
        const now = await context.api.message(messageId);
        return ['delivered', 'cancelled'].includes(now.status) && now;
      });
      assert.equal(message.status, status === 200 ? 'cancelled' : 'delivered');
      assert.equal(message.sentAt === null, status === 200);
      return status;
    }));
    assert.ok(outcomes.every((status) => status === 200 || status === 400));
  });
});

// A carrier that does not answer and a small window: most messages lie in the store, queued.
it('cancel: a message that waits on disk', { timeout: 120_000 * slowness }, async () => {
  const server = await Server.start({ env: { SKYLARK_QUEUE_MEMORY: '64', SKYLARK_SIMULATOR_ANSWER: '60s', SKYLARK_SIMULATOR_DELIVERY: '120s' } });
  try {
    const api = await server.keyedClient();
    const { body } = await api.call('POST', '/v1/messages/batch', {
      json: { messages: Array.from({ length: 200 }, (_, i) => ({ to, text: `${i}` })) },
    });
    const ids = body.results.map(({ messageId }) => messageId);
    const waiting = ids.slice(100);
    const answers = await Promise.all(waiting.map((id) => cancel(api, id)));
    assert.ok(answers.every(({ status }) => status === 200));
    await api.refused(400, 'message_not_cancellable', undefined, cancel(api, ids[0]));
    const { body: progress } = await api.get(`/v1/messages/batch/${body.batchId}`);
    assert.deepEqual(progress.counts, { scheduled: 0, queued: 100, sent: 0, delivered: 0, failed: 0, cancelled: 100 });
    assert.equal(await total(api, ''), 200);
    await server.stop();
  } finally {
    await server.dispose();
  }
});

it('cancel: a stopping server answers everyone', { timeout: 120_000 * slowness }, async () => {
  const server = await Server.start();
  try {
    const { key } = await server.createKey();
    const api = server.client(key);
    const ids = [];
    for (let i = 0; i < 200; i++) ids.push((await api.sent({ to, text: 'x', scheduledAt: ahead(600_000) })).messageId);
    // Whoever was heard has an answer; whoever came too late has no connection.
    const answers = ids.map((id) => api.exchange('POST', `/v1/messages/${id}/cancel`).catch(({ code }) => ({ code })));
    server.signal('SIGTERM');
    const results = await within(30_000, 'the answers', Promise.all(answers));
    for (const { status, code } of results) assert.ok(code || [200, 503].includes(status), `${status}`);
    await server.stop();
  } finally {
    await server.dispose();
  }
});
