// Media do not take the last of the disk: they wait, and messages without any go on. A reserve that no disk has plays
// the disk that is nearly full.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jpeg, mediaFiles } from './lib/media-files.mjs';
import { Mmsc, mmsServer } from './lib/mmsc.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+14155550123';

it('mms: a disk that is nearly full', { timeout: 60_000 * slowness }, async () => {
  const folder = temporaryFolder();
  const media = await mediaFiles();
  const peer = await Mmsc.start({ reports: false });
  const start = (reserve, key) => mmsServer(peer, media, { folder, key, sections: { media: { allow_localhost: 'on', ca: media.ca, ...reserve } } });
  const picture = { parts: [{ type: 'text/plain', bytes: 'Look' }, { type: 'image/jpeg', bytes: jpeg(5000) }] };
  let live = await start({ reserve: 10 ** 15 });
  try {
    const { messageId } = await live.client.sent({ to, text: 'with a picture', mediaUrls: [media.url('cat.jpg')] });
    await until('the reason', () => /media files wait.*media\.reserve/.test(live.server.stderr));
    const test = await live.server.keyedClient({ type: 'test' });
    const text = await test.sent({ to, text: 'without' });
    await until('a text to be delivered', async () => (await test.message(text.messageId)).status === 'delivered');

    const refused = await peer.deliver(picture);
    assert.deepEqual([refused.status, refused.code], [500, 3000], 'it is to come again');
    assert.equal((await peer.deliver({ parts: [{ type: 'text/plain', bytes: 'No picture' }] })).code, 1000);

    assert.equal((await live.client.message(messageId)).status, 'queued');
    assert.equal(media.receiver.requests.length, 0, 'nothing was fetched');
    assert.ok(!existsSync(join(folder, 'media')), 'nothing was written');

    await live.server.stop();
    live = await start({}, live.key);
    await live.status(messageId, 'sent');
    assert.equal((await peer.deliver(picture)).code, 1000);
    assert.deepEqual(peer.faults, []);
    await live.server.stop();
  } finally {
    await live.server.dispose();
    await peer.stop();
    await media.stop();
    removeFolder(folder);
  }
});
