// Live messages over SMPP, from 201 to delivered, with node-smpp as the carrier.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Smsc, carrier, liveServer, octets, withLive } from './lib/smsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const one = (more) => (smsc) => ({ carrier: { acme: carrier(smsc, more) } });

describe('smpp: the life of a message', { timeout: 120_000 * slowness }, () => {
  it('goes out with the right fields, is sent, delivered, and told in its history', withLive({}, one(), async ({ smsc, live, client }) => {
    const before = Date.now();
    const message = await client.sent({ to: '+14155550123', text: 'Hello, world', validityPeriod: 3600 });
    assert.equal(message.status, 'queued');
    assert.equal(message.from, '+18005550199');
    assert.equal(message.routing.reason, 'smart-routing');
    assert.equal(message.cost.amount, 0.0075);

    const delivered = await live.status(message.messageId, 'delivered');
    assert.ok(delivered.sentAt && delivered.deliveredAt);
    assert.equal(smsc.submits.length, 1);
    const [submit] = smsc.submits;
    assert.equal(submit.source_addr, '18005550199');
    assert.deepEqual([submit.source_addr_ton, submit.source_addr_npi], [1, 1]);
    assert.equal(submit.destination_addr, '14155550123');
    assert.deepEqual([submit.dest_addr_ton, submit.dest_addr_npi], [1, 1]);
    assert.equal(submit.data_coding, 0);
    assert.equal(submit.esm_class, 0);
    assert.equal(submit.registered_delivery, 1);
    assert.equal(octets(submit).raw, 'Hello, world');
    const validity = submit.validity_period instanceof Date ? submit.validity_period.getTime() : NaN;
    assert.ok(Math.abs(validity - before - 3_600_000) < 10_000, `valid until ${submit.validity_period}`);

    const events = await live.events(message.messageId);
    const answer = events.find((e) => e.type === 'carrier_answer');
    assert.match(answer?.description ?? '', /acme took it as A\d/i, JSON.stringify(events));
    assert.deepEqual(events.map((e) => e.type).filter((t) => t !== 'carrier_answer'), ['accepted', 'routed', 'queued', 'sent', 'delivered']);
  }));

  it('binds as it is told and unbinds when it stops', async () => {
    const smsc = await Smsc.start();
    try {
      const live = await liveServer({ carrier: { acme: carrier(smsc, { binds: 2, system_type: 'VMA' }) } });
      await smsc.bound(2);
      assert.deepEqual(smsc.binds.map((b) => [b.command, b.system_id, b.password, b.system_type, b.interface_version]),
        Array(2).fill(['bind_transceiver', 'skylark', 'secret', 'VMA', 0x34]));
      await live.end();
      await until('two unbinds', () => smsc.unbinds === 2);
    } finally {
      await smsc.stop();
    }
  });

  it('unbinds also when a message was not answered', async () => {
    const smsc = await Smsc.start({ submit: () => true });
    try {
      const live = await liveServer(one()(smsc));
      await smsc.bound();
      await live.client.sent({ to: '+14155550123', text: 'no answer' });
      await smsc.got(1);
      await live.end();
      await until('the unbind', () => smsc.unbinds === 1);
    } finally {
      await smsc.stop();
    }
  });

  it('takes a transmitter and a receiver where a carrier wants both', withLive({}, one({ bind: 'separate' }), async ({ smsc, live, client }) => {
    await smsc.bound(2);
    assert.deepEqual(smsc.binds.map((b) => b.command).sort(), ['bind_receiver', 'bind_transmitter']);
    const { messageId } = await client.sent({ to: '+14155550123', text: 'over two binds' });
    await live.status(messageId, 'delivered');
    assert.equal(smsc.submits[0].session.kind, 'bind_transmitter');
  }));

  it('sends a long text in parts and is delivered when all of them are', withLive({ receipts: false }, one(), async ({ smsc, live, client }) => {
    const text = `${'Zürich €'.repeat(40)}end`;
    const message = await client.sent({ to: '+14155550123', text });
    assert.equal(message.segments, 3);
    await smsc.got(3);
    await live.status(message.messageId, 'sent');
    const parts = smsc.submits.map(octets);
    const udh = parts.map((p) => Buffer.concat(Array.isArray(p.udh) ? p.udh : [p.udh]));
    assert.equal(new Set(udh.map((u) => u.at(-3))).size, 1, 'one reference');
    assert.deepEqual(udh.map((u) => [u.at(-2), u.at(-1)]), [[3, 1], [3, 2], [3, 3]]);
    assert.equal(parts.map((p) => p.raw).join(''), text);
    assert.ok(smsc.submits.every((s) => s.esm_class & 0x40 && s.registered_delivery === 1));

    const ids = (await live.events(message.messageId)).find((e) => e.type === 'carrier_answer').description.match(/A[0-9A-F]{3,}/gi);
    assert.equal(ids.length, 3);
    await smsc.receipt(smsc.submits[2], { id: ids[2] });
    await smsc.receipt(smsc.submits[0], { id: ids[0] });
    assert.equal((await client.message(message.messageId)).status, 'sent', 'one part is missing');
    await smsc.receipt(smsc.submits[1], { id: ids[1] });
    await live.status(message.messageId, 'delivered');
  }));

  it('fails as a whole when one part does', withLive({ receipts: false }, one(), async ({ smsc, live, client }) => {
    const { messageId } = await client.sent({ to: '+14155550123', text: 'x'.repeat(300) });
    await smsc.got(2);
    await live.status(messageId, 'sent');
    const ids = (await live.events(messageId)).find((e) => e.type === 'carrier_answer').description.match(/A[0-9A-F]{3,}/gi);
    await smsc.receipt(smsc.submits[0], { id: ids[0] });
    await smsc.receipt(smsc.submits[1], { id: ids[1], state: 5, stat: 'UNDELIV', err: '042' });
    const failed = await live.status(messageId, 'failed');
    assert.equal(failed.errorCode, 'undeliverable');
    assert.ok((await live.events(messageId)).some((e) => e.type === 'receipt' && /042/.test(e.description)));
  }));

  it('writes what GSM cannot as UCS-2, and a name as what it is', withLive({}, one(), async ({ smsc, live, client }) => {
    const { messageId, encoding } = await client.sent({ to: '+4915112345678', from: 'ACME', text: 'Привет 👋' });
    assert.equal(encoding, 'UCS-2');
    await live.status(messageId, 'delivered');
    const [submit] = smsc.submits;
    assert.equal(submit.data_coding, 8);
    assert.deepEqual([submit.source_addr, submit.source_addr_ton, submit.source_addr_npi], ['ACME', 5, 0]);
    assert.equal(octets(submit).raw, 'Привет 👋');
  }));

  for (const [how, check] of Object.entries({
    udh16: (submits) => submits.forEach((s, i) => {
      const udh = Buffer.concat([octets(s).udh].flat());
      assert.deepEqual([...udh.subarray(0, 2)], [8, 4]); // node-smpp has taken the length off
      assert.deepEqual([udh.at(-2), udh.at(-1)], [2, i + 1]);
    }),
    sar: (submits) => submits.forEach((s, i) => {
      assert.equal(s.sar_total_segments, 2);
      assert.equal(s.sar_segment_seqnum, i + 1);
      assert.equal(s.sar_msg_ref_num, submits[0].sar_msg_ref_num);
      assert.equal(s.esm_class & 0x40, 0);
    }),
    payload: (submits) => {
      assert.equal(submits.length, 1);
      const payload = submits[0].message_payload;
      assert.equal(payload.message ?? payload, 'y'.repeat(200));
    },
  })) {
    it(`sends long texts by ${how} where a carrier wants that`, withLive({}, one({ long_text: how }), async ({ smsc, live, client }) => {
      const { messageId } = await client.sent({ to: '+14155550123', text: 'y'.repeat(200) });
      await live.status(messageId, 'delivered');
      check(smsc.submits);
    }));
  }

  it('keeps to its window', withLive({ receipts: false, submit: () => true }, one({ window: 3, binds: 1 }), async ({ smsc, client, live }) => {
    const ids = [];
    for (let i = 0; i < 10; i++) ids.push((await client.sent({ to: '+14155550123', text: `w${i}` })).messageId);
    await smsc.got(3);
    await new Promise((done) => { setTimeout(done, 300); });
    assert.equal(smsc.submits.length, 3, 'no more than the window');
    smsc.submit = undefined;
    smsc.submits.slice().forEach((pdu) => smsc.take(pdu, { receipt: false }));
    for (const id of ids) await live.status(id, 'sent');
    assert.equal(smsc.submits.length, 10);
  }));
});
