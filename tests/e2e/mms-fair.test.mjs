// Servers of media that hang hold up those who want something of them, and nobody else.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { mediaFiles } from './lib/media-files.mjs';
import { withMms } from './lib/mmsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+14155550123';
const CONNECTIONS = 64; // the default; an attempt lasts 30 s, so nothing times out before a test is over

// Takes connections on every address of this machine, and says nothing.
async function hole(t) {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((done) => { server.listen(0, '0.0.0.0', done); });
  t.after(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  return { sockets, url: (n = 1) => `https://127.0.1.${n}:${server.address().port}/hangs.jpg` };
}

// Many messages whose media hang; each has a host of its own when there are `hosts`.
const flood = async (client, pit, count, hosts = 1) => {
  for (let i = 0; i < count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, n) => client.sent({ to, text: `hangs ${i + n}`, mediaUrls: [pit.url(1 + ((i + n) % hosts))] })));
};

// Until so many connections hang, and no more come.
async function settled(pit) {
  let last = -1;
  await until('connections that hang', () => {
    const still = pit.sockets.size > 0 && pit.sockets.size === last;
    last = pit.sockets.size;
    return still;
  }, { every: 500 });
  return pit.sockets.size;
}

const world = (body) => withMms(mediaFiles, {}, {}, async ({ media, live, t }) => {
  const passes = async (client) => {
    const { messageId } = await client.sent({ to, text: 'good', mediaUrls: [media.url('cat.jpg')] });
    await until('the good one to be sent', async () => ['sent', 'delivered'].includes((await client.message(messageId)).status), { within: 8000 });
  };
  await body({ live, client: live.client, passes, pit: await hole(t) });
});

describe('mms: fair fetching', { timeout: 180_000 * slowness }, () => {
  it('a host that hangs leaves two thirds of the connections, and lets others of its account pass', world(async ({ client, passes, pit }) => {
    await flood(client, pit, 400);
    const taken = await settled(pit);
    assert.ok(taken <= CONNECTIONS / 3 + 1, `${taken} connections of ${CONNECTIONS} hang`);
    await passes(client);
  }));

  it('an account whose hosts all hang leaves half, and lets other accounts pass', world(async ({ live, client, passes, pit }) => {
    await live.server.command('accounts', 'create', 'other');
    await flood(client, pit, 800, 200);
    const taken = await settled(pit);
    assert.ok(taken <= CONNECTIONS / 2, `${taken} connections of ${CONNECTIONS} hang`);
    await passes(await live.server.keyedClient({ account: 'other', type: 'live' }));
  }));

  it('test messages leave three quarters, and let live ones pass', world(async ({ live, client, passes, pit }) => {
    const test = await live.server.keyedClient({ type: 'test' });
    await flood(test, pit, 800, 200);
    const taken = await settled(pit);
    assert.ok(taken <= CONNECTIONS / 4, `${taken} connections of ${CONNECTIONS} hang`);
    await passes(client);
  }));
});
