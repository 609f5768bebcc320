// GET /v1/stats/live: the numbers after sends, apart for accounts and modes, through crashes, and
// told once a second.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { drain, parseResponse } from './lib/client.mjs';
import { listen } from './lib/listen.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';
import { Hooks, localhostAllowed } from './lib/webhooks.mjs';

const path = '/v1/stats/live';
const atOnce = '+15550001234'; // delivered at once
const failing = '+15005550002'; // failed, no_route
const nothing = { accepted: 0, sent: 0, delivered: 0, failed: 0 };

const stats = async (client) => {
  const { status, body, text } = await client.get(path);
  assert.equal(status, 200, text);
  return body;
};

const sendMany = async (client, count, to = atOnce) => {
  const messages = Array.from({ length: count }, (_, i) => ({ to, text: `stats ${i}` }));
  const { status, text } = await client.call('POST', '/v1/messages/batch', { json: { messages } });
  assert.equal(status, 201, text);
};

// Waits until the last hour has these counts; never are there more.
const untilHour = (client, wanted) => until(`the last hour to be ${JSON.stringify(wanted)}`, async () => {
  const now = await stats(client);
  for (const [name, count] of Object.entries(wanted)) assert.ok(now.lastHour[name] <= count, `${name}: ${now.lastHour[name]}`);
  return Object.entries(wanted).every(([name, count]) => now.lastHour[name] === count) && now;
}, { within: 20_000 });

