// GET /v1/messages and GET /v1/messages/{messageId}: pages, cursors, and who may see what.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withServer } from './lib/server.mjs';
import { run } from './lib/program.mjs';
import { until } from './lib/wait.mjs';

const to = '+15551234567';

withServer('messages: pages', {}, (context) => {
  const total = 25;
  const ids = []; // newest first

  const page = async (query = '') => {
    const response = await context.api.get(`/v1/messages${query}`);
    assert.equal(response.status, 200, response.text);
    const { data, pagination } = response.body;
    assert.equal(pagination.hasMore, pagination.nextCursor !== null);
    return { ids: data.map((m) => m.messageId), data, ...pagination };
  };

  it('is empty at first', async () => {
    const { body } = await context.api.get('/v1/messages');
    assert.deepEqual(body, { data: [], pagination: { hasMore: false, nextCursor: null, previousCursor: null, totalCount: 0 } });
  });

  it('shows the newest first', async () => {
    for (let i = 0; i < total; i++) ids.unshift((await context.api.sent({ to, text: `${i}` })).messageId);
    const all = await page();
    assert.deepEqual(all.ids, ids);
    assert.deepEqual({ ...all, ids: 0, data: 0 }, { ids: 0, data: 0, hasMore: false, nextCursor: null, previousCursor: null, totalCount: total });
  });

  it('shows each message as it is read alone', async () => {
    await until('all delivered', async () => (await page()).data.every((m) => m.status === 'delivered'));
    const { data } = await page();
    for (const message of data) assert.deepEqual(await context.api.message(message.messageId), message);
  });

  it('walks forwards and back by inclusive cursors', async () => {
    for (const limit of [1, 4, 5, 24, 25, 26, 100]) {
      const starts = [];
      const seen = [];
      let cursor = null;
      do {
        const here = await page(`?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
        assert.equal(here.totalCount, total);
        assert.equal(here.previousCursor, starts.at(-1) ?? null, 'previousCursor is the first id of the page before');
        if (cursor) assert.equal(here.ids[0], cursor, 'the cursor is the first message of its page');
        starts.push(here.ids[0]);
        seen.push(...here.ids);
        cursor = here.nextCursor;
      } while (cursor);
      assert.deepEqual(seen, ids, `limit ${limit}`);

      for (let i = starts.length - 1; i > 0; i--) {
        const here = await page(`?limit=${limit}&cursor=${starts[i]}`);
        assert.equal(here.previousCursor, starts[i - 1]);
      }
      assert.equal((await page(`?limit=${limit}&cursor=${starts[0]}`)).previousCursor, null);
    }
  });

  it('starts at any message', async () => {
    const here = await page(`?limit=5&cursor=${ids[2]}`);
    assert.deepEqual(here.ids, ids.slice(2, 7));
    assert.equal(here.nextCursor, ids[7]);
    // Two messages are before it: the page before starts with the newest.
    assert.equal(here.previousCursor, ids[0]);
    const last = await page(`?limit=5&cursor=${ids.at(-1)}`);
    assert.deepEqual(last.ids, [ids.at(-1)]);
    assert.equal(last.nextCursor, null);
    assert.equal(last.previousCursor, ids[total - 6]);
  });

  it('keeps pages in place when messages arrive', async () => {
    const first = await page('?limit=5');
    ids.unshift((await context.api.sent({ to, text: 'new' })).messageId);
    const second = await page(`?limit=5&cursor=${first.nextCursor}`);
    assert.deepEqual(second.ids, ids.slice(6, 11));
    assert.equal(second.previousCursor, first.ids[0]);
    assert.equal(second.totalCount, total + 1);
    const again = await page(`?limit=5&cursor=${first.ids[0]}`);
    assert.deepEqual(again.ids, first.ids);
    assert.equal(again.previousCursor, ids[0], 'a newer message is before the page now');
  });

  it('gives fifty by default', async () => {
    while (ids.length < 60) ids.unshift((await context.api.sent({ to, text: 'x' })).messageId);
    const here = await page();
    assert.deepEqual(here.ids, ids.slice(0, 50));
    assert.equal(here.nextCursor, ids[50]);
    assert.equal(here.totalCount, 60);
  });

  it('wants a limit from 1 to 100', async () => {
    for (const limit of ['0', '101', '-1', 'abc', '1.5', '1e1', '', '%20', '5x', '0x10', '99999999999999999999', '+5', 'null']) {
      await context.api.refused(400, 'invalid_limit', 'limit', context.api.get(`/v1/messages?limit=${limit}`));
    }
    assert.equal((await page('?limit=1')).ids.length, 1);
    assert.equal((await page('?limit=100')).ids.length, 60);
    assert.equal((await page('?%6cimit=1')).ids.length, 1, 'names are decoded too');
  });

  it('wants a cursor that is one of your messages', async () => {
    for (const cursor of ['x', 'msg_', 'msg_0', 'msg_00000000000', 'msg_zzzzzzzzzzz', `${ids[3]}x`, ids[3].slice(4), ids[3].replace('msg_', 'MSG_'),
      `%20${ids[3]}`, '-1', '1', `msg_${'9'.repeat(3000)}`]) {
      await context.api.refused(400, 'invalid_cursor', 'cursor', context.api.get(`/v1/messages?cursor=${cursor}`));
    }
    const encoded = [...ids[3]].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
    assert.equal((await page(`?cursor=${encoded}`)).ids[0], ids[3]);
  });

  it('wants a query in UTF-8', async () => {
    for (const query of ['limit=%FF', 'cursor=%FF', 'limit=%', 'cursor=%zz']) {
      assert.equal((await context.api.get(`/v1/messages?${query}`)).status, 400, query);
    }
  });

  it('does not know messages that do not exist', async () => {
    for (const id of ['x', 'msg_', 'msg_00000000000', 'msg_zzzzzzzzzzz', `${ids[0]}x`, ids[0].slice(0, -1), ids[0].slice(4), '%00', '%FF', '-1', `msg_${'a'.repeat(4000)}`, '%2e%2e', "msg_'%20OR%201=1"]) {
      await context.api.refused(404, 'message_not_found', undefined, context.api.get(`/v1/messages/${id}`));
    }
  });

  it('keeps test and live apart', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    const { body } = await live.get('/v1/messages');
    assert.deepEqual(body.data, []);
    assert.equal(body.pagination.totalCount, 0);
    await live.refused(404, 'message_not_found', undefined, live.get(`/v1/messages/${ids[0]}`));
    await live.refused(400, 'invalid_cursor', 'cursor', live.get(`/v1/messages?cursor=${ids[0]}`));
  });

  it('shows all keys of an account the same', async () => {
    const other = await context.server.keyedClient({ name: 'second' });
    assert.equal((await other.message(ids[0])).messageId, ids[0]);
    assert.equal((await other.get('/v1/messages')).body.pagination.totalCount, 60);
  });

  it('keeps accounts apart', async () => {
    const { key } = await context.server.createKey({ name: 'neighbour' });
    // There is no command for a second account yet: move the key over in the store itself.
    const file = readdirSync(context.server.dataDir).map((name) => join(context.server.dataDir, name))
      .find((path) => path.endsWith('.db') && readFileSync(path).subarray(0, 15).toString() === 'SQLite format 3');
    const moved = await run('sqlite3', ['-cmd', '.timeout 5000', file,
      `INSERT OR IGNORE INTO account (id, name) VALUES (2, 'neighbour'); UPDATE api_key SET account = 2 WHERE last_four = '${key.slice(-4)}' AND name = 'neighbour'; SELECT changes();`]);
    assert.equal(moved.stdout.trim(), '1', moved.stderr);
    const neighbour = context.server.client(key);
    await until('the move to be noticed', async () => (await neighbour.get('/v1/messages')).body.pagination.totalCount === 0);
    await neighbour.refused(404, 'message_not_found', undefined, neighbour.get(`/v1/messages/${ids[0]}`));
    await neighbour.refused(400, 'invalid_cursor', 'cursor', neighbour.get(`/v1/messages?cursor=${ids[0]}`));
    const { messageId } = await neighbour.sent({ to, text: 'mine' });
    await context.api.refused(404, 'message_not_found', undefined, context.api.get(`/v1/messages/${messageId}`));
    assert.equal((await context.api.get('/v1/messages')).body.pagination.totalCount, 60);
    assert.equal((await neighbour.get('/v1/messages')).body.pagination.totalCount, 1);
  });
});
