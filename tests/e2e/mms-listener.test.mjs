// What our listener bears: long texts, repetitions, many large bodies at once, and strangers.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { mediaFiles, png } from './lib/media-files.mjs';
import { Mmsc, mmsServer, withMms } from './lib/mmsc.mjs';
import { Receiver } from './lib/receiver.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { Hooks, localhostAllowed, newSecret } from './lib/webhooks.mjs';
import { slowness, until } from './lib/wait.mjs';

const files = () => mediaFiles();

const text = (bytes, charset = 'utf-8') => ({ type: `text/plain; charset=${charset}`, bytes });
const inbox = async (client, query = '') => (await client.get(`/v1/messages?direction=inbound${query}`)).body.data;

describe('mms: what the listener bears', { timeout: 120_000 * slowness }, () => {
  it('long texts: shown up to 16,000 bytes, kept whole as a file, and in nobody\'s way', withMms(files, {}, { server: { env: localhostAllowed } }, async ({ peer, live, client, t }) => {
    const receiver = await Receiver.start();
    t.after(() => receiver.stop());
    await new Hooks(client).create({ url: receiver.url(), events: ['message.received'], secret: newSecret() });
    const long = `${'x'.repeat(15_999)}é${'y'.repeat(5_000_000)}`;
    for (let i = 0; i < 4; i++) {
      const { code } = await peer.deliver({ transaction: `long-${i}`, parts: [text(long), { type: 'image/png', bytes: png() }] });
      assert.equal(code, 1000);
    }
    assert.equal((await peer.deliver({ transaction: 'control', parts: [text('\u0001'.repeat(180_000))] })).code, 1000);
    await peer.deliver({ transaction: 'short', subject: 'one\ntwo', parts: [text('short')] });
    await until('the short one', () => receiver.events.some(({ data }) => data.text === 'short'));
    assert.equal(receiver.events.length, 6);

    const list = await inbox(client, '&limit=100');
    assert.equal(list.length, 6);
    const [{ subject }, control, message] = list;
    assert.equal(subject, 'one two');
    assert.equal(control.text, ' '.repeat(16_000));
    assert.equal(message.text, 'x'.repeat(15_999));
    assert.equal(message.mediaUrls.length, 2);
    const whole = await client.exchange('GET', new URL(message.mediaUrls[1]).pathname);
    assert.match(whole.headers['content-type'], /^text\/plain/);
    assert.ok(whole.bytes.equals(Buffer.from(long)));
    assert.ok((await live.events(message.messageId)).some((e) => e.type === 'media' && /media file 2 has all of it/.test(e.description)));
  }));

  it('texts as handsets write them', withMms(files, {}, {}, async ({ peer, client }) => {
    await peer.deliver({ parts: [text(Buffer.from('\x80 5 \x96 \x93caf\xe9\x94\r\nbye\x07', 'latin1'), 'windows-1252')] });
    assert.equal((await inbox(client))[0].text, '€ 5 – “café”\nbye ');
  }));

  it('a message that is brought again is not another one, also after a restart', async () => {
    const folder = temporaryFolder();
    const media = await mediaFiles();
    const peer = await Mmsc.start();
    let live;
    try {
      live = await mmsServer(peer, media, { folder });
      const { key } = live;
      const bring = (more) => peer.deliver({ transaction: 'once-1', parts: [text('hello'), { type: 'image/png', bytes: png(5000, 1) }], ...more });
      for (let round = 0; round < 2; round++) {
        const all = await Promise.all([bring(), bring(), bring()]);
        assert.deepEqual(all.map((r) => [r.status, r.kind, r.code]), Array(3).fill([200, 'DeliverRsp', 1000]));
        const list = await inbox(live.client);
        assert.equal(list.length, 1);
        assert.equal((await live.client.exchange('GET', new URL(list[0].mediaUrls[0]).pathname)).bytes.length, 5000);
        await live.server.crash();
        live = await mmsServer(peer, media, { folder, key });
      }
      // An MMSC that begins to count anew: another message under a name that was used before.
      assert.equal((await bring({ parts: [text('another')] })).code, 1000);
      assert.equal((await bring({ transaction: 'once-2' })).code, 1000);
      assert.equal((await inbox(live.client)).length, 3);
      await live.end();
      live = null;
    } finally {
      await live?.server.dispose();
      await peer.stop();
      await media.stop();
      removeFolder(folder);
    }
  });
});
