// Opt-outs: nobody on the list is written to, at once, after a restart and after a crash.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, withServer } from './lib/server.mjs';
import { slowness } from './lib/wait.mjs';

const ben = '+15551234567';
const pathOf = (number) => `/v1/opt-outs/${encodeURIComponent(number)}`;
const add = (client, number) => client.call('POST', '/v1/opt-outs', { json: { number } });
const remove = (client, number) => client.call('DELETE', pathOf(number));
const send = (client, to = ben) => client.send({ to, text: 'x' });

withServer('opt-outs', {}, (context) => {
  it('hold from the answer on, and end with the next', async () => {
    const { api } = context;
    for (let i = 0; i < 20; i++) {
      assert.equal((await send(api)).status, 201);
      assert.equal((await add(api, ben)).status, 201);
      await api.refused(400, 'recipient_opted_out', 'to', send(api));
      assert.equal((await send(api, '+15551234568')).status, 201, 'others are not meant');
      assert.equal((await remove(api, ben)).status, 200);
    }
  });

  it('hold on every connection', async () => {
    const client = context.server.client(context.api.key, { connections: 32 });
    await add(client, ben);
    const answers = await Promise.all(Array.from({ length: 100 }, () => send(client)));
    assert.ok(answers.every(({ body }) => body.code === 'recipient_opted_out'));
    await remove(client, ben);
    assert.ok((await Promise.all(Array.from({ length: 100 }, () => send(client)))).every(({ status }) => status === 201));
  });

  it('are shown as they are', async () => {
    const { api } = context;
    const made = await add(api, ben);
    assert.deepEqual({ ...made.body, createdAt: '' }, { number: ben, source: 'api', keyword: null, createdAt: '' });
    const again = await add(api, ben);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, made.body);
    assert.deepEqual((await api.get(pathOf(ben))).body, made.body);
    assert.deepEqual((await api.get('/v1/opt-outs')).body.data, [made.body]);
    assert.deepEqual((await remove(api, ben)).body, made.body);
    await api.refused(404, 'opt_out_not_found', undefined, api.get(pathOf(ben)));
    await api.refused(404, 'opt_out_not_found', undefined, remove(api, ben));
  });

  it('belong to one account and one mode', async () => {
    const { api, server } = context;
    await server.command('accounts', 'create', 'acme');
    const other = await server.keyedClient({ account: 'acme' });
    const live = await server.keyedClient({ type: 'live' });
    await add(api, ben);
    assert.equal((await send(other)).status, 201);
    for (const client of [other, live]) {
      assert.equal((await client.get('/v1/opt-outs')).body.pagination.totalCount, 0);
      await client.refused(404, 'opt_out_not_found', undefined, client.get(pathOf(ben)));
    }
    await remove(api, ben);
  });

  it('are listed page by page, newest first', async () => {
    const { api } = context;
    const numbers = Array.from({ length: 25 }, (_, i) => `+1555000${1000 + i}`);
    for (const number of numbers) await add(api, number);
    const seen = [];
    for (let cursor = ''; cursor !== null;) {
      const { body } = await api.get(`/v1/opt-outs?limit=10${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.map(({ number }) => number));
      assert.equal(body.pagination.totalCount, 25);
      cursor = body.pagination.nextCursor;
    }
    assert.deepEqual(seen, numbers.toReversed());
  });

  it('are not for keys without the permission', async () => {
    const reader = await context.server.keyedClient({ permissions: 'optouts:read' });
    assert.equal((await reader.get('/v1/opt-outs')).status, 200);
    await reader.refused(403, 'insufficient_permissions', undefined, add(reader, ben));
    await reader.refused(403, 'insufficient_permissions', undefined, remove(reader, ben));
  });
});

for (const [how, end] of [['a restart', (server) => server.stop()], ['a crash', (server) => server.crash()]]) {
  it(`opt-outs hold after ${how}`, { timeout: 60_000 * slowness }, async () => {
    const server = await Server.start();
    try {
      const client = await server.keyedClient();
      const { key } = client;
      await add(client, ben);
      await add(client, '+15557654321');
      await remove(client, '+15557654321');
      await end(server);
      const second = await Server.start({ dataDir: server.dataDir });
      try {
        const again = second.client(key);
        await again.refused(400, 'recipient_opted_out', 'to', send(again));
        assert.equal((await send(again, '+15557654321')).status, 201);
        await second.stop();
      } finally {
        await second.dispose();
      }
    } finally {
      await server.dispose();
    }
  });
}
