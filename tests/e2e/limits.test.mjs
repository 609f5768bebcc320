// Requests per minute and per hour: exact, also when many connections come at once.
// Runs alone: exact counts within a minute.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, temporaryFolder, withServer, removeFolder } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';
import { whileStoreIsHeld } from './lib/store.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

// `count` requests over all of the client's connections at once.
async function burst(client, count, request) {
  return Promise.all(Array.from({ length: count }, () => request(client)));
}

// By window, which X-RateLimit-Reset names: how many were granted and refused.
function byWindow(responses) {
  const windows = new Map();
  for (const response of responses) {
    const reset = response.headers['x-ratelimit-reset'];
    if (!windows.has(reset)) windows.set(reset, { granted: [], refused: [] });
    windows.get(reset)[response.status === 429 ? 'refused' : 'granted'].push(response);
  }
  return [...windows.values()];
}

// Bursts until a window is used up: a minute may end in the middle of a burst.
async function exhaust(client, count, request) {
  const responses = [];
  for (let i = 0; i < 3; i++) {
    responses.push(...await burst(client, count, request));
    const windows = byWindow(responses);
    for (const { granted } of windows) assert.ok(granted.length <= count, 'never over the limit');
    const full = windows.find(({ refused }) => refused.length > 0);
    if (full) return full;
  }
  throw new Error('no window was used up in three bursts');
}

// A server on this folder for as long as `work` takes, ended politely.
async function withStopped(folder, work) {
  const server = await Server.start({ dataDir: folder });
  try {
    const result = await work(server);
    await server.stop();
    return result;
  } finally {
    await server.dispose();
  }
}

// Waits for the next hour when this one is nearly over: what follows needs one and the same.
async function roomInTheHour() {
  const left = 3_600_000 - (Date.now() % 3_600_000);
  if (left < 20_000 * slowness) await sleep(left + 100);
}

const granted = (responses) => responses.filter(({ status }) => status !== 429).length;
const hourOf = async (client) => (await client.get('/v1/rate-limits')).body.limits.find(({ name }) => name === 'hour');

withServer('limits', {}, (context) => {
  it('grants exactly 100 a minute over 32 connections', async () => {
    const client = await context.server.keyedClient({ plan: 'default' }, { connections: 32 });
    const { granted, refused } = await exhaust(client, 140, (c) => c.get('/v1/messages?limit=1'));
    assert.equal(granted.length, 100);
    assert.ok(granted.every((r) => r.status === 200));
    const remaining = granted.map((r) => Number(r.headers['x-ratelimit-remaining'])).sort((a, b) => a - b);
    assert.deepEqual(remaining, Array.from({ length: 100 }, (_, i) => i), 'each grant counts down by one');
    for (const response of refused) {
      assert.equal(response.headers['x-ratelimit-limit'], '100');
      assert.equal(response.headers['x-ratelimit-remaining'], '0');
      assert.equal(response.body.code, 'rate_limit_exceeded');
      const wait = response.body.retryAfter;
      const now = Date.now() / 1000;
      const reset = Number(response.headers['x-ratelimit-reset']);
      assert.ok(wait >= 1 && wait <= 61, `wait ${wait}`);
      assert.ok(reset > now - 5 && reset < now + 62, 'the window ends within a minute');
      assert.ok(Math.abs(now + wait - reset) <= 5, 'Retry-After leads to the reset');
    }
    assert.equal((await context.api.get('/v1/messages')).status, 200, 'other keys are not touched');
  });

  it('grants exactly 100 sends a minute, and stores no more', async () => {
    const client = await context.server.keyedClient({ plan: 'default' }, { connections: 32 });
    const count = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;
    const before = await count();
    const responses = [];
    const request = async (c) => {
      const response = await c.send({ to: '+15551234567', text: 'x' });
      responses.push(response);
      return response;
    };
    const { granted } = await exhaust(client, 130, request);
    assert.equal(granted.length, 100);
    assert.equal(await count() - before, responses.filter((r) => r.status === 201).length);
  });

  it('counts every answer to the key, errors too, but no refused key and no unknown path', async () => {
    await roomInTheHour(); // which a slow machine will not leave as it might a minute
    const client = await context.server.keyedClient({ 'per-minute': '0', 'per-hour': 100 });
    const left = (response) => Number(response.headers['x-ratelimit-remaining']);
    assert.equal(left(await client.get('/v1/messages')), 99);
    assert.equal(left(await client.send({})), 98);
    assert.equal(left(await client.get('/v1/messages/msg_x')), 97);
    assert.equal(left(await client.call('POST', '/v1/send', { raw: '{', type: 'application/json' })), 96);
    await client.get('/livez');
    await client.get('/v1/nothing');
    await client.get('/v1/messages', { key: null, headers: { Authorization: `Bearer ${client.key}x` } });
    assert.equal(left(await client.get('/v1/messages')), 95);
  });

  it('names the limit before faults in the body', async () => {
    await roomInTheHour();
    const client = await context.server.keyedClient({ 'per-hour': 1 });
    assert.equal((await client.get('/v1/messages?limit=1')).status, 200);
    await client.refused(429, 'rate_limit_exceeded', undefined, client.call('POST', '/v1/send', { raw: '{', type: 'text/xml' }));
  });

  it('holds a key to limits of its own, whatever its plan', async () => {
    await roomInTheHour();
    const client = await context.server.keyedClient({ plan: 'growth', 'per-minute': '0', 'per-hour': 70 }, { connections: 32 });
    const responses = await burst(client, 100, (c) => c.get('/v1/messages?limit=1'));
    assert.equal(granted(responses), 70);
    assert.ok(responses.every(({ headers }) => headers['x-ratelimit-limit'] === '70'));
  });

  it('tells how much is used, without counting that', async () => {
    await roomInTheHour();
    const client = await context.server.keyedClient({ 'per-minute': '0', 'per-hour': 3 });
    for (let i = 0; i < 5; i++) {
      const used = Math.min(i, 3);
      const response = await client.get('/v1/rate-limits');
      assert.equal(response.headers['x-ratelimit-remaining'], `${3 - used}`);
      const [minute, hour] = response.body.limits;
      assert.deepEqual([minute.limit, minute.remaining], [null, null]);
      assert.deepEqual([hour.limit, hour.used, hour.remaining], [3, used, 3 - used]);
      assert.equal((await client.get('/v1/messages?limit=1')).status, i < 3 ? 200 : 429);
    }
  });
});

