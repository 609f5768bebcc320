// Media files are fetched after the 201, and whatever their servers do, the message ends as documented and the program stays small.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MediaServer, files } from './lib/media-server.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+15550001234'; // delivered at once

// All files below a folder, which need not be there.
const filesBelow = (folder) => (existsSync(folder) ? readdirSync(folder, { recursive: true }) : []).map((name) => join(folder, name)).filter((path) => statSync(path).isFile());

function withMedia(name, settings, define) {
  describe(name, { timeout: 120_000 * slowness }, () => {
    const context = { to };
    before(async () => {
      context.folder = temporaryFolder();
      context.media = await MediaServer.start({ folder: context.folder });
      context.server = await Server.start({
        leakCheck: true,
        env: {
          SKYLARK_SIMULATOR_MEDIA: 'strict', SKYLARK_MEDIA_ALLOW_LOCALHOST: 'on', SKYLARK_MEDIA_CA: context.media.ca, SKYLARK_MEDIA_TIMEOUT: '2s',
          ...settings,
        },
      });
      context.api = await context.server.keyedClient();
      context.send = async (...paths) => {
        const mediaUrls = paths.map((path) => (path.startsWith('https://') ? path : context.media.url(path)));
        return (await context.api.sent({ to, text: 'Look', mediaUrls })).messageId;
      };
      // The message at its end, and what its history says of media.
      context.ended = async (messageId, options = { within: 20_000 }) => {
        const message = await until('the end of the message', async () => {
          const now = await context.api.message(messageId);
          return ['delivered', 'failed'].includes(now.status) && now;
        }, options);
        const { data } = (await context.api.get(`/v1/messages/${messageId}/events`)).body;
        return { ...message, said: data.filter(({ type }) => type === 'media').map(({ description }) => description) };
      };
      context.resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${context.server.pid}/status`, 'utf8'))[1]) / 1024;
    });
    after(async () => {
      await context.server?.dispose();
      await context.media?.stop();
      removeFolder(context.folder);
    });
    define(context);
    it('stops cleanly', () => context.server.stop());
  });
}

// The address sanitizer keeps up to 256 MiB of freed memory back.
const kept = process.env.SKYLARK_BUILD === 'build-asan' ? 512 : 0;
const small = { grows: 24 + kept }; // MiB, beside the 5 MB of a message's files, which are on disk

withMedia('media: good files', {}, (context) => {
  it('of each type are fetched, and the message is delivered', async () => {
    const { media } = context;
    for (const name of Object.keys(files).filter((file) => file !== 'webp')) {
      const message = await context.ended(await context.send(`file/${name}`));
      assert.deepEqual([message.status, message.errorCode ?? null, message.said], ['delivered', null, []], name);
      assert.equal(media.asked(`file/${name}`), 1);
    }
  });

  it('are kept once, by content', async () => {
    const { body } = files.jpeg;
    const kept = () => filesBelow(join(context.server.dataDir, 'media')).filter((path) => readFileSync(path).equals(body));
    await context.ended(await context.send('file/jpeg', 'file/jpeg', 'called/jpeg/image/png'));
    assert.equal(kept().length, 1);
    assert.equal(createHash('sha256').update(readFileSync(kept()[0])).digest('hex'), createHash('sha256').update(body).digest('hex'));
  });

  it('ten in one message, together as large as may be', async () => {
    const { status, said } = await context.ended(await context.send(...Array.from({ length: 10 }, () => 'sized/500000')));
    assert.deepEqual([status, said], ['delivered', []]);
  });

  it('are asked for once more after 503 and 429', async () => {
    for (const status of [503, 429]) {
      const path = `once/${status}/${status}`;
      assert.equal((await context.ended(await context.send(path))).status, 'delivered');
      assert.equal(context.media.asked(path), 2);
    }
  });

  it('are cut at the length that their server names', async () => {
    assert.equal((await context.ended(await context.send('long'))).status, 'delivered');
  });
});

withMedia('media: bad files', {}, (context) => {
  const reject = async (path, errorCode, reason, asked = 1) => {
    const before = context.media.asked(path);
    const message = await context.ended(await context.send(path));
    const where = path.startsWith('https://') ? path : context.media.url(path);
    assert.deepEqual([message.status, message.errorCode], ['failed', errorCode], path);
    assert.deepEqual(message.said, [`Media 1 of 1 (${where}): ${reason}`]);
    if (!path.startsWith('https://')) assert.equal(context.media.asked(path) - before, asked, path);
  };
  const twice = (path, reason) => reject(path, 'media_unreachable', `${reason} (tried twice).`, 2);

  it('not there', () => reject('status/404', 'media_unreachable', 'the server answered 404.'));
  it('server errors', () => twice('status/500', 'the server answered 500'));
  it('too many requests, twice', () => twice('status/429', 'the server answered 429'));
  it('empty', () => reject('empty', 'media_unreachable', 'it is empty.'));
  it('shorter than their server says', () => twice('short', 'the connection was lost before the answer was complete'));
  it('cut off half-way', () => twice('half', 'the connection was lost before the answer was complete'));
  it('no answer', () => twice('hang', 'no answer came within 2 s'));

  it('a web page', () => reject('page', 'unsupported_media_type', 'it is a web page, not a media file.'));
  it('a type that messages do not carry', () => reject('pdf', 'unsupported_media_type', 'its content is of no type that can be sent; the server calls it application/pdf.'));
  it('called something else', () => reject('called/jpeg/video/mp4', 'unsupported_media_type', 'its content is image/jpeg, but the server calls it video/mp4.'));
  it('text that nobody calls text', () => reject('called/text/application/octet-stream', 'unsupported_media_type',
    'its content looks like text, but the server does not call it text/plain.'));
  it('of a type that the carrier does not take', () => reject('file/webp', 'unsupported_media_type', 'the carrier does not take image/webp.'));

  it('a redirect is not followed, wherever it leads', async () => {
    const trap = await Receiver.start();
    context.media.elsewhere = `https://127.0.0.1:${trap.port}/`;
    await reject('redirect', 'media_unreachable', 'the server answered 302: it redirects, and redirects are not followed; give the address it leads to.');
    assert.equal(trap.connections, 0);
    await trap.stop();
  });

  it('nobody there', async () => {
    const gone = await Receiver.start();
    await gone.stop();
    await reject(`https://localhost:${gone.port}/a.jpg`, 'media_unreachable', `no connection to localhost port ${gone.port}: Connection refused (tried twice).`);
  });

  it('a name that nobody has', () => reject('https://no-such-name.invalid/a.jpg', 'media_unreachable', 'the name no-such-name.invalid is not found (tried twice).'));
  it('a private address', () => reject('https://10.0.0.1/a.jpg', 'media_unreachable', '10.0.0.1 is a private address; the server does not connect to it.'));

  it('a secret in the URL is not shown', async () => {
    const { said } = await context.ended(await context.send(`${context.media.url('status/404')}?token=secret`));
    assert.deepEqual(said, [`Media 1 of 1 (${context.media.url('status/404')}): the server answered 404.`]);
  });

  it('a user and a password in the URL are refused, because every reader of the message would see them', () => context.api.refused(400, 'invalid_media_url', 'mediaUrls',
    context.api.send({ to, text: 'Look', mediaUrls: [`https://user:pass@localhost:${context.media.port}/file/jpeg`] })));

  it('the one that is at fault is named, and what came with it is not kept', async () => {
    const before = filesBelow(join(context.server.dataDir, 'media')).length;
    const { errorCode, said } = await context.ended(await context.send('sized/777', 'status/404', 'sized/778'));
    assert.equal(errorCode, 'media_unreachable');
    assert.deepEqual(said, [`Media 2 of 3 (${context.media.url('status/404')}): the server answered 404.`]);
    assert.equal(filesBelow(join(context.server.dataDir, 'media')).length, before);
  });

  it('too large together', async () => {
    const { errorCode, said } = await context.ended(await context.send('sized/2500000', 'sized/2500001'));
    assert.equal(errorCode, 'media_too_large');
    assert.match(said[0], /with it the media of the message have at least \d+ bytes, and they may have 5000000 together\.$/);
  });
});

withMedia('media: files without an end', { SKYLARK_MEDIA_TIMEOUT: '60s' }, (context) => {
  const tooLarge = async (path, sizes) => {
    const { media } = context;
    const before = context.resident();
    media.poured = 0;
    const ids = await Promise.all(Array.from({ length: 20 }, () => context.send(path)));
    let most = 0;
    const ends = Promise.all(ids.map((id) => context.ended(id, { within: 60_000 })));
    const watch = setInterval(() => { most = Math.max(most, context.resident()); }, 5);
    for (const { errorCode, said } of await ends) {
      assert.equal(errorCode, 'media_too_large');
      assert.match(said[0], sizes);
    }
    clearInterval(watch);
    assert.ok(most - before < small.grows * slowness, `it grew by ${most - before} MiB`);
    return media.poured;
  };

  it('a gigabyte that is announced is not begun', async () => {
    const poured = await tooLarge('gigabyte', /: it has at least 1000000000 bytes, and the media of a message may have 5000000 together\.$/);
    assert.ok(poured < 20 * 4e6, `${poured} bytes were sent`); // what was in buffers
  });

  it('one that is not announced is ended when it is too much', async () => {
    const poured = await tooLarge('endless', /: it has at least 50\d{5} bytes, and the media of a message may have 5000000 together\.$/);
    assert.ok(poured < 20 * 16e6, `${poured} bytes were sent`);
  });

});

withMedia('media: files that never come to their end', {}, (context) => {
  it('one that comes drop by drop runs out of time, and nothing of it stays', async () => {
    const before = { memory: context.resident(), files: filesBelow(join(context.server.dataDir, 'media')).length };
    const ids = await Promise.all(Array.from({ length: 20 }, () => context.send('drip')));
    for (const id of ids) {
      const { errorCode, said } = await context.ended(id, { within: 30_000 });
      assert.equal(errorCode, 'media_unreachable');
      assert.match(said[0], /: the answer was not complete after 2 s \(tried twice\)\.$/);
    }
    assert.ok(context.resident() - before.memory < small.grows * slowness);
    assert.equal(filesBelow(join(context.server.dataDir, 'media')).length, before.files);
  });
});

withMedia('media: without permission for this machine', { SKYLARK_MEDIA_ALLOW_LOCALHOST: 'off' }, (context) => {
  it('nothing is fetched from it, by whatever name', async () => {
    const { port } = context.media;
    for (const host of ['localhost', '127.0.0.1', '127.1', '0x7f000001', '2130706433', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254']) {
      const { errorCode, said } = await context.ended(await context.send(`https://${host}:${port}/file/jpeg`));
      assert.equal(errorCode, 'media_unreachable', host);
      assert.match(said[0], /the server does not connect (there|to it)\.$/, host);
    }
    assert.equal(context.media.connections, 0);
  });
});

withMedia('media: where the message does not wait for it', { SKYLARK_SIMULATOR_MEDIA: 'lenient' }, (context) => {
  it('it is delivered, and its history says what was wrong', async () => {
    const messageId = await context.send('status/404', 'file/jpeg');
    assert.equal((await context.ended(messageId)).status, 'delivered');
    const { said } = await until('the entry', async () => {
      const message = await context.ended(messageId);
      return message.said.length && message;
    }, { within: 10_000 });
    assert.deepEqual(said, [`Media 1 of 2 (${context.media.url('status/404')}): the server answered 404.`]);
  });
});
