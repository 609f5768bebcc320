// What handsets write back: received messages, and the words that opt out and in.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { skylark } from './lib/program.mjs';
import { Server, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

withServer('messages from handsets', {}, (context) => {
  const inbound = (json, options) => context.api.call('POST', '/v1/test/inbound', { json, ...options });
  const out = async (number) => (await context.api.get(`/v1/opt-outs/${encodeURIComponent(number)}`)).status === 200;
  const send = (to) => context.api.send({ to, text: 'x' });

  it('are received', async () => {
    const { status, body } = await inbound({ from: '+447700900456', text: 'Grüße 😀' });
    assert.equal(status, 201);
    assert.equal(body.status, 'received');
    assert.equal(body.direction, 'inbound');
    assert.equal(body.to, '+447700900123');
    assert.equal(body.encoding, 'UCS-2');
    assert.deepEqual(await context.api.message(body.messageId), body);
    await new Promise((done) => { setTimeout(done, 300); });
    assert.equal((await context.api.message(body.messageId)).status, 'received');
    await context.api.refused(400, 'message_not_cancellable', undefined, context.api.call('POST', `/v1/messages/${body.messageId}/cancel`));
  });

  it('are shown with the type of our number, not of the handset', async () => {
    const { body: { messageId } } = await inbound({ from: '+15557770019', text: 'Hi', to: '+18005551234' });
    const { stdout, stderr } = await skylark(['messages', 'get', messageId, '--data-dir', context.server.dataDir], { env: { SKYLARK_API_KEY: context.api.key } });
    assert.match(stdout, /^From +\+15557770019\nTo +\+18005551234 {2}\(toll-free\)$/m, stderr);
  });

  it('opt out and in with a single word', async () => {
    const from = '+15557770011';
    for (const [text, expected] of [
      ['stop the world', false], [' sToP\n', true], ['yes', false], ['opt-out', true], ['Unstop', false], ['ARRET', true],
      ['please start', true], ['START', false],
    ]) {
      await inbound({ from, text });
      assert.equal(await out(from), expected, text);
      if (expected) await context.api.refused(400, 'recipient_opted_out', 'to', send(from));
      else assert.equal((await send(from)).status, 201, text);
    }
  });

  it('say which word it was', async () => {
    const from = '+15557770012';
    await inbound({ from, text: 'quit' });
    const { body } = await context.api.get(`/v1/opt-outs/${encodeURIComponent(from)}`);
    assert.equal(body.source, 'keyword');
    assert.equal(body.keyword, 'QUIT');
  });

  it('are received once with an Idempotency-Key', async () => {
    const json = { from: '+15557770015', text: 'stop' };
    const first = await inbound(json, { headers: { 'Idempotency-Key': 'once' } });
    await inbound({ from: json.from, text: 'start' });
    const second = await inbound(json, { headers: { 'Idempotency-Key': 'once' } });
    assert.equal(second.headers['idempotency-replayed'], 'true');
    assert.equal(second.text, first.text);
    assert.equal(await out(json.from), false, 'the repetition opted out again');
  });

  it('need a test key', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    await live.refused(403, 'test_key_required', undefined, live.call('POST', '/v1/test/inbound', { json: { from: '+15551234567', text: 'x' } }));
  });
});

// A word that comes while messages wait: they are not handed over any more.
it('opt-out: holds at the hand-over, too, and after a restart', { timeout: 120_000 * slowness }, async () => {
  const env = { SKYLARK_QUEUE_MEMORY: '64', SKYLARK_SIMULATOR_ANSWER: '2s', SKYLARK_SIMULATOR_DELIVERY: '2s' };
  let server = await Server.start({ env });
  try {
    const { key } = await server.createKey();
    const api = server.client(key);
    const to = '+15557770020';
    const others = Array.from({ length: 64 }, () => ({ to: '+15551234567', text: 'x' }));
    const { body } = await api.call('POST', '/v1/messages/batch', { json: { messages: [...others, { to, text: 'wait' }] } });
    const { messageId } = body.results.at(-1);
    await api.call('POST', '/v1/test/inbound', { json: { from: to, text: 'STOP' } });
    const message = await until('failed', async () => {
      const now = await api.message(messageId);
      return now.status === 'failed' && now;
    }, { within: 20_000 });
    assert.equal(message.errorCode, 'recipient_opted_out');
    assert.equal(message.sentAt, null);

    const { dataDir } = server;
    await server.stop();
    server.ownsFolder = false;
    const next = await Server.start({ dataDir });
    next.ownsFolder = true;
    server = next;
    await next.client(key).refused(400, 'recipient_opted_out', 'to', next.client(key).send({ to, text: 'x' }));
    await next.stop();
  } finally {
    await server.dispose();
  }
});
