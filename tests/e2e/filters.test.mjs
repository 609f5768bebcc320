// GET /v1/messages with filters: every combination shows what matches and nothing else, page by page,
// and totalCount counts it.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';

const ahead = (ms) => new Date(Date.now() + ms).toISOString();

withServer('filters', {}, (context) => {
  const all = new Map(); // what there is: id → message, and what it was sent with
  const list = (query) => context.api.get(`/v1/messages?${new URLSearchParams(query)}`);

  // Every page of a query, from the first to the last and back.
  async function walk(query, limit) {
    const ids = [];
    const totals = new Set();
    const pages = [];
    let cursor;
    do {
      const { status, body, text } = await list({ ...query, limit, ...(cursor ? { cursor } : {}) });
      assert.equal(status, 200, text);
      ids.push(...body.data.map(({ messageId }) => messageId));
      totals.add(body.pagination.totalCount);
      pages.push(body);
      cursor = body.pagination.nextCursor;
      assert.equal(body.pagination.hasMore, cursor !== null);
    } while (cursor);
    for (let i = 1; i < pages.length; i++) {
      const { body } = await list({ ...query, limit, cursor: pages[i].pagination.previousCursor });
      assert.deepEqual(body.data, pages[i - 1].data, 'the page before');
    }
    assert.equal(pages[0].pagination.previousCursor, null);
    assert.deepEqual([...totals], [ids.length], `totalCount of ${JSON.stringify(query)}`);
    return ids;
  }

  async function expect(query, matches) {
    const wanted = [...all.values()].filter(matches).map(({ messageId }) => messageId).reverse();
    assert.deepEqual(await walk(query, 7), wanted, JSON.stringify(query));
  }

  it('has something to filter', async () => {
    const add = (message) => all.set(message.messageId, message);
    const numbers = ['+15551234567', '+447700900456', '+4915112345678'];
    for (let i = 0; i < 24; i++) {
      add(await context.api.sent({
        to: numbers[i % 3], text: `${i}`, tags: [i % 2 ? 'odd' : 'even', `n${i % 5}`], ...(i % 4 === 3 ? { from: 'Skylark', to: numbers[1] } : {}),
      }));
    }
    for (let i = 0; i < 6; i++) add(await context.api.sent({ to: numbers[0], text: 'later', scheduledAt: ahead(600_000), tags: ['odd'] }));
    const { body } = await context.api.call('POST', '/v1/messages/batch', {
      json: { messages: Array.from({ length: 10 }, (_, i) => (i === 5 ? { to: 'nobody', text: 'x' } : { to: numbers[i % 3], text: `batch ${i}` })) },
    });
    context.batchId = body.batchId;
    for (const { messageId } of body.results.filter((r) => r.messageId)) add({ messageId });
    for (let i = 0; i < 5; i++) {
      add((await context.api.call('POST', '/v1/test/inbound', { json: { from: numbers[i % 3], text: `back ${i}` } })).body);
    }
    add(await context.api.sent({ to: '+15005550006', text: 'fails' }));
    const scheduled = [...all.values()].filter(({ status }) => status === 'scheduled').slice(0, 2);
    for (const { messageId } of scheduled) await context.api.call('POST', `/v1/messages/${messageId}/cancel`);
    await until('everything at rest', async () => (await list({ status: 'queued,sent' })).body.pagination.totalCount === 0);
    for (const id of all.keys()) all.set(id, await context.api.message(id));
    assert.equal(all.size, 45);
  });

  it('by status', async () => {
    for (const status of ['scheduled', 'queued', 'sent', 'delivered', 'failed', 'cancelled', 'received']) {
      await expect({ status }, (m) => m.status === status);
    }
    await expect({ status: 'failed,cancelled,received' }, (m) => ['failed', 'cancelled', 'received'].includes(m.status));
  });

  it('by number, sender and direction', async () => {
    for (const to of ['+15551234567', '+447700900456', '+4915112345678', '+18005551234', '+15550000000']) await expect({ to }, (m) => m.to === to);
    for (const from of ['+18005551234', '+447700900123', 'Skylark', '+15551234567', 'Nobody']) await expect({ from }, (m) => m.from === from);
    for (const direction of ['inbound', 'outbound']) await expect({ direction }, (m) => m.direction === direction);
  });

  it('by tag and batch', async () => {
    for (const tag of ['odd', 'even', 'n3', 'n', 'ODD']) await expect({ tag }, (m) => m.tags?.includes(tag));
    await expect({ batchId: context.batchId }, (m) => m.batchId === context.batchId);
    const { status, body } = await list({ batchId: 'bat_00000000001' });
    assert.ok(status === 200 ? body.data.length === 0 : body.code === 'invalid_parameter');
  });

  it('by time', async () => {
    const [some] = [...all.values()].slice(20);
    const later = new Date(Date.parse(some.createdAt) + 1).toISOString();
    await expect({ createdAfter: some.createdAt }, (m) => m.createdAt >= some.createdAt);
    await expect({ createdBefore: some.createdAt }, (m) => m.createdAt < some.createdAt);
    await expect({ createdAfter: some.createdAt, createdBefore: later }, (m) => m.createdAt === some.createdAt);
    await expect({ createdAfter: ahead(60_000) }, () => false);
  });

  it('by several at once', async () => {
    await expect({ to: '+15551234567', status: 'delivered', tag: 'even' }, (m) => m.to === '+15551234567' && m.status === 'delivered' && m.tags?.includes('even'));
    await expect({ from: '+15551234567', direction: 'inbound' }, (m) => m.from === '+15551234567' && m.direction === 'inbound');
    await expect({ batchId: context.batchId, to: '+447700900456' }, (m) => m.batchId === context.batchId && m.to === '+447700900456');
    await expect({ tag: 'odd', status: 'scheduled,cancelled' }, (m) => m.tags?.includes('odd') && ['scheduled', 'cancelled'].includes(m.status));
    await expect({ tag: 'odd', direction: 'inbound' }, () => false);
  });

  it('a cursor that no longer matches stands for the next one that does', async () => {
    const scheduled = [...all.values()].filter(({ status }) => status === 'scheduled').map(({ messageId }) => messageId).reverse();
    await context.api.call('POST', `/v1/messages/${scheduled[1]}/cancel`);
    const { body } = await list({ status: 'scheduled', cursor: scheduled[1] });
    assert.deepEqual(body.data.map(({ messageId }) => messageId), scheduled.slice(2));
    await context.api.refused(400, 'invalid_cursor', 'cursor', list({ status: 'scheduled', cursor: 'msg_' }));
  });

  it('a plus may be forgotten in a number, nowhere else', async () => {
    const { body } = await context.api.get('/v1/messages?to=+15551234567&limit=1');
    assert.equal(body.data[0].to, '+15551234567');
    await context.api.refused(400, 'invalid_date_range', 'createdAfter', context.api.get('/v1/messages?createdAfter=2026-01-01T00:00:00+01:00'));
  });

  it('are each account\'s own', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    assert.equal((await live.get('/v1/messages?to=%2B15551234567')).body.pagination.totalCount, 0);
  });
});
