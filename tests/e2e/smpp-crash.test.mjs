// kill -9 in the middle of a window, with a live carrier: nothing acknowledged is lost, at most a
// window of messages goes out twice, and each of these is flagged and counted.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Smsc, carrier, liveServer } from './lib/smsc.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const cycles = Number(process.env.SKYLARK_CRASH_CYCLES ?? 5);
const window = 20;

it(`smpp: ${cycles} times kill -9 in the middle of a window`, { timeout: 240_000 * slowness }, async (t) => {
  const folder = temporaryFolder();
  const seen = new Map(); // text → how often the carrier got it
  const pending = new Map(); // id → submit, whose receipt has not been answered
  const smsc = await Smsc.start({
    submit: (pdu, session, self) => {
      const text = pdu.short_message.message;
      seen.set(text, (seen.get(text) ?? 0) + 1);
      setTimeout(() => { pending.set(self.take(pdu, { receipt: false }), pdu); }, 5); // so that a window is always open
      return true;
    },
  });
  // As carriers do, receipts are sent until they are answered.
  const courier = setInterval(() => {
    if (smsc.sessions.length === 0) return;
    for (const [id, pdu] of pending) {
      if (Date.now() - (pdu.told ?? 0) < 1000) continue;
      pdu.told = Date.now();
      smsc.receipt(pdu, { id }).then((response) => { if (response.command_status === 0) pending.delete(id); });
    }
  }, 10);
  const sections = { carrier: { acme: carrier(smsc, { window }) } };
  const acknowledged = new Map();
  let live = await liveServer(sections, { folder });
  const { key } = live;
  let most = 0;
  let allowed = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await until('a bind', () => smsc.sessions.length > 0, { within: 10_000 });
      let going = true;
      const senders = Array.from({ length: 16 }, async (_, n) => {
        for (let i = 0; going; i++) {
          const text = `${cycle}.${n}.${i}`;
          const response = await live.client.exchange('POST', '/v1/send', { json: { to: '+14155550123', text } }).catch(() => null);
          if (!response) return;
          assert.equal(response.status, 201, response.text);
          acknowledged.set(JSON.parse(response.text).messageId, text);
        }
      });
      await sleep(200 + ((cycle * 53) % 7) * 60);
      await live.server.crash();
      going = false;
      await Promise.all(senders);
      allowed += window;
      live = await liveServer(sections, { folder, key });
    }
    const pending = new Set(acknowledged.keys());
    await until('all to be delivered', async () => {
      for (const id of [...pending].slice(0, 50)) {
        if ((await live.client.message(id)).status === 'delivered') pending.delete(id);
        else return false;
      }
      return pending.size === 0;
    }, { within: 60_000, every: 20 });
    const lost = [...acknowledged.values()].filter((text) => !seen.has(text));
    assert.deepEqual(lost, [], 'every acknowledged message reached the carrier');
    const twice = [...seen].filter(([, n]) => n > 1);
    most = twice.reduce((sum, [, n]) => sum + n - 1, 0);
    assert.ok(most <= allowed, `${most} went twice, ${allowed} are allowed`);
    const byText = new Map([...acknowledged].map(([id, text]) => [text, id]));
    let flagged = 0;
    for (const [text] of twice) {
      const id = byText.get(text);
      if (!id) continue; // it was never acknowledged
      assert.ok((await live.events(id)).some((e) => e.type === 'possible_duplicate'), `${text} went twice and is not flagged`);
      flagged++;
    }
    const { acme } = await until('the count', async () => {
      const carriers = await live.carriers();
      return carriers.acme.maybeTwice >= most && carriers;
    });
    assert.ok(acme.maybeTwice <= allowed);
    t.diagnostic(`${acknowledged.size} acknowledged, ${most} twice (${flagged} flagged), ${acme.maybeTwice} counted, ${allowed} allowed`);
    await live.server.stop();
  } finally {
    clearInterval(courier);
    await live.server.dispose();
    await smsc.stop();
    removeFolder(folder);
  }
});
