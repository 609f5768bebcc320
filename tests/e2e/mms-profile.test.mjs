// What an MMSC takes of media is asked again when a message goes to another one, or when the answer changes, also
// of files that are in the store already.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { jpeg, mediaFiles } from './lib/media-files.mjs';
import { Mmsc, basic, mmsc, withMms } from './lib/mmsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+14155550123';
const files = () => mediaFiles({ 'cat.jpg': { type: 'image/jpeg', bytes: jpeg(300_000, 1) }, 'huge.jpg': { type: 'image/jpeg', bytes: jpeg(6_000_000, 1) } });
const entries = async (client, id) => (await client.get(`/v1/messages/${id}/events`)).body.data.filter((e) => e.type === 'media').map((e) => e.description);

describe('mms: what a carrier takes', { timeout: 120_000 * slowness }, () => {
  for (const [settings, errorCode, why] of [
    [{ max_size: 100_000 }, 'media_too_large', /cat\.jpg.*300000 bytes.*100000/],
    [{ media_types: 'png' }, 'unsupported_media_type', /cat\.jpg.*does not take image\/jpeg/],
  ]) {
    it(`a carrier that takes less gets nothing of what another has refused: ${errorCode}`, async (t) => {
      const small = await Mmsc.start();
      t.after(() => small.stop());
      const sections = { mmsc: {}, route: { first: { carrier: 'acme', type: 'mms', priority: 1 }, second: { carrier: 'small', type: 'mms', priority: 2 } } };
      await withMms(files, { submit: (submit, response) => Boolean(response.writeHead(404, { 'Content-Length': 0 }).end()) }, {}, async ({ peer, media, live, client }) => {
        live.configure({ ...live.sections(), ...sections, mmsc: { acme: mmsc(peer), small: mmsc(small, settings) } });
        await until('both', async () => (await live.carriers()).small?.state === 'ready');
        const { messageId } = await client.sent({ to, text: 'x', mediaUrls: [media.url('cat.jpg')] });
        const message = await live.status(messageId, 'failed');
        assert.equal(message.errorCode, errorCode);
        assert.match((await entries(client, messageId)).at(-1), why);
        assert.equal(small.submits.length, 0);
        assert.equal(media.receiver.requests.length, 1, 'it was fetched once');
      })(t);
    });
  }

  it('a reload that lowers max_size holds for what was fetched before', withMms(files, { authorization: basic('user', 'right') }, {
    settings: { username: 'user', password: 'wrong' },
  }, async ({ peer, media, live, client }) => {
    const { messageId } = await client.sent({ to, text: 'x', mediaUrls: [media.url('cat.jpg')] });
    await until('it to be refused', async () => (await live.carriers()).acme.state === 'down');
    assert.equal((await client.message(messageId)).status, 'queued');
    live.configure(live.sections({ password: 'right', max_size: 100_000 }));
    assert.equal((await live.status(messageId, 'failed')).errorCode, 'media_too_large');
    assert.equal(media.receiver.requests.length, 1, 'it was fetched once');
  }));

  it('strict test messages fail with what is wrong with their media', withMms(files, {}, { sections: { simulator: { media: 'strict' } } }, async ({ media, live, peer }) => {
    const client = await live.server.keyedClient({ type: 'test' });
    const { messageId } = await client.sent({ to, text: 'x', mediaUrls: [media.url('huge.jpg')] });
    const message = await until('it to fail', async () => {
      const found = await client.message(messageId);
      return found.status === 'failed' && found;
    });
    assert.equal(message.errorCode, 'media_too_large');
    assert.equal((await entries(client, messageId)).length, 1);
    assert.equal(peer.submits.length, 0);
  }));
});
