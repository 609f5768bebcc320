// Carriers that misbehave: what they refuse, how they stall, and where messages go then.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { STATUS, Smsc, carrier, liveServer, withLive } from './lib/smsc.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const one = (more) => (smsc) => ({ carrier: { acme: carrier(smsc, more) } });
const to = '+14155550123';

// Two carriers, the first of them preferred.
async function withTwo(first, second, settings, body) {
  const a = await Smsc.start(first);
  const b = await Smsc.start(second);
  let live;
  try {
    live = await liveServer({
      carrier: { first: carrier(a, settings.first), second: carrier(b, settings.second) },
      route: { best: { carrier: 'first', priority: 1, failover_after: '1s', ...settings.route }, other: { carrier: 'second', priority: 2 } },
    });
    await a.bound();
    await b.bound();
    await body({ a, b, live, client: live.client });
    await live.end();
    live = null;
  } finally {
    await live?.server.dispose();
    await a.stop();
    await b.stop();
  }
}

describe('smpp: trouble', { timeout: 180_000 * slowness }, () => {
  for (const [status, code] of [
    [STATUS.ESME_RINVDSTADR, 'invalid_destination'],
    [STATUS.ESME_RINVMSGLEN, 'carrier_rejected'],
    [STATUS.ESME_RINVSRCADR, 'no_sender'],
  ]) {
    it(`a refusal for good, without a body (0x${status.toString(16)}), fails with ${code}`, withLive(
      { submit: (pdu, session, smsc) => { smsc.refuse(pdu, status); return true; } }, one(),
      async ({ live, client, smsc }) => {
        const { messageId } = await client.sent({ to, text: 'refused' });
        const failed = await live.status(messageId, 'failed');
        assert.equal(failed.errorCode, code);
        assert.equal(smsc.submits.length, 1, 'not tried again');
      },
    ));
  }

  it('a carrier\'s own statuses mean what its section says', withLive(
    { submit: (pdu, session, smsc) => { smsc.refuse(pdu, 0x401); return true; } }, one({ statuses: '0x400-0x4ff=permanent:spam' }),
    async ({ live, client }) => {
      const { messageId } = await client.sent({ to, text: 'win a prize' });
      assert.equal((await live.status(messageId, 'failed')).errorCode, 'spam_filtered');
    },
  ));

  it('a fault of the moment is tried again later; the message stays queued', withLive(
    { submit: (pdu, session, smsc) => { smsc.refuse(pdu, STATUS.ESME_RSYSERR); return true; } }, one(),
    async ({ live, client, smsc }) => {
      const { messageId } = await client.sent({ to, text: 'later' });
      const retry = await until('a retry', async () => (await live.events(messageId)).find((e) => e.type === 'retry'));
      assert.match(retry.description, /ESME_RSYSERR/);
      assert.match(retry.description, /30 s/);
      const message = await client.message(messageId);
      assert.equal(message.status, 'queued');
      assert.equal(smsc.submits.length, 1);
      const cancelled = await client.call('DELETE', `/v1/messages/${messageId}`).catch(() => null);
      if (cancelled && cancelled.status < 400) await live.status(messageId, 'cancelled');
    },
  ));

  it('being throttled pauses the bind; nothing is lost, refused or sent twice', async () => {
    const seen = new Map();
    let throttled = 0;
    const smsc = await Smsc.start({
      submit: (pdu, session, self) => {
        if (throttled < 3) { throttled++; self.refuse(pdu, STATUS.ESME_RTHROTTLED); return true; }
        const text = pdu.short_message.message;
        seen.set(text, (seen.get(text) ?? 0) + 1);
        return false;
      },
    });
    const live = await liveServer({ carrier: { acme: carrier(smsc) } });
    try {
      await smsc.bound();
      const ids = [];
      for (let i = 0; i < 20; i++) ids.push((await live.client.sent({ to, text: `t${i}` })).messageId);
      const began = performance.now();
      for (const id of ids) await live.status(id, 'delivered', { within: 30_000 });
      assert.ok(performance.now() - began > 500, 'it paused');
      assert.equal(seen.size, 20);
      assert.ok([...seen.values()].every((n) => n === 1));
      const { acme } = await until('the count', async () => {
        const carriers = await live.carriers();
        return carriers.acme.throttled >= 1 && carriers;
      });
      assert.ok(acme.throttled >= 1);
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });

  it('a bind that is up and silent while work waits is bound anew, and the work goes on', async () => {
    const smsc = await Smsc.start({ submit: (pdu, session, self) => self.submits.length === 1 }); // silent, the first time
    const live = await liveServer({ carrier: { acme: carrier(smsc, { stall_timeout: '700ms', response_timeout: '60s' }) } });
    try {
      await smsc.bound();
      const { messageId } = await live.client.sent({ to, text: 'stalled' });
      await smsc.got(1);
      await until('a second bind', () => smsc.binds.length >= 2, { within: 10_000 });
      await live.status(messageId, 'delivered', { within: 20_000 });
      const events = await live.events(messageId);
      assert.ok(events.some((e) => e.type === 'possible_duplicate'), JSON.stringify(events));
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });

  it('a connection cut in the middle of a window: all of it goes out again, flagged and counted', async () => {
    const window = 5;
    let cut = false;
    const smsc = await Smsc.start({
      submit: (pdu, session, self) => {
        if (cut) return false;
        if (self.submits.length === window) { cut = true; self.cut(); }
        return true;
      },
    });
    const live = await liveServer({ carrier: { acme: carrier(smsc, { window }) } });
    try {
      await smsc.bound();
      const ids = [];
      for (let i = 0; i < 12; i++) ids.push((await live.client.sent({ to, text: `c${i}` })).messageId);
      for (const id of ids) await live.status(id, 'delivered', { within: 20_000 });
      let flagged = 0;
      for (const id of ids) flagged += (await live.events(id)).some((e) => e.type === 'possible_duplicate') ? 1 : 0;
      assert.equal(flagged, window);
      const twice = smsc.submits.length - 12;
      assert.ok(twice > 0 && twice <= window, `${twice} went twice`);
      await until('the count', async () => (await live.carriers()).acme.maybeTwice === window);
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });

  it('with unanswered = fail such messages fail instead', async () => {
    let once = true;
    const smsc = await Smsc.start({ submit: (pdu, session, self) => { if (!once) return false; once = false; self.cut(); return true; } });
    const live = await liveServer({ carrier: { acme: carrier(smsc, { unanswered: 'fail' }) } });
    try {
      await smsc.bound();
      const { messageId } = await live.client.sent({ to, text: 'once only' });
      assert.equal((await live.status(messageId, 'failed')).errorCode, 'upstream_timeout');
      assert.equal(smsc.submits.length, 1);
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });

  it('an ambiguous refusal goes the next route, with its reason', () => withTwo(
    { submit: (pdu, session, self) => { self.refuse(pdu, STATUS.ESME_RSUBMITFAIL); return true; } }, {}, {},
    async ({ a, b, live, client }) => {
      const { messageId, routing } = await client.sent({ to, text: 'elsewhere' });
      assert.equal(routing.reason, 'smart-routing');
      const message = await live.status(messageId, 'delivered');
      assert.equal(message.routing.reason, 'failover');
      assert.equal(a.submits.length, 1);
      assert.equal(b.submits.length, 1);
      const event = (await live.events(messageId)).find((e) => e.type === 'failover');
      assert.match(event.description, /ESME_RSUBMITFAIL.*second/);
    },
  ));

  it('a carrier that is gone is passed over; what waits for it moves on, and comes back to it later', () => withTwo(
    {}, {}, {},
    async ({ a, b, live, client }) => {
      const port = a.port;
      await a.stop();
      await until('the loss to be known', async () => (await live.carriers()).first.state !== 'bound', { within: 10_000 });
      const { messageId } = await client.sent({ to, text: 'around' });
      const message = await live.status(messageId, 'delivered');
      assert.equal(message.routing.reason, 'failover');
      assert.equal(b.submits.length, 1);
      const again = await Smsc.start({ port });
      try {
        await again.bound();
        await until('the first to be bound', async () => (await live.carriers()).first.state === 'bound', { within: 10_000 });
        const next = await client.sent({ to, text: 'back' });
        await live.status(next.messageId, 'delivered');
        assert.equal(again.submits.length, 1);
      } finally {
        await again.stop();
      }
    },
  ));

  it('what waits too long behind a stalled carrier goes another route', () => withTwo(
    { submit: () => true }, {}, { first: { window: 1 }, route: { failover_after: '1s' } },
    async ({ a, b, live, client }) => {
      const ids = [];
      for (let i = 0; i < 5; i++) ids.push((await client.sent({ to, text: `aged ${i}` })).messageId);
      await a.got(1);
      await until('four elsewhere', () => b.submits.length >= 4, { within: 20_000 });
      for (const id of ids.slice(1)) assert.equal((await live.status(id, 'delivered')).routing.reason, 'failover');
    },
  ));

  it('what a carrier throttles for long goes another route', () => withTwo(
    { submit: (pdu, session, self) => { self.refuse(pdu, STATUS.ESME_RTHROTTLED); return true; } }, {}, { route: { failover_after: '1s' } },
    async ({ b, live, client }) => {
      const ids = [];
      for (let i = 0; i < 5; i++) ids.push((await client.sent({ to, text: `slow ${i}` })).messageId);
      for (const id of ids) assert.equal((await live.status(id, 'delivered', { within: 15_000 })).routing.reason, 'failover');
      assert.equal(b.submits.length, 5);
    },
  ));

  it('nothing is dropped while a carrier is down, and a message past its validity fails', async () => {
    const smsc = await Smsc.start();
    const live = await liveServer({ carrier: { acme: carrier(smsc) } });
    try {
      await smsc.bound();
      const { port } = smsc;
      await smsc.stop();
      const short = await live.client.sent({ to, text: 'short', validityPeriod: 60 });
      const ids = [];
      for (let i = 0; i < 30; i++) ids.push((await live.client.sent({ to, text: `d${i}` })).messageId);
      await sleep(1000);
      assert.equal((await live.client.message(ids[0])).status, 'queued');
      const again = await Smsc.start({ port });
      try {
        for (const id of [...ids, short.messageId]) await live.status(id, 'delivered', { within: 20_000 });
        assert.equal(again.submits.length, 31);
        await live.end();
      } finally {
        await again.stop();
      }
    } finally {
      await live.server.dispose();
    }
  });

  it('wrong credentials are not tried again at once', async () => {
    const smsc = await Smsc.start({ bind: (pdu, session) => { session.send(pdu.response({ command_status: STATUS.ESME_RINVPASWD })); return true; } });
    const live = await liveServer({ carrier: { acme: carrier(smsc, { refused_wait: '1500ms' }) } });
    try {
      await until('a bind', () => smsc.binds.length === 1);
      await sleep(800);
      assert.equal(smsc.binds.length, 1);
      await until('the next try', () => smsc.binds.length === 2, { within: 5000 });
      assert.match((await live.carriers()).acme.lastTrouble, /RINVPASWD|password/i);
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  });
});
