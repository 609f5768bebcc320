// What keeps messages from going out faster, as live statistics name it: each limit with a carrier
// that brings it about.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { listen } from './lib/listen.mjs';
import { STATUS, Smsc, carrier, liveServer, withLive } from './lib/smsc.mjs';
import { Server } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const path = '/v1/stats/live';
const to = '+14155550123';
const one = (more) => (smsc) => ({ carrier: { acme: carrier(smsc, more) } });

const stats = async (client) => {
  const { status, body, text } = await client.get(path);
  assert.equal(status, 200, text);
  return body;
};

const sendMany = async (client, count) => {
  const messages = Array.from({ length: count }, (_, i) => ({ to, text: `limited ${i}` }));
  const { status, text } = await client.call('POST', '/v1/messages/batch', { json: { messages } });
  assert.equal(status, 201, text);
};

// Waits until this is what limits first; returns the statistics.
const untilLimit = (client, limit) => {
  let last;
  return until(`the limit ${limit}`, async () => {
    last = await stats(client);
    return last.limitedBy[0]?.limit === limit && last;
  }, { within: 20_000 }).catch((error) => { throw new Error(`${error.message}; it is ${JSON.stringify(last)}`); });
};

const untilFree = (client) => until('nothing to limit', async () => {
  const now = await stats(client);
  return now.queue.queued === 0 && now.limitedBy.length === 0;
}, { within: 30_000 });

// It says the same each time, for as long as the queue has much to give.
async function assertSteady(client, limit, times = 20) {
  for (let i = 0; i < times; i++) {
    const { limitedBy, queue } = await stats(client);
    assert.deepEqual(limitedBy.map((l) => l.limit), [limit], JSON.stringify({ i, limitedBy, queue }));
    await sleep(50);
  }
}