withServer('live statistics', { env: localhostAllowed }, (context) => {
  it('of nothing are zeros', async () => {
    const now = await stats(context.api);
    assert.equal(now.livemode, false);
    assert.ok(Math.abs(Date.parse(now.timestamp) - Date.now()) < 5000);
    assert.deepEqual(now.queue, { queued: 0, scheduled: 0, sent: 0, oldestQueuedSeconds: null });
    for (const span of ['lastMinute', 'lastHour', 'last24Hours']) assert.deepEqual(now[span], nothing);
    assert.equal(now.deliveryRate, null);
    assert.deepEqual(now.throughput, { perSecond: 0, acceptedPerSecond: 0 });
    assert.deepEqual(now.webhooks, { pending: 0, failedLastHour: 0 });
    assert.deepEqual(now.limitedBy, []);
  });

  it('count what happens', async () => {
    await sendMany(context.api, 20);
    await context.api.sent({ to: failing, text: 'fails' });
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const { messageId } = await context.api.sent({ to: atOnce, text: 'later', scheduledAt });
    const now = await untilHour(context.api, { accepted: 22, delivered: 20, failed: 1, sent: 20 });
    assert.deepEqual(now.last24Hours, now.lastHour);
    assert.deepEqual(now.lastMinute, now.lastHour);
    assert.equal(now.deliveryRate, 0.9524);
    assert.deepEqual(now.queue, { queued: 0, scheduled: 1, sent: 0, oldestQueuedSeconds: null });
    await context.api.call('POST', `/v1/messages/${messageId}/cancel`);
    assert.equal((await stats(context.api)).queue.scheduled, 0);
  });

  it('how fast they go is the mean of the last ten seconds', async () => {
    await sendMany(context.api, 30);
    const { throughput } = await until('the second to be over', async () => {
      const now = await stats(context.api);
      return now.throughput.acceptedPerSecond >= 3 && now.throughput.perSecond >= 3 && now;
    });
    for (const rate of Object.values(throughput)) assert.equal(Math.round(rate * 10), rate * 10, 'one decimal');
  });

  it('of accounts and modes are apart', async () => {
    const { server } = context;
    await server.command('accounts', 'create', 'others');
    const other = await server.keyedClient({ account: 'others' });
    const live = await server.keyedClient({ type: 'live' });
    for (const client of [other, live]) {
      const now = await stats(client);
      assert.equal(now.livemode, client === live);
      for (const span of ['lastMinute', 'lastHour', 'last24Hours']) assert.deepEqual(now[span], nothing);
    }
    const { lastHour: { accepted } } = await stats(context.api);
    await sendMany(other, 3);
    await untilHour(other, { accepted: 3, delivered: 3 });
    assert.equal((await stats(context.api)).lastHour.accepted, accepted);
    assert.deepEqual((await stats(live)).lastHour, nothing);
  });

  it('webhooks that wait, and attempts that failed', async () => {
    const { server } = context;
    await server.command('accounts', 'create', 'hooked');
    const client = await server.keyedClient({ account: 'hooked' });
    const receiver = await Receiver.start({ answer: (request, response) => response.writeHead(500).end() });
    try {
      await new Hooks(client).create({ url: receiver.url('/hook'), events: ['message.delivered'] });
      await sendMany(client, 2);
      await until('two failed attempts', async () => {
        const { webhooks } = await stats(client);
        assert.ok(webhooks.failedLastHour <= 2);
        return webhooks.pending === 2 && webhooks.failedLastHour === 2;
      }, { within: 20_000 });
    } finally {
      await receiver.stop();
    }
    assert.equal((await stats(context.api)).webhooks.pending, 0, 'of others');
  });

  it('what the query cannot be', async () => {
    await context.api.refused(400, 'invalid_parameter', 'period', context.api.get(`${path}?period=1h`));
    await context.api.refused(400, 'invalid_parameter', 'x', context.api.get(`${path}?x=1`, { headers: { Accept: 'text/event-stream' } }));
    const sender = await context.server.keyedClient({ permissions: 'sms:send' });
    await sender.refused(403, 'insufficient_permissions', undefined, sender.get(path));
    const { status, bytes, headers } = await context.api.exchange('HEAD', path);
    assert.deepEqual([status, bytes.length], [200, 0]);
    assert.match(headers['content-type'], /^application\/json/);
    assert.ok(Number(headers['content-length']) > 100);
  });

  it('HEAD of a stream gets the head, and the connection goes on', async () => {
    const socket = await context.api.connect();
    const all = drain(socket);
    const line = (method, target, more = '') => `${method} ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n${more}\r\n`;
    socket.write(line('HEAD', path, 'Accept: text/event-stream\r\n'));
    socket.write(line('GET', '/livez', 'Connection: close\r\n'));
    const text = await all;
    const { status, headers, text: rest } = parseResponse(text);
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^text\/event-stream/);
    assert.equal(parseResponse(rest).status, 200);
  });

  it('a stream tells at once, then once in every second', async () => {
    const opened = performance.now();
    const stream = await listen(context.api, { path });
    assert.match(stream.headers['content-type'], /^text\/event-stream/);
    assert.equal(stream.headers['cache-control'], 'no-store');
    await stream.heard(1);
    assert.ok(performance.now() - opened < 1000, 'at once');
    assert.equal(stream.retry, 1000);
    await stream.heard(6, { within: 10_000 });
    stream.close();
    const seconds = stream.events.map(({ timestamp }) => Math.floor(Date.parse(timestamp) / 1000));
    assert.equal(new Set(seconds).size, seconds.length, `a second twice: ${seconds}`);
    const passed = seconds.at(-1) - seconds[0];
    assert.ok(passed <= seconds.length + 1, `seconds are missing: ${seconds}`);
  });

  it('a stream tells what is new, each its own', async () => {
    const before = await stats(context.api);
    const live = await context.server.keyedClient({ type: 'live' });
    const [own, other] = await Promise.all([listen(context.api, { path }), listen(live, { path })]);
    await sendMany(context.api, 5);
    const wanted = before.lastHour.delivered + 5;
    await own.heard((events) => events.at(-1)?.lastHour.delivered === wanted, { within: 20_000 });
    await other.heard((events) => events.length >= 2);
    assert.deepEqual(other.events.at(-1).lastHour, nothing);
    assert.equal(other.events.at(-1).livemode, true);
    own.close();
    other.close();
  });

  it('a stream ends within a second when its key is revoked', async () => {
    const { id, key } = await context.server.createKey();
    const stream = await listen(context.api, { path, key });
    await stream.heard(1);
    await context.server.command('keys', 'revoke', id);
    await until('the end', () => stream.ended, { within: 2000 });
  });

  it('an account has 64 streams, of events and of statistics together', async () => {
    const { server } = context;
    await server.command('accounts', 'create', 'listeners');
    const client = await server.keyedClient({ account: 'listeners' });
    const streams = await Promise.all(Array.from({ length: 64 }, (_, i) => listen(client, { path: i % 2 ? path : '/v1/events' })));
    const accept = { headers: { Accept: 'text/event-stream' } };
    for (const target of [path, '/v1/events']) {
      const refusal = await client.refused(503, 'queue_full', undefined, client.get(target, accept));
      assert.equal(refusal.headers['retry-after'], '5');
    }
    streams.pop().close();
    const stream = await until('a seat', () => listen(client, { path }).catch(() => null));
    [...streams, stream].forEach((s) => s.close());
  });
});

it('live statistics survive a crash and a restart: nothing is lost, nothing counted twice', async () => {
  const dataDir = temporaryFolder();
  let server = await Server.start({ dataDir });
  const { key } = await server.createKey();
  let sent = 0;
  try {
    for (const end of ['crash', 'stop', 'crash']) {
      const client = server.client(key);
      for (let i = 0; i < 5; i++, sent += 10) await sendMany(client, 10);
      const before = await stats(client);
      assert.equal(before.lastHour.accepted, sent, 'what was acknowledged is counted');
      await server[end](); // while they are on their way
      server = await Server.start({ dataDir });
      const after = await stats(server.client(key));
      assert.equal(after.lastHour.accepted, sent);
      assert.equal(after.last24Hours.accepted, sent);
      for (const span of ['lastHour', 'last24Hours'])
        for (const name of ['sent', 'delivered', 'failed']) assert.ok(after[span][name] >= before[span][name], `${end}: ${span}.${name}`);
    }
    const { queue } = await untilHour(server.client(key), { accepted: sent, sent, delivered: sent });
    assert.deepEqual(queue, { queued: 0, scheduled: 0, sent: 0, oldestQueuedSeconds: null });
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(dataDir);
  }
});