it('a restart inside a window forgets nothing', { timeout: 120_000 * slowness }, async () => {
  await roomInTheHour();
  const server = await Server.start();
  try {
    const client = await server.keyedClient({ 'per-minute': '0', 'per-hour': 60 }, { connections: 32 });
    const { key } = client;
    await burst(client, 20, (c) => c.sent({ to: '+15551234567', text: 'x' }));
    await burst(client, 10, (c) => c.get('/v1/messages?limit=1'));
    await server.stop();
    const second = await Server.start({ dataDir: server.dataDir });
    try {
      const again = second.client(key, { connections: 32 });
      assert.equal((await hourOf(again)).used, 30);
      assert.equal(granted(await burst(again, 90, (c) => c.get('/v1/messages?limit=1'))), 30);
      await second.stop();
    } finally {
      await second.dispose();
    }
  } finally {
    await server.dispose();
  }
});

it('a crash gives nobody a second helping', { timeout: 120_000 * slowness }, async () => {
  await roomInTheHour();
  const server = await Server.start();
  try {
    const client = await server.keyedClient({ 'per-minute': '0', 'per-hour': 200 }, { connections: 32 });
    const { key } = client;
    let answered = 0;
    const send = async (c) => {
      const response = await c.send({ to: '+15550001060', text: 'x' });
      answered += response.status === 201;
      return response;
    };
    const sends = Array.from({ length: 150 }, () => send(client).catch(() => null));
    await until('some to be answered', () => answered >= 40, { every: 1 });
    await server.crash();
    await Promise.all(sends);
    const before = answered;
    const second = await Server.start({ dataDir: server.dataDir });
    try {
      const again = second.client(key, { connections: 32 });
      const { used } = await hourOf(again);
      assert.ok(used >= before, `${before} were answered, ${used} are counted`);
      const responses = await burst(again, 250, send);
      assert.equal(granted(responses), 200 - used);
      assert.ok(answered <= 200, `${answered} sends were granted`);
      const reader = await second.keyedClient();
      const { totalCount } = (await reader.get('/v1/messages?limit=1')).body.pagination;
      assert.ok(totalCount >= answered && totalCount <= 200, `${totalCount} messages are stored`);
      await second.stop();
    } finally {
      await second.dispose();
    }
  } finally {
    await server.dispose();
  }
});

