// Endpoints are apart: one that hangs holds up nobody else.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { Receiver } from './lib/receiver.mjs';
import { Server } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const accounts = 5;
const endpoints = 10;

// Takes connections and never answers.
async function deadReceiver() {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.resume();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    get connections() { return sockets.size; },
    stop() {
      sockets.forEach((socket) => socket.destroy());
      return new Promise((done) => server.close(done));
    },
  };
}

it('webhooks: a dead endpoint among fifty holds up none of the others', { timeout: 120_000 * slowness }, async (t) => {
  const dead = await deadReceiver();
  const receiver = await Receiver.start();
  const server = await Server.start({ env: { SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on', SKYLARK_SIMULATOR_ANSWER: '0', SKYLARK_SIMULATOR_DELIVERY: '0' } });
  try {
    const clients = [];
    for (let a = 0; a < accounts; a++) {
      await server.command('accounts', 'create', `account${a}`);
      const { key } = await server.createKey({ plan: 'unlimited', account: `account${a}` });
      const client = server.client(key);
      clients.push(client);
      for (let e = 0; e < endpoints; e++) {
        const url = a + e === 0 ? `${dead.url}/dead` : receiver.url(`/${a}/${e}`);
        const { status, text } = await client.call('POST', '/v1/webhooks', { json: { url, events: ['message.delivered'] } });
        assert.equal(status, 201, text);
      }
    }
    const rounds = 40;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(clients.map(async (client) => {
        const { status, text } = await client.call('POST', '/v1/send', { json: { to: '+15551234567', text: `round ${round}` } });
        assert.equal(status, 201, text);
      }));
    }
    const expected = rounds * (accounts * endpoints - 1);
    await until(`${expected} events`, () => receiver.requests.length >= expected, { within: 10_000 });
    const late = receiver.requests.map((r) => r.at - Date.parse(JSON.parse(r.body).timestamp)).sort((a, b) => a - b);
    const p99 = late[Math.floor(late.length * 0.99)];
    t.diagnostic(`p99 ${p99} ms, dead endpoint held ${dead.connections} connections`);
    assert.equal(receiver.requests.length, expected, 'each once');
    assert.ok(p99 < 5000 * slowness, `p99 ${p99} ms`);
    assert.ok(dead.connections > 0 && dead.connections <= 8, `${dead.connections} connections to the dead one`);
  } finally {
    await server.dispose();
    await receiver.stop();
    await dead.stop();
  }
});
