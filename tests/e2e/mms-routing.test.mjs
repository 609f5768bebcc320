// Which way a message with media goes, and what happens where no MMS goes.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { mediaFiles } from './lib/media-files.mjs';
import { MMS_SENDERS, Mmsc, mmsc, withMms } from './lib/mmsc.mjs';
import { Smsc, carrier, octets } from './lib/smsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const files = () => mediaFiles();

// With a carrier of SMS beside the MMSC.
const withBoth = (options, body) => async (t) => {
  const smsc = await Smsc.start();
  try {
    await withMms(files, {}, { ...options, sections: { carrier: { sms: carrier(smsc) }, ...options.sections?.(smsc) } }, async (world) => {
      await smsc.bound();
      await body({ ...world, smsc });
    })(t);
  } finally {
    await smsc.stop();
  }
};

const onlyNorthAmerica = { route: { us: { prefix: '+1', carrier: 'acme' }, all: { carrier: 'sms' } } };

describe('mms: routing', { timeout: 120_000 * slowness }, () => {
  it('media go to the MMSC, texts to the carrier of SMS', withBoth({}, async ({ peer, media, smsc, live, client }) => {
    const [text, picture] = [await client.sent({ to: '+14155550123', text: 'words' }), await client.sent({ to: '+14155550123', text: 'see', mediaUrls: [media.url('cat.jpg')] })];
    await live.status(text.messageId, 'delivered');
    await live.status(picture.messageId, 'delivered');
    assert.deepEqual([text.type, picture.type], ['sms', 'mms']);
    assert.deepEqual(smsc.submits.map((s) => octets(s).raw), ['words']);
    assert.deepEqual(peer.submits.map((s) => s.text), ['see']);
  }));

  it('a destination without MMS is refused', withBoth({ sections: () => onlyNorthAmerica }, async ({ peer, media, client }) => {
    const { body } = await client.refused(400, 'mms_not_supported', 'mediaUrls', client.send({ to: '+447700900123', text: 'x', mediaUrls: [media.url('cat.jpg')] }));
    assert.match(body.message, /MMS|media/);
    await client.sent({ to: '+447700900123', text: 'without media' });
    assert.equal(peer.submits.length, 0);
  }));

  it('or gets links in an SMS, when the sender has that rule', withBoth({
    sections: () => ({ ...onlyNorthAmerica, sender: Object.fromEntries(Object.entries(MMS_SENDERS).map(([name, s]) => [name, { ...s, without_mms: 'links' }])) }),
  }, async ({ peer, media, smsc, live, client }) => {
    const urls = [media.url('cat.jpg'), media.url('dog.jpg')];
    const message = await client.sent({ to: '+447700900123', text: 'See', mediaUrls: urls });
    assert.equal(message.type, 'sms');
    assert.equal(message.text, `See\n${urls.join('\n')}`);
    assert.deepEqual(message.mediaUrls, urls);
    await live.status(message.messageId, 'delivered');
    assert.equal(smsc.submits.map((s) => octets(s).raw).join(''), message.text);
    assert.equal(peer.submits.length, 0);
    const only = await client.sent({ to: '+447700900123', text: '', mediaUrls: [urls[0]] });
    assert.equal(only.text, urls[0]);
    assert.equal((await client.send({ to: '+447700900123', text: 'x'.repeat(1590), mediaUrls: urls })).body.code, 'mms_not_supported');
    const picture = await client.sent({ to: '+14155550123', text: 'an MMS goes here', mediaUrls: [urls[0]] });
    assert.equal(picture.type, 'mms');
    await live.status(picture.messageId, 'delivered');
  }));

  it('a sender that cannot send MMS is not taken for it', withBoth({
    sections: () => ({ sender: { '+18005550199': { type: 'toll-free' }, '+14155550000': { capabilities: 'sms mms' } } }),
  }, async ({ peer, media, live, client }) => {
    const message = await client.sent({ to: '+14155550123', text: 'x', mediaUrls: [media.url('cat.jpg')] });
    assert.equal(message.from, '+14155550000');
    await live.status(message.messageId, 'delivered');
    assert.equal(peer.submits.length, 1);
    const refused = await client.send({ to: '+14155550123', from: '+18005550199', text: 'x', mediaUrls: [media.url('cat.jpg')] });
    assert.equal(refused.status, 400, refused.text);
  }));

  it('an MMSC comes, changes and goes with the configuration', withBoth({}, async ({ peer, media, live, client }) => {
    const second = await Mmsc.start();
    try {
      const send = async (text) => (await client.sent({ to: '+14155550123', text, mediaUrls: [media.url('cat.jpg')] })).messageId;
      await live.status(await send('one'), 'delivered');
      live.configure(live.sections({}, { mmsc: { other: mmsc(second) } }));
      second.listener = peer.listener.replace(/acme$/, 'other');
      await until('the other MMSC', async () => (await live.carriers()).other);
      await until('a message that goes there', async () => {
        await live.status(await send('two'), 'delivered');
        return second.submits.length > 0;
      });
      assert.equal((await peer.post('x')).status, 404, 'the first has no door any more');
      const { mmsc: gone, ...rest } = live.sections();
      assert.ok(gone.acme);
      live.configure(rest);
      await until('no MMSC', async () => (await client.send({ to: '+14155550123', text: 'three', mediaUrls: [media.url('cat.jpg')] })).body.code === 'mms_not_supported');
    } finally {
      await second.stop();
    }
  }));

  it('a reload does not cut off what the MMSC has not answered', withMms(files, { reports: false }, { settings: { response_timeout: '30s' } }, async ({ peer, media, live, client }) => {
    const send = async (text) => (await client.sent({ to: '+14155550123', text, mediaUrls: [media.url('cat.jpg')] })).messageId;
    let held;
    peer.submit = (submit, response) => {
      if (submit.text !== 'slow') return false;
      held = { submit, response };
      return true;
    };
    const slow = await send('slow');
    await peer.got(1);
    live.configure(live.sections({ vas_id: 'changed' }));
    const begun = performance.now();
    // Longer than the moment that answers have when the server ends.
    for (let changed = false; !changed || performance.now() - begun < 2500;) {
      await live.status(await send('meanwhile'), 'sent');
      changed ||= peer.submits.at(-1).soap.bytes.includes('changed');
    }
    assert.equal((await client.message(slow)).status, 'queued', 'nobody has given it up');
    peer.take(held.submit, held.response);
    await live.status(slow, 'sent');
    assert.equal(peer.submits.filter(({ text }) => text === 'slow').length, 1);
    assert.equal((await live.carriers()).acme.maybeTwice, 0);
  }));

  it('a message whose media cannot be had costs nothing', withMms(files, {}, {}, async ({ peer, live }) => {
    await live.server.command('accounts', 'create', 'prepaid');
    await live.server.command('accounts', 'credit', 'prepaid', '1');
    const client = live.server.client((await live.server.createKey({ type: 'live', account: 'prepaid' })).key);
    const balance = async () => Number(JSON.parse(await live.server.command('accounts', 'list', '-o', 'json')).find((a) => a.name === 'prepaid').balance);
    const message = await client.sent({ to: '+14155550123', text: 'x', mediaUrls: ['https://10.0.0.1/a.jpg'] });
    assert.ok(message.cost.amount > 0 && (await balance()) <= 1);
    const ended = await until('the end', async () => { const m = await client.message(message.messageId); return m.status === 'failed' && m; });
    assert.deepEqual([ended.errorCode, ended.cost.amount], ['media_unreachable', 0]);
    await until('the refund', async () => (await balance()) === 1);
    assert.equal((await client.get('/v1/analytics/costs?period=24h')).body.totals.cost?.amount ?? (await client.get('/v1/analytics/costs?period=24h')).body.totals.amount, 0);
    assert.equal(peer.submits.length, 0);
  }));
});