it('plans of the configuration set other limits, by the hour too', { timeout: 120_000 * slowness }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  writeFileSync(file, '[plan tiny]\nper_minute = 50\nper_hour = 20\n');
  await roomInTheHour();
  const server = await Server.start({ args: ['--config', file] });
  try {
    const client = await server.keyedClient({ plan: 'growth' });
    assert.equal((await client.get('/v1/messages')).headers['x-ratelimit-limit'], '600');
    const { key } = await createWithConfig(server, file);
    const tiny = server.client(key, { connections: 8 });
    await until('the key', async () => (await tiny.get('/livez')).status === 200);
    const responses = await burst(tiny, 30, (c) => c.get('/v1/messages?limit=1'));
    assert.equal(responses.filter((r) => r.status === 200).length, 20, 'the hour is used up first');
    const refused = responses.find((r) => r.status === 429);
    assert.equal(refused.headers['x-ratelimit-limit'], '20');
    assert.ok(Number(refused.headers['x-ratelimit-reset']) <= Date.now() / 1000 + 3601);

    writeFileSync(file, '[plan tiny]\nper_minute = 50\nper_hour = 40\n');
    server.signal('SIGHUP');
    await until('the new plan', async () => (await tiny.get('/v1/messages?limit=1')).status === 200, { within: 3000, every: 100 });
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

// Sends over several ends of the server, crashes among them: those granted, by the window they fell into.
async function sendAcrossRestarts(folder, key, ends) {
  const granted = new Map();
  for (const end of ends) {
    const server = await Server.start({ dataDir: folder });
    try {
      const client = server.client(key, { connections: 8 });
      const responses = await burst(client, 7, (c) => c.exchange('POST', '/v1/send', { json: { to: '+15551234567', text: end } }));
      for (const { status, headers } of responses) {
        const reset = headers['x-ratelimit-reset'];
        if (status === 201) granted.set(reset, (granted.get(reset) ?? 0) + 1);
        else assert.equal(status, 429);
      }
      await server[end]();
    } finally {
      await server.dispose();
    }
  }
  return granted;
}

it('a restart inside the window changes nothing: what was granted is not granted again', { timeout: 120_000 * slowness }, async () => {
  const folder = temporaryFolder();
  try {
    const { key } = await withStopped(folder, (server) => server.createKey({ plan: 'unlimited', 'per-hour': 20 }));
    const granted = await sendAcrossRestarts(folder, key, ['crash', 'stop', 'crash', 'stop', 'crash']);
    for (const count of granted.values()) assert.ok(count <= 20, `${count} in one hour`);
    // 35 were asked for; the hour may have ended in between.
    if (granted.size === 1) assert.equal([...granted.values()][0], 20);
  } finally {
    removeFolder(folder);
  }
});

it('reads before a polite end are counted, too', { timeout: 60_000 * slowness }, async () => {
  const folder = temporaryFolder();
  try {
    const { key, reset } = await withStopped(folder, async (server) => {
      const created = await server.createKey({ plan: 'unlimited', 'per-hour': 9 });
      const responses = await burst(server.client(created.key), 5, (c) => c.get('/v1/messages?limit=1'));
      return { key: created.key, reset: responses[4].headers['x-ratelimit-reset'] };
    });
    await withStopped(folder, async (server) => {
      const { headers } = await server.client(key).get('/v1/messages?limit=1');
      if (headers['x-ratelimit-reset'] === reset) assert.equal(headers['x-ratelimit-remaining'], '3');
    });
  } finally {
    removeFolder(folder);
  }
});

it('more requests than may wait are told so at once, and nothing of them is kept', { timeout: 120_000 * slowness }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  writeFileSync(file, '[queue]\nwrites = 64\n');
  const server = await Server.start({ args: ['--config', file] });
  try {
    const client = await server.keyedClient({}, { connections: 300 });
    const sends = [];
    const answers = [];
    await client.sent({ to: '+15550001060', text: 'warm' });
    await whileStoreIsHeld(server, async () => {
      // 64 are on their way to the disk, and no more.
      for (let i = 0; i < 300; i++) sends.push(client.send({ to: '+15550001060', text: `${i}` }).then((r) => answers.push(r)));
      await until('a refusal', () => answers.length >= 20, { within: 3000 });
      for (const { status, body, headers } of answers) {
        assert.equal(status, 503);
        assert.equal(body.code, 'queue_full');
        assert.equal(headers['retry-after'], '1');
      }
    });
    await Promise.all(sends);
    const kept = answers.filter((r) => r.status === 201).length;
    assert.ok(kept >= 64, `${kept} were kept`);
    const { body } = await client.get('/v1/messages?limit=1');
    assert.equal(body.pagination.totalCount, kept + 1);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

async function createWithConfig(server, file) {
  const { code, stdout, stderr } = await skylark(['keys', 'create', '--config', file, '--data-dir', server.dataDir, '--name', 'tiny', '--type', 'test', '--plan', 'tiny', '-o', 'json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}
