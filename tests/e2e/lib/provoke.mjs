// How to get each error code out of an operation. A way takes (operation, world) and makes the
// request that is answered with the code; `fields` says which field the answer names.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, has } from './operations.mjs';
import { listen } from './listen.mjs';
import { run } from './program.mjs';
import { Server } from './server.mjs';
import { whileStoreIsHeld } from './store.mjs';
import { until, within } from './wait.mjs';
import { World, ahead, atOnce, freshNumber, hookUrl, inAMinute, permissions } from './world.mjs';

const once = (make) => {
  let made;
  return (...args) => { made ??= make(...args); return made; };
};

// A key that looks like one and is none.
export const noKey = `sl_test_${'0'.repeat(32)}`;

// A client from an address of its own: wrong keys are counted by address.
let addresses = 1;
const fromElsewhere = (world) => world.server.client(undefined, { localAddress: `127.0.1.${addresses += 1}` });

/* ---- keys and accounts ---- */

const liveClient = once((world) => world.server.keyedClient({ type: 'live', permissions }));

const suspendedClient = once(async (world) => {
  await world.server.command('accounts', 'create', 'suspended');
  const client = await world.server.keyedClient({ account: 'suspended', permissions });
  await world.server.command('accounts', 'suspend', 'suspended');
  await until('the suspension', async () => (await client.get('/v1/rate-limits')).status === 403);
  return client;
});

// An account that has as many webhooks as it may.
const fullClient = once(async (world) => {
  await world.server.command('accounts', 'create', 'full');
  const client = await world.server.keyedClient({ account: 'full', permissions });
  for (let i = 0; i < 10; i++) await client.call('POST', '/v1/webhooks', { json: { url: hookUrl } });
  return client;
});

// A webhook that is told of live messages, too.
const liveWebhook = once(async (world) => {
  const client = await liveClient(world);
  return (await client.call('POST', '/v1/webhooks', { json: { url: hookUrl } })).body.webhookId;
});

// All permissions but the one that it takes.
async function insufficient(op, world) {
  const others = permissions.filter((permission) => permission !== op.permission);
  return world.call(op, {}, await world.server.keyedClient({ permissions: others }));
}

// A window may end in between: then the next request is refused.
async function limited(op, world) {
  const client = await world.server.keyedClient({ permissions, 'per-hour': 1, 'per-minute': 1 });
  return until('the limit', async () => {
    await client.get('/v1/messages?limit=1');
    const response = await world.call(op, {}, client);
    return response.status === 429 && response;
  });
}

async function throttled(op, world) {
  const client = fromElsewhere(world);
  const response = await until('the patience to end', async () => {
    const answer = await world.call(op, { key: noKey }, client);
    return answer.status === 429 && answer;
  }, { every: 1 });
  client.close();
  return response;
}

/* ---- servers in trouble ---- */

const troubled = [];
export const endTroubled = () => Promise.all(troubled.map((server) => server.dispose()));

async function start(options) {
  const server = await Server.start(options);
  troubled.push(server);
  return server;
}

// The operator switches maintenance on while it runs.
export const maintained = once(async (world) => {
  const file = join(world.folder, 'maintenance.ini');
  writeFileSync(file, '');
  const server = await start({ args: ['--config', file] });
  writeFileSync(file, '[server]\nmaintenance = on\n');
  server.signal('SIGHUP');
  const client = server.client(noKey);
  await until('the maintenance', async () => (await client.get('/v1/rate-limits')).status === 503);
  return client;
});

// The keys are gone from the store: nobody can be let in.
const storeless = once(async () => {
  const server = await start({});
  const client = await server.keyedClient({ permissions });
  const { code, stderr } = await run('sqlite3', ['-cmd', '.timeout 5000', join(server.dataDir, 'skylark.db'), 'ALTER TABLE api_key RENAME TO lost']);
  if (code !== 0) throw new Error(stderr);
  return client;
});

// One worker, and little room for what waits.
const narrow = once(async (main) => {
  const file = join(main.folder, 'queue.ini');
  writeFileSync(file, '[server]\nworkers = 1\n[queue]\nwrites = 64\n');
  return World.make(await start({ args: ['--config', file] }));
});

