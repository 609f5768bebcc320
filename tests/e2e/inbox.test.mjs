// The inbox of a test number, and waiting for what comes into it.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, withServer } from './lib/server.mjs';
import { sleep, slowness, within } from './lib/wait.mjs';

let last = 5553000000;
const fresh = () => `+1${last += 1}`;
const path = (query) => `/v1/test/inbox?${new URLSearchParams(query)}`;

// So long may a request take to arrive; one that waits may take longer.
const env = { SKYLARK_SERVER_REQUEST_TIMEOUT: '2s' };

withServer('inbox', { env }, (context) => {
  const inbox = (query, options) => context.api.get(path(query), options);

  it('waits for a message and cuts the code out', async () => {
    const to = fresh();
    const waiting = inbox({ to, wait: 20, extract: 'code' });
    await sleep(200);
    await context.api.sent({ to, text: 'Hello' });
    await context.api.sent({ to, text: 'Your code is 482-913. It holds for 10 minutes.' });
    const { status, body } = await waiting;
    assert.equal(status, 200);
    assert.equal(body.code, '482913');
    assert.ok(body.data.some(({ text }) => text.includes('482-913')));
    assert.ok(body.data.every((message) => message.to === to && message.status === 'delivered'));
  });

  it('answers at once when there is something, and when nobody wants to wait', async () => {
    const to = fresh();
    assert.deepEqual((await inbox({ to })).body, { data: [] });
    assert.deepEqual((await inbox({ to, extract: 'code' })).body, { data: [], code: null });
    const { messageId } = await context.api.sent({ to, text: 'one' });
    assert.equal((await inbox({ to, wait: 20 })).body.data[0].messageId, messageId);
    const { body } = await within(5000, 'an answer without waiting', inbox({ to, wait: 20 }));
    assert.equal(body.data.length, 1);
  });

  it('lasts as long as it was told, longer than a request may take', async () => {
    const started = Date.now();
    const { status, body } = await inbox({ to: fresh(), wait: 5 });
    assert.equal(status, 200);
    assert.deepEqual(body.data, []);
    assert.ok(Date.now() - started >= 4900, `${Date.now() - started} ms`);
  });

  it('takes messages since a time', async () => {
    const to = fresh();
    await context.api.sent({ to, text: 'old' });
    const { body: { data: [old] } } = await inbox({ to, wait: 20 });
    const since = new Date(Date.parse(old.deliveredAt) + 1).toISOString();
    assert.deepEqual((await inbox({ to, since })).body.data, []);
    const waiting = inbox({ to, since, wait: 20 });
    await context.api.sent({ to, text: 'new' });
    assert.deepEqual((await waiting).body.data.map(({ text }) => text), ['new']);
  });

  it('holds no thread: many wait while others work', async () => {
    const numbers = Array.from({ length: 60 }, fresh);
    const waiting = Promise.all(numbers.map((to) => inbox({ to, wait: 25 })));
    await sleep(300);
    const before = Date.now();
    for (let i = 0; i < 50; i++) await context.api.get('/v1/messages?limit=1');
    assert.ok(Date.now() - before < 10_000 * slowness);
    await Promise.all(numbers.map((to) => context.api.sent({ to, text: `for ${to}` })));
    for (const [i, { body }] of (await waiting).entries()) assert.equal(body.data[0].text, `for ${numbers[i]}`);
  });

  it('forgets a client that has gone', async () => {
    const request = (to) => [
      `GET ${path({ to, wait: 30 })} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${context.api.key}`, '', '',
    ].join('\r\n');
    for (let i = 0; i < 200; i++) { // more than may wait at once
      const socket = await context.api.connect();
      socket.write(request(fresh()));
      await new Promise((done) => { socket.end(done); });
      socket.destroy();
    }
    await sleep(500 * slowness);
    assert.equal((await inbox({ to: fresh(), wait: 1 })).status, 200);
  });

  it('is for test keys', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    await live.refused(403, 'test_key_required', undefined, live.get(path({ to: fresh() })));
  });
});

it('inbox: a draining server answers who waits', { timeout: 60_000 * slowness }, async () => {
  const server = await Server.start();
  try {
    const { key } = await server.createKey();
    const api = server.client(key);
    const waiting = Promise.all(Array.from({ length: 10 }, () => api.get(path({ to: fresh(), wait: 30 }))));
    await sleep(500);
    server.signal('SIGTERM');
    const answers = await within(10_000, 'the answers', waiting);
    answers.forEach(({ status, body }) => {
      assert.equal(status, 200);
      assert.deepEqual(body.data, []);
    });
    await server.stop();
  } finally {
    await server.dispose();
  }
});
