// What the description cannot say: which numbers, ids and times are good ones, what a good request
// for each operation is, and which code names which fault.
import assert from 'node:assert/strict';
import { until } from './wait.mjs';
import { newSecret } from './webhooks.mjs';
import { operations } from './operations.mjs';

export const permissions = ['sms:send', 'sms:read', 'webhooks:read', 'webhooks:write', 'analytics:read',
  'optouts:read', 'optouts:write', 'keys:read', 'keys:write'];

export const tollFree = '+18005551234';
export const atOnce = '+15550001234'; // delivered at once
export const inAMinute = '+15550001060'; // delivered after 60 seconds

let numbers = 5552000000;
export const freshNumber = () => `+1${numbers += 1}`;

const minute = 60_000;
const day = 24 * 60 * minute;
export const ahead = (ms) => new Date(Date.now() + ms).toISOString();

// Nobody has it, ever: nothing that is sent there leaves this machine.
export const hookUrl = 'https://hooks.example/skylark';

/* ---- good requests ---- */

// A good request for each operation: {params, query, body}. Operations that use something up make it
// first.
const bases = {
  sendMessage: async () => ({ body: { to: freshNumber(), text: 'Hello' } }),
  sendBatch: async () => ({ body: { messages: [{ to: freshNumber(), text: 'Hello' }] } }),
  getBatch: async ({ batch }) => ({ params: { batchId: batch.batchId } }),
  listMessages: async () => ({}),
  getMessage: async ({ message }) => ({ params: { messageId: message.messageId } }),
  getMessageMedia: async ({ mms }) => ({ params: { messageId: mms.messageId, mediaNumber: '1' } }),
  getMessageEvents: async ({ message }) => ({ params: { messageId: message.messageId } }),
  cancelMessage: async ({ api }) => ({
    params: { messageId: (await api.sent({ to: freshNumber(), text: 'x', scheduledAt: ahead(day) })).messageId },
  }),
  listOptOuts: async () => ({}),
  createOptOut: async () => ({ body: { number: freshNumber() } }),
  getOptOut: async ({ optOut }) => ({ params: { number: optOut.number } }),
  deleteOptOut: async (world) => ({ params: { number: (await world.newOptOut()).number } }),
  getLiveStats: async () => ({}),
  getRateLimits: async () => ({}),
  getUsage: async () => ({}),
  getDeliveryFigures: async () => ({}),
  getDeliveryReports: async () => ({}),
  getCosts: async () => ({}),
  getCostAnalysis: async () => ({}),
  listKeys: async () => ({}),
  createKey: async () => ({ body: { name: 'made' } }),
  getKey: async ({ key }) => ({ params: { keyId: key.keyId } }),
  revokeKey: async (world) => ({ params: { keyId: (await world.newKey()).keyId } }),
  rotateKey: async (world) => ({ params: { keyId: (await world.newKey()).keyId }, body: {} }),
  listWebhooks: async () => ({}),
  createWebhook: async () => ({ body: { url: hookUrl } }),
  getEventTypes: async () => ({}),
  rotateMessageSecret: async () => ({ body: {} }),
  getWebhook: async ({ webhook }) => ({ params: { webhookId: webhook.webhookId } }),
  updateWebhook: async ({ changing }) => ({ params: { webhookId: changing.webhookId }, body: {} }),
  deleteWebhook: async (world) => ({ params: { webhookId: await world.spareWebhook() } }),
  rotateWebhookSecret: async ({ changing }) => ({ params: { webhookId: changing.webhookId }, body: {} }),
  testWebhook: async ({ changing }) => ({ params: { webhookId: changing.webhookId } }),
  redeliver: async ({ quiet }) => ({ params: { webhookId: quiet.webhookId }, body: { since: '2020-01-01T00:00:00Z' } }),
  listDeliveries: async ({ webhook }) => ({ params: { webhookId: webhook.webhookId } }),
  getDelivery: async ({ delivery: { webhookId, deliveryId } }) => ({ params: { webhookId, deliveryId } }),
  retryDelivery: async ({ delivery: { webhookId, deliveryId } }) => ({ params: { webhookId, deliveryId } }),
  simulateInbound: async () => ({ body: { from: freshNumber(), text: 'Hello' } }),
  readInbox: async () => ({ query: { to: atOnce } }), // which has one: nobody waits
  listEvents: async () => ({}),
  getOpenapi: async () => ({}),
  getLivez: async () => ({}),
  getReadyz: async () => ({}),
  getDocs: async () => ({}),
  getErrorReference: async () => ({}),
};