describe('what limits sending', { timeout: 180_000 * slowness }, () => {
  it('the configured rate', withLive({}, one({ rate: 20, window: 100 }), async ({ client }) => {
    await sendMany(client, 80);
    const { limitedBy: [first, ...rest], queue } = await untilLimit(client, 'carrier_rate');
    assert.deepEqual(rest, []);
    assert.equal(first.carrier, 'acme');
    assert.ok(first.waiting > 0 && first.waiting <= 80);
    assert.equal(first.waiting, queue.queued);
    assert.equal(first.message, `Carrier acme is limited to 20 segments a second ([carrier acme] rate); ${first.waiting} messages wait for it.`);
    await assertSteady(client, 'carrier_rate');
    await untilFree(client);
  }));

  it('the window, when the carrier answers slowly', async () => {
    const held = [];
    let hold = true;
    const submit = (pdu) => hold && held.push(pdu);
    await withLive({ submit }, one({ window: 5, binds: 1 }), async ({ smsc, client }) => {
      await sendMany(client, 30);
      const { limitedBy: [first] } = await untilLimit(client, 'window');
      assert.deepEqual([first.carrier, first.waiting], ['acme', 30]);
      assert.equal(first.message, 'Carrier acme has 5 segments unanswered, as many as it may ([carrier acme] window); 30 messages wait for it.');
      // Places that become free one by one, and are taken again at once.
      const answering = (async () => {
        for (let i = 0; i < 10; i++) {
          await until('a message to answer', () => held.length > 0);
          smsc.take(held.shift());
          await sleep(60);
        }
      })();
      await assertSteady(client, 'window', 12);
      await answering;
      hold = false;
      held.splice(0).forEach((pdu) => smsc.take(pdu));
      await untilFree(client);
    })();
  });

  it('a link that is down; the queue grows older meanwhile', async () => {
    const smsc = await Smsc.start();
    const { port } = smsc;
    const live = await liveServer({ carrier: { acme: carrier(smsc) } });
    let again;
    try {
      await smsc.bound();
      await untilFree(live.client);
      await smsc.stop();
      await until('the loss', async () => (await live.carriers()).acme.bindsUp === 0 || /is lost/.test(live.server.stderr));
      await sendMany(live.client, 3);
      const first = await untilLimit(live.client, 'link_down');
      assert.deepEqual(first.limitedBy, [{ limit: 'link_down', carrier: 'acme', waiting: 3, message: 'No bind of carrier acme is up; 3 messages wait for it.' }]);
      assert.equal(first.queue.queued, 3);
      const ages = [first.queue.oldestQueuedSeconds];
      await until('the queue to grow older', async () => {
        ages.push((await stats(live.client)).queue.oldestQueuedSeconds);
        return ages.at(-1) >= ages[0] + 3;
      }, { within: 10_000, every: 200 });
      assert.deepEqual(ages, [...ages].sort((a, b) => a - b), 'never younger');

      // After a crash it is as old as before.
      await live.server.crash();
      const server = await Server.start({ dataDir: live.folder, args: ['--config', live.file] });
      live.server = server;
      const client = server.client(live.key);
      const after = await untilLimit(client, 'link_down');
      assert.ok(after.queue.oldestQueuedSeconds >= ages.at(-1));
      assert.equal(after.limitedBy[0].waiting, 3);
      again = await Smsc.start({ port });
      await untilFree(client);
      assert.equal((await stats(client)).queue.oldestQueuedSeconds, null);
      await server.stop();
    } finally {
      await live.server.dispose();
      await again?.stop();
    }
  });

  it('a carrier that throttles', async () => {
    let busy = true;
    const submit = (pdu, session, smsc) => {
      if (busy) smsc.refuse(pdu, STATUS.ESME_RTHROTTLED);
      return busy;
    };
    await withLive({ submit }, one(), async ({ client }) => {
      await sendMany(client, 5);
      const { limitedBy: [first] } = await untilLimit(client, 'throttled');
      assert.deepEqual([first.carrier, first.waiting], ['acme', 5]);
      assert.match(first.message, /^Carrier acme asked (for a pause, and gets nothing for the moment|to be sent less, and gets \d+ segments? a second for now); 5 messages wait for it\.$/);
      busy = false;
      await untilFree(client);
    })();
  });

  it('a carrier that the operator has drained', withLive({}, one(), async ({ live, client }) => {
    await live.drain('acme');
    await sendMany(client, 1);
    const { limitedBy } = await untilLimit(client, 'drained');
    assert.deepEqual(limitedBy, [{ limit: 'drained', carrier: 'acme', waiting: 1, message: 'Carrier acme is drained by the operator; 1 message waits for it.' }]);
    const other = await live.server.keyedClient({ type: 'test' });
    assert.deepEqual((await stats(other)).limitedBy, [], 'of others');
    await live.server.command('carriers', 'enable', 'acme', '--config', live.file);
    await untilFree(client);
  }));

  it('the limit of the key that asks', async () => {
    const server = await Server.start();
    try {
      const { key } = await server.createKey({ 'per-minute': 1000, 'per-hour': 5 });
      const client = server.client(key);
      const stream = await listen(client, { path });
      await stream.heard(1);
      assert.deepEqual(stream.events[0].limitedBy, []);
      let remaining = 5;
      while (remaining > 0) remaining = Number((await client.get('/v1/messages')).headers['x-ratelimit-remaining']);
      await stream.heard((events) => events.at(-1).limitedBy.length > 0);
      const [{ limit, carrier: nobody, waiting, message }] = stream.events.at(-1).limitedBy;
      assert.deepEqual([limit, nobody, waiting], ['key_limit', null, null]);
      assert.match(message, /^This key has used up its limit of 5 requests per hour; it may go on in \d+ seconds?, at 20\d\d-\d\d-\d\dT\d\d:00:00\.000Z\.$/);
      stream.close();
      const other = await server.keyedClient();
      assert.deepEqual((await stats(other)).limitedBy, [], 'of another key');
      await server.stop();
    } finally {
      await server.dispose();
    }
  });

  it('a carrier that is not configured any more', async () => {
    const smsc = await Smsc.start();
    const live = await liveServer({ carrier: { acme: carrier(smsc), beta: carrier(smsc, { system_id: 'beta' }) }, route: { all: { carrier: 'acme' } } });
    try {
      await smsc.bound(2);
      await live.drain('acme');
      await sendMany(live.client, 2);
      await untilLimit(live.client, 'drained');
      const stream = await listen(live.client, { path });
      live.configure({ carrier: { beta: carrier(smsc, { system_id: 'beta' }) }, route: { all: { carrier: 'beta' } } });
      const gone = (events) => events.flatMap(({ limitedBy }) => limitedBy).find(({ limit }) => limit === 'no_carrier');
      await stream.heard(gone, { within: 15_000 });
      assert.deepEqual(gone(stream.events), {
        limit: 'no_carrier', carrier: 'acme', waiting: 2, message: 'Carrier acme is not configured any more; 2 messages wait for another route.',
      });
      stream.close();
      await untilFree(live.client);
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });
});
