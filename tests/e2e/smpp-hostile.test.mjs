// Carriers that break the rules, byte by byte: nothing crashes, nothing grows without end, and
// messages are not lost.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { carrier, liveServer } from './lib/smsc.mjs';
import { COMMAND, RESPONSE, RawSmsc, answer, deliver, frame, receipt } from './lib/raw-smsc.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const to = '+14155550123';
const RESPONSES = { deliver: (COMMAND.deliver_sm | RESPONSE) >>> 0 };

const withRaw = (hear, settings, body) => async (t) => {
  const smsc = await RawSmsc.start(hear);
  const live = await liveServer({ carrier: { acme: carrier(smsc, settings) } });
  try {
    await body({ smsc, live, client: live.client, t });
    await live.end();
  } finally {
    await live.server.dispose();
    await smsc.stop();
  }
};

async function many(client, messages) {
  const batch = await client.call('POST', '/v1/messages/batch', { json: { messages } });
  assert.ok(batch.status < 300, batch.text);
}

const resident = (live) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${live.server.pid}/status`, 'utf8'))[1]) / 1024;

describe('smpp: hostile carriers', { timeout: 180_000 * slowness }, () => {
  it('PDUs come in pieces of a few octets', withRaw((pdu, socket) => {
    if (pdu.command >= RESPONSE) return true;
    const bytes = answer(pdu, 'p1');
    let at = 0;
    const drip = () => {
      socket.write(bytes.subarray(at, at + 3));
      at += 3;
      if (at < bytes.length) setTimeout(drip, 2);
    };
    drip();
    return true;
  }, {}, async ({ live, client }) => {
    const { messageId } = await client.sent({ to, text: 'in pieces' });
    await live.status(messageId, 'sent');
  }));

  it('answers to nothing, answers twice and answers of other commands change nothing', withRaw((pdu, socket) => {
    if (pdu.command !== COMMAND.submit_sm) return false;
    socket.write(Buffer.concat([
      answer({ ...pdu, sequence: 0x7ffffff0 }, 'nobody'), answer({ ...pdu, sequence: 0 }, 'nobody'),
      frame(COMMAND.generic_nack, 3, 0x7ffffff1),
      answer(pdu, 'first'), answer(pdu, 'second'), answer(pdu, '', 0x45), frame(COMMAND.generic_nack, 3, pdu.sequence),
    ]));
    return true;
  }, { window: 2 }, async ({ smsc, live, client }) => {
    const ids = [];
    for (let i = 0; i < 6; i++) ids.push((await client.sent({ to, text: `t${i}` })).messageId);
    for (const id of ids) {
      await live.status(id, 'sent');
      assert.match((await live.events(id)).find((e) => e.type === 'carrier_answer').description, /first/);
    }
    assert.equal(smsc.submits.length, 6);
    assert.equal(smsc.connections, 1);
  }));

  it('a generic_nack is the answer to a submit', withRaw((pdu, socket) => {
    if (pdu.command !== COMMAND.submit_sm) return false;
    socket.write(frame(COMMAND.generic_nack, 3, pdu.sequence));
    return true;
  }, {}, async ({ live, client }) => {
    const { messageId } = await client.sent({ to, text: 'nacked' });
    assert.equal((await live.status(messageId, 'failed')).errorCode, 'upstream_error');
  }));

  it('a bind that is never answered is tried again', withRaw((pdu, socket, smsc) => pdu.command === COMMAND.bind_transceiver && smsc.heard.length < 3,
    { connect_timeout: '300ms' }, async ({ smsc, live, client }) => {
      await smsc.binds();
      assert.equal(smsc.connections, 3);
      const { messageId } = await client.sent({ to, text: 'at last' });
      await live.status(messageId, 'sent');
    }));

  it('an unbind in the middle of a window is answered; what was open goes out again', withRaw((pdu, socket, smsc) => {
    if (pdu.command !== COMMAND.submit_sm || smsc.connections > 1) return false;
    if (smsc.submits.length === 3) socket.write(frame(COMMAND.unbind, 0, 77));
    return true;
  }, { window: 3 }, async ({ smsc, live, client }) => {
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push((await client.sent({ to, text: `u${i}` })).messageId);
    for (const id of ids) await live.status(id, 'sent');
    assert.deepEqual(smsc.of((COMMAND.unbind | RESPONSE) >>> 0).map((pdu) => [pdu.status, pdu.sequence]), [[0, 77]]);
    assert.equal(smsc.submits.length, 8);
    await until('the count', async () => (await live.carriers()).acme.maybeTwice === 3);
  }));

  for (const [what, bytes] of [
    ['a length of 15', Buffer.from([0, 0, 0, 15])],
    ['a length beyond all bounds', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 5])],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ]) {
    it(`${what} ends the connection, and the next is good`, withRaw(undefined, {}, async ({ smsc, live, client }) => {
      await smsc.binds();
      smsc.bound[0].write(bytes);
      await until('another connection', () => smsc.connections === 2 && smsc.bound.length === 1, { within: 10_000 });
      const { messageId } = await client.sent({ to, text: 'after that' });
      await live.status(messageId, 'sent');
    }));
  }

  it('a flood of messages from handsets is answered, all of it, within bounds', withRaw(undefined, {}, async ({ smsc, live, client }) => {
    const flood = 20_000;
    await smsc.binds();
    const [socket] = smsc.bound;
    const before = resident(live);
    for (let n = 0; n < flood; n += 1000) {
      const burst = [];
      for (let i = 1; i <= 1000; i++) burst.push(deliver(n + i, { esm: 0, message: `flood ${n + i}` }));
      socket.write(Buffer.concat(burst));
    }
    const { messageId } = await client.sent({ to, text: 'in the middle of it' });
    await live.status(messageId, 'sent');
    await until('answers to all', () => smsc.of(RESPONSES.deliver).length === flood, { within: 30_000 });
    const statuses = new Set(smsc.of(RESPONSES.deliver).map((pdu) => pdu.status));
    assert.ok([...statuses].every((s) => s === 0 || s === 0x64), `${[...statuses]}`);
    assert.equal(smsc.connections, 1);
    assert.ok(smsc.of(RESPONSES.deliver).some((pdu) => pdu.status === 0));
    if (slowness === 1) assert.ok(resident(live) - before < 100, `${before} MiB, then ${resident(live)}`);
  }));

  it('receipts of nobody at full speed are kept, and those of somebody still found', withRaw(undefined, {}, async ({ smsc, live, client }) => {
    const flood = 10_000;
    await smsc.binds();
    const [socket] = smsc.bound;
    const { messageId } = await client.sent({ to, text: 'find me' });
    await live.status(messageId, 'sent');
    const id = /as (r\d+)/.exec((await live.events(messageId)).find((e) => e.type === 'carrier_answer').description)[1];
    const burst = [];
    for (let i = 1; i <= flood; i++) burst.push(receipt(i, `nobody-${i}`));
    burst.push(receipt(flood + 1, id));
    socket.write(Buffer.concat(burst));
    await until('answers to all', () => smsc.of(RESPONSES.deliver).length === flood + 1, { within: 30_000 });
    await live.status(messageId, 'delivered');
    const good = smsc.of(RESPONSES.deliver).filter((pdu) => pdu.status === 0).length - 1;
    await until('the count', async () => (await live.carriers()).acme.strays === good, { within: 10_000 });
  }));

  it('a peer that reads nothing costs a bounded amount of memory, and nobody a message', withRaw((pdu, socket, smsc) => {
    if (pdu.command === COMMAND.submit_sm && smsc.connections === 1) {
      socket.pause();
      return true;
    }
    return false;
  }, { window: 1000, stall_timeout: '2s', enquire_link: '1s' }, async ({ smsc, live, client }) => {
    await smsc.binds();
    const [socket] = smsc.bound;
    const before = resident(live);
    await many(client, Array.from({ length: 500 }, (_, i) => ({ to, text: `${i} `.repeat(35) })));
    await until('the pause', () => socket.isPaused());
    let n = 1;
    const pour = setInterval(() => { for (let i = 0; i < 500 && socket.writableLength < 1e6; i++) socket.write(frame(COMMAND.enquire_link, 0, n++)); }, 5);
    try {
      await until('another bind', () => smsc.connections >= 2 && smsc.bound.length >= 1, { within: 20_000 });
    } finally {
      clearInterval(pour);
    }
    if (slowness === 1) assert.ok(resident(live) - before < 64, `${before} MiB, then ${resident(live)}`);
    await until('all to be taken', async () => (await live.carriers()).acme.taken === 500, { within: 30_000 });
  }));

  it('an id longer than SMPP allows, an empty one, and one with signs in it', withRaw((pdu, socket, smsc) => {
    if (pdu.command !== COMMAND.submit_sm) return false;
    socket.write(answer(pdu, ['a'.repeat(64), 'b'.repeat(65), 'c'.repeat(100), '', 'x_1$[y]~'][smsc.submits.length - 1]));
    return true;
  }, {}, async ({ smsc, live, client }) => {
    const sent = [];
    for (let i = 0; i < 5; i++) {
      sent.push((await client.sent({ to, text: `id ${i}` })).messageId);
      await live.status(sent[i], 'sent');
    }
    const [socket] = smsc.bound;
    socket.write(receipt(1, 'a'.repeat(64)));
    socket.write(receipt(2, 'b'.repeat(65)));
    socket.write(receipt(3, 'c'.repeat(100)));
    socket.write(receipt(4, ''));
    socket.write(receipt(5, 'x_1$[y]~'));
    for (const i of [0, 1, 2, 4]) await live.status(sent[i], 'delivered');
    assert.equal((await client.message(sent[3])).status, 'sent');
    await until('answers', () => smsc.of(RESPONSES.deliver).length === 5);
    assert.ok(smsc.of(RESPONSES.deliver).every((pdu) => pdu.status === 0 && pdu.body.equals(Buffer.from([0]))));
  }));

  it('a password that is longer than SMPP has room for is sent as it is', withRaw(undefined, { password: 'correct-horse-battery' }, async ({ smsc }) => {
    await smsc.binds();
    assert.match(smsc.of(COMMAND.bind_transceiver)[0].body.toString('latin1'), /^skylark\0correct-horse-battery\0/);
  }));

  it('the rate is kept, over all binds together', withRaw(undefined, { rate: 5, binds: 3, window: 100 }, async ({ smsc, live, client }) => {
    await smsc.binds(3);
    const times = [];
    smsc.hear = (pdu) => { if (pdu.command === COMMAND.submit_sm) times.push(performance.now()); return false; };
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push((await client.sent({ to, text: `r${i}` })).messageId);
    for (const id of ids) await live.status(id, 'sent');
    const took = (times.at(-1) - times[0]) / 1000;
    assert.ok(took > 19 / 5 * 0.95, `20 segments in ${took} s`);
    if (slowness === 1) assert.ok(took < 19 / 5 * 1.4, `20 segments in ${took} s`);
    for (let i = 6; i < times.length; i++) assert.ok(times[i] - times[i - 6] > 950, 'never more than 6 within a second');
  }));

  it('ten binds, windows of a thousand', withRaw(undefined, { binds: 10, window: 1000 }, async ({ smsc, live, client }) => {
    await smsc.binds(10);
    for (let i = 0; i < 4; i++) {
      await many(client, Array.from({ length: 500 }, (_, n) => ({ to, text: `${i} ${n}` })));
    }
    await until('all taken', async () => (await live.carriers()).acme.taken === 2000, { within: 20_000 });
    assert.equal(smsc.submits.length, 2000);
    const shares = new Map();
    for (const { socket } of smsc.submits) shares.set(socket, (shares.get(socket) ?? 0) + 1);
    assert.ok(shares.size === 10 && [...shares.values()].every((n) => n > 100), `${[...shares.values()]}`);
  }));

  it('a long time of throttling, then recovery: nothing is lost or sent twice', withRaw(undefined, { window: 50, rate: 100 }, async ({ smsc, live, client }) => {
    await smsc.binds();
    let closed = true;
    smsc.hear = (pdu, socket) => {
      if (pdu.command !== COMMAND.submit_sm || !closed) return false;
      pdu.throttled = true;
      socket.write(answer(pdu, '', 0x58));
      return true;
    };
    const ids = [];
    for (let i = 0; i < 100; i++) ids.push((await client.sent({ to, text: `x${i}` })).messageId);
    await sleep(4000);
    const refused = smsc.submits.length;
    assert.ok(refused < 100, `${refused} went out while the carrier said stop`);
    closed = false;
    for (const id of ids) await live.status(id, 'sent', { within: 40_000 });
    assert.equal(smsc.submits.filter((pdu) => !pdu.throttled).length, 100);
  }));

  it('a receipt before its answer, over another bind', withRaw(undefined, { binds: 2 }, async ({ smsc, live, client }) => {
    await smsc.binds(2);
    smsc.hear = (pdu, socket) => {
      if (pdu.command !== COMMAND.submit_sm) return false;
      smsc.bound.find((other) => other !== socket).write(receipt(9, 'early-bird'));
      setTimeout(() => socket.write(answer(pdu, 'EARLY-BIRD')), 200);
      return true;
    };
    const { messageId } = await client.sent({ to, text: 'early' });
    await live.status(messageId, 'delivered');
  }));

  it('receipts of parts that come twice do not deliver the whole', withRaw(undefined, {}, async ({ smsc, live, client }) => {
    await smsc.binds();
    const { messageId } = await client.sent({ to, text: 'y'.repeat(400) });
    await live.status(messageId, 'sent');
    const ids = (await live.events(messageId)).find((e) => e.type === 'carrier_answer').description.match(/r\d+/g);
    assert.equal(ids.length, 3);
    const [socket] = smsc.bound;
    for (const [n, id] of [ids[0], ids[0], ids[1], ids[1], ids[0]].entries()) socket.write(receipt(n + 1, id));
    await until('answers', () => smsc.of(RESPONSES.deliver).length === 5);
    assert.equal((await client.message(messageId)).status, 'sent');
    socket.write(receipt(6, ids[2]));
    await live.status(messageId, 'delivered');
  }));

  it('addresses of receipts with a plus, in national form, or not at all', withRaw(undefined, {}, async ({ smsc, live, client }) => {
    await smsc.binds();
    for (const [n, from] of ['+14155550123', '4155550123', '0014155550123', ''].entries()) {
      const { messageId } = await client.sent({ to, text: `a${n}` });
      await live.status(messageId, 'sent');
      const id = /as (r\d+)/.exec((await live.events(messageId)).find((e) => e.type === 'carrier_answer').description)[1];
      smsc.bound[0].write(receipt(n + 1, id, { from, to: '' }));
      await live.status(messageId, 'delivered');
    }
  }));

  it('whatever handsets and carriers write can be read over the API', withRaw(undefined, {}, async ({ smsc, live, client }) => {
    await smsc.binds();
    const parameter = (tag, value) => Buffer.concat([Buffer.from([tag >> 8, tag & 255, value.length >> 8, value.length & 255]), value]);
    const strange = [
      { message: '', tlvs: parameter(0x0424, Buffer.alloc(60_000, 'p')) },
      { message: '\x00\x01\x1b\x1b\xff\x80' },
      { message: '\xd8\x00\x00A\xdc', coding: 8 },
      { message: '\x00\x00\x00\x00', coding: 3 },
      { message: 'x'.repeat(255), coding: 3 },
      { message: '', from: '', to: '' },
      { message: 'hi', from: 'A\x01\xffB"-.', to: '0041791234567' },
      { message: '\xff', esm: 0x40 },
      { message: '\x05\x00\x03\x01\x00\x00zero', esm: 0x40 },
      { message: 'Stop', from: '07700900123' },
      { message: '\x05\x00\x03\x02\x02\x01head ', esm: 0x40 }, { message: '\x05\x00\x03\x02\x02\x01head ', esm: 0x40 }, // comes twice
      { message: '\x05\x00\x03\x02\x02\x02tail', esm: 0x40 },
    ];
    strange.forEach((one, i) => smsc.bound[0].write(deliver(i + 1, { esm: 0, ...one })));
    await until('answers', () => smsc.of(RESPONSES.deliver).length === strange.length);
    assert.ok(smsc.of(RESPONSES.deliver).every((pdu) => pdu.status === 0));
    const { body } = await client.get('/v1/messages?direction=inbound&limit=100'); // and is checked against the contract
    assert.equal(body.data.length, strange.length - 2);
    assert.equal(body.data[0].text, 'head tail');
    assert.equal(body.data.at(-1).text, 'p'.repeat(60_000));
    await client.get('/v1/opt-outs');

    const receipts = ['', 'garbage \x00\xff', 'id: stat:', 'id:\x01\x02 stat:\x00\xff', `id:${'9'.repeat(90)} stat:WHATEVER`];
    receipts.forEach((message, i) => smsc.bound[0].write(deliver(100 + i, { message })));
    smsc.bound[0].write(deliver(200, { tlvs: Buffer.concat([parameter(0x1e, Buffer.alloc(300, 'i')), parameter(0x427, Buffer.from([200])), parameter(0x423, Buffer.from([1]))]) }));
    smsc.bound[0].write(deliver(201, { tlvs: parameter(0x0424, Buffer.alloc(60_000, 'id:1 stat:DELIVRD ')) }));
    await until('answers', () => smsc.of(RESPONSES.deliver).length === strange.length + receipts.length + 2);
    const strays = JSON.parse(await live.server.command('receipts', 'list', '-o', 'json'));
    assert.equal((strays.data ?? strays).length, receipts.length + 2);
  }));

  it('a delivery whose parameters or addresses lie about their length is refused, and only that', withRaw(undefined, {}, async ({ smsc }) => {
    await smsc.binds();
    smsc.bound[0].write(deliver(1, { esm: 0, message: 'x', tlvs: Buffer.from([1, 2, 0xff, 0xff, 0]) }));
    smsc.bound[0].write(deliver(2, { esm: 0, message: 'x', from: '1'.repeat(25) }));
    smsc.bound[0].write(deliver(3, { esm: 0, message: 'x' }));
    await until('the good one', () => smsc.of(RESPONSES.deliver).length === 1);
    assert.deepEqual(smsc.of(COMMAND.generic_nack).map((pdu) => [pdu.sequence, pdu.status]), [[1, 2], [2, 2]]);
    assert.equal(smsc.connections, 1);
  }));

  for (const [receipts, flag] of Object.entries({ final: 1, failures: 2, all: 0x11, none: 0 })) {
    it(`receipts = ${receipts} asks for what it says; service type and esm_class go out as set`, withRaw(undefined, { receipts, service_type: 'OTP', esm_class: 3 }, async ({ smsc, live, client }) => {
      await smsc.binds();
      const { messageId } = await client.sent({ to, text: 'flags' });
      await live.status(messageId, 'sent');
      const [{ body }] = smsc.submits;
      assert.equal(body.toString('latin1', 0, 4), 'OTP\0');
      const fields = body.subarray(body.indexOf('14155550123\0') + 12);
      assert.equal(fields[0], 3, 'esm_class');
      const validity = fields.indexOf(0, 4); // behind esm_class, protocol_id, priority, schedule
      assert.equal(fields[validity + 1], flag);
    }));
  }

  it('congestion_state slows us down', withRaw(undefined, { rate: 100, window: 20 }, async ({ smsc, live, client }) => {
    await smsc.binds();
    smsc.hear = (pdu, socket) => {
      if (pdu.command !== COMMAND.submit_sm) return false;
      socket.write(frame((COMMAND.submit_sm | RESPONSE) >>> 0, 0, pdu.sequence, Buffer.from([0x6b, 0, 0x04, 0x28, 0, 1, 95])));
      return true;
    };
    await many(client, Array.from({ length: 300 }, (_, i) => ({ to, text: `c${i}` })));
    await sleep(3500);
    assert.ok(smsc.submits.length < 220, `${smsc.submits.length} in 3.5 s`);
    smsc.hear = () => false;
    await until('all', () => smsc.submits.length === 300, { within: 30_000 });
  }));
});