for (const { id } of operations) assert.ok(bases[id], `lib/world.mjs has no good request for ${id}`);

export class World {
  // A client whose key may do everything, and one of everything to look at.
  // `media`: see lib/media-files.mjs; the server trusts it. Without it no message has a file.
  static async make(server, media) {
    const world = new World();
    world.server = server;
    world.media = media;
    world.api = await server.keyedClient({ name: 'all', permissions });
    world.webhook = await world.newWebhook();
    world.message = await world.delivered();
    world.mms = media ? await world.withMedia() : world.message;
    world.delivery = (await world.api.get(`/v1/webhooks/${world.webhook.webhookId}/deliveries`)).body.data[0];
    world.changing = await world.newWebhook();
    world.quiet = await world.newWebhook({ events: ['message.opt_in'] }); // is told of nothing
    world.batch = (await world.api.call('POST', '/v1/messages/batch', { json: (await bases.sendBatch()).body })).body;
    world.optOut = await world.newOptOut();
    await world.newOptOut();
    world.optOutCursor = (await world.api.get('/v1/opt-outs?limit=1')).body.pagination.nextCursor;
    world.key = await world.newKey();
    world.event = (await world.api.get('/v1/events?limit=1')).body.data[0];
    return world;
  }

  async delivered(to = atOnce) {
    const { messageId } = await this.api.sent({ to, text: 'Your code is 482913' });
    return until('the delivery', async () => {
      const message = await this.api.message(messageId);
      return message.status === 'delivered' && message;
    });
  }

  // A message whose file has been fetched.
  async withMedia() {
    const message = await this.api.sent({ to: atOnce, text: 'Look', mediaUrls: [this.media.url('cat.jpg')] });
    await until('the file', async () => (await this.api.get(`/v1/messages/${message.messageId}/media/1`)).status === 200);
    return message;
  }

  async newOptOut() {
    return (await this.api.call('POST', '/v1/opt-outs', { json: { number: freshNumber() } })).body;
  }

  async newKey() {
    return (await this.api.call('POST', '/v1/keys', { json: { name: 'spare' } })).body;
  }

  async newWebhook(more) {
    return (await this.api.call('POST', '/v1/webhooks', { json: { url: hookUrl, ...more } })).body;
  }

  // The id of a webhook that may go: an account has ten at most.
  async spareWebhook() {
    const there = this.spare && (await this.api.get(`/v1/webhooks/${this.spare}`)).status === 200;
    if (!there) this.spare = (await this.newWebhook()).webhookId;
    return this.spare;
  }

  base(op) {
    return bases[op.id](this);
  }

  // Makes a request: a good one, unless `over` has {params, query, body}; and {form, raw, type, key,
  // headers} in place of what would be sent.
  async call(op, over = {}, client = this.api) {
    if (op.id !== 'createWebhook') return this.request(op, over, client);
    return this.oneByOne(client, async () => {
      const response = await this.request(op, over, client);
      if (response.status === 201) await client.call('DELETE', `/v1/webhooks/${response.body.webhookId}`);
      return response;
    });
  }

  // An account has ten webhooks at most, so each is gone before the next is made.
  oneByOne(client, make) {
    if (client !== this.api) return make();
    this.last = (this.last ?? Promise.resolve()).then(make, make);
    return this.last;
  }

  async request(op, over, client) {
    const whole = ['params', 'query', 'body'].some((part) => part in over);
    const { params, query, body } = whole ? over : { ...await this.base(op), ...over };
    const path = op.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name]));
    const options = { headers: over.headers ?? {}, ...('key' in over ? { key: over.key } : {}) };
    if (over.raw !== undefined) Object.assign(options, { raw: over.raw, type: over.type });
    else if (over.form) options.form = over.form;
    else if (body !== undefined) options.json = body;
    return client.call(op.method, `${over.path ?? path}${queryText(query)}`, options);
  }
}

