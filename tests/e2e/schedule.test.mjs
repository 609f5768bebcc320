// Scheduled messages: they wait on disk, fire within a second of their time, and a server that was
// down then fires them when it starts. The API takes times from five minutes on, so the tests bring
// the time nearer in the store, while no server runs.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { run } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+15550001234'; // delivered at once
const ahead = (ms) => new Date(Date.now() + ms).toISOString();
const minutes = 60_000;

// All scheduled messages are due at this time (unix milliseconds) from now on.
async function setDue(folder, due) {
  const { code, stderr } = await run('sqlite3', [join(folder, 'skylark.db'), `
    UPDATE message SET scheduled_us = ${due} * 1000 + id % 1000 WHERE id IN (SELECT id FROM schedule);
    UPDATE schedule SET due_us = ${due} * 1000 + id % 1000;`]);
  assert.equal(code, 0, stderr);
}

// How late this process itself is, at worst, while it runs: a machine that stands still is not ours.
function watchLag() {
  let last = Date.now();
  const watch = { worst: 0 };
  const timer = setInterval(() => {
    watch.worst = Math.max(watch.worst, Date.now() - last - 20);
    last = Date.now();
  }, 20).unref();
  watch.stop = () => clearInterval(timer);
  return watch;
}

const delivered = (api, id) => until(`${id} delivered`, async () => {
  const message = await api.message(id);
  return message.status === 'delivered' && message;
}, { within: 20_000 });

withServer('scheduled messages', {}, (context) => {
  it('wait, and show when for', async () => {
    const scheduledAt = ahead(10 * minutes);
    const message = await context.api.sent({ to, text: 'later', scheduledAt });
    assert.equal(message.status, 'scheduled');
    assert.equal(message.scheduledAt, scheduledAt);
    assert.deepEqual(await context.api.message(message.messageId), message);
  });

  it('may be given in any time zone', async () => {
    const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 60 * minutes);
    const text = new Date(at.getTime() + 120 * minutes).toISOString().replace('.000Z', '+02:00');
    assert.equal((await context.api.sent({ to, text: 'later', scheduledAt: text })).scheduledAt, at.toISOString());
  });
});

it('schedule: fires in time after a start', { timeout: 120_000 * slowness }, async () => {
  const folder = temporaryFolder();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey();
    const first = server.client(key);
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push((await first.sent({ to, text: `${i}`, scheduledAt: ahead(10 * minutes) })).messageId);
    const cancelled = (await first.sent({ to, text: 'no', scheduledAt: ahead(10 * minutes) })).messageId;
    assert.equal((await first.call('POST', `/v1/messages/${cancelled}/cancel`)).status, 200);
    await server.stop();

    const due = Date.now() + 3000 * slowness;
    await setDue(folder, due);
    server = await Server.start({ dataDir: folder });
    const api = server.client(key);
    const lag = watchLag();
    const early = await api.message(ids[0]);
    if (Date.now() < due) assert.equal(early.status, 'scheduled');
    for (const id of ids) {
      const message = await delivered(api, id);
      const late = Date.parse(message.sentAt) - due;
      assert.ok(late >= 0 && late <= 1000 * slowness + 2 * lag.worst, `${late} ms after its time`);
    }
    lag.stop();
    assert.equal((await api.message(cancelled)).status, 'cancelled');
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

it('schedule: what a stopped server missed goes out when it starts', { timeout: 120_000 * slowness }, async () => {
  const folder = temporaryFolder();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey();
    const { messageId } = await server.client(key).sent({ to, text: 'missed', scheduledAt: ahead(10 * minutes) });
    await server.crash();
    await setDue(folder, Date.now() - 60 * minutes);
    server = await Server.start({ dataDir: folder });
    const message = await delivered(server.client(key), messageId);
    assert.ok(message.sentAt > message.createdAt);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

it('schedule: crashes while many fire lose none', { timeout: 240_000 * slowness }, async () => {
  const folder = temporaryFolder();
  const env = { SKYLARK_QUEUE_MEMORY: '64' };
  let server = await Server.start({ dataDir: folder, env });
  try {
    const { key } = await server.createKey();
    const sent = await server.client(key).call('POST', '/v1/messages/batch', {
      json: { messages: Array.from({ length: 500 }, (_, i) => ({ to: '+15551234567', text: `${i}`, scheduledAt: ahead(10 * minutes) })) },
    });
    const ids = sent.body.results.map(({ messageId }) => messageId);
    assert.equal(sent.body.accepted, 500);
    await server.crash();
    await setDue(folder, Date.now());
    for (let i = 0; i < 3; i++) {
      server = await Server.start({ dataDir: folder, env });
      const api = server.client(key);
      await until('some have fired', async () => (await api.message(ids[i * 100])).status !== 'scheduled', { within: 20_000, every: 1 });
      await server.crash();
    }
    server = await Server.start({ dataDir: folder, env });
    const api = server.client(key);
    for (const id of ids) await delivered(api, id);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