// More calls wait for messages than may.
async function overwaited(op, main) {
  const { server, api } = await narrow(main);
  const client = server.client(api.key, { connections: 200 });
  let refusal;
  const waits = Array.from({ length: 200 }, () => client.get(`/v1/test/inbox?to=${encodeURIComponent(freshNumber())}&wait=30`)
    .then((response) => { refusal ??= response; }, () => {}));
  await until('a refusal', () => refusal);
  client.close();
  await Promise.all(waits);
  return refusal;
}

// More streams of events are open than an account may have.
async function overheard(op, main) {
  const { server, api } = await narrow(main);
  const streams = await Promise.all(Array.from({ length: 64 }, () => listen(api)));
  const client = server.client(api.key);
  const refusal = await client.get(op.path, { headers: { Accept: 'text/event-stream' } });
  streams.forEach((stream) => stream.close());
  client.close();
  return refusal;
}

// {operation: its answer} with more writes waiting than may.
const crowded = once(async (main) => {
  const world = await narrow(main);
  const { server } = world;
  const writers = operations.filter((op) => has(op, 'queue_full') && op.method !== 'GET');
  const flood = server.client(world.api.key, { connections: 300 });
  const answers = new Map();
  const pending = [];
  const requests = await Promise.all(writers.map((op) => world.base(op)));
  await whileStoreIsHeld(server, async () => {
    await until('every operation to be refused', async () => {
      let refusals = 0;
      for (let i = 0; i < 200; i++) {
        pending.push(flood.send({ to: inAMinute, text: 'x' }).then(({ status }) => { refusals += status === 503; }));
      }
      await until('a refusal', () => refusals > 20);
      const asked = writers.map((op, i) => world.call(op, requests[i], flood)
        .then((response) => { if (response.body.code === 'queue_full') answers.set(op.id, response); }));
      pending.push(...asked);
      await Promise.race([Promise.all(asked), within(500, 'the answers', new Promise(() => {})).catch(() => {})]);
      return answers.size === writers.length;
    }, { within: 20_000 });
  });
  await Promise.all(pending);
  return answers;
});

/* ---- the ways ---- */

const sendWith = (more, client) => (op, world) => (op.id === 'sendMessage'
  ? world.call(op, { body: { to: freshNumber(), text: 'x', ...more } }, client) : undefined);

const withQuery = (query) => async (op, world) => {
  const base = await world.base(op);
  return world.call(op, { ...base, query: { ...base.query, ...query } });
};

const raw = (body, type) => async (op, world) => world.call(op, { ...await world.base(op), raw: body, type });

// A body that lacks its first required field, or a query that lacks it.
async function missing(op, world) {
  const base = await world.base(op);
  return op.json ? world.call(op, { ...base, body: {} }) : world.call(op, { ...base, query: {} });
}

// The first field of the wrong type; a parameter that nobody knows.
async function mistyped(op, world) {
  const base = await world.base(op);
  const [field] = Object.keys(op.json?.properties ?? {});
  if (!field) return world.call(op, { ...base, query: { ...base.query, nosuchparameter: 'x' } });
  return world.call(op, { ...base, body: { ...base.body, [field]: { wrong: true } } });
}

async function badNumber(op, world) {
  const base = await world.base(op);
  const spoilt = { ...base };
  for (const part of ['body', 'params', 'query']) {
    const field = Object.keys(base[part] ?? {}).find((name) => ['to', 'from', 'number'].includes(name));
    if (field) spoilt[part] = { ...base[part], [field]: '0123' };
  }
  return world.call(op, spoilt);
}

