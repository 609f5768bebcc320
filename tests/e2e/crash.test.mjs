// kill -9 under load, again and again: whatever was acknowledged is there and goes on its way.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const cycles = Number(process.env.SKYLARK_CRASH_CYCLES ?? 30);
const connections = 24;

// Sends on every connection until the server is gone; adds the ids of each 201 to `acknowledged`.
function load(client, acknowledged, tag) {
  const sender = async (n) => {
    for (let i = 0; ; i++) {
      let response;
      try {
        response = await client.exchange('POST', '/v1/send', { json: { to: '+15551234567', text: `${tag}.${n}.${i}` } });
      } catch {
        return;
      }
      assert.equal(response.status, 201, response.text);
      acknowledged.set(JSON.parse(response.text).messageId, `${tag}.${n}.${i}`);
    }
  };
  return Promise.all(Array.from({ length: connections }, (_, n) => sender(n)));
}

// All messages by walking the pages: id → message.
async function everything(client) {
  const found = new Map();
  let cursor = null;
  do {
    const { status, body, text } = await client.get(`/v1/messages?limit=100${cursor ? `&cursor=${cursor}` : ''}`);
    assert.equal(status, 200, text);
    for (const message of body.data) found.set(message.messageId, message);
    cursor = body.pagination.nextCursor;
  } while (cursor);
  return found;
}

it(`crash: nothing acknowledged is lost in ${cycles} crashes under load`, { timeout: 300_000 * slowness }, async (t) => {
  const folder = temporaryFolder();
  const acknowledged = new Map();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey();
    for (let cycle = 0; cycle < cycles; cycle++) {
      const fresh = new Map();
      const loaded = load(server.client(key, { connections }), fresh, cycle);
      // Not always at the same moment: early in a commit, late, in the middle of deliveries.
      await sleep(80 + ((cycle * 37) % 11) * 40);
      await server.crash();
      await loaded;

      server = await Server.start({ dataDir: folder });
      const client = server.client(key, { connections });
      await Promise.all([...fresh].map(async ([id, text]) => {
        const { status, body } = await client.get(`/v1/messages/${id}`);
        assert.equal(status, 200, `${id}, acknowledged in cycle ${cycle}, is lost`);
        assert.equal(body.text, text);
      }));
      client.close();
      fresh.forEach((text, id) => acknowledged.set(id, text));
    }

    const client = server.client(key);
    const found = await until('everything to be delivered', async () => {
      const all = await everything(client);
      return [...all.values()].every((m) => m.status === 'delivered') && all;
    }, { within: 20_000, every: 500 });
    const lost = [...acknowledged.keys()].filter((id) => !found.has(id));
    t.diagnostic(`${cycles} crashes, ${acknowledged.size} acknowledged, ${found.size} found, ${lost.length} lost`);
    assert.deepEqual(lost, []);
    assert.ok(acknowledged.size >= cycles, 'there was load');
    assert.equal((await client.get('/v1/messages?limit=1')).body.pagination.totalCount, found.size);
    assert.equal(new Set([...found.values()].map((m) => m.text)).size, found.size, 'none twice');
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
