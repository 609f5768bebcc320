// The life of a test message: routed, priced, cut into segments, delivered; and numbers that act.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const to = '+15551234567';

withServer('life of a message', {}, (context) => {
  const final = (id) => until(`${id} to come to an end`, async () => {
    const message = await context.api.message(id);
    return ['delivered', 'failed'].includes(message.status) && message;
  }, { within: 8000 });

  it('goes from queued to sent to delivered in about a second', async () => {
    const { messageId, createdAt } = await context.api.sent({ to, text: 'watch me' });
    const order = ['queued', 'sent', 'delivered'];
    const seen = new Set();
    let last = 0;
    const message = await until('delivered', async () => {
      const now = await context.api.message(messageId);
      assert.ok(order.indexOf(now.status) >= last, `went back to ${now.status}`);
      last = order.indexOf(now.status);
      seen.add(now.status);
      assert.equal(now.sentAt === null, now.status === 'queued', 'sentAt');
      assert.equal(now.deliveredAt === null, now.status !== 'delivered', 'deliveredAt');
      return now.status === 'delivered' && now;
    }, { within: 5000, every: 10 });
    assert.ok(seen.has('sent'), `statuses seen: ${[...seen]}`);
    assert.equal(message.createdAt, createdAt);
    assert.equal(message.updatedAt, message.deliveredAt);
    assert.equal(message.failedAt, null);
    assert.equal(message.errorCode, null);
    const took = Date.parse(message.deliveredAt) - Date.parse(createdAt);
    assert.ok(took >= 500 && took <= 2500 * slowness, `delivered after ${took} ms`);
    assert.ok(message.createdAt <= message.sentAt && message.sentAt <= message.deliveredAt);
  });

  it('delivers a thousand', async () => {
    const ids = [];
    const sender = async () => {
      for (let i = 0; i < 50; i++) ids.push((await context.api.sent({ to, text: `${i}` })).messageId);
    };
    await Promise.all(Array.from({ length: 20 }, sender));
    await sleep(1200);
    for (const id of ids) assert.equal((await final(id)).status, 'delivered');
  });

  it('delivers an MMS', async () => {
    const { messageId } = await context.api.sent({ to, text: '', mediaUrls: ['https://media.example.com/a.jpg'] });
    assert.equal((await final(messageId)).status, 'delivered');
  });

  it('never changes a message that is delivered', async () => {
    const { messageId } = await context.api.sent({ to: '+15550001234', text: 'x' });
    const before = await final(messageId);
    await sleep(1500);
    assert.deepEqual(await context.api.message(messageId), before);
  });

  it('routes by destination', async () => {
    const usa = await context.api.sent({ to, text: 'x' });
    assert.equal(usa.from, '+18005551234');
    assert.deepEqual({ ...usa.routing, rateLimit: 0 }, { numberType: 'toll-free', coverage: 'high', reason: 'smart-routing', rateLimit: 0, countryCode: '1' });

    const britain = await context.api.sent({ to: '+447700900456', text: 'x' });
    assert.equal(britain.from, '+447700900123');
    assert.deepEqual({ ...britain.routing, rateLimit: 0 }, { numberType: 'local', coverage: 'high', reason: 'local-routing', rateLimit: 0, countryCode: '44' });

    for (const [number, countryCode] of [['+4915112345678', '49'], ['+353861234567', '353'], ['+919812345678', '91'], ['+79161234567', '7']]) {
      const abroad = await context.api.sent({ to: number, text: 'x' });
      assert.equal(abroad.routing.countryCode, countryCode);
      assert.equal(abroad.routing.coverage, 'medium');
      assert.equal(abroad.routing.reason, 'international-routing');
      assert.equal(abroad.routing.numberType === 'alphanumeric', !abroad.from.startsWith('+'), abroad.from);
    }
  });

  it('costs nothing with a test key', async () => {
    await Promise.all([to, '+447700900456', '+4915112345678'].map(async (number) => {
      const message = await context.api.sent({ to: number, text: 'x'.repeat(500) });
      assert.deepEqual(message.cost, { amount: 0, currency: 'USD' });
      assert.deepEqual((await final(message.messageId)).cost, { amount: 0, currency: 'USD' });
    }));
  });

  it('counts segments', async () => {
    const table = [
      ['a', 'GSM-7', 1], ['a'.repeat(160), 'GSM-7', 1], ['a'.repeat(161), 'GSM-7', 2], ['a'.repeat(306), 'GSM-7', 2],
      ['a'.repeat(307), 'GSM-7', 3], ['€'.repeat(80), 'GSM-7', 1], ['€'.repeat(81), 'GSM-7', 2],
      // An escape is never split: 152 septets fit into a part of 153.
      ['€'.repeat(152), 'GSM-7', 2], ['€'.repeat(153), 'GSM-7', 3],
      ['漢'.repeat(70), 'UCS-2', 1], ['漢'.repeat(71), 'UCS-2', 2], ['漢'.repeat(134), 'UCS-2', 2], ['漢'.repeat(135), 'UCS-2', 3],
      ['😀'.repeat(35), 'UCS-2', 1], ['😀'.repeat(36), 'UCS-2', 2],
      // Nor is a surrogate pair: 33 pairs fit into a part of 67.
      ['😀'.repeat(66), 'UCS-2', 2], ['😀'.repeat(67), 'UCS-2', 3], ['😀'.repeat(1600), 'UCS-2', 49],
      ['a'.repeat(1600), 'GSM-7', 11], [`${'a'.repeat(69)}ą`, 'UCS-2', 1], [`${'a'.repeat(70)}ą`, 'UCS-2', 2],
      ['[{}]~^|\\€', 'GSM-7', 1], ['`', 'UCS-2', 1], ['ç', 'UCS-2', 1], ['Ç', 'GSM-7', 1],
    ];
    for (const [text, encoding, segments] of table) {
      const message = await context.api.sent({ to, text });
      assert.deepEqual([message.encoding, message.segments], [encoding, segments], `${text.slice(0, 5)}… × ${[...text].length}`);
    }
  });

  it('refuses through numbers that act', async () => {
    const table = [
      [400, 'invalid_phone_number', 'to', ['+15550001001', '+15550009999', '+15005550001']],
      [400, 'carrier_rejected', 'to', ['+15550001002', '+15550009998']],
      [429, 'rate_limit_exceeded', undefined, ['+15550001003', '+15550009997', '+15005550004']],
      [500, 'internal_error', undefined, ['+15550001004', '+15550009996']],
      [503, 'service_unavailable', undefined, ['+15550009995']],
    ];
    const total = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;
    const before = await total();
    for (const [status, code, field, numbers] of table) {
      for (const number of numbers) await context.api.refused(status, code, field, context.api.send({ to: number, text: 'x' }));
    }
    assert.equal(await total(), before, 'a refused message was kept');
    assert.equal((await context.api.send({ to, text: 'x' })).status, 201, 'a simulated 429 touched the real limit');
  });

  it('fails through numbers that act', async () => {
    for (const [number, errorCode] of [['+15005550002', 'no_route'], ['+15005550003', 'queue_full'], ['+15005550006', 'carrier_rejected']]) {
      const { messageId, status } = await context.api.sent({ to: number, text: 'x' });
      assert.equal(status, 'queued');
      const message = await final(messageId);
      assert.equal(message.status, 'failed');
      assert.equal(message.errorCode, errorCode);
      assert.ok(message.errorMessage.length > 5);
      assert.ok(message.failedAt >= message.createdAt);
      assert.equal(message.updatedAt, message.failedAt);
      assert.equal(message.deliveredAt, null);
      assert.equal(message.cost.amount, 0);
    }
  });

  it('delivers through numbers that act, at once or late', async () => {
    const send = async (number) => (await context.api.sent({ to: number, text: 'x' })).messageId;
    const late = await Promise.all(['+15550001010', '+15550001030', '+15550001060'].map(send));
    const five = await send('+15550001235');
    for (const number of ['+15550001234', '+15005550000']) {
      const message = await final(await send(number));
      assert.equal(message.status, 'delivered');
      const took = Date.parse(message.deliveredAt) - Date.parse(message.createdAt);
      assert.ok(took < 500 * slowness, `at once took ${took} ms`);
    }
    await sleep(2000);
    for (const id of [...late, five]) {
      const { status } = await context.api.message(id);
      assert.ok(['queued', 'sent'].includes(status), `${status} after two seconds`);
    }
    const message = await final(five);
    const took = Date.parse(message.deliveredAt) - Date.parse(message.createdAt);
    assert.ok(took >= 4500 && took < 6500 * slowness, `five seconds took ${took} ms`);
  });
});