// The same Idempotency-Key with another request. A key that is rotated goes on working meanwhile: one
// that is off is the greater fault.
async function mismatched(op, world) {
  const headers = { 'Idempotency-Key': `mismatch ${op.id}` };
  const graces = [{ gracePeriodHours: 1 }, { gracePeriodHours: 2 }];
  const bodies = {
    createKey: [{ name: 'one' }, { name: 'other' }],
    rotateKey: graces,
    createWebhook: [{ url: hookUrl }, { url: `${hookUrl}/other` }],
    rotateWebhookSecret: graces,
    rotateMessageSecret: graces,
    redeliver: [{ since: '2020-01-01T00:00:00Z' }, { since: '2020-01-02T00:00:00Z' }],
  };
  const { params, body } = await world.base(op);
  const [one, other] = bodies[op.id] ?? [body, (await world.base(op)).body];
  await world.call(op, { params, body: one, headers });
  return world.call(op, { params, body: other, headers });
}

const withBody = (more) => async (op, world) => {
  const base = await world.base(op);
  return world.call(op, { ...base, body: { ...base.body, ...more } });
};

// A test key on a webhook of live messages; or one that would make it.
async function notLive(op, world) {
  const base = await world.base(op);
  if (op.id === 'createWebhook') return withBody({ mode: 'live' })(op, world);
  return world.call(op, { ...base, params: { ...base.params, webhookId: await liveWebhook(world) } });
}

// Something that exists for somebody else: here, for the other mode.
async function foreign(op, world) {
  return world.call(op, {}, await liveClient(world));
}

const isReport = (op) => op.path.startsWith('/v1/analytics/');

function wrongRange(op) {
  if (isReport(op)) return { startDate: '2026-01-02', endDate: '2026-01-01' };
  if (op.id === 'listMessages') return { createdAfter: '2026-01-02T00:00:00Z', createdBefore: '2026-01-01T00:00:00Z' };
  return { since: 'x' };
}

export const ways = {
  invalid_json: raw('{"to"', 'application/json'),
  unsupported_content_type: raw('<to/>', 'text/xml'),
  request_too_large: (op, world) => raw('x'.repeat((['sendBatch', 'simulateInbound'].includes(op.id) ? 4096 : 256) * 1024 + 1), 'application/json')(op, world),
  missing_required_field: missing,
  invalid_parameter: mistyped,
  invalid_phone_number: badNumber,
  invalid_from_number: sendWith({ from: '+15550100200' }),
  text_required: async (op, world) => world.call(op, { body: { ...(await world.base(op)).body, text: '' } }),
  text_too_long: async (op, world) => world.call(op, { body: { ...(await world.base(op)).body, text: 'x'.repeat(1601) } }),
  invalid_media_url: sendWith({ mediaUrls: ['http://example.com/a.jpg'] }),
  too_many_media: (op, world) => (op.id === 'simulateInbound'
    ? withBody({ media: Array(11).fill({ contentType: 'image/png', data: 'AAAA' }) })
    : sendWith({ mediaUrls: Array(11).fill('https://example.com/a.jpg') }))(op, world),
  mms_not_supported: sendWith({ to: '+4915112345678', from: 'Skylark', mediaUrls: ['https://example.com/a.jpg'] }),
  invalid_message_type: sendWith({ messageType: 'spam' }),
  invalid_tags: sendWith({ tags: [''] }),
  invalid_metadata: sendWith({ metadata: { x: 'a'.repeat(5000) } }),
  invalid_webhook_url: async (op, world) => (op.id === 'sendMessage' ? sendWith({ webhookUrl: 'http://example.com/' })
    : withBody({ url: 'https://10.0.0.1/' }))(op, world),
  invalid_events: withBody({ events: [] }),
  webhook_limit_exceeded: async (op, world) => world.call(op, {}, await fullClient(world)),
  invalid_scheduled_time: sendWith({ scheduledAt: '2026-02-30T09:00:00Z' }),
  message_not_cancellable: async (op, world) => world.call(op, { params: { messageId: world.message.messageId } }),
  unsupported_destination: async (op, world) => world.call(op, {}, await liveClient(world)),
  recipient_opted_out: async (op, world) => world.call(op, { body: { to: world.optOut.number, text: 'x' } }),
  carrier_rejected: sendWith({ to: '+15550001002' }),
  invalid_limit: withQuery({ limit: '0' }),
  invalid_cursor: withQuery({ cursor: 'x' }),
  invalid_date_range: async (op, world) => (op.id === 'redeliver' ? withBody({ since: 'x' })(op, world) : withQuery(wrongRange(op))(op, world)),
  batch_empty: async (op, world) => world.call(op, { body: { messages: [] } }),
  batch_too_large: async (op, world) => world.call(op, { body: { messages: Array(1001).fill({ to: atOnce, text: 'x' }) } }),
  invalid_idempotency_key: async (op, world) => world.call(op, { headers: { 'Idempotency-Key': 'k'.repeat(256) } }),
  idempotency_key_mismatch: mismatched,
  missing_api_key: async (op, world) => world.call(op, { key: null }),
  invalid_authorization_header: async (op, world) => world.call(op, { key: null, headers: { Authorization: `Basic ${noKey}` } }),
  invalid_api_key: async (op, world) => world.call(op, { key: noKey }, fromElsewhere(world)),
  insufficient_permissions: insufficient,
  live_key_required: notLive,
  test_key_required: async (op, world) => world.call(op, {}, await liveClient(world)),
  account_suspended: async (op, world) => world.call(op, {}, await suspendedClient(world)),
  message_not_found: foreign,
  media_not_found: async (op, world) => world.call(op, { params: { messageId: world.mms.messageId, mediaNumber: '2' } }),
  webhook_not_found: foreign,
  delivery_not_found: async (op, world) => world.call(op, { params: { webhookId: world.webhook.webhookId, deliveryId: 'dlv_0' } }),
  batch_not_found: foreign,
  key_not_found: foreign,
  opt_out_not_found: foreign,
  rate_limit_exceeded: limited,
  too_many_failed_key_attempts: throttled,
  internal_error: sendWith({ to: '+15550001004' }),
  service_unavailable: async (op, world) => world.call(op, {}, await storeless()),
  queue_full: async (op, world) => ({ readInbox: overwaited, listEvents: overheard, getLiveStats: overheard }[op.id]?.(op, world) ?? (await crowded(world)).get(op.id)),
  maintenance: async (op, world) => world.call(op, {}, await maintained(world)),
};

