// Prices by command: a file is taken whole or not at all, and what was taken can be shown, taken again and removed.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';

describe('prices', () => {
  const context = {};
  before(() => { context.folder = temporaryFolder(); });
  after(() => removeFolder(context.folder));

  const prices = (args, options) => skylark(['prices', ...args, '--data-dir', context.folder], options);
  const file = (name, text) => {
    const path = join(context.folder, name);
    writeFileSync(path, text);
    return path;
  };
  const list = async () => JSON.parse((await prices(['list', '-o', 'json'])).stdout);

  it('need a store to be shown from', async () => {
    const { code, stderr } = await prices(['list']);
    assert.equal(code, 5, stderr);
  });

  it('are imported, shown and counted', async () => {
    const path = file('prices.csv', 'prefix,country,price,valid_from,type\n44,,0.045,,\n4477,,0.03,2020-01-01,\n4477,,0.02,2999-01-01,\n,ca,0.015,,\n*,,0.08,,\n*,,0.02,,mms\n');
    const { code, stderr } = await prices(['import', path]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Imported 6 prices \(0 replaced\)\.$/m);
    assert.match(stderr, /^1 of them holds later/m);
    const rows = await list();
    assert.deepEqual(rows.map((r) => [r.prefix, r.country, r.type, r.price, r.valid_from, r.state]), [
      ['*', null, 'sms', 0.08, null, 'valid'],
      ['*', null, 'mms', 0.02, null, 'valid'],
      [null, 'CA', 'sms', 0.015, null, 'valid'],
      ['44', null, 'sms', 0.045, null, 'valid'],
      ['4477', null, 'sms', 0.03, '2020-01-01T00:00:00.000Z', 'valid'],
      ['4477', null, 'sms', 0.02, '2999-01-01T00:00:00.000Z', 'later'],
    ]);
    const table = (await prices(['list'])).stdout;
    assert.match(table, /^\+4477 +sms +0\.03 +2020-01-01 00:00:00 +valid$/m);
    assert.match(table, /^all others +mms/m);
  });

  it('replace those of the same destination and time', async () => {
    const { code, stderr } = await prices(['import', '-'], { input: 'Prefix;Rate;Valid From\r\n+44;0,05;\r\n4477;0,025;2021-01-01\r\n' });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Imported 2 prices \(1 replaced\)\.$/m);
    const rows = await list();
    assert.equal(rows.find((r) => r.prefix === '44').price, 0.05);
    assert.deepEqual(rows.filter((r) => r.prefix === '4477').map((r) => r.state), ['past', 'valid', 'later']);
  });

  it('are taken whole or not at all, with every fault named', async () => {
    const before = await list();
    const path = file('bad.csv', 'prefix,price\n1,0.01\n2,cheap\n3,0.0000001\n');
    const { code, stderr } = await prices(['import', path]);
    assert.equal(code, 1);
    assert.match(stderr, /bad\.csv:3: 'cheap' is no price/);
    assert.match(stderr, /bad\.csv:4: '0\.0000001' is no price; .* at most 6 decimals/);
    assert.match(stderr, /^Nothing was imported\.$/m);
    assert.deepEqual(await list(), before);
  });

  it('say which columns a file needs', async () => {
    const { code, stderr } = await prices(['import', file('other.csv', 'country,iso2,price_usd_per_sms\nMorocco,MA,0.035\n')]);
    assert.equal(code, 1);
    assert.match(stderr, /other\.csv:1: there is no column 'price' but iso2, price_usd_per_sms: needed are 'prefix' or 'country', and 'price'/);
    assert.equal((await prices(['import', join(context.folder, 'none.csv')])).code, 5);
    assert.equal((await prices(['import', context.folder])).code, 1);
    assert.equal((await prices(['import'])).code, 2);
  });

  it('come back from their own CSV', async () => {
    const before = await list();
    const { stdout } = await prices(['list', '-o', 'csv']);
    const { code, stderr } = await prices(['import', '-', '--replace'], { input: stdout });
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`^Imported ${before.length} prices in the place of ${before.length}\\.$`, 'm'));
    assert.deepEqual(await list(), before);
  });

  it('are removed', async () => {
    const { code, stderr } = await prices(['clear']);
    assert.equal(code, 0);
    assert.match(stderr, /^Removed 7 prices; the built-in ones hold now\.$/m);
    assert.deepEqual(await list(), []);
    assert.match((await prices(['list'])).stderr, /\+1: 0\.0075 USD per segment/);
  });
});