// {a: 1, b: ['x', 'y']} → ?a=1&b=x&b=y
export function queryText(query = {}) {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((v) => [name, v]));
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

/* ---- good and bad values ---- */

const number = {
  good: ['+1234567', '+123456789012345'],
  bad: ['', '+', '15551234567', '+0123456789', '+123456', '+1234567890123456', '+1 555 123 4567', 'nonsense'],
};
const url = {
  fill: (length) => `https://h.example/${'a'.repeat(Math.max(0, length - 18))}`,
  good: ['https://hooks.example', 'https://hooks.example:8443/a?b=c#d', 'HTTPS://HOOKS.EXAMPLE', 'https://bücher.example/ü?a[]="b"'],
  bad: ['https://example.com/a b', 'https://example.com/\n', '', 'http://example.com/', 'ftp://example.com/', 'https://', 'https:///x', 'example.com', '//example.com/x', 'HTTPS//x'],
};
const hook = {
  ...url,
  bad: [...url.bad, 'https://10.0.0.1/', 'https://192.168.1.1:8443/x', 'https://169.254.169.254/latest/', 'https://0.0.0.0/', 'https://[fd00::1]/',
    'https://[::ffff:10.0.0.1]/', 'https://0xa000001/', 'https://012.0.0.1/', 'https://167772161/', 'https://10.1/', 'https://user@10.0.0.1/'],
};
const events = ['message.scheduled', 'message.queued', 'message.sent', 'message.delivered', 'message.failed', 'message.cancelled', 'message.received',
  'message.opt_out', 'message.opt_in', 'webhook.test'];
const urls = { item: (i) => `https://media.example.com/${i}.jpg`, items: url };
const line = { bad: ['a\nb', 'a\tb', '\u0000', '\u007f', '\u0085'] };
const noTimes = ['', 'tomorrow', '2026-11-15', '2026-02-30T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01 00:00:00', '1'];
const noDays = [...noTimes.filter((text) => text !== '2026-11-15'), '2026-02-29', '2026-04-31', '2026-1-1', '2019-12-31', '2101-01-01', '2026-11-15 '];
const object = (size) => ({ x: 'a'.repeat(size - '{"x":""}'.length) });

