// The books: what was counted is what is there, to the last message, while messages come and go, and
// right after kill -9.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { skylark } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness } from './lib/wait.mjs';

const cycles = Number(process.env.SKYLARK_BOOKS_CYCLES ?? 6);
const numbers = ['+15551234567', '+447700900456', '+4915112345678', '+15005550006', '+15550001234'];
const kinds = ['transactional', 'marketing', 'otp'];
const ahead = (ms) => new Date(Date.now() + ms).toISOString();

// Sends, schedules, batches, cancels and receives until the server is gone.
async function life(client, seed) {
  const post = (path, json) => client.exchange('POST', path, { json });
  for (let i = seed; ; i += 7) {
    try {
      const to = numbers[i % numbers.length];
      const tags = [[], ['a'], ['b', 'a'], ['c', 'b', 'a', 'c'].slice(0, 3)][i % 4];
      const body = { to, text: 'x'.repeat((i * 37) % 200 + 1), messageType: kinds[i % 3], tags };
      if (i % 5 === 1) {
        const answer = await post('/v1/send', { ...body, scheduledAt: ahead(600_000) });
        if (i % 2) await post(`/v1/messages/${JSON.parse(answer.text).messageId}/cancel`, {});
      } else if (i % 5 === 2) {
        await post('/v1/messages/batch', { messages: Array.from({ length: 20 }, (_, n) => ({ ...body, to: numbers[(i + n) % numbers.length] })) });
      } else if (i % 5 === 3) {
        await post('/v1/test/inbound', { from: numbers[i % 3], text: 'hello' });
      } else {
        const answer = await post('/v1/send', body);
        if (i % 3 === 0) await post(`/v1/messages/${JSON.parse(answer.text).messageId}/cancel`, {});
      }
    } catch {
      return;
    }
  }
}

async function books(dataDir) {
  const { code, stdout, stderr } = await skylark(['doctor', '--books', '--data-dir', dataDir, '-o', 'json']);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return stdout;
}

async function total(client, query = '') {
  const { body, text } = await client.get(`/v1/messages?limit=1${query}`);
  assert.ok(body?.pagination, text);
  return body.pagination.totalCount;
}

async function agree(client) {
  const { body: delivery } = await client.get('/v1/analytics/delivery?period=24h');
  const { body: usage } = await client.get('/v1/analytics/usage?period=24h');
  const { totals } = delivery;
  for (const status of ['scheduled', 'queued', 'sent', 'delivered', 'failed', 'cancelled'])
    assert.equal(totals[status], await total(client, `&status=${status}`), status);
  assert.equal(totals.total, await total(client, '&direction=outbound'));
  assert.equal(usage.totals.inbound, await total(client, '&direction=inbound'));
  assert.equal(usage.totals.messages, totals.total);
  for (const { tag, messages } of usage.breakdown.byTag)
    assert.equal(messages, await total(client, `&tag=${tag}`), tag);
}

it(`the books are right while messages come and go, and after each of ${cycles} crashes`, { timeout: 300_000 * slowness }, async () => {
  const dataDir = temporaryFolder();
  // Slow enough that at every instant some are queued, some sent, and some over.
  const env = { SKYLARK_SIMULATOR_ANSWER: '50ms', SKYLARK_SIMULATOR_DELIVERY: '300ms' };
  let server = await Server.start({ dataDir, env });
  try {
    const { key } = await server.createKey();
    for (let cycle = 0; cycle < cycles; cycle++) {
      const client = server.client(key, { connections: 8 });
      const lives = Promise.all(Array.from({ length: 8 }, (_, n) => life(client, n + cycle * 1000)));
      await sleep(150 + ((cycle * 61) % 7) * 60);
      await books(dataDir); // beside the running server
      await server.crash();
      await lives;
      await books(dataDir); // what the crash left, before anybody has mended anything
      server = await Server.start({ dataDir, env });
    }
    const client = server.client(key);
    let still = -1;
    for (let open; (open = await total(client, '&status=queued') + await total(client, '&status=sent')) !== 0 || still !== 0;) {
      still = open;
      await sleep(200);
    }
    await agree(client);
    await books(dataDir);
  } finally {
    await server.dispose();
    removeFolder(dataDir);
  }
});
