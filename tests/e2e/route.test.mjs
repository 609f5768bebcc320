// Carriers, senders and routes in the configuration: what is checked, shown and explained without a
// server.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';

const codes = { ok: 0, usage: 2, notFound: 5, badConfig: 78 };

const carriers = `
[carrier acme]
address = 127.0.0.1:2775
system_id = skylark
password = hidden
[carrier spare]
address = [::1]:2775
system_id = skylark
[sender +18005551234]
[sender +447700900001]
[sender Acme]
carriers = spare
[route gb]
prefix = +44
carrier = acme
cost = 0.0201
[route codes]
prefix = +44
type = otp
priority = 1
carrier = spare
[route rest]
carrier = spare
weight = 0
`;

describe('live settings', () => {
  let folder;
  const file = (text, name = 'skylark.ini') => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const explain = async (...args) => {
    const path = file(carriers);
    return skylark(['route', 'explain', ...args, '--config', path, '--data-dir', join(folder, 'data')]);
  };
  const explained = async (...args) => {
    const { code, stdout, stderr } = await explain(...args, '-o', 'json');
    assert.equal(code, codes.ok, stderr);
    return JSON.parse(stdout);
  };

  before(async () => {
    folder = temporaryFolder('route');
    const made = await skylark(['accounts', 'create', 'shop', '--data-dir', join(folder, 'data')]);
    assert.equal(made.code, codes.ok, made.stderr);
  });
  after(() => removeFolder(folder));

  it('are found in order', async () => {
    const path = file(carriers);
    const { code, stderr } = await skylark(['config', 'check', path]);
    assert.equal(code, codes.ok, stderr);
    assert.equal(stderr, `${path} is in order.\n`);
  });

  it('are told with file and line when they are not', async () => {
    for (const [text, line, said] of [
      ['[carrier acme]\nsystem_id = x\n', 1, /\[carrier acme\] needs address/],
      [carriers.replace('carrier = acme', 'carrier = amce'), 15, /did you mean 'acme'\?/],
      [carriers.replace('[sender Acme]', '[sender 60123]\ncountry = UK'), 11, /sender 60123\.country is UK, which no country has/],
      ['[sender +18005551234]\n', 1, /a sender needs a carrier/],
      [carriers.replace('password = hidden', 'statuses = 0x45=sometimes'), 2, /\[carrier acme\] statuses: '0x45=sometimes'/],
      [carriers.replace('password = hidden', 'tls = on\ntls_ca = /nowhere.pem'), 2, /\/nowhere\.pem cannot be read/],
    ]) {
      const path = file(text, 'faulty.ini');
      const { code, stderr } = await skylark(['config', 'check', path]);
      assert.equal(code, codes.badConfig, stderr);
      assert.ok(stderr.startsWith(`${path}:${line}: `), stderr);
      assert.match(stderr, said);
    }
  });

  it('are shown, but for passwords', async () => {
    const { code, stdout } = await skylark(['config', 'show', '--config', file(carriers), '-o', 'json']);
    assert.equal(code, codes.ok);
    const shown = new Map(JSON.parse(stdout).map(({ setting, value }) => [setting, value]));
    assert.equal(shown.get('carrier acme.password'), '****');
    assert.equal(shown.get('carrier spare.password'), '');
    assert.equal(shown.get('carrier spare.address'), '[::1]:2775');
    assert.equal(shown.get('sender Acme.carriers'), 'spare');
    assert.equal(shown.get('route gb.cost'), '0.0201');
    assert.ok(!stdout.includes('hidden'));
  });

  it('say which way a message goes', async () => {
    const way = await explained('+447700900123');
    assert.deepEqual(
      [way.from, way.numberType, way.reason, way.route, way.carrier, way.price],
      ['+447700900001', 'local', 'local-routing', 'gb', 'acme', { amount: 0.045, currency: 'USD', source: 'the built-in price' }],
    );
    assert.deepEqual(way.routes.map(({ route, canTake }) => [route, canTake]), [['codes', false], ['gb', true], ['rest', true]]);
    assert.deepEqual(way.otherSenders.map(({ from }) => from), ['+18005551234', 'Acme']);
    assert.equal((await explained('+447700900123', '--message-type', 'otp')).route, 'codes');
    const named = await explained('+447700900123', '--from', 'Acme');
    assert.deepEqual([named.route, named.carrier, named.coverage, named.reason], ['rest', 'spare', 'low', 'user-specified']);
  });

  it('say it in words, too', async () => {
    const { code, stdout } = await explain('+447700900123');
    assert.equal(code, codes.ok);
    for (const said of [/^From +\+447700900001/m, /^Carrier +acme, by the route gb$/m, /^Price +0\.045 USD/m, /^rest .*last resort/m]) {
      assert.match(stdout, said);
    }
  });

  // An MMSC for North America, and links for one sender where none goes.
  const media = `${carriers}
[mmsc pictures]
url = http://127.0.0.1:1/mm7
[route us-media]
prefix = +1
carrier = pictures
`.replace('[sender +18005551234]', '[sender +18005551234]\ncapabilities = sms mms');
  const links = media.replace('[sender +447700900001]', '[sender +447700900001]\nwithout_mms = links');
  const mediaWay = async (text, ...args) => {
    const said = await skylark(['route', 'explain', ...args, '--mms', '--config', file(text, 'media.ini'), '--data-dir', join(folder, 'data')]);
    return { ...said, way: args.includes('json') ? JSON.parse(said.stdout) : null };
  };

  it('say which way media go', async () => {
    const { code, way } = await mediaWay(media, '+14155550123', '-o', 'json');
    assert.equal(code, codes.ok);
    assert.deepEqual([way.type, way.links, way.from, way.carrier, way.price.amount], ['mms', false, '+18005551234', 'pictures', 0.02]);
    assert.deepEqual(way.routes.map(({ route, canTake, explanation }) => [route, canTake, explanation]), [
      ['us-media', true, 'It is taken.'], ['rest', false, 'It takes no media.']]);
    assert.deepEqual(way.otherSenders.map(({ from, reason }) => [from, reason]), [
      ['+447700900001', 'It takes no media.'], ['Acme', 'Networks of +1 take no names as senders.']]);
    assert.equal((await explained('+447700900123')).type, 'sms');
    assert.match((await mediaWay(media, '+14155550123')).stdout, /^Price +0\.02 USD for a message/m);
  });

  it('say why no media go, or that they go as links', async () => {
    const refused = await mediaWay(media, '+447700900123', '-o', 'json');
    assert.equal(refused.code, codes.notFound);
    assert.match(refused.stderr, /^mms_not_supported: No MMS goes to this destination/);
    assert.deepEqual([refused.way.type, refused.way.problemCode], ['mms', 'mms_not_supported']);
    assert.ok(refused.way.routes.every(({ canTake }) => !canTake));
    const { code, way } = await mediaWay(links, '+447700900123', '-o', 'json');
    assert.equal(code, codes.ok);
    assert.deepEqual([way.type, way.links, way.problemCode, way.from, way.carrier], ['sms', true, 'mms_not_supported', '+447700900001', 'acme']);
    const inWords = await mediaWay(links, '+447700900123');
    assert.match(inWords.stdout, /^Media +as links in an SMS\. No MMS goes to this destination/m);
    assert.match(inWords.stdout, /^Price +0\.045 USD for a segment/m);
    const none = await skylark(['route', 'explain', '+447700900123', '--mms', '--config', file('', 'empty.ini')]);
    assert.match(none.stderr, /\[mmsc acme\]\nurl = /);
  });

  it('say why there is no way', async () => {
    for (const [args, expected, said] of [
      [['+447700900123', '--from', '+18005551234'], codes.notFound, /A toll-free number reaches only \+1\./],
      [['+447700900123', '--from', 'Nobody'], codes.notFound, /not one of your senders/],
      [['+9991234567'], codes.notFound, /No country has the calling code/],
      [['12345'], codes.usage, /is no phone number/],
      [['+447700900123', '--message-type', 'spam'], codes.usage, /is no type of message/],
      [['+447700900123', '--account', 'shpo'], codes.notFound, /did you mean 'shop'\?/],
    ]) {
      const { code, stderr } = await explain(...args);
      assert.equal(code, expected, stderr);
      assert.match(stderr, said);
    }
  });

  it('say what to write when there is no carrier', async () => {
    const { code, stderr } = await skylark(['route', 'explain', '+447700900123', '--config', file('', 'empty.ini')]);
    assert.equal(code, codes.notFound);
    assert.match(stderr, /\[carrier acme\]\naddress = /);
  });
});
