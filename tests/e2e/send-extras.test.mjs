// POST /v1/send: what few messages have, and what would become of one.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { sleep } from './lib/wait.mjs';

const to = '+15551234567';
const ahead = (seconds) => new Date(Date.now() + seconds * 1000).toISOString();

withServer('send: extras', {}, (context) => {
  const refused = (code, field, json) => context.api.refused(400, code, field, context.api.send(json));
  const total = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;

  it('keeps them and shows them wherever the message is shown', async () => {
    const given = {
      to, text: 'all', from: '+447700900123', messageType: 'otp', subject: 'Ünter "uns"', tags: ['a', 'b c', '€'],
      metadata: { order: 4711, nested: { list: [1.5, null, 'ü', '\u2028'] }, '': '' }, validityPeriod: 600, scheduledAt: ahead(3600),
      webhookUrl: 'https://a.example/hook?x=1', webhookFailoverUrl: 'https://b.example/',
    };
    const message = await context.api.sent(given);
    assert.equal(message.status, 'scheduled');
    const shown = (m) => Object.fromEntries(Object.keys(given).map((name) => [name, m[name]]));
    assert.deepEqual(shown(message), given);
    assert.equal(message.routing.reason, 'user-specified');
    assert.deepEqual(await context.api.message(message.messageId), message);
    const { body } = await context.api.get('/v1/messages?limit=1');
    assert.deepEqual(body.data[0], message);
  });

  it('shows only what was given', async () => {
    const message = await context.api.sent({ to, text: 'x', subject: null, tags: [], metadata: null, scheduledAt: null });
    for (const name of ['subject', 'tags', 'metadata', 'validityPeriod', 'scheduledAt', 'batchId', 'webhookUrl', 'webhookFailoverUrl', 'mediaUrls']) {
      assert.equal(name in message, false, name);
    }
    assert.equal(message.cancelledAt, null);
  });

  it('knows the aliases and offsets of time', async () => {
    const message = await context.api.sent({ to, text: 'x', webhook_url: 'https://a.example/', webhook_failover_url: 'https://b.example/',
      scheduledAt: ahead(3600).replace('Z', '+00:00') });
    assert.equal(message.webhookUrl, 'https://a.example/');
    assert.equal(message.webhookFailoverUrl, 'https://b.example/');
    const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 7200_000);
    const east = `${new Date(at.getTime() + 5.5 * 3600_000).toISOString().slice(0, 19)}+05:30`;
    assert.equal((await context.api.sent({ to, text: 'x', scheduledAt: east })).scheduledAt, at.toISOString());
  });

  it('takes metadata to 4096 bytes as written, and no more', async () => {
    const metadata = (bytes) => ({ x: 'y'.repeat(bytes - '{"x":""}'.length) });
    assert.deepEqual((await context.api.sent({ to, text: 'x', metadata: metadata(4096) })).metadata, metadata(4096));
    await refused('invalid_metadata', 'metadata', { to, text: 'x', metadata: metadata(4097) });
    for (const wrong of [[], 'x', '{}', 5, true]) await refused('invalid_parameter', 'metadata', { to, text: 'x', metadata: wrong });
  });

  it('names the sender that cannot be used, and why', async () => {
    await refused('invalid_from_number', 'from', { to, text: 'x', from: '+18005550000' });
    await refused('invalid_from_number', 'from', { to, text: 'x', from: '' });
    const abroad = await refused('invalid_from_number', 'from', { to: '+447400123456', text: 'x', from: '+18005551234' });
    assert.match(abroad.body.message, /toll-free number reaches only \+1/);
    const name = await refused('invalid_from_number', 'from', { to, text: 'x', from: 'Skylark' });
    assert.match(name.body.message, /take no names/);
    await refused('mms_not_supported', 'mediaUrls', { to: '+447400123456', text: '', from: 'Skylark', mediaUrls: ['https://a.example/x'] });
    assert.equal((await context.api.sent({ to: '+447400123456', text: 'x', from: 'Skylark' })).routing.numberType, 'alphanumeric');
  });

  it('keeps scheduled messages until their time', async () => {
    const { messageId } = await context.api.sent({ to, text: 'later', scheduledAt: ahead(600) });
    await sleep(300);
    assert.equal((await context.api.message(messageId)).status, 'scheduled');
    await refused('invalid_scheduled_time', 'scheduledAt', { to, text: 'x', scheduledAt: ahead(200) });
    await refused('invalid_scheduled_time', 'scheduledAt', { to, text: 'x', scheduledAt: ahead(36 * 86400) });
    for (const wrong of ['2026-02-30T00:00:00Z', '2027-02-29T00:00:00Z', 'tomorrow', '', ahead(3600).replace('T', ' '), ahead(3600).slice(0, -1)]) {
      await refused('invalid_scheduled_time', 'scheduledAt', { to, text: 'x', scheduledAt: wrong });
    }
  });

  it('takes each field of a form as it takes it in JSON', async () => {
    const form = [['to', to], ['text', 'x'], ['tags', 'a'], ['tags', 'b'], ['metadata', '{"a": [1, 2]}'], ['validityPeriod', '600'], ['dryRun', 'false'],
      ['messageType', 'alert'], ['subject', 's']];
    const { status, body, text } = await context.api.call('POST', '/v1/send', { form });
    assert.equal(status, 201, text);
    assert.deepEqual([body.tags, body.metadata, body.validityPeriod, body.messageType, body.subject], [['a', 'b'], { a: [1, 2] }, 600, 'alert', 's']);
    for (const [name, value] of [['metadata', '[1]'], ['metadata', 'x'], ['metadata', '{"a":1,"a":2}'], ['validityPeriod', '6e2'], ['dryRun', 'yes']]) {
      await context.api.refused(400, 'invalid_parameter', name, context.api.call('POST', '/v1/send', { form: { to, text: 'x', [name]: value } }));
    }
  });

  it('says what would happen, and does nothing', async () => {
    const before = await total();
    const { status, body } = await context.api.send({ to, text: 'Grüße 😀', dryRun: true });
    assert.equal(status, 200);
    assert.equal(body.encoding, 'UCS-2');
    assert.equal(body.segments, 1);
    assert.equal(body.from, '+18005551234');
    assert.equal(body.routing.reason, 'smart-routing');
    assert.deepEqual(body.cost, { amount: 0, currency: 'USD' });
    assert.deepEqual(body.routesRefused.map((r) => r.from), ['+447700900123', 'Skylark']);
    for (const { reason } of body.routesRefused) assert.match(reason, /^[A-Z].*\.$/);
    const given = await context.api.send({ to: '+447400123456', text: 'x', from: 'Skylark', scheduledAt: ahead(3600), dryRun: true });
    assert.equal(given.body.routing.reason, 'user-specified');
    assert.ok(given.body.scheduledAt);
    const mms = { to, text: '', mediaUrls: ['https://media.example.com/lark.jpg'], subject: 'A lark' };
    const { type, mediaUrls, subject } = (await context.api.send({ ...mms, dryRun: true })).body;
    assert.deepEqual([type, mediaUrls, subject], ['mms', mms.mediaUrls, mms.subject]);
    await refused('invalid_phone_number', 'to', { to: '0', text: 'x', dryRun: true });
    assert.equal(await total(), before);
  });
});
