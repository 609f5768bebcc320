// What is past its time goes. The first servers live in the past: a library shows them a clock that
// is sixty days late, and fifty, so that what they store is as old as that.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { run, skylark } from './lib/program.mjs';
import { slowness, until } from './lib/wait.mjs';

const library = () => readdirSync('/usr/lib', { withFileTypes: true }).filter((entry) => entry.isDirectory())
  .map(({ name }) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`).find((path) => existsSync(path));

const days = (count) => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);

describe('retention', { timeout: 120_000 * slowness }, () => {
  let folder, past, key, sent;
  const old = {};

  before(async () => {
    const path = library();
    const clock = { LD_PRELOAD: path, FAKETIME: '-60d', FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' };
    if (!path) return;
    const { stdout } = await run('date', ['-u', '+%F'], { env: clock });
    if (stdout.trim() === days(60)) past = clock;
    folder = temporaryFolder();
  });
  after(() => folder && removeFolder(folder));

  const serve = async (env, body) => {
    const server = await Server.start({ dataDir: folder, env: { SKYLARK_SIMULATOR_DELIVERY: '0', SKYLARK_SIMULATOR_ANSWER: '0', ...env } });
    try {
      key ??= (await server.createKey()).key;
      await body(server.client(key), server);
      await server.stop();
    } finally {
      await server.dispose();
    }
  };
  const list = async (api, query = {}) => (await api.get(`/v1/messages?${new URLSearchParams(query)}`)).body;
  const total = async (api, query) => (await list(api, query)).pagination.totalCount;
  const pictures = () => readdirSync(join(folder, 'media'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  const needed = (t) => past || t.skip('libfaketime is missing: apt-get install libfaketime');

  it('has messages of sixty days ago', async (t) => {
    if (!needed(t)) return;
    await serve(past, async (api) => {
      const messages = Array.from({ length: 1000 }, (_, i) => ({ to: '+15551234567', text: `old ${i}`, tags: ['old', i % 2 ? 'odd' : 'even'] }));
      const batches = [];
      for (let i = 0; i < 3; i++) batches.push((await api.call('POST', '/v1/messages/batch', { json: { messages } })).body);
      old.batch = batches[0].batchId;
      old.message = batches[0].results[10].messageId;
      await api.call('POST', '/v1/test/inbound', { json: { from: '+15551234567', text: 'back', media: [{ contentType: 'image/png', data: 'iVBORw0KGgo=' }] } });
      await until('all to be delivered', async () => await total(api, { status: 'delivered' }) === 3000, { within: 60_000, every: 200 });
      assert.equal(await total(api), 3001);
      const { createdAt } = await api.message(old.message);
      assert.ok(createdAt.slice(0, 10) <= days(59), createdAt);
      sent = (await list(api, { limit: 1, tag: 'old' })).data[0].messageId;
    });
  });

  // Ten days later. A carrier takes one more, and has not said yet what became of it.
  it('keeps them while they may be kept', async (t) => {
    if (!needed(t)) return;
    await serve({ ...past, FAKETIME: '-50d', SKYLARK_RETENTION_MESSAGES: '30d', SKYLARK_SIMULATOR_DELIVERY: '1h' }, async (api) => {
      old.sent = (await api.sent({ to: '+15551234567', text: 'on its way', tags: ['old'] })).messageId;
      await until('it to be sent', async () => (await api.message(old.sent)).status === 'sent');
      assert.equal(await total(api), 3002);
      assert.equal(await total(api, { tag: 'odd' }), 1500);
      assert.equal(pictures(), 1);
      assert.equal((await api.get(`/v1/messages/${old.message}`)).status, 200);
      assert.equal((await api.get('/v1/events?limit=100')).body.data.length, 100);
    });
  });

  it('drops them when they are past their time, while it serves', async (t) => {
    if (!needed(t)) return;
    // The simulator follows what was sent, and reports on it at once: it may be gone by then.
    await serve({ SKYLARK_RETENTION_MESSAGES: '30d', SKYLARK_SIMULATOR_DELIVERY: '2s' }, async (api) => {
      let slowest = 0;
      await until('the old ones to go', async () => {
        const began = performance.now();
        await api.sent({ to: '+15551234567', text: 'between', tags: ['new'] });
        slowest = Math.max(slowest, performance.now() - began);
        return await total(api, { tag: 'old' }) === 0;
      }, { within: 30_000 });
      t.diagnostic(`the slowest send meanwhile took ${slowest.toFixed(1)} ms`);
      const { data, pagination } = await list(api, { limit: 1 });
      assert.equal(pagination.totalCount, await total(api, { tag: 'new' }));
      assert.equal(data[0].text, 'between');
      assert.equal(await total(api, { direction: 'inbound' }), 0);
      assert.equal(await total(api, { to: '+15551234567' }), pagination.totalCount);
      assert.equal(await total(api, { tag: 'odd', status: 'delivered' }), 0);
      assert.equal((await api.get(`/v1/messages/${old.sent}`)).status, 404);
      await until('all receipts', async () => await total(api, { status: 'sent' }) === 0 && await total(api, { status: 'queued' }) === 0, { within: 30_000 });
      assert.equal(await total(api, { status: 'delivered' }), pagination.totalCount);
      const told = (await api.get('/v1/events?limit=100')).body.data;
      await until('the end of the picture', () => pictures() === 0, { within: 30_000 });
      assert.ok(told.length > 0 && told.every(({ data }) => data.text === 'between'), 'their events are gone, too');
    });
  });

  it('knows nothing of them any more', async (t) => {
    if (!needed(t)) return;
    await serve({ SKYLARK_RETENTION_MESSAGES: '30d' }, async (api) => {
      const code = async (path) => (await api.get(path)).body.code;
      assert.equal(await code(`/v1/messages/${old.message}`), 'message_not_found');
      assert.equal(await code(`/v1/messages/${old.message}/events`), 'message_not_found');
      assert.equal(await code(`/v1/messages/batch/${old.batch}`), 'batch_not_found');
      assert.equal(await code(`/v1/messages?cursor=${sent}`), 'invalid_cursor');
      assert.equal(await code(`/v1/messages?tag=old&cursor=${sent}`), 'invalid_cursor');
      assert.equal(await total(api, { batchId: old.batch }), 0);
    });
  });

  it('names what waits for the next start', async () => {
    const own = temporaryFolder();
    const file = join(own, 'skylark.ini');
    writeFileSync(file, '[retention]\nmessages = 90d\n');
    const server = await Server.start({ dataDir: own, args: ['--config', file] });
    try {
      writeFileSync(file, '[retention]\nmessages = 60d\n');
      server.signal('SIGHUP');
      await until('the warning', () => /retention\.messages has changed; that takes effect at the next start/.test(server.stderr));
      writeFileSync(file, '[retention]\nmessages = 20d\n');
      server.signal('SIGHUP');
      await until('the complaint', () => /skylark\.ini:2: retention\.events is 30d, longer than retention\.messages/.test(server.stderr));
      await server.stop();
    } finally {
      await server.dispose();
      removeFolder(own);
    }
  });

  it('is shown by config show', async () => {
    const { stdout } = await skylark(['config', 'show'], { env: { SKYLARK_RETENTION_EVENTS: '40d' } });
    for (const line of [/retention\.messages\s.*400d/, /retention\.events\s.*40d.*SKYLARK_RETENTION_EVENTS/, /retention\.deliveries\s.*30d/, /retention\.idempotency\s.*24h/])
      assert.match(stdout, line);
  });
});
