// GET /v1/events: page by page in both directions, and listened to, through lost connections and
// crashes.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { parseResponse, drain } from './lib/client.mjs';
import { listen } from './lib/listen.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const atOnce = '+15550001234'; // delivered at once
const life = ['message.queued', 'message.sent', 'message.delivered'];

// {messageId: [its events]}
const byMessage = (events) => Map.groupBy?.(events, ({ data }) => data.messageId)
  ?? events.reduce((map, event) => map.set(event.data.messageId, [...map.get(event.data.messageId) ?? [], event]), new Map());

// Each message's whole life, in order and each step once.
function assertLives(events, ids) {
  const lives = byMessage(events);
  for (const id of ids) {
    assert.deepEqual(lives.get(id)?.map(({ type }) => type), life, id);
    assert.deepEqual(lives.get(id).map(({ sequence }) => sequence), [1, 2, 3], id);
  }
  assert.equal(new Set(events.map(({ id }) => id)).size, events.length, 'an event twice');
}

withServer('events', {}, (context) => {
  const send = async (count, client = context.api) => {
    const messages = Array.from({ length: count }, (_, i) => ({ to: atOnce, text: `event ${i}` }));
    const { body } = await client.call('POST', '/v1/messages/batch', { json: { messages } });
    return body.results.map(({ messageId }) => messageId);
  };
  const newest = async (client = context.api) => (await client.get('/v1/events?limit=1')).body.data[0];

  it('a list, and the same the other way round', async () => {
    const ids = await send(60);
    const all = await until('the end of all', async () => {
      const pages = [];
      for (let cursor = ''; cursor !== null;) {
        const { body } = await context.api.get(`/v1/events?limit=50${cursor && `&cursor=${cursor}`}`);
        pages.push(...body.data);
        cursor = body.pagination.nextCursor;
      }
      return pages.length === 180 && pages;
    });
    assertLives([...all].reverse(), ids);

    const forward = [all.at(-1)];
    for (let more = true; more;) {
      const { body } = await context.api.get(`/v1/events?limit=17&after=${forward.at(-1).id}`);
      forward.push(...body.data);
      more = body.pagination.hasMore;
      assert.equal(body.pagination.nextCursor, more ? body.data.at(-1).id : null);
    }
    assert.deepEqual(forward, [...all].reverse());

    const { body: { data, pagination } } = await context.api.get(`/v1/events?limit=50&cursor=${all[100].id}`);
    assert.deepEqual(data, all.slice(100, 150));
    assert.equal(pagination.previousCursor, all[50].id);
    const { body: { data: sent } } = await context.api.get('/v1/events?limit=100&types=message.sent');
    assert.deepEqual(sent, all.filter(({ type }) => type === 'message.sent'));
  });

  it('a stream tells what happens from now on', async () => {
    const stream = await listen(context.api);
    assert.match(stream.headers['content-type'], /^text\/event-stream/);
    assert.equal(stream.headers['cache-control'], 'no-store');
    assert.match(stream.headers['x-request-id'], /^req_/);
    assert.ok(Number(stream.headers['x-ratelimit-limit']) > 0);
    assert.equal(stream.headers['transfer-encoding'], 'chunked');
    await until('where it begins', () => stream.lastId);
    assert.equal(stream.lastId, (await newest()).id);
    assert.equal(stream.retry, 1000);
    const ids = await send(20);
    assertLives(await stream.heard(60), ids);
    assert.deepEqual((await context.api.get('/v1/events?limit=60')).body.data.reverse(),
      stream.events.map(({ heardAt, ...event }) => event), 'the same as in the list');
    stream.close();
  });

  it('is heard at once', async () => {
    const stream = await listen(context.api);
    const delays = [];
    for (let i = 0; i < 20; i++) {
      const [id] = await send(1);
      const answered = performance.now();
      await stream.heard((events) => events.some(({ data }) => data.messageId === id), { every: 1 });
      delays.push(performance.now() - answered);
    }
    delays.sort((a, b) => a - b);
    assert.ok(delays[10] < 50 * slowness, `half of them took ${delays[10]} ms and longer`);
    stream.close();
  });

  it('goes on where it was lost, with all that happened meanwhile', async () => {
    const stream = await listen(context.api);
    const ids = await send(10);
    await stream.heard(7);
    stream.close();
    const heard = [...stream.events];
    ids.push(...await send(100));
    for (const way of ['header', 'query']) {
      const lastId = heard.at(-1).id;
      const next = await listen(context.api, way === 'header' ? { lastId, query: `?after=${heard[0].id}` } : { query: `?after=${lastId}` });
      if (way === 'header') await next.heard(50);
      else await next.heard(330 - heard.length);
      next.close();
      heard.push(...next.events);
    }
    assertLives(heard, ids);
  });

  it('before the first event there is a place to go on from, too', async () => {
    await context.server.command('accounts', 'create', 'fresh');
    const client = await context.server.keyedClient({ account: 'fresh' });
    const stream = await listen(client);
    await until('where it begins', () => stream.lastId);
    stream.close();
    const ids = await send(3, client);
    const next = await listen(client, { lastId: stream.lastId });
    assertLives(await next.heard(9), ids);
    next.close();
  });

  it('only the types that were asked for', async () => {
    const stream = await listen(context.api, { query: '?types=message.delivered,message.failed' });
    await send(5);
    await context.api.sent({ to: '+15005550006', text: 'x' });
    await stream.heard(6);
    await sleep(100);
    assert.deepEqual([...new Set(stream.events.map(({ type }) => type))].sort(), ['message.delivered', 'message.failed']);
    assert.equal(stream.events.length, 6);
    stream.close();
  });

  it('nobody hears what is not his', async () => {
    await context.server.command('accounts', 'create', 'other');
    const other = await context.server.keyedClient({ account: 'other' });
    const live = await context.server.keyedClient({ type: 'live' });
    const streams = await Promise.all([listen(other), listen(live)]);
    const own = await listen(context.api);
    await send(3);
    await own.heard(9);
    assert.deepEqual(streams.map(({ events }) => events.length), [0, 0]);
    const { id } = own.events[0];
    for (const client of [other, live]) {
      const headers = { Accept: 'text/event-stream', 'Last-Event-ID': id };
      await client.refused(400, 'invalid_cursor', 'Last-Event-ID', client.get('/v1/events', { headers }));
      await client.refused(400, 'invalid_cursor', 'after', client.get(`/v1/events?after=${id}`));
      await client.refused(400, 'invalid_cursor', 'cursor', client.get(`/v1/events?cursor=${id}`));
    }
    [own, ...streams].forEach((stream) => stream.close());
  });

  it('what makes no sense is refused', async () => {
    const headers = { Accept: 'text/event-stream' };
    const { id } = await newest();
    const refused = (code, field, path, more) => context.api.refused(400, code, field, context.api.get(path, { headers: { ...headers, ...more } }));
    await refused('invalid_cursor', 'Last-Event-ID', '/v1/events', { 'Last-Event-ID': '17' });
    await refused('invalid_cursor', 'after', '/v1/events?after=evt_');
    await refused('invalid_parameter', 'limit', '/v1/events?limit=5');
    await refused('invalid_parameter', 'cursor', `/v1/events?cursor=${id}`);
    await refused('invalid_parameter', 'types', '/v1/events?types=webhook.test');
    await context.api.refused(400, 'invalid_parameter', 'after', context.api.get(`/v1/events?cursor=${id}&after=${id}`));
    await context.api.refused(404, 'not_found', undefined, context.api.call('POST', '/v1/events'));
    await context.api.refused(404, 'not_found', undefined, context.api.get(`/v1/events/${id}`));
  });

  it('HEAD gets the head, and the connection goes on', async () => {
    const socket = await context.api.connect();
    const received = drain(socket);
    const line = (method, path, more = '') => `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n${more}\r\n`;
    socket.write(line('HEAD', '/v1/events', 'Accept: text/event-stream\r\n'));
    socket.write(line('GET', '/livez', 'Connection: close\r\n'));
    const text = await received;
    const head = parseResponse(text);
    assert.equal(head.headers['content-type'], 'text/event-stream');
    assert.equal(parseResponse(head.text).status, 200);
  });

  it('when its key is revoked it ends within a second', async () => {
    const { id, key } = await context.server.createKey({ name: 'short' });
    const stream = await listen(context.api, { key });
    await sleep(300);
    assert.equal(stream.ended, false);
    const begun = performance.now();
    await context.server.command('keys', 'revoke', id);
    await until('its end', () => stream.ended);
    assert.ok(performance.now() - begun < 1500 * slowness);
    assert.equal(stream.lost, false);
  });

  it('silence is broken by a comment', async () => {
    await context.server.command('accounts', 'create', 'silent');
    const stream = await listen(await context.server.keyedClient({ account: 'silent' }));
    await until('a comment', () => stream.comments > 0, { within: 20_000 });
    stream.close();
  });

  it('an account has 64 streams, and not one more', async () => {
    await context.server.command('accounts', 'create', 'crowd');
    const client = await context.server.keyedClient({ account: 'crowd' });
    const streams = await Promise.all(Array.from({ length: 64 }, () => listen(client)));
    const { body, headers } = await client.get('/v1/events', { headers: { Accept: 'text/event-stream' } });
    assert.deepEqual([body.code, headers['retry-after']], ['queue_full', '5']);
    await send(2, client);
    await Promise.all(streams.map((stream) => stream.heard(6)));
    streams.pop().close();
    streams.push(await until('the place of one that went', () => listen(client).catch(() => {})));
    streams.forEach((stream) => stream.close());
  });

  it('a stop ends streams cleanly', async () => {
    const stream = await listen(context.api);
    context.server.signal('SIGTERM');
    await until('its end', () => stream.ended);
    assert.equal(stream.lost, false);
  });
});

