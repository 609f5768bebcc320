// GET /v1/analytics/…: what was sent a moment ago is counted, to the last one; by JSON and as a table.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';

const report = (api, name, query = {}, headers = {}) => api.get(`/v1/analytics/${name}?${new URLSearchParams(query)}`, { headers });
const only = (list, key, value) => list.find((one) => one[key] === value);

withServer('analytics', {}, (context) => {
  const body = async (name, query) => {
    const { status, body: answer, text } = await report(context.api, name, query);
    assert.equal(status, 200, text);
    return answer;
  };

  it('a fresh account has nothing, in every hour', async () => {
    const { totals, data, breakdown, livemode } = await body('usage', { period: '24h' });
    assert.equal(livemode, false);
    assert.equal(data.length, 24);
    assert.deepEqual([totals.messages, totals.cost], [0, { amount: 0, currency: 'USD' }]);
    assert.ok(data.every(({ messages, segments }) => messages === 0 && segments === 0));
    assert.deepEqual(breakdown, { byCountry: [], byMessageType: [], byNumberType: [], byTag: [], otherTags: null });
    const { totals: { deliveryRate, failureRate, averageDeliverySeconds, p95DeliverySeconds } } = await body('delivery');
    assert.deepEqual([deliveryRate, failureRate, averageDeliverySeconds, p95DeliverySeconds], [null, null, null, null]);
    const costs = await body('costs');
    assert.deepEqual([costs.totals.averagePerMessage, costs.projectedMonthTotal, costs.currency], [null, 0, 'USD']);
  });

  it('what is sent is counted at once, and follows its status', async () => {
    for (let i = 0; i < 6; i++) {
      await context.api.sent({ to: '+15550001234', text: 'x'.repeat(i < 2 ? 200 : 10), messageType: i % 2 ? 'otp' : 'alert', tags: ['all', `n${i % 3}`] });
    }
    await context.api.sent({ to: '+447700900456', text: 'hello', from: 'Skylark', tags: ['all'] });
    await context.api.sent({ to: '+15005550006', text: 'fails' });
    await context.api.sent({ to: '+15550001234', text: '', mediaUrls: ['https://media.example.com/lark.jpg'] });
    await context.api.call('POST', '/v1/test/inbound', { json: { from: '+15551234567', text: 'back' } });
    const { totals, breakdown } = await body('usage');
    assert.deepEqual([totals.messages, totals.segments, totals.sms, totals.mms, totals.inbound], [9, 11, 8, 1, 1]);
    assert.deepEqual(breakdown.byCountry.map(({ country, messages }) => [country, messages]), [['US', 8], ['GB', 1]]);
    assert.equal(only(breakdown.byTag, 'tag', 'all').messages, 7);
    assert.equal(only(breakdown.byTag, 'tag', 'n0').messages, 2);
    const delivery = await until('everything at rest', async () => {
      const answer = await body('delivery', { period: '24h' });
      return answer.totals.delivered + answer.totals.failed === 9 && answer;
    });
    assert.deepEqual([delivery.totals.delivered, delivery.totals.failed, delivery.totals.deliveryRate, delivery.totals.failureRate], [8, 1, 0.8889, 0.1111]);
    assert.deepEqual(delivery.failures.map(({ errorCode, count }) => [errorCode, count]), [['carrier_rejected', 1]]);
    assert.ok(delivery.totals.p95DeliverySeconds >= delivery.totals.averageDeliverySeconds * 0.9);
  });

  it('filters, alone and together', async () => {
    const messages = async (query) => (await body('usage', query)).totals.messages;
    for (const [query, count] of [
      [{ tag: 'all' }, 7], [{ tag: 'n1' }, 2], [{ tag: 'nosuch' }, 0], [{ country: 'gb' }, 1], [{ country: 'FR' }, 0],
      [{ messageType: 'otp' }, 3], [{ from: 'Skylark' }, 1], [{ from: '+18005551234' }, 8], [{ messageType: 'otp', tag: 'n0' }, 1],
      [{ country: 'GB', messageType: 'otp' }, 0], [{ period: '24h', interval: 'month' }, 9], [{ endDate: '2024-02-29' }, 0],
    ]) assert.equal(await messages(query), count, JSON.stringify(query));
    assert.equal((await body('usage', { tag: 'all' })).totals.requests, null);
    assert.equal((await body('usage', { from: 'Skylark' })).totals.inbound, 0);
  });

  it('calls are counted', async () => {
    await until('this many', async () => (await body('usage', { period: '24h' })).totals.requests >= 25);
  });

  it('the entries of any interval come to the totals', async () => {
    for (const interval of ['hour', 'day', 'week', 'month']) {
      const { totals, data, period } = await body('usage', { interval, period: '7d' });
      assert.equal(period.interval, interval);
      for (const figure of ['messages', 'segments', 'sms', 'mms', 'inbound']) {
        assert.equal(data.reduce((sum, one) => sum + one[figure], 0), totals[figure], `${figure} by ${interval}`);
      }
      assert.equal(new Date(period.end) - new Date(period.start), 7 * 86_400_000);
    }
  });

  it('the aliases say the same', async () => {
    const query = { startDate: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) };
    assert.deepEqual(await body('delivery-reports', query), await body('delivery', query));
    const [{ projectedMonthTotal: a, ...costs }, { projectedMonthTotal: b, ...analysis }] = [await body('costs', query), await body('cost-analysis', query)];
    assert.deepEqual([costs, typeof a], [analysis, typeof b]);
  });

  it('a table for those who ask for one', async () => {
    const day = new Date().toISOString().slice(0, 10);
    const { headers, text } = await report(context.api, 'delivery', { startDate: day, endDate: day, interval: 'day' }, { Accept: 'text/csv' });
    assert.equal(headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(headers['content-disposition'], `attachment; filename="delivery_${day}_${day}.csv"`);
    const [names, ...lines] = text.split('\r\n');
    assert.match(names, /^date,total,scheduled,queued,sent,delivered,failed,cancelled,deliveryRate,/);
    assert.equal(lines.length, 2);
    assert.equal(lines[1], '');
    const usage = await report(context.api, 'usage', { period: '7d' }, { Accept: 'text/csv, */*;q=0.1' });
    assert.equal(usage.text.split('\r\n').length, 9);
    const wild = await report(context.api, 'usage', {}, { Accept: '*/*' });
    assert.equal(wild.headers['content-type'].split(';')[0], 'application/json');
    const refused = await report(context.api, 'usage', { period: '1y' }, { Accept: 'text/csv' });
    assert.deepEqual([refused.status, refused.body.code, refused.body.field], [400, 'invalid_parameter', 'period']);
  });

  it('test and live, and accounts, are apart', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    await context.server.command('accounts', 'create', 'other');
    const other = await context.server.keyedClient({ account: 'other' });
    for (const api of [live, other]) {
      const { body: { totals, livemode } } = await report(api, 'usage');
      assert.deepEqual([totals.messages, totals.inbound, livemode], [0, 0, api === live]);
    }
  });

  it('more sets of tags than are told apart are counted all the same', async () => {
    await context.server.command('accounts', 'create', 'tags');
    const api = await context.server.keyedClient({ account: 'tags', plan: 'unlimited' });
    for (let batch = 0; batch < 3; batch++) {
      const messages = Array.from({ length: 700 }, (_, i) => ({ to: '+15550001234', text: 'x', tags: [`t${batch * 700 + i}`, 'all'] }));
      const { status } = await api.call('POST', '/v1/messages/batch', { json: { messages } });
      assert.equal(status, 201);
    }
    const { body: { totals, breakdown } } = await report(api, 'usage');
    assert.equal(totals.messages, 2100);
    assert.equal(breakdown.byTag.length, 100);
    const [{ tag, messages }] = breakdown.byTag;
    assert.equal(tag, 'all');
    assert.equal(messages + breakdown.otherTags.messages, 2100);
    assert.ok(breakdown.otherTags.messages > 0 && breakdown.otherTags.messages < 100);
  });
});