// By `operation.field` or `field`. Functions, because times go on.
export const samples = {
  to: () => number,
  number: () => number,
  'createOptOut.number': () => ({ ...number, good: ['+7654321', '+765432109876543'] }),
  'simulateInbound.from': () => number,
  'simulateInbound.to': () => ({ good: [tollFree, '+447700900123'], bad: ['', '+15551234567', 'Nobody'] }),
  'simulateInbound.text': () => ({ bad: [''] }),
  'simulateInbound.media': () => ({ item: (i) => ({ contentType: 'image/png', data: Buffer.from(`picture ${i}`).toString('base64') }) }),
  'sendMessage.from': () => ({ good: [tollFree, '+447700900123'], bad: ['', '+15551234567', 'Nobody', 'Skylark', 'x'.repeat(300)] }),
  'listMessages.from': () => ({ good: [tollFree, 'Skylark'], bad: ['', '+', 'not a sender!', 'x'.repeat(300)] }),
  'sendMessage.text': () => ({ good: ['x', '🐦', 'ﬃ\u202e\ufffe'], bad: [''] }),
  mediaUrls: () => urls,
  media_urls: () => urls,
  tags: () => ({ item: (i) => `tag ${i}`, items: line }),
  tag: () => ({ ...line, good: ['reminder', '100% é+&='] }),
  metadata: () => ({ good: [{}, { a: { b: [1, null, true, 'é\u2028'] } }, object(4096)], bad: [object(4097), object(100_000)] }),
  scheduledAt: () => ({
    good: [ahead(6 * minute), ahead(34 * day), ahead(day).replace('Z', '+14:00'), ahead(day).replace(/\.\d+Z/, 'z')],
    bad: [...noTimes, ahead(-minute), ahead(4 * minute), ahead(35 * day + minute), '9999-12-31T23:59:59Z'],
  }),
  webhookUrl: () => hook,
  webhook_url: () => hook,
  webhookFailoverUrl: () => hook,
  webhook_failover_url: () => hook,
  messages: () => ({ item: () => ({ to: freshNumber(), text: 'x' }) }),
  permissions: () => ({ item: (i) => permissions[i] }),
  subject: () => line,
  name: () => ({ ...line, good: ['a', 'two words'] }),
  expiresAt: () => ({ good: [ahead(minute), '2999-01-01T00:00:00+02:00'], bad: [...noTimes, ahead(-minute), '1970-01-01T00:00:00Z'] }),
  startDate: () => ({
    good: [ahead(0).slice(0, 10), ahead(-365 * day).slice(0, 10), ahead(-day), ahead(-day).replace('Z', '-11:30')],
    bad: [...noDays, ahead(-367 * day).slice(0, 10), ahead(2 * day).slice(0, 10)],
  }),
  endDate: () => ({ good: ['2024-02-29', '2100-12-31', '2020-06-01T00:00:00.5+02:00'], bad: noDays }),
  country: () => ({ good: ['US', 'gb', 'Zz'], bad: ['', 'U', 'USA', 'U1', 'é', ' US'] }),
  from: () => samples['listMessages.from'](),
  createdAfter: () => ({ good: ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00.5+02:00'], bad: noTimes }),
  createdBefore: () => ({ good: ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00.5+02:00'], bad: noTimes }),
  url: () => hook,
  events: () => ({ item: (i) => events[i], items: { bad: ['webhook.test', 'message.send', 'sent', '**'] } }),
  description: () => line,
  secret: () => ({
    good: [newSecret(), newSecret()],
    bad: ['', 'whsec_', 'x', 'whsec_c2hvcnQ=', newSecret().slice(6), `${newSecret()}=`, `whsec_${'A'.repeat(88)}`, `whsec_${'!'.repeat(32)}`],
  }),
  'redeliver.since': () => ({ good: ['2020-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00'], bad: [...noTimes, '2999-01-01T00:00:00Z'] }),
  'redeliver.until': () => ({ good: ['2020-01-02T00:00:00Z', '2999-01-01T00:00:00.5+02:00'], bad: noTimes }),
  until: () => ({ good: ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00.5+02:00'], bad: noTimes }),
  since: () => ({ good: ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00.5+02:00'], bad: noTimes }),
  batchId: (world) => ({ good: [world.batch.batchId], bad: ['', 'x', 'bat_', 'bat_0', 'bat_-----------', world.message.messageId] }),
  'listMessages.cursor': (world) => ({ good: [world.message.messageId], bad: ['', 'x', 'msg_', 'msg_0', 'msg_-----------', world.batch.batchId] }),
  'listOptOuts.cursor': (world) => ({ good: [world.optOutCursor], bad: ['', 'x', 'opt_', 'opt_0', 'opt_-----------', world.message.messageId] }),
  'listKeys.cursor': (world) => ({ good: [world.key.keyId], bad: ['', 'x', 'key_', 'key_0', 'key_-----------', world.message.messageId] }),
  'listEvents.cursor': (world) => ({ good: [world.event.id], bad: ['', 'x', 'evt_', 'evt_0', 'evt_-----------', world.message.messageId] }),
  'listEvents.after': (world) => samples['listEvents.cursor'](world),
  'listWebhooks.cursor': (world) => ({ good: [world.webhook.webhookId], bad: ['', 'x', 'whk_', 'whk_0', 'whk_-----------', world.message.messageId] }),
  'listDeliveries.cursor': (world) => ({ good: [world.delivery.deliveryId], bad: ['', 'x', 'dlv_', 'dlv_0', 'dlv_-----------', world.message.messageId] }),
  webhookId: () => ({ bad: ['x', 'whk_', 'whk_0', 'whk_-----------', 'whk_é', 'msg_00000000000'] }),
  deliveryId: () => ({ bad: ['x', 'dlv_', 'dlv_0', 'dlv_-----------', 'msg_00000000000'] }),
  mediaNumber: () => ({ bad: ['x', '0', '2', '11', '-1', '1.0', '18446744073709551617'] }),
  messageId: () => ({ bad: ['x', 'msg_', 'msg_0', 'msg_-----------', 'msg_é', 'bat_00000000000'] }),
  keyId: () => ({ bad: ['x', 'key_', 'key_0', 'key_-----------', 'msg_00000000000'] }),
};

export const samplesFor = (world, op, field) => (samples[`${op.id}.${field}`] ?? samples[field])?.(world);

/* ---- which code names which fault ---- */

const every = (code) => new Proxy({}, { get: () => code });
const faults = {
  to: { form: 'invalid_phone_number' },
  number: { form: 'invalid_phone_number' },
  'listMessages.to': { form: 'invalid_parameter' },
  'simulateInbound.to': { form: 'invalid_parameter' },
  'simulateInbound.from': { form: 'invalid_phone_number' },
  'sendMessage.from': { form: 'invalid_from_number' },
  text: { high: 'text_too_long', low: 'text_required', form: 'text_required' },
  mediaUrls: { many: 'too_many_media', 'item high': 'invalid_media_url', 'item form': 'invalid_media_url' },
  'simulateInbound.media': { many: 'too_many_media' },
  messageType: { form: 'invalid_message_type' },
  ...Object.fromEntries(operations.filter(({ path }) => path.startsWith('/v1/analytics/')).map(({ id }) => [`${id}.messageType`, {}])),
  tags: { many: 'invalid_tags', twice: 'invalid_tags', 'item low': 'invalid_tags', 'item high': 'invalid_tags', 'item form': 'invalid_tags' },
  metadata: { form: 'invalid_metadata' },
  scheduledAt: { form: 'invalid_scheduled_time' },
  webhookUrl: { form: 'invalid_webhook_url', high: 'invalid_webhook_url' },
  webhookFailoverUrl: { form: 'invalid_webhook_url', high: 'invalid_webhook_url' },
  url: { form: 'invalid_webhook_url', high: 'invalid_webhook_url' },
  events: { few: 'invalid_events', many: 'invalid_events', twice: 'invalid_events', 'item form': 'invalid_events' },
  'redeliver.since': { form: 'invalid_date_range' },
  'redeliver.until': { form: 'invalid_date_range' },
  until: every('invalid_date_range'),
  messages: { few: 'batch_empty', many: 'batch_too_large' },
  limit: every('invalid_limit'),
  cursor: every('invalid_cursor'),
  after: every('invalid_cursor'),
  startDate: every('invalid_date_range'),
  endDate: every('invalid_date_range'),
  createdAfter: every('invalid_date_range'),
  createdBefore: every('invalid_date_range'),
  since: every('invalid_date_range'),
};

const aliases = { media_urls: 'mediaUrls', webhook_url: 'webhookUrl', webhook_failover_url: 'webhookFailoverUrl' };

// The field that an answer names: the chief name of an alias.
export const chiefName = (field) => aliases[field] ?? field;

// The code that a bad value of this kind is answered with.
export function faultCode(op, field, kind) {
  const name = chiefName(field);
  return (faults[`${op.id}.${name}`] ?? faults[name])?.[kind] ?? 'invalid_parameter';
}

// Whether a body cannot do without the field, such as a text without media beside it.
export const isNeeded = (op, field) => op.json.required?.includes(field) || `${op.id}.${field}` === 'simulateInbound.text';

// What must be given along with a field.
export const companions = {
  webhookFailoverUrl: { webhookUrl: 'https://hooks.example/a' },
  webhook_failover_url: { webhookUrl: 'https://hooks.example/a' },
};

// What the answer to an id of the wrong form is: it names nothing that exists.
export const unknownIds = {
  messageId: 'message_not_found', batchId: 'batch_not_found', keyId: 'key_not_found', webhookId: 'webhook_not_found', deliveryId: 'delivery_not_found',
  mediaNumber: 'media_not_found',
};