/* ---- what the answers say ---- */

// The field that is named; a code that is not here names none.
export const fields = {
  missing_required_field: (op) => (op.json ? op.json.required[0] : 'to'),
  invalid_parameter: (op) => (op.json ? Object.keys(op.json.properties)[0] : 'nosuchparameter'),
  invalid_phone_number: (op) => ({ simulateInbound: 'from' }[op.id] ?? (/OptOut/.test(op.id) ? 'number' : 'to')),
  invalid_from_number: () => 'from',
  text_required: () => 'text',
  text_too_long: () => 'text',
  invalid_media_url: () => 'mediaUrls',
  too_many_media: (op) => (op.id === 'simulateInbound' ? 'media' : 'mediaUrls'),
  mms_not_supported: () => 'mediaUrls',
  invalid_message_type: () => 'messageType',
  invalid_tags: () => 'tags',
  invalid_metadata: () => 'metadata',
  invalid_webhook_url: (op) => (op.id === 'sendMessage' ? 'webhookUrl' : 'url'),
  invalid_events: () => 'events',
  live_key_required: (op) => (op.id === 'createWebhook' ? 'mode' : undefined),
  invalid_scheduled_time: () => 'scheduledAt',
  unsupported_destination: () => 'to',
  recipient_opted_out: () => 'to',
  carrier_rejected: () => 'to',
  invalid_limit: () => 'limit',
  invalid_cursor: () => 'cursor',
  invalid_date_range: (op) => ((isReport(op) && 'endDate') || (op.id === 'listMessages' ? 'createdBefore' : 'since')),
  batch_empty: () => 'messages',
  batch_too_large: () => 'messages',
};

// Codes that no request can provoke, and where they are tested instead.
export const unprovoked = {
  insufficient_balance: () => 'needs a live sender, which needs a carrier: src/api/send_test.c',
  internal_error: (op) => op.id !== 'sendMessage' && 'would be a mistake of the program; only test numbers make one',
};
