// skylark usage, delivery and costs: the same numbers as the API has, as tables, JSON and CSV, and as a plot.
import { before, it } from 'node:test';
import assert from 'node:assert/strict';
import { skylark } from './lib/program.mjs';
import { withServer } from './lib/server.mjs';
import { onTerminal } from './lib/terminal.mjs';
import { until } from './lib/wait.mjs';

const codes = { ok: 0, failed: 1, usage: 2, auth: 4 };
const reports = { usage: '/v1/analytics/usage', delivery: '/v1/analytics/delivery', costs: '/v1/analytics/costs' };
const atOnce = '+15550001234';
const noRoute = '+15005550002';
const today = () => new Date().toISOString().slice(0, 10);

withServer('analytics by the command line', {}, (context) => {
  const cli = (args, { env = {} } = {}) => skylark([...args, '--data-dir', context.server.dataDir], { env: { SKYLARK_API_KEY: context.api.key, ...env } });
  const good = async (args, options) => {
    const { code, stdout, stderr } = await cli(args, options);
    assert.equal(code, codes.ok, stderr);
    return stdout;
  };
  const terminal = (args, options = {}) =>
    onTerminal([...args, '--data-dir', context.server.dataDir], { ...options, env: { SKYLARK_API_KEY: context.api.key, ...options.env } });

  before(async () => {
    for (let i = 0; i < 4; i++) await context.api.sent({ to: atOnce, text: 'Hello', tags: ['spring'], messageType: 'marketing' });
    await context.api.sent({ to: atOnce, text: 'Code 123456', messageType: 'otp' });
    await context.api.sent({ to: noRoute, text: 'Nobody' });
    await context.api.sent({ to: atOnce, text: 'Later', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    await until('the ends', async () => {
      const { totals } = (await context.api.get(reports.delivery)).body;
      return totals.delivered === 5 && totals.failed === 1;
    });
  });

  for (const [word, path] of Object.entries(reports)) {
    it(`${word}: JSON, JSON lines and CSV are what the server says`, async () => {
      const { body } = await context.api.get(`${path}?period=7d`);
      const shown = JSON.parse(await good([word, '--period', '7d', '-o', 'json']));
      // Calls go on being counted.
      const still = (answer) => JSON.parse(JSON.stringify(answer, (key, value) => (['requests', 'projectedMonthTotal'].includes(key) ? undefined : value)));
      assert.deepEqual(still(shown), still(body));
      const lines = (await good([word, '--period', '7d', '-o', 'jsonl'])).trimEnd().split('\n').map((line) => JSON.parse(line));
      assert.equal(lines.length, 7);
      assert.deepEqual(still(lines), still(body.data));
      const csv = await good([word, '--period', '7d', '-o', 'csv']);
      const [header, ...rows] = csv.trimEnd().split('\r\n');
      assert.match(header, /^date,/);
      assert.equal(rows.length, 7);
      assert.ok(rows[6].startsWith(today()), csv);
    });
  }

  it('usage: a table with totals, rows and breakdowns', async () => {
    const text = await good(['usage']);
    assert.match(text, /^Usage of test messages, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d UTC, by day\n\nMessages +7\n/);
    assert.match(text, /^Segments +7$/m);
    assert.match(text, /^Cost +0 USD$/m);
    assert.match(text, new RegExp(`^${today()} +7 +7 +7 +\\d`, 'm'));
    assert.match(text, /^29 days with nothing are left out\.$/m);
    assert.match(text, /^By message type\nMESSAGE TYPE +MESSAGES +SEGMENTS\nmarketing +4 +4\n/m);
    assert.match(text, /^By tag\nTAG +MESSAGES +SEGMENTS\nspring +4 +4$/m);
    assert.ok(!/[▁▂▃▄▅▆▇█┤\u001b]/.test(text), text);
  });

  it('delivery: rates, times and the causes of failures', async () => {
    const text = await good(['delivery']);
    assert.match(text, /^Messages +7\n  delivered +5\n  failed +1\n  cancelled +0\n  sent, no receipt yet +0\n  queued +0\n  scheduled +1\nDelivery rate +83\.33 %\nDelivery time +[\d.]+ s\n  of 95 % up to about +[\d.]+ s$/m);
    assert.match(text, /^Failures\nERROR +MESSAGES +MEANING\nno_route +1 +\S/m);
    assert.match(text, /^By country\nCOUNTRY +MESSAGES/m);
  });

  it('costs: what the month comes to', async () => {
    const text = await good(['costs']);
    assert.match(text, /^Costs of test messages/);
    assert.match(text, /^This month, if it goes on +0 USD$/m);
  });

  it('takes filters, dates and times that are so long ago', async () => {
    const count = async (...args) => JSON.parse(await good(['usage', '-o', 'json', ...args])).totals.messages;
    assert.equal(await count('--tag', 'spring'), 4);
    assert.equal(await count('--message-type', 'otp'), 1);
    assert.equal(await count('--country', 'de'), 0);
    assert.equal(await count('--from', '+18005551234', '--tag', 'spring'), 4);
    assert.equal(await count('--start', today(), '--end', today()), 7);
    assert.equal(await count('--start', '2020-02-28', '--end', '2020-02-29'), 0);
    const ago = JSON.parse(await good(['usage', '-o', 'json', '--start', '36h', '--end', '24h', '--interval', 'hour']));
    assert.ok(ago.data.length >= 12 && ago.data.length <= 14, `${ago.data.length} hours`);
    assert.equal(ago.totals.messages, 0);
  });

  it('says which option is wrong, and what helps', async () => {
    const wrong = async (args, code, ...words) => {
      const { code: got, stdout, stderr } = await cli(args);
      assert.deepEqual([got, stdout], [code, ''], stderr);
      for (const word of words) assert.ok(stderr.includes(word), stderr);
    };
    await wrong(['usage', '--interval', 'year'], codes.failed, 'field    interval', 'invalid_parameter');
    await wrong(['usage', '--start', '2026-04-31'], codes.failed, 'field    startDate', 'invalid_date_range');
    await wrong(['usage', '--start', 'yesterday'], codes.failed, 'startDate');
    await wrong(['delivery', '--start', '2026-02-01', '--end', '2026-01-01'], codes.failed, 'invalid_date_range');
    await wrong(['costs', '--period', '1y'], codes.failed, 'field    period');
    await wrong(['costs', '--plot', '--no-plot'], codes.usage, 'not both');
    await wrong(['costs', '--plot', '-o', 'csv'], codes.usage, 'table only');
    await wrong(['usage', '--tag', 'a', '--tag', 'b'], codes.usage, '--tag once');
    const key = (await context.server.createKey({ permissions: 'sms:read' })).key;
    const refused = await cli(['usage'], { env: { SKYLARK_API_KEY: key } });
    assert.deepEqual([refused.code, refused.stdout], [codes.auth, '']);
  });

  it('draws a plot where it is asked for one, as wide as there is room', async () => {
    for (const width of [60, 80, 200]) {
      const text = await good(['usage', '--plot'], { env: { COLUMNS: `${width}`, LC_ALL: 'C.UTF-8' } });
      const plot = text.split('\n\n').find((part) => part.startsWith('Messages per day\n'));
      assert.match(plot, /^8 ┤\n {2}│ +█+\n/m, text);
      assert.match(plot, /^ {4}\d{4}-\d\d-\d\d .*\d{4}-\d\d-\d\d$/m);
      for (const line of plot.split('\n')) assert.ok([...line].length <= width, line);
    }
    const ascii = await good(['delivery', '--plot'], { env: { COLUMNS: '80', LC_ALL: 'C' } });
    assert.match(ascii, /^Delivered per day$/m);
    assert.match(ascii, /^Failed per day$/m);
    assert.match(ascii, /\| +#$/m);
    assert.ok(/^[\n -~]*$/.test(ascii), ascii);
  });

  it('draws one on a terminal, in colour unless NO_COLOR says otherwise', async () => {
    const { code, stdout } = await terminal(['delivery'], { width: 100 });
    assert.equal(code, codes.ok, stdout);
    assert.match(stdout, /\u001b\[1mDelivered\u001b\[0m per day/);
    assert.match(stdout, /\u001b\[31m.*█/);
    const plain = await terminal(['delivery'], { env: { NO_COLOR: '1' } });
    assert.match(plain.stdout, /^Delivered per day$/m);
    assert.ok(!plain.stdout.includes('\u001b'), plain.stdout);
    const none = await terminal(['delivery', '--no-plot'], { env: { NO_COLOR: '1' } });
    assert.ok(!none.stdout.includes('per day'), none.stdout);
    const json = await terminal(['delivery', '-o', 'json']);
    assert.equal(JSON.parse(json.stdout).totals.delivered, 5);
  });
});
