// Receipts as carriers send them: early, late, twice, out of order, in all their dialects; and
// messages from handsets.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Smsc, carrier, liveServer, withLive } from './lib/smsc.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const one = (more) => (smsc) => ({ carrier: { acme: carrier(smsc, more) } });
const to = '+14155550123';

// Sends one message and waits until it is sent; the submit and its id.
async function sentOne({ smsc, live, client }, text = 'r', id = undefined) {
  const before = smsc.submits.length;
  smsc.submit = (pdu) => { pdu.id = smsc.take(pdu, { receipt: false, ...(id === undefined ? {} : { id }) }); return true; };
  const { messageId } = await client.sent({ to, text });
  await live.status(messageId, 'sent');
  return { messageId, submit: smsc.submits[before], id: smsc.submits[before].id };
}

describe('smpp: receipts', { timeout: 120_000 * slowness }, () => {
  it('are understood by their text alone, in many dialects', withLive({}, one(), async (context) => {
    const { smsc, live, client } = context;
    for (const [text, status, code] of [
      [(id) => `id:${id} sub:001 dlvrd:001 submit date:2611160800 done date:2611160801 stat:DELIVRD err:000 text:hi`, 'delivered'],
      [(id) => `ID:${id} STAT:DELIVRD`, 'delivered'],
      [(id) => `stat:UNDELIV err:-12 id:${id}`, 'failed', 'undeliverable'],
      [(id) => `id:${id} submit date:20261116080000 done date:20261116080100 stat:EXPIRED err:00F Text:`, 'failed', 'carrier_expired'],
      [(id) => `id:${id} stat:REJECTD err:1042 text:id:fake`, 'failed', 'carrier_rejected'],
      [(id) => `id:${id} stat:DELETED`, 'failed', 'carrier_deleted'],
      [(id) => `id:${id} stat:WEIRD err:7`, 'failed', 'unknown'],
    ]) {
      const { messageId, submit, id } = await sentOne(context);
      const response = await smsc.receipt(submit, { text: text(id), tlvs: false });
      assert.equal(response.command_status, 0);
      const message = await live.status(messageId, status);
      assert.equal(message.errorCode ?? undefined, code, text(id));
    }
    assert.equal((await client.get('/v1/messages?limit=1')).body.pagination.totalCount, 7);
  }));

  it('find their message whatever base and case their id is written in, and either way round', withLive({}, one(), async (context) => {
    const { smsc, live } = context;
    for (const [given, told, more] of [
      ['1F40A', '128010', {}],
      ['128011', '1f40b', {}],
      ['0000128012', '128012', {}],
      ['AbCd-12', 'aBcD-12', {}],
      ['77aa', '00000000077AA', {}],
      ['9001', '9001', { swap: false }],
    ]) {
      const { messageId, submit } = await sentOne(context, given, given);
      await smsc.receipt(submit, { id: told, tlvs: false, ...more });
      await live.status(messageId, 'delivered');
    }
  }));

  it('that come before the answer are kept and applied', async () => {
    const smsc = await Smsc.start({
      submit: (pdu, session, self) => {
        self.receipt(pdu, { id: 'EARLY1' }).then(() => self.take(pdu, { id: 'EARLY1', receipt: false }));
        return true;
      },
    });
    const live = await liveServer({ carrier: { acme: carrier(smsc) } });
    try {
      await smsc.bound();
      const { messageId } = await live.client.sent({ to, text: 'early' });
      await live.status(messageId, 'delivered');
      const strays = JSON.parse(await live.server.command('receipts', 'list', '-o', 'json'));
      assert.equal((strays.data ?? strays).length, 0, 'it is none any more');
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });

  it('that come twice or late go to the history only', withLive({}, one(), async (context) => {
    const { smsc, live, client } = context;
    const { messageId, submit, id } = await sentOne(context);
    await smsc.receipt(submit, { id });
    const first = await live.status(messageId, 'delivered');
    assert.equal((await smsc.receipt(submit, { id })).command_status, 0);
    assert.equal((await smsc.receipt(submit, { id, state: 5, stat: 'UNDELIV' })).command_status, 0);
    const message = await client.message(messageId);
    assert.equal(message.status, 'delivered');
    assert.equal(message.deliveredAt, first.deliveredAt);
    assert.equal((await live.events(messageId)).filter((e) => e.type === 'late_receipt').length, 2);
  }));

  it('of what is on its way change nothing, and UNKNOWN neither', withLive({}, one(), async (context) => {
    const { smsc, live, client } = context;
    const { messageId, submit, id } = await sentOne(context);
    await smsc.receipt(submit, { id, esm_class: 0x20, state: 1, stat: 'ENROUTE' });
    await smsc.receipt(submit, { id, state: 6, stat: 'ACCEPTD' });
    await smsc.receipt(submit, { id, state: 7, stat: 'UNKNOWN' });
    assert.equal((await client.message(messageId)).status, 'sent');
    assert.equal((await live.events(messageId)).filter((e) => e.type === 'receipt').length, 3);
    await smsc.receipt(submit, { id });
    await live.status(messageId, 'delivered');
  }));

  it('that come in another order find each its own', withLive({}, one(), async (context) => {
    const { smsc, live } = context;
    const all = [];
    for (let i = 0; i < 8; i++) all.push(await sentOne(context, `o${i}`));
    for (const { submit, id } of all.reverse()) await smsc.receipt(submit, { id });
    for (const { messageId } of all) await live.status(messageId, 'delivered');
  }));

  it('that never come leave the message sent; those of nobody are kept and shown', withLive({}, one(), async (context) => {
    const { smsc, live, client } = context;
    const { messageId, submit } = await sentOne(context);
    const response = await smsc.receipt(submit, { id: 'NOBODYS' });
    assert.equal(response.command_status, 0);
    assert.equal((await client.message(messageId)).status, 'sent');
    const out = await live.server.command('receipts', 'list');
    assert.match(out, /nobodys/i);
    assert.match(out, /acme/);
  }));

  it('are found after a restart', async () => {
    const smsc = await Smsc.start({ receipts: false });
    let live = await liveServer({ carrier: { acme: carrier(smsc) } });
    const { folder, key } = live;
    try {
      await smsc.bound();
      const context = { smsc, live, client: live.client };
      const { messageId, submit, id } = await sentOne(context);
      await live.server.stop();
      live = await liveServer({ carrier: { acme: carrier(smsc) } }, { folder, key });
      await until('the next bind', () => smsc.sessions.length === 1);
      await smsc.receipt(submit, { id });
      await live.status(messageId, 'delivered');
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });
});

describe('smpp: messages from handsets', { timeout: 120_000 * slowness }, () => {
  const from = '14155550123';
  const received = (client) => client.get('/v1/messages?direction=inbound').then((r) => r.body.data);

  it('are received, in GSM and UCS-2, with their parts joined in whatever order', withLive({}, one(), async ({ smsc, client }) => {
    const base = { source_addr: from, source_addr_ton: 1, source_addr_npi: 1, destination_addr: '18005550199', dest_addr_ton: 1 };
    await smsc.deliver({ ...base, data_coding: 0, short_message: Buffer.from([0x00, 0x48, 0x69, 0x1b, 0x65, 0x09]) });
    await smsc.deliver({ ...base, data_coding: 8, short_message: Buffer.from('d83ddc4b00210416', 'hex') });
    const part = (n, text) => ({ ...base, esm_class: 0x40, data_coding: 0, short_message: Buffer.concat([Buffer.from([5, 0, 3, 77, 3, n]), Buffer.from(text)]) });
    for (const [n, text] of [[3, 'gamma'], [1, 'alpha '], [2, 'beta ']]) {
      const response = await smsc.deliver(part(n, text));
      assert.equal(response.command_status, 0);
      assert.equal(response.message_id ?? '', '');
    }
    await smsc.deliver({ ...base, data_coding: 0, sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 1, short_message: Buffer.from('one ') });
    await smsc.deliver({ ...base, data_coding: 0, sar_msg_ref_num: 9, sar_total_segments: 2, sar_segment_seqnum: 2, short_message: Buffer.from('two') });
    const messages = await received(client);
    assert.deepEqual(messages.map((m) => m.text), ['one two', 'alpha beta gamma', '👋!Ж', '@Hi€Ç']);
    assert.ok(messages.every((m) => m.from === `+${from}` && m.to === '+18005550199' && m.status === 'received'));
  }));

  it('with STOP opt out: nothing goes there any more until START', withLive({}, one(), async ({ smsc, client, live }) => {
    const base = { source_addr: from, source_addr_ton: 1, source_addr_npi: 1, destination_addr: '18005550199', data_coding: 0 };
    await smsc.deliver({ ...base, short_message: Buffer.from('Stop') });
    const refused = await client.send({ to: `+${from}`, text: 'hello?' });
    assert.ok(refused.status === 400 || refused.status === 403, refused.text);
    assert.match(refused.text, /opted/);
    await smsc.deliver({ ...base, short_message: Buffer.from('START') });
    const { messageId } = await client.sent({ to: `+${from}`, text: 'welcome back' });
    await live.status(messageId, 'delivered');
  }));

  it('a receipt\'s parameter alone does not make a receipt', withLive({}, one(), async ({ smsc, client }) => {
    await smsc.deliver({ source_addr: from, source_addr_ton: 1, destination_addr: '18005550199', esm_class: 0, data_coding: 0, receipted_message_id: 'x', short_message: Buffer.from('just a text') });
    await sleep(50);
    assert.deepEqual((await received(client)).map((m) => m.text), ['just a text']);
  }));
});
