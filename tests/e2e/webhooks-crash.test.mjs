// kill -9 while webhooks go out: every event arrives at least once, signed, and those of a message in
// their order.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const deliveries = Number(process.env.SKYLARK_HOOK_DELIVERIES ?? (slowness > 2 ? 2000 : 10_000));
const perMessage = 2; // sent, delivered
const crashes = 5;

// Sends in batches; the ids of all messages.
async function sendAll(client, count) {
  const ids = [];
  for (let from = 0; from < count; from += 500) {
    const messages = Array.from({ length: Math.min(500, count - from) }, (_, i) => ({ to: '+15551234567', text: `n ${from + i}` }));
    const { status, body, text } = await client.call('POST', '/v1/messages/batch', { json: { messages } });
    assert.equal(status, 201, text);
    ids.push(...body.results.map((item) => item.messageId));
  }
  return ids;
}

const isSigned = ({ headers, body }, secret) =>
  headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

// What is wrong with what came: nothing, or a list of complaints.
function complaints(requests, ids, secret) {
  const found = [];
  const seen = new Map();
  for (const request of requests) {
    if (!isSigned(request, secret)) found.push(`wrongly signed: ${request.body}`);
    const event = JSON.parse(request.body);
    const { messageId } = event.data;
    const first = seen.get(messageId) ?? [];
    if (!first.includes(event.sequence)) first.push(event.sequence);
    seen.set(messageId, first);
    if (event.id !== request.headers['x-service-event-id']) found.push(`${event.id} in the header as ${request.headers['x-service-event-id']}`);
  }
  for (const id of ids) {
    const order = (seen.get(id) ?? []).join(' ');
    if (order !== '2 3') found.push(`${id}: came as "${order}", not "2 3"`);
  }
  return found;
}

it(`webhooks: ${deliveries} deliveries through ${crashes} crashes`, { timeout: 240_000 * slowness }, async (t) => {
  const folder = temporaryFolder();
  const receiver = await Receiver.start({ answer: async (_, response) => { await sleep(2); response.writeHead(204).end(); } });
  const env = { SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on', SKYLARK_SIMULATOR_ANSWER: '0', SKYLARK_SIMULATOR_DELIVERY: '0' };
  let server = await Server.start({ dataDir: folder, env });
  try {
    const { key } = await server.createKey({ plan: 'unlimited' });
    let client = server.client(key);
    const { status, body: endpoint, text } = await client.call('POST', '/v1/webhooks', { json: { url: receiver.url('/hook') } });
    assert.equal(status, 201, text);
    const ids = await sendAll(client, deliveries / perMessage);
    const step = deliveries / (crashes + 1);
    for (let crash = 1; crash <= crashes; crash++) {
      await until(`${crash * step} requests`, () => receiver.requests.length >= crash * step, { within: 60_000 });
      await server.crash();
      server = await Server.start({ dataDir: folder, env });
    }
    client = server.client(key);
    await until('nothing to be pending', async () => {
      const { body } = await client.get(`/v1/webhooks/${endpoint.webhookId}`);
      return body.pendingDeliveries === 0;
    }, { within: 60_000, every: 100 });
    t.diagnostic(`${receiver.requests.length} requests for ${deliveries} deliveries`);
    assert.deepEqual(complaints(receiver.requests, ids, endpoint.secret).slice(0, 5), []);
    assert.ok(receiver.requests.length >= deliveries);
    assert.ok(receiver.requests.length <= deliveries + crashes * 256, 'no more came twice than were under way');
    await server.stop();
  } finally {
    await server.dispose();
    await receiver.stop();
    removeFolder(folder);
  }
});
