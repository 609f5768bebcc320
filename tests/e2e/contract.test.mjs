// Made from api/openapi.yaml: every operation with good, bordering, missing, mistyped and excessive
// values for every field and parameter. Each answer is held against the description by the client.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import { formFields, formTries, queryTries, tries } from './lib/cases.mjs';
import { neverSeen } from './lib/coverage.mjs';
import { operationCalled, operations } from './lib/operations.mjs';
import { mediaFiles } from './lib/media-files.mjs';
import { Server } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';
import { World, ahead, atOnce, chiefName, companions, faultCode, freshNumber, isNeeded, samplesFor, tollFree, unknownIds } from './lib/world.mjs';

let media;
let server;
let world;

// Answers with the status that the path names.
async function startReceiver() {
  const receiver = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(Number(request.url.slice(1))).end('seen'));
  });
  await new Promise((done) => { receiver.listen(0, '127.0.0.1', done); });
  const close = () => {
    receiver.close();
    receiver.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${receiver.address().port}`, close };
}

// Runs every case, and fails with the list of those that were not as expected.
async function all(cases, run) {
  const faults = (await Promise.all(cases.map(async (one) => {
    try {
      await run(one);
      return [];
    } catch (error) {
      return [`${one.kind} ${one.label}: ${error.message}`];
    }
  }))).flat();
  assert.ok(faults.length === 0, `${faults.length} of ${cases.length}:\n${faults.join('\n')}`);
}

const outcome = ({ status, body }) => ({ status, code: body?.code, field: body?.field });

function assertTaken(op, response) {
  assert.ok(op.successes.includes(response.status), response.text);
}

function assertRefused(response, code, field, status = 400) {
  assert.deepEqual(outcome(response), { status, code, field }, response.text);
}

// What an answer shows again is what was given.
function assertShown(field, value, shown) {
  if (shown === undefined || (Array.isArray(value) && field !== 'tags' && field !== 'mediaUrls')) return;
  if (/At$|^since$|^until$/.test(field)) assert.equal(Date.parse(shown), Math.trunc(Date.parse(value)));
  else assert.deepEqual(shown, value);
}

// What an answer names: of a list of objects it is the item.
const named = (schema, field, kind) => (kind === 'item type' && schema.items.type === 'object' ? `${field}[0]` : chiefName(field));

async function tryField(op, field, { kind, value }, form) {
  const base = await world.base(op);
  const body = { ...base.body, ...companions[field], [field]: value };
  const response = await world.call(op, { ...base, ...(form ? { form: formFields(body) } : { body }) });
  if (kind !== 'good') return assertRefused(response, faultCode(op, field, kind), named(op.json.properties[field], field, kind));
  assertTaken(op, response);
  return assertShown(field, value, response.body[field]);
}

// Whether a message is one that a filter lets through.
const passes = {
  status: (message, value) => value.split(',').includes(message.status),
  to: (message, value) => message.to === value,
  from: (message, value) => message.from === value,
  direction: (message, value) => message.direction === value,
  tag: (message, value) => message.tags?.includes(value),
  batchId: (message, value) => message.batchId === value,
  createdAfter: (message, value) => Date.parse(message.createdAt) >= Date.parse(value),
  createdBefore: (message, value) => Date.parse(message.createdAt) < Date.parse(value),
  limit: () => true,
  cursor: () => true,
};

async function tryParameter(op, name, { kind, value }) {
  const base = await world.base(op);
  const response = await world.call(op, { ...base, query: { ...base.query, [name]: value } });
  if (kind !== 'good') return assertRefused(response, faultCode(op, name, kind), name);
  assertTaken(op, response);
  if (op.id === 'listMessages') assert.ok(response.body.data.every((message) => passes[name](message, value)), response.text);
  return undefined;
}

// An item that is no message is refused for itself, like one that is a bad message. Webhooks of live
// messages are made with live keys.
const ofTheWhole = (op, field) => ({ kind, value }) => !(op.id === 'sendBatch' && kind === 'item type')
  && !(field === 'mode' && ['all', 'live'].includes(value));

function testFields(op) {
  for (const [field, schema] of Object.entries(op.json.properties)) {
    it(`${field}: good and bad values`, async () => {
      const cases = tries(schema, samplesFor(world, op, field)).filter(ofTheWhole(op, field));
      await all(cases, (one) => tryField(op, field, one, false));
    });
    if (op.form) {
      it(`${field}: good and bad values in a form`, async () => {
        await all(formTries(schema, samplesFor(world, op, field)).filter(ofTheWhole(op, field)), (one) => tryField(op, field, one, true));
      });
    }
    it(`${field}: null ${isNeeded(op, field) ? 'and nothing are missing' : 'is nothing'}`, async () => {
      const base = await world.base(op);
      const nothing = await world.call(op, { ...base, body: { ...base.body, [field]: undefined } });
      const itsNull = await world.call(op, { ...await world.base(op), body: { ...base.body, [field]: null } });
      for (const response of [nothing, itsNull]) {
        if (isNeeded(op, field)) assertRefused(response, 'missing_required_field', field);
        else assertTaken(op, response);
      }
    });
  }

  it('unknown fields are ignored', async () => {
    const base = await world.base(op);
    assertTaken(op, await world.call(op, { ...base, body: { ...base.body, nosuchfield: [{ a: 1 }] } }));
  });
  if (op.form) {
    it('a form says the same', async () => {
      const base = await world.base(op);
      assertTaken(op, await world.call(op, { ...base, form: formFields(base.body) }));
    });
  }
}

function testQuery(op) {
  for (const { name, schema, required } of op.inQuery) {
    it(`?${name}: good and bad values`, async () => {
      await all(queryTries(schema, samplesFor(world, op, name)), (one) => tryParameter(op, name, one));
    });
    it(`?${name}: twice`, async () => {
      const base = await world.base(op);
      const [{ value }] = queryTries(schema, samplesFor(world, op, name)).filter(({ kind }) => kind === 'good');
      assertRefused(await world.call(op, { ...base, query: { ...base.query, [name]: [value, value] } }), 'invalid_parameter', name);
    });
    if (required) {
      it(`?${name}: missing`, async () => {
        const base = await world.base(op);
        const { [name]: _, ...query } = base.query;
        assertRefused(await world.call(op, { ...base, query }), 'missing_required_field', name);
      });
    }
  }
  it('unknown parameters', async () => {
    const base = await world.base(op);
    for (const name of ['nosuchparameter', `${op.inQuery[0].name}x`, op.inQuery[0].name.toUpperCase()]) {
      assertRefused(await world.call(op, { ...base, query: { ...base.query, [name]: 'x' } }), 'invalid_parameter', name);
    }
  });
}

function testPath(op) {
  for (const { name } of op.inPath) {
    it(`{${name}}: bad values`, async () => {
      const base = await world.base(op);
      for (const value of samplesFor(world, op, name).bad.filter((text) => text !== '')) {
        const response = await world.call(op, { ...base, params: { ...base.params, [name]: value } });
        if (unknownIds[name]) assertRefused(response, unknownIds[name], undefined, 404);
        else assertRefused(response, faultCode(op, name, 'form'), name);
      }
    });
  }
}

function testIdempotency(op) {
  it('Idempotency-Key: good and bad values', async () => {
    const given = (value) => world.call(op, { headers: { 'Idempotency-Key': value } });
    for (const value of ['x', '~', 'a b', 'k'.repeat(255), '']) assertTaken(op, await given(`${value}${value.length < 200 && value ? op.id : ''}`));
    for (const value of ['k'.repeat(256), 'k'.repeat(4000), 'é', 'a\tb', ['a', 'b'], ['a', 'a']]) {
      assertRefused(await given(value), 'invalid_idempotency_key', undefined);
    }
  });

  it('Idempotency-Key: done once', async () => {
    const request = { ...await world.base(op), headers: { 'Idempotency-Key': `once ${op.id}` } };
    const first = await world.call(op, request);
    assertTaken(op, first);
    assert.equal(first.headers['idempotency-replayed'], undefined);
    const again = await world.call(op, request);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    assert.deepEqual([again.status, again.body], [first.status, first.body]);
    if (op.form) {
      const form = await world.call(op, { ...request, form: formFields(request.body) });
      assert.deepEqual(form.body, first.body, 'a form that says the same is the same');
    }
  });
}

describe('contract', { timeout: 240_000 * slowness }, () => {
  before(async () => {
    media = await mediaFiles();
    server = await Server.start({ leakCheck: true, env: { SKYLARK_MEDIA_CA: media.ca, SKYLARK_MEDIA_ALLOW_LOCALHOST: 'on' }, args: ['--allow-localhost-webhooks', 'on'] });
    world = await World.make(server, media);
  });
  after(async () => {
    await server?.dispose();
    await media?.stop();
  });

  for (const op of operations) {
    describe(op.name, () => {
      it('takes a good request', async () => assertTaken(op, await world.call(op)));
      if (op.json) testFields(op);
      if (op.inQuery.length) testQuery(op);
      testPath(op);
      if (op.inHeaders.some(({ name }) => name === 'Idempotency-Key')) testIdempotency(op);
    });
  }

  it('each message of a batch is judged as if it were sent alone', async () => {
    const op = operationCalled('sendMessage');
    const cases = Object.entries(op.json.properties).filter(([field]) => field !== 'dryRun').flatMap(([field, schema]) => (
      tries(schema, samplesFor(world, op, field)).map((one) => ({ ...one, field, label: `${field}: ${one.label}` }))));
    const bodies = cases.map(({ field, value }) => ({ to: freshNumber(), text: 'x', ...companions[field], [field]: value }));
    const { body } = await world.api.call('POST', '/v1/messages/batch', { json: { messages: bodies } });
    assert.equal(body.total, cases.length);
    await all(cases.map((one, i) => ({ ...one, result: body.results[i], index: i })), ({ kind, field, result, index }) => {
      assert.equal(result.index, index);
      const refusal = kind === 'good' ? undefined : { code: faultCode(op, field, kind), field: chiefName(field) };
      assert.deepEqual(result.error && { code: result.error.code, field: result.error.field }, refusal, JSON.stringify(result));
    });
    assert.equal(body.rejected, cases.filter(({ kind }) => kind !== 'good').length);
    assert.equal(body.accepted, body.total - body.rejected);
  });

  it('what is no message, or only asks, has no place in a batch', async () => {
    const messages = [null, 5, 'x', [], {}, { to: freshNumber(), text: 'x', dryRun: true }, { to: freshNumber(), text: 'x', dryRun: false }];
    const { body } = await world.api.call('POST', '/v1/messages/batch', { json: { messages } });
    assert.deepEqual(body.results.map(({ error }) => error && [error.code, error.field]), [
      ...Array(4).fill(['invalid_parameter', 'messages']), ['missing_required_field', 'to'], ['invalid_parameter', 'dryRun'], undefined]);
  });

  it('a message with everything shows everything', async () => {
    const everything = {
      to: '+15005550006', text: '', mediaUrls: ['https://media.example.com/lark.jpg'], from: tollFree, messageType: 'alert', subject: 's', tags: ['t'],
      metadata: { a: 1 }, validityPeriod: 60, webhookUrl: 'https://a.example/', webhookFailoverUrl: 'https://b.example/',
    };
    const { messageId } = await world.api.sent(everything);
    const failed = await until('the failure', async () => {
      const message = await world.api.message(messageId);
      return message.status === 'failed' && message;
    });
    for (const [field, value] of Object.entries(everything)) assert.deepEqual(failed[field], value, field);
    const { body } = await world.api.get(`/v1/messages/${messageId}/events`);
    const history = body.data.find(({ type }) => type === 'failed'); // tries of its webhook may follow
    assert.equal(history.errorCode, failed.errorCode);
    const dry = await world.api.send({ ...everything, dryRun: true, scheduledAt: ahead(86_400_000) });
    assert.equal(dry.status, 200);
  });

  it('so does one of a batch that waits for its time, also when it is called back', async () => {
    const everything = {
      to: freshNumber(), text: 'x', mediaUrls: ['https://media.example.com/lark.jpg'], subject: 's', tags: ['t'], metadata: { a: 1 },
      validityPeriod: 60, scheduledAt: ahead(86_400_000), webhookUrl: 'https://a.example/', webhookFailoverUrl: 'https://b.example/',
    };
    const { body: { batchId, results: [{ messageId, status }] } } = await world.api.call('POST', '/v1/messages/batch', { json: { messages: [everything] } });
    assert.equal(status, 'scheduled');
    const waiting = await world.api.message(messageId);
    for (const [field, value] of Object.entries({ ...everything, batchId })) assert.deepEqual(waiting[field], value, field);
    const { body: { data } } = await world.api.get(`/v1/messages?batchId=${batchId}`);
    assert.deepEqual(data, [waiting]);
    const { body: { cancelledAt, ...cancelled } } = await world.api.call('POST', `/v1/messages/${messageId}/cancel`);
    assert.deepEqual({ ...cancelled, cancelledAt: null }, { ...waiting, status: 'cancelled', updatedAt: cancelledAt });
    const { body: { counts, done } } = await world.api.get(`/v1/messages/batch/${batchId}`);
    assert.deepEqual([counts.cancelled, done], [1, true]);
  });

  it('a key with everything shows everything', async () => {
    const post = async (path, json) => (await world.api.call('POST', path, { json })).body;
    const { keyId, key } = await post('/v1/keys', { name: 'whole', permissions: ['sms:read'], perMinute: 5, perHour: 6, expiresAt: ahead(86_400_000) });
    const { replaces, perMinute, perHour } = await post(`/v1/keys/${keyId}/rotate`, { gracePeriodHours: 1 });
    assert.deepEqual([replaces, perMinute, perHour], [keyId, 5, 6]);
    assert.equal((await world.api.get(`/v1/keys/${keyId}`)).body.status, 'retiring');
    await world.api.get('/v1/messages', { key });
    await until('its use to be written', async () => (await world.api.get(`/v1/keys/${keyId}`)).body.requestCount === 1);
    await (await server.keyedClient({ plan: 'default' })).get('/v1/rate-limits');
  });

  it('a webhook with everything shows everything', async (t) => {
    const receiver = await startReceiver();
    t.after(receiver.close);
    const post = async (path, json) => (await world.api.call('POST', path, { json })).body;
    const { webhookId } = await world.newWebhook({ url: `${receiver.url}/200`, description: 'd' });
    const path = `/v1/webhooks/${webhookId}`;
    const read = async () => (await world.api.get(path)).body;
    const { messageId } = await world.delivered();
    // Messages of other tests may be on their way, and are told here, too.
    const [{ deliveryId }] = await until('two deliveries', async () => {
      const { body: { data } } = await world.api.get(`${path}/deliveries?status=delivered&limit=100`);
      const own = data.filter((one) => one.messageId === messageId);
      return own.length === 2 && own;
    });
    const { body: { request, attemptLog: [attempt] } } = await world.api.get(`${path}/deliveries/${deliveryId}`);
    assert.equal(JSON.parse(request.body).data.messageId, messageId);
    assert.deepEqual([attempt.responseStatus, attempt.responseBody, attempt.requestHeaders], [200, 'seen', request.headers]);
    const { body: { data: timeline } } = await world.api.get(`/v1/messages/${messageId}/events`);
    assert.deepEqual(timeline.filter((one) => one.webhookId === webhookId).map(({ type, responseStatus }) => [type, responseStatus]), [
      ['webhook_delivered', 200], ['webhook_delivered', 200]]);

    await world.api.call('PATCH', path, { json: { url: `${receiver.url}/500` } });
    for (let i = 0; i < 10; i++) await post(`${path}/test`);
    const paused = await until('the pause', async () => {
      const webhook = await read();
      return webhook.status === 'paused' && webhook;
    });
    assert.ok(paused.failingSince && paused.lastSuccessAt && paused.pendingDeliveries >= 10, JSON.stringify(paused));
    const parked = (await world.api.get(`${path}/deliveries?status=pending&limit=100`)).body.data.find((one) => one.eventType === 'webhook.test');
    assert.equal(parked.status, 'parked');

    receiver.close(); // nobody is there any more
    await world.api.call('PATCH', path, { json: { url: 'http://127.0.0.1:1/' } });
    await post(`${path}/deliveries/${parked.deliveryId}/retry`);
    await until('the failure', async () => (await world.api.get(`${path}/deliveries/${parked.deliveryId}`)).body.lastAttempt?.error);
    await world.api.get(`${path}/deliveries?limit=1`);
    assert.ok((await post(`${path}/rotate-secret`)).previousSecretValidUntil);
    assert.equal((await world.api.call('PATCH', path, { json: { enabled: false } })).body.disabledReason, 'disabled');
    await world.api.call('DELETE', path);
  });

  it('a word puts a number on the list, and a batch says when to try again', async () => {
    const from = freshNumber();
    await world.api.call('POST', '/v1/test/inbound', { json: { from, text: 'stop' } });
    assert.equal((await world.api.get(`/v1/opt-outs/${encodeURIComponent(from)}`)).body.source, 'keyword');
    const { body } = await world.api.call('POST', '/v1/messages/batch', { json: { messages: [{ to: '+15550001003', text: 'x' }] } });
    assert.equal(body.results[0].error.code, 'rate_limit_exceeded');
    assert.equal((await world.api.get(`/v1/test/inbox?to=${encodeURIComponent(atOnce)}&extract=code`)).body.code, '482913');
  });

  it('a page is as long as the description says when nobody does', async () => {
    for (const op of operations.filter(({ id }) => /^list/.test(id))) {
      const { schema } = op.inQuery.find(({ name }) => name === 'limit');
      const { body: { data, pagination: { totalCount = Infinity } } } = await world.call(op); // events are not counted
      assert.ok(totalCount > schema.default || op.id !== 'listMessages', `${totalCount} messages`);
      assert.equal(data.length, Math.min(schema.default, totalCount), op.id);
    }
  });

  it('reports with everything show everything', async () => {
    await world.api.sent({ to: atOnce, text: 'x', mediaUrls: ['https://media.example.com/lark.jpg'], tags: ['t'] });
    for (const path of ['usage', 'delivery', 'delivery-reports', 'costs', 'cost-analysis']) {
      const { status, body: { totals } } = await world.api.get(`/v1/analytics/${path}?period=24h`);
      assert.deepEqual([status, (totals.messages ?? totals.total) > 0], [200, true]);
    }
    const refused = await world.api.get('/v1/analytics/usage?startDate=2026-03-02&endDate=2026-03-01');
    assertRefused(refused, 'invalid_date_range', 'endDate');
    assertRefused(await world.api.get('/v1/analytics/costs?period=7d&endDate=2026-03-01'), 'invalid_parameter', 'period');
  });

  it('every field of every answer has been seen', () => {
    const unusedYet = ['revokedAt', 'lastUsedAt', 'lastUsedFrom'].flatMap((field) => [`NewKey.${field}`, `RotatedKey.${field}`]);
    const unusedHook = ['disabledReason', 'disabledAt', 'pausedUntil', 'failingSince', 'lastSuccessAt', 'previousSecretValidUntil']
      .map((field) => `NewWebhook.${field}`);
    const many = ['Usage.breakdown.otherTags', ...['messages', 'segments', 'cost'].map((field) => `UsageOfOtherTags.${field}`)]; // analytics.test.mjs
    const live = ['RefusedRoute.route', 'RefusedRoute.carrier']; // smpp-operate.test.mjs sees them
    const limited = ['LiveQueue.oldestQueuedSeconds', ...['limit', 'carrier', 'waiting', 'message'].map((field) => `LiveLimit.${field}`)]; // stats-limits.test.mjs
    assert.deepEqual(neverSeen().filter((one) => ![...unusedYet, ...unusedHook, ...live, ...limited, ...many].includes(one)), []);
  });

  it('stops cleanly', () => server.stop());
});
