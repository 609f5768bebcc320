// kill -9 while MMS are fetched and handed over: nothing acknowledged is lost, at most a window of
// messages goes out twice, and each of these is flagged and counted.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mediaFiles } from './lib/media-files.mjs';
import { Mmsc, mmsServer } from './lib/mmsc.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const cycles = Number(process.env.SKYLARK_CRASH_CYCLES ?? 5);
const window = 20;

async function all(live, direction) {
  const messages = [];
  for (let cursor = ''; cursor !== null;) {
    const { data, pagination } = (await live.client.get(`/v1/messages?direction=${direction}&limit=100${cursor && `&cursor=${cursor}`}`)).body;
    messages.push(...data);
    cursor = pagination.nextCursor ?? null;
  }
  return messages;
}

async function delivered(live, acknowledged) {
  const left = new Set(acknowledged.keys());
  await until('all to be delivered', async () => {
    for (const id of [...left].slice(0, 50)) {
      if ((await live.client.message(id)).status === 'delivered') left.delete(id);
      else return false;
    }
    return left.size === 0;
  }, { within: 90_000, every: 20 });
}

it(`mms: ${cycles} times kill -9 in the middle of a window`, { timeout: 240_000 * slowness }, async (t) => {
  const folder = temporaryFolder();
  const pictures = 16;
  const media = await mediaFiles(Object.fromEntries(Array.from({ length: pictures }, (_, i) => [`${i}.jpg`, { type: 'image/jpeg', bytes: jpeg(20_000, i) }])));
  const seen = new Map(); // text → how often the MMSC got it
  const pending = new Map(); // id → when its report was last told, as long as that is not answered
  const peer = await Mmsc.start({
    submit: (submit, response, self) => {
      seen.set(submit.text, (seen.get(submit.text) ?? 0) + 1);
      setTimeout(() => { pending.set(self.take(submit, response, { report: false }), 0); }, 5); // so that a window is always open
      return true;
    },
  });
  // As MMSCs do, reports are sent until they are answered.
  const courier = setInterval(() => {
    if (!peer.listener) return;
    for (const [id, told] of pending) {
      if (Date.now() - told < 1000) continue;
      pending.set(id, Date.now());
      peer.report(id, 'Retrieved').then((response) => { if (response.code === 1000) pending.delete(id); }, () => {});
    }
  }, 10);
  // Long enough for a slow machine: only a crash may leave something unanswered.
  const options = { folder, settings: { window, response_timeout: '60s' } };
  const acknowledged = new Map();
  const brought = new Set();
  let live = await mmsServer(peer, media, options);
  const { key } = live;
  let allowed = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      let going = true;
      const senders = Array.from({ length: 8 }, async (_, n) => {
        for (let i = 0; going; i++) {
          const text = `${cycle}.${n}.${i}`;
          const json = { to: '+14155550123', text, mediaUrls: [media.url(`${(cycle * 3 + i) % pictures}.jpg`)] };
          const response = await live.client.exchange('POST', '/v1/send', { json }).catch(() => null);
          if (!response) return;
          assert.equal(response.status, 201, response.text);
          acknowledged.set(JSON.parse(response.text).messageId, text);
        }
      });
      // Handsets write meanwhile; what is answered well must be there afterwards.
      const handset = (async () => {
        for (let i = 0; going; i++) {
          const text = `in ${cycle}.${i}`;
          const response = await peer.deliver({ parts: [{ type: 'text/plain', bytes: text }, { type: 'image/jpeg', bytes: jpeg(5000, text) }] }).catch(() => null);
          if (!response) return;
          if (response.code === 1000) brought.add(text);
        }
      })();
      await sleep(250 + ((cycle * 53) % 7) * 60);
      await live.server.crash();
      going = false;
      await Promise.all([...senders, handset]);
      allowed += window;
      live = await mmsServer(peer, media, { ...options, key });
      // What two crashes have met rests for 30 s, what three have met for two minutes: one such rest will do.
      if (cycle > 0 || cycles === 1) await delivered(live, acknowledged);
    }
    const lost = [...acknowledged.values()].filter((text) => !seen.has(text));
    assert.deepEqual(lost, [], 'every acknowledged message reached the MMSC');
    const twice = [...seen].filter(([, n]) => n > 1);
    const most = twice.reduce((sum, [, n]) => sum + n - 1, 0);
    assert.ok(most <= allowed, `${most} went twice, ${allowed} are allowed`);
    const byText = new Map([...acknowledged].map(([id, text]) => [text, id]));
    for (const [text] of twice) {
      const id = byText.get(text);
      if (!id) continue; // it was never acknowledged
      assert.ok((await live.events(id)).some((e) => e.type === 'possible_duplicate'), `${text} went twice and is not flagged`);
    }
    const { acme } = await until('the count', async () => {
      const carriers = await live.carriers();
      return carriers.acme.maybeTwice >= most && carriers;
    });
    assert.ok(acme.maybeTwice <= allowed, `${acme.maybeTwice} counted, ${allowed} allowed`);

    const arrived = new Map((await all(live, 'inbound')).map((message) => [message.text, message]));
    assert.deepEqual([...brought].filter((text) => !arrived.has(text)), [], 'every message that was answered for is there');
    for (const text of [...brought].slice(-20)) {
      const { bytes } = await live.client.exchange('GET', new URL(arrived.get(text).mediaUrls[0]).pathname);
      assert.deepEqual(bytes, jpeg(5000, text));
    }
    // Every content once, and nothing that no message has. Chores come when nothing else is to be done.
    const contents = arrived.size + new Set((await all(live, 'outbound')).map((message) => message.mediaUrls[0])).size;
    const kept = () => readdirSync(join(folder, 'media'), { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length;
    await until(`${contents} files`, () => kept() === contents, { within: 20_000 }).catch((error) => { throw new Error(`${error.message}; there are ${kept()}`); });
    await live.server.stop();
    assert.equal(kept(), contents);
    assert.deepEqual(peer.faults, []);
    t.diagnostic(`${acknowledged.size} acknowledged, ${most} twice, ${acme.maybeTwice} counted, ${allowed} allowed; ${brought.size} brought, ${contents} contents`);
  } finally {
    clearInterval(courier);
    await live.server.dispose();
    await peer.stop();
    await media.stop();
    removeFolder(folder);
  }
});
