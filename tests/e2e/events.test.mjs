// The history of a message, as GET /v1/messages/{messageId}/events tells it.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';

const ahead = (ms) => new Date(Date.now() + ms).toISOString();

withServer('history of a message', {}, (context) => {
  const events = async (id) => {
    const { status, body } = await context.api.get(`/v1/messages/${id}/events`);
    assert.equal(status, 200);
    assert.equal(body.messageId, id);
    const times = body.data.map(({ timestamp }) => timestamp);
    assert.deepEqual(times, [...times].sort(), 'oldest first');
    return body.data;
  };
  const types = async (id) => (await events(id)).map(({ type }) => type);
  const ended = (id) => until('the end', async () => {
    const message = await context.api.message(id);
    return ['delivered', 'failed'].includes(message.status) && message;
  });

  it('goes from accepted to delivered', async () => {
    const { messageId } = await context.api.sent({ to: '+15551234567', text: 'x' });
    const message = await ended(messageId);
    const data = await events(messageId);
    assert.deepEqual(data.map(({ type }) => type), ['accepted', 'routed', 'queued', 'sent', 'delivered']);
    assert.equal(data[0].timestamp, message.createdAt);
    assert.equal(data[3].timestamp, message.sentAt);
    assert.equal(data[4].timestamp, message.deliveredAt);
  });

  it('says which senders were passed over, and why', async () => {
    const { messageId } = await context.api.sent({ to: '+447700900456', text: 'x' });
    const routed = (await events(messageId))[1];
    assert.equal(routed.from, '+447700900123');
    assert.equal(routed.numberType, 'local');
    assert.equal(routed.reason, 'local-routing');
    assert.deepEqual(routed.refused.map(({ from }) => from), ['+18005551234', 'Skylark']);
    routed.refused.forEach(({ reason }) => assert.match(reason, /^[A-Z].*\.$/));
  });

  it('gives a failure its code', async () => {
    const { messageId } = await context.api.sent({ to: '+15005550002', text: 'x' });
    await ended(messageId);
    const last = (await events(messageId)).at(-1);
    assert.equal(last.type, 'failed');
    assert.equal(last.errorCode, 'no_route');
  });

  it('tells of waiting and of being called back', async () => {
    const { messageId } = await context.api.sent({ to: '+15551234567', text: 'x', scheduledAt: ahead(600_000) });
    assert.deepEqual(await types(messageId), ['accepted', 'routed', 'scheduled']);
    await context.api.call('POST', `/v1/messages/${messageId}/cancel`);
    assert.deepEqual(await types(messageId), ['accepted', 'routed', 'scheduled', 'cancelled']);
  });

  it('tells what an inbound message changed', async () => {
    const from = '+15557770001';
    const inbound = async (text) => (await context.api.call('POST', '/v1/test/inbound', { json: { from, text } })).body.messageId;
    assert.deepEqual(await types(await inbound('Hello')), ['received']);
    assert.deepEqual(await types(await inbound('Stop')), ['received', 'opted_out']);
    assert.deepEqual(await types(await inbound('STOP')), ['received']);
    assert.deepEqual(await types(await inbound('start')), ['received', 'opted_in']);
  });

  it('is nobody else\'s', async () => {
    const { messageId } = await context.api.sent({ to: '+15551234567', text: 'x' });
    const live = await context.server.keyedClient({ type: 'live' });
    await live.refused(404, 'message_not_found', undefined, live.get(`/v1/messages/${messageId}/events`));
  });
});
