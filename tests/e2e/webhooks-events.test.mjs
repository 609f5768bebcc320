// Every event there is, as it arrives; examples/webhooks/events has one of each, in the same form.
import { after, before, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { assertSchema } from './lib/contract.mjs';
import { sourceRoot } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';
import { Hooks, localhostAllowed } from './lib/webhooks.mjs';

const folder = join(sourceRoot, 'examples/webhooks/events');
const files = readdirSync(folder).map((name) => name.replace(/\.json$/, ''));
const example = (type) => JSON.parse(readFileSync(join(folder, `${type}.json`), 'utf8'));

// What it is made of: the names of all members in their order, and of what kind each is.
function form(value) {
  if (Array.isArray(value)) return value.map(form);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.entries(value).map(([name, member]) => [name, form(member)]);
}

withServer('webhooks: every event', { env: localhostAllowed }, (context) => {
  let hooks, receiver, webhookId;
  const handset = '+15551234567';
  const schemaOf = (type) => `/components/schemas/${type === 'webhook.test' ? 'TestEvent' : 'Event'}`;

  before(async () => {
    hooks = new Hooks(context.api);
    receiver = await Receiver.start();
    ({ webhookId } = await hooks.create({ url: receiver.url(), events: ['*'] }));
  });
  after(() => receiver?.stop());

  const of = (messageId) => receiver.events.filter(({ data }) => data.messageId === messageId);
  const told = (messageId, types) => until(`${types} of ${messageId}`, () => of(messageId).length >= types.length && of(messageId), { within: 15_000 })
    .then((events) => assert.deepEqual(events.map(({ type, sequence }) => [type, sequence]), types.map((type, i) => [`message.${type}`, i + 1])));
  const inbound = async (text) => {
    const { status, body, text: said } = await context.api.call('POST', '/v1/test/inbound', { json: { from: handset, text } });
    assert.equal(status, 201, said);
    return body.messageId;
  };

  it('of a message that arrives', async () => told((await context.api.sent({ to: handset, text: 'Hello from Skylark' })).messageId, ['queued', 'sent', 'delivered']));
  it('of one that fails', async () => told((await context.api.sent({ to: '+15005550002', text: 'Hello from Skylark' })).messageId, ['queued', 'failed']));
  it('of one that is called back', async () => {
    const { messageId } = await context.api.sent({ to: handset, text: 'Hello from Skylark', scheduledAt: new Date(Date.now() + 86_400_000).toISOString() });
    assert.equal((await context.api.call('POST', `/v1/messages/${messageId}/cancel`)).status, 200);
    await told(messageId, ['scheduled', 'cancelled']);
  });
  it('of what handsets write', async () => {
    await told(await inbound('Where is my parcel?'), ['received']);
    await told(await inbound('STOP'), ['received', 'opt_out']);
    await told(await inbound('START'), ['received', 'opt_in']);
  });
  it('of a test', async () => {
    const { eventId } = await hooks.test(webhookId);
    await until('it', () => receiver.events.some(({ id, type }) => id === eventId && type === 'webhook.test'));
  });

  it('the examples have the same form', () => {
    assert.deepEqual([...new Set(receiver.events.map(({ type }) => type))].sort(), [...files].sort());
    for (const type of files) {
      const shown = example(type);
      assertSchema(schemaOf(type), shown, type);
      assert.equal(shown.type, type);
      const real = receiver.events.find((event) => event.type === type);
      assert.deepEqual(form(shown), form(real), `${type}: ${JSON.stringify(real, null, 2)}`);
    }
  });
});