it('events: kill -9 again and again, nothing is missed and nothing is out of order', { timeout: 240_000 * slowness }, async () => {
  const folder = temporaryFolder();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey();
    const heard = [];
    const acknowledged = [];
    let { lastId } = await until('where it begins', async () => {
      const stream = await listen(server.client(key));
      await sleep(50);
      stream.close();
      return stream.lastId && stream;
    });
    for (let cycle = 0; cycle < 6; cycle++) {
      const client = server.client(key);
      const stream = await listen(client, { lastId });
      const load = Promise.all(Array.from({ length: 8 }, async () => {
        for (;;) {
          const response = await client.exchange('POST', '/v1/send', { json: { to: atOnce, text: `cycle ${cycle}` } }).catch(() => null);
          if (response?.status !== 201) return;
          acknowledged.push(JSON.parse(response.text).messageId);
        }
      }));
      await until('something to lose', () => acknowledged.length > 20 * (cycle + 1));
      await sleep(100 + 70 * cycle);
      await server.crash();
      await load;
      await until('the loss of the stream', () => stream.lost || stream.ended);
      heard.push(...stream.events);
      lastId = stream.lastId;
      server = await Server.start({ dataDir: folder });
    }
    const last = await listen(server.client(key), { lastId });
    await until('the end of all', () => {
      const delivered = new Set([...heard, ...last.events].filter(({ type }) => type === 'message.delivered').map(({ data }) => data.messageId));
      return acknowledged.every((id) => delivered.has(id));
    }, { within: 20_000, every: 200 });
    last.close();
    assert.ok(acknowledged.length > 100, `${acknowledged.length} messages`);
    assertLives([...heard, ...last.events], acknowledged);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
