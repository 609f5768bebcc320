// Deliveries as they arrive: header, body, and signatures that others can check (node's crypto, and the library that
// the makers of Standard Webhooks ship).
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { assertSchema } from './lib/contract.mjs';
import { Receiver } from './lib/receiver.mjs';
import { withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';
import { Hooks, localhostAllowed, newSecret, signature, standardSignature } from './lib/webhooks.mjs';

const atOnce = '+15550001234';
const noRoute = '+15005550002';

const fits = (secret, { headers, body }) => headers['x-service-signature'] === signature(secret, body);

// By our own lines and by theirs, which must agree.
function fitsStandard(secret, { headers, body }) {
  const wanted = standardSignature(secret, headers['webhook-id'], headers['webhook-timestamp'], body);
  const ours = headers['webhook-signature'].split(' ').includes(wanted);
  let theirs = true;
  try {
    new Webhook(secret).verify(body.toString(), headers);
  } catch {
    theirs = false;
  }
  assert.equal(theirs, ours, 'the library agrees');
  return ours;
}

withServer('webhooks: signatures', { env: localhostAllowed }, (context) => {
  let hooks, receiver;

  before(async () => {
    hooks = new Hooks(context.api);
    receiver = await Receiver.start();
  });
  after(() => receiver?.stop());

  // An endpoint with an address of its own at the receiver, and what came there.
  let paths = 0;
  async function endpoint(json = {}) {
    const path = `/hook/${paths += 1}`;
    const webhook = await hooks.create({ url: receiver.url(path), ...json });
    const requests = () => receiver.requests.filter((request) => request.path === path);
    const took = (count) => until(`${count} at ${path}`, () => requests().length >= count && requests(), { within: 10_000 });
    return { ...webhook, path, requests, took };
  }
  const remove = ({ webhookId }) => context.api.call('DELETE', `/v1/webhooks/${webhookId}`);

  it('a message is told from sent to delivered, with every header', async () => {
    const hook = await endpoint();
    const text = 'Grüße "an" alle \\o/ \u0001 😀 \u2028';
    const { messageId } = await context.api.sent({ to: atOnce, text, metadata: { order: 'Ä-1' }, tags: ['x'] });
    const requests = await hook.took(2);
    for (const request of requests) {
      const { headers, body, method } = request;
      const event = JSON.parse(body);
      assert.equal(method, 'POST');
      assert.match(headers['content-type'], /^application\/json\b/);
      assert.match(headers['user-agent'], /^Skylark\//);
      assert.ok(fits(hook.secret, request), headers['x-service-signature']);
      assert.ok(fitsStandard(hook.secret, request), headers['webhook-signature']);
      assert.ok(!fits(newSecret(), request) && !fitsStandard(newSecret(), request));
      assert.match(event.id, /^evt_[0-9A-Za-z]+$/);
      assert.equal(headers['x-service-event-id'], event.id);
      assert.equal(headers['webhook-id'], event.id);
      assert.equal(headers['x-service-event-type'], event.type);
      assert.match(headers['x-service-delivery'], /^dlv_[0-9A-Za-z]+$/);
      assert.equal(headers['x-service-attempt'], '1');
      assert.match(headers['x-service-timestamp'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const attempted = Date.parse(headers['x-service-timestamp']);
      assert.equal(Number(headers['webhook-timestamp']), Math.floor(attempted / 1000));
      assert.ok(Math.abs(attempted - request.at) < 5_000 * slowness, 'the time of the attempt');
      assert.equal(headers.expect, undefined);
    }
    const events = requests.map(({ body }) => JSON.parse(body));
    assert.deepEqual(events.map(({ type, sequence, apiVersion, livemode }) => [type, sequence, apiVersion, livemode]), [
      ['message.sent', 2, 'v1', false], ['message.delivered', 3, 'v1', false],
    ]);
    const [sent, delivered] = events;
    assert.equal(sent.data.status, 'sent');
    assert.equal(sent.data.deliveredAt, null);
    assert.equal(sent.timestamp, sent.data.sentAt);
    assert.deepEqual(delivered.data, await context.api.message(messageId), 'as it is read');
    assert.equal(delivered.data.text, text);
    await remove(hook);
  });

  it('a message that fails says why', async () => {
    const hook = await endpoint({ events: ['message.failed'] });
    const { messageId } = await context.api.sent({ to: noRoute, text: 'no way' });
    const [request] = await hook.took(1);
    const event = JSON.parse(request.body);
    assert.deepEqual([event.type, event.data.messageId, event.data.status, event.data.errorCode], ['message.failed', messageId, 'failed', 'no_route']);
    assert.ok(fits(hook.secret, request) && fitsStandard(hook.secret, request));
    await remove(hook);
  });

  it('a test event is a delivery like any other', async () => {
    const hook = await endpoint();
    const delivery = await hooks.test(hook.webhookId);
    const [request] = await hook.took(1);
    const event = JSON.parse(request.body);
    assert.deepEqual([event.type, event.data.webhookId, event.sequence], ['webhook.test', hook.webhookId, 1]);
    assert.equal(request.headers['x-service-delivery'], delivery.deliveryId);
    assert.equal(event.id, delivery.eventId);
    assert.ok(fits(hook.secret, request) && fitsStandard(hook.secret, request));
    const told = await until('the outcome', async () => {
      const now = await hooks.delivery(delivery);
      return now.status === 'delivered' && now;
    });
    assert.equal(told.request.body, request.body.toString(), 'the log has the very bytes');
    await remove(hook);
  });

  it('a secret of one’s own is used as it is', async () => {
    const secret = `whsec_${Buffer.alloc(64, 7).toString('base64')}`;
    const hook = await endpoint({ secret });
    assert.equal(hook.secret, secret);
    await hooks.test(hook.webhookId);
    const [request] = await hook.took(1);
    assert.ok(fits(secret, request) && fitsStandard(secret, request));
    await remove(hook);
  });

  it('rotation with grace: the old secret fits both, the new one the standard', async () => {
    const hook = await endpoint();
    const rotated = await hooks.rotate(hook.webhookId, { gracePeriodHours: 1 });
    assert.notEqual(rotated.secret, hook.secret);
    const left = Date.parse(rotated.previousSecretValidUntil) - Date.now();
    assert.ok(left > 3_600_000 - 10_000 * slowness && left <= 3_600_500, `${left} ms`);
    assert.equal((await hooks.get(hook.webhookId)).previousSecretValidUntil, rotated.previousSecretValidUntil);
    await hooks.test(hook.webhookId);
    const [request] = await hook.took(1);
    assert.deepEqual(
      { old: [fits(hook.secret, request), fitsStandard(hook.secret, request)], new: [fits(rotated.secret, request), fitsStandard(rotated.secret, request)] },
      { old: [true, true], new: [false, true] },
    );
    assert.equal(request.headers['webhook-signature'].split(' ').length, 2);
    await remove(hook);
  });

  it('rotation without grace: the old secret is worthless at once', async () => {
    const hook = await endpoint();
    await hooks.rotate(hook.webhookId, { gracePeriodHours: 168 });
    const { secret, previousSecretValidUntil } = await hooks.rotate(hook.webhookId, { gracePeriodHours: 0 });
    assert.equal(previousSecretValidUntil, null);
    await hooks.test(hook.webhookId);
    const [request] = await hook.took(1);
    assert.ok(fits(secret, request) && fitsStandard(secret, request));
    assert.ok(!fits(hook.secret, request) && !fitsStandard(hook.secret, request));
    assert.equal(request.headers['webhook-signature'].split(' ').length, 1);
    await remove(hook);
  });

  it('the second attempt has the same body, a new time, and both signatures anew', async () => {
    const hook = await endpoint();
    const usual = receiver.answer;
    receiver.answer = (request, response) => response.writeHead(500).end();
    const delivery = await hooks.test(hook.webhookId);
    await hooks.tried(delivery);
    receiver.answer = usual;
    await until('another second', () => Math.floor(Date.now() / 1000) > Number(hook.requests()[0].headers['webhook-timestamp']));
    await hooks.retry(delivery);
    const [first, second] = await hook.took(2);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
    assert.equal(second.headers['x-service-delivery'], first.headers['x-service-delivery']);
    assert.equal(second.headers['x-service-attempt'], '2');
    assert.ok(Number(second.headers['webhook-timestamp']) > Number(first.headers['webhook-timestamp']));
    assert.notEqual(second.headers['webhook-signature'], first.headers['webhook-signature']);
    assert.ok(fits(hook.secret, second) && fitsStandard(hook.secret, second));
    await remove(hook);
  });

  describe('addresses that messages bring along', () => {
    const at = (path) => receiver.requests.filter((request) => request.path === path);
    const tookAt = (path, count) => until(`${count} at ${path}`, () => at(path).length >= count && at(path), { within: 10_000 });
    let secret;

    it('are signed with the account’s own secret', async () => {
      ({ secret } = await hooks.rotateMessageSecret());
      const { messageId } = await context.api.sent({ to: atOnce, text: 'one', webhookUrl: receiver.url('/one?order=1') });
      const requests = await tookAt('/one?order=1', 2);
      assert.deepEqual(requests.map(({ body }) => JSON.parse(body).type), ['message.sent', 'message.delivered']);
      for (const request of requests) {
        assert.ok(fits(secret, request) && fitsStandard(secret, request));
        assert.equal(JSON.parse(request.body).data.messageId, messageId);
      }
      const { body } = await until('both in the timeline', async () => {
        const events = await context.api.get(`/v1/messages/${messageId}/events`);
        return events.body.data.filter(({ type }) => type === 'webhook_delivered').length === 2 && events;
      });
      const [entry] = body.data.filter(({ type }) => type === 'webhook_delivered');
      const { webhookId, deliveryId } = entry;
      assert.equal((await hooks.delivery({ webhookId, deliveryId })).url, receiver.url('/one?order=1'));
      assert.ok(!(await context.api.get('/v1/webhooks')).body.data.some((webhook) => webhook.webhookId === webhookId), 'in no list');
    });

    it('rotate like the others', async () => {
      const { secret: next } = await hooks.rotateMessageSecret({ gracePeriodHours: 1 });
      await context.api.sent({ to: atOnce, text: 'two', webhookUrl: receiver.url('/two') });
      const [request] = await tookAt('/two', 2);
      assert.ok(fits(secret, request) && fitsStandard(secret, request) && fitsStandard(next, request) && !fits(next, request));
      ({ secret } = await hooks.rotateMessageSecret({ gracePeriodHours: 0 }));
    });

    it('fall back on webhookFailoverUrl at once, and come back', async () => {
      const broken = await Receiver.start({ answer: (request, response) => response.writeHead(503).end() });
      try {
        await context.api.sent({ to: atOnce, text: 'three', webhookUrl: broken.url('/broken'), webhookFailoverUrl: receiver.url('/instead') });
        const requests = await tookAt('/instead', 2);
        assert.deepEqual(requests.map(({ body }) => JSON.parse(body).type), ['message.sent', 'message.delivered']);
        for (const request of requests) assert.ok(fits(secret, request) && fitsStandard(secret, request));
        assert.equal(broken.requests.length, 2);
        assert.deepEqual(broken.events.map(({ id }) => id), requests.map(({ body }) => JSON.parse(body).id), 'the same events');
        assert.deepEqual(requests.map(({ headers }) => headers['x-service-attempt']), ['2', '2']);
      } finally {
        await broken.stop();
      }
    });

    it('wait for the table when both fail', async () => {
      const broken = await Receiver.start({ answer: (request, response) => response.writeHead(500).end() });
      try {
        const { messageId } = await context.api.sent({ to: atOnce, text: 'four', webhookUrl: broken.url('/a'), webhookFailoverUrl: broken.url('/b') });
        await broken.took(2);
        assert.deepEqual(broken.requests.map(({ path }) => path), ['/a', '/b']);
        const entries = await until('both in the timeline', async () => {
          const { body } = await context.api.get(`/v1/messages/${messageId}/events`);
          const failed = body.data.filter(({ type }) => type === 'webhook_failed');
          return failed.length === 2 && failed;
        });
        const [{ webhookId, deliveryId }] = entries;
        const delivery = await hooks.delivery({ webhookId, deliveryId });
        assert.deepEqual([delivery.status, delivery.attempts], ['pending', 2]);
        const waits = Date.parse(delivery.nextAttemptAt) - Date.now();
        assert.ok(waits > 54_000 - 5_000 * slowness && waits < 67_000, `${waits} ms`);
        assert.equal(broken.requests.length, 2, 'message.delivered waits behind message.sent');
      } finally {
        await broken.stop();
      }
    });
  });

  it('what arrives is what the description promises', () => {
    assert.ok(receiver.events.length > 10);
    for (const event of receiver.events) assertSchema(`/components/schemas/${event.type === 'webhook.test' ? 'TestEvent' : 'Event'}`, event, event.type);
  });
});
