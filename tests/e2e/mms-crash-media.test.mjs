// kill -9 while media are fetched and kept: no message loses a file, no file is left without a message, and what was
// kept is not fetched again.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mediaFiles } from './lib/media-files.mjs';
import { Mmsc, mmsServer } from './lib/mmsc.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const cycles = Number(process.env.SKYLARK_CRASH_CYCLES ?? 4);
const to = '+14155550123';
const SIZE = 30_000;

// A server of as many pictures as are asked for. Each comes in two halves, some of them slowly.
async function gallery() {
  const media = await mediaFiles({});
  media.receiver.answer = (request, response) => {
    const bytes = jpeg(SIZE, request.url);
    response.on('error', () => {});
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': SIZE });
    response.write(bytes.subarray(0, SIZE / 2));
    setTimeout(() => response.end(bytes.subarray(SIZE / 2)), (media.receiver.requests.length % 8) * 25);
  };
  return media;
}

const isKept = async (live, id, n) => (await live.client.exchange('GET', `/v1/messages/${id}/media/${n}`)).status === 200;

it(`mms: ${cycles} times kill -9 while media are fetched`, { timeout: 120_000 * slowness }, async (t) => {
  const folder = temporaryFolder();
  const media = await gallery();
  const peer = await Mmsc.start({ reports: false });
  const files = () => readdirSync(join(folder, 'media'), { recursive: true, withFileTypes: true }).filter((f) => f.isFile()).length;
  const acknowledged = new Map(); // id → names of its pictures
  const kept = new Map(); // id → how often its pictures had been asked for when they were seen to be here
  const asked = (id) => acknowledged.get(id).map((name) => media.receiver.requests.filter(({ path }) => path === `/${name}`).length);
  let live = await mmsServer(peer, media, { folder });
  try {
    await live.drain('acme'); // so that fetching is all that is done
    for (let cycle = 0; cycle < cycles; cycle++) {
      const before = kept.size;
      let going = true;
      const senders = Array.from({ length: 4 }, async (_, n) => {
        for (let i = 0; i < 12 && going; i++) {
          const names = ['a', 'b'].map((which) => `${cycle}.${n}.${i}.${which}`);
          const response = await live.client.exchange('POST', '/v1/send', { json: { to, text: names[0], mediaUrls: names.map(media.url) } }).catch(() => null);
          if (!response) return;
          assert.equal(response.status, 201, response.text);
          acknowledged.set(JSON.parse(response.text).messageId, names);
        }
      });
      // The crash comes when some are kept, and others are on their way.
      await until('media that are kept', async () => {
        for (const id of acknowledged.keys()) if (!kept.has(id) && await isKept(live, id, 2)) kept.set(id, asked(id));
        return kept.size >= before + 5;
      }, { every: 5 });
      await live.server.crash();
      going = false;
      await Promise.all(senders);
      live = await mmsServer(peer, media, { folder, key: live.key });
    }
    const left = files();
    await until('all media', async () => {
      for (const id of acknowledged.keys()) if (!(await isKept(live, id, 2))) return false;
      return true;
    }, { within: 30_000, every: 200 });
    await live.server.command('carriers', 'enable', 'acme', '--config', live.file);
    for (const [id, times] of kept) assert.deepEqual(asked(id), times, `${acknowledged.get(id)} were kept, and fetched again`);

    const { totalCount } = (await live.client.get('/v1/messages?limit=1')).body.pagination;
    await until('all to go out', () => peer.submits.length >= totalCount, { within: 30_000 });
    for (const [id, names] of acknowledged) {
      for (const [i, name] of names.entries()) {
        const { status, bytes } = await live.client.exchange('GET', `/v1/messages/${id}/media/${i + 1}`);
        assert.equal(status, 200);
        assert.deepEqual(bytes, jpeg(SIZE, `/${name}`));
      }
      const sent = peer.submits.find((submit) => submit.text === names[0]);
      assert.deepEqual(sent.files.map((file) => file.bytes), names.map((name) => jpeg(SIZE, `/${name}`)));
    }
    // Chores come when nothing else is to be done.
    await until(`${2 * totalCount} files`, () => files() === 2 * totalCount, { within: 20_000 }).catch((error) => { throw new Error(`${error.message}; there are ${files()}`); });
    await live.server.stop();
    assert.equal(files(), 2 * totalCount);
    assert.deepEqual(peer.faults, []);
    t.diagnostic(`${acknowledged.size} acknowledged, ${totalCount} there; ${kept.size} seen before a crash; ${left} files after the last, ${2 * totalCount} in the end`);
  } finally {
    await live.server.dispose();
    await peer.stop();
    await media.stop();
    removeFolder(folder);
  }
});
