// skylark stats: how it stands, once; and --watch: every second, on a terminal and in a pipe, while the server goes away
// and comes back.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, programPath, skylark, withoutLeakCheck } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder, freePort } from './lib/server.mjs';
import { startOnTerminal } from './lib/terminal.mjs';
import { slowness, until, within } from './lib/wait.mjs';

const atOnce = '+15550001234';

describe('stats by the command line', { timeout: 120_000 * slowness }, () => {
  let server;
  let api;
  let folder;
  let options;

  before(async () => {
    folder = temporaryFolder();
    const config = join(folder, 'skylark.ini');
    writeFileSync(config, `[carrier acme]\naddress = 127.0.0.1:${await freePort()}\nsystem_id = a\npassword = b\n[sender +18005551234]\n`);
    options = { dataDir: folder, listen: `127.0.0.1:${await freePort()}`, args: ['--config', config] };
    server = await Server.start(options);
    api = await server.keyedClient();
    for (let i = 0; i < 3; i++) await api.sent({ to: atOnce, text: 'Hello' });
    await until('the deliveries', async () => (await api.get('/v1/stats/live')).body.lastMinute.delivered === 3);
  });
  after(async () => {
    await server?.dispose();
    removeFolder(folder);
  });

  const env = (extra = {}) => ({ SKYLARK_API_KEY: api.key, ...extra });
  const cli = (...args) => skylark(['stats', ...args, '--data-dir', folder], { env: env() });

  // Starts a watch whose output goes to a pipe.
  const watch = (key, ...args) => {
    const child = spawn(programPath, ['stats', '--watch', ...args, '--data-dir', folder], { env: environment({ ...withoutLeakCheck(), SKYLARK_API_KEY: key }) });
    const all = { child, stdout: '', stderr: '' };
    child.stdout.on('data', (piece) => { all.stdout += piece; });
    child.stderr.on('data', (piece) => { all.stderr += piece; });
    all.ended = new Promise((done) => { child.on('close', (code, signal) => done({ code, signal })); });
    all.lines = () => all.stdout.split('\n').slice(0, -1);
    return all;
  };
  const stop = async ({ child, ended }) => {
    child.kill('SIGINT');
    assert.deepEqual(await within(5000, 'the end of the watch', ended), { code: 0, signal: null });
  };

  it('shows windows, queue and what limits', async () => {
    const { code, stdout, stderr } = await cli();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Live statistics of test messages, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\n\n +LAST MINUTE +LAST HOUR +LAST 24 HOURS\naccepted +3 +3 +3\n/);
    assert.match(stdout, /^delivered +3 +3 +3\nfailed +0 +0 +0$/m);
    assert.match(stdout, /^Queue +0 queued, 0 scheduled$/m);
    assert.match(stdout, /^Delivered +100 % of what ended in the last 24 hours$/m);
    assert.match(stdout, /^Limited by +nothing$/m);
  });

  it('shows the same as JSON and CSV', async () => {
    const { stdout } = await cli('-o', 'json');
    const stats = JSON.parse(stdout);
    assert.deepEqual([stats.livemode, stats.lastHour.delivered, stats.limitedBy], [false, 3, []]);
    const [names, values] = (await cli('-o', 'csv')).stdout.split('\n').map((line) => line.split(','));
    assert.equal(names.length, values.length);
    assert.equal(values[names.indexOf('lastHour.delivered')], '3');
  });

  it('says in words what limits: a carrier that is not there', async () => {
    const { key } = await server.createKey({ type: 'live' });
    await server.client(key).sent({ to: '+15551234567', text: 'Hello' });
    const live = { env: { SKYLARK_API_KEY: key } };
    const { code, stdout } = await skylark(['stats', '--data-dir', folder], live);
    assert.equal(code, 0);
    assert.match(stdout, /^Live statistics of live messages/);
    assert.match(stdout, /^Queue +1 queued \(the oldest for \d+ s\), 0 scheduled$/m);
    assert.match(stdout, /^Limited by +No bind of carrier acme is up; 1 message waits for it\.$/m);
    const watching = watch(key);
    await until('a line', () => watching.lines().length >= 1, { within: 10_000 });
    assert.match(watching.lines()[0], /  queued 1 for \d+ s  delivered -  limited by link_down of acme$/);
    await stop(watching);
  });

  it('refuses a key that may not look', async () => {
    const { key } = await server.createKey({ permissions: 'sms:send' });
    for (const more of [[], ['--watch']]) {
      const { code, stdout, stderr } = await skylark(['stats', ...more, '--data-dir', folder], { env: { SKYLARK_API_KEY: key } });
      assert.deepEqual([code, stdout], [4, ''], stderr);
    }
  });

  it('watches: a line a second in a pipe', async () => {
    const watching = watch(api.key);
    await until('three lines', () => watching.lines().length >= 3, { within: 10_000 });
    const [first, second, third] = watching.lines();
    for (const line of [first, second, third]) assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  accepted [\d.]+\/s  sent [\d.]+\/s  queued 0  delivered 100 %$/);
    assert.notEqual(second.slice(0, 19), third.slice(0, 19));
    await stop(watching);
  });

  it('watches: every event as JSON, and as CSV under one line of names', async () => {
    const json = watch(api.key, '-o', 'jsonl');
    const csv = watch(api.key, '-o', 'csv');
    await until('lines', () => json.lines().length >= 2 && csv.lines().length >= 3, { within: 10_000 });
    for (const line of json.lines()) assert.equal(JSON.parse(line).lastHour.accepted, 3);
    assert.match(csv.lines()[0], /^timestamp,livemode,/);
    assert.equal(csv.lines().filter((line) => line.startsWith('timestamp')).length, 1);
    await stop(json);
    await stop(csv);
  });

  it('watches on a terminal: draws over what it drew, and leaves a tidy screen', async () => {
    const watching = startOnTerminal(['stats', '--watch', '--data-dir', folder], { env: env(), width: 70, height: 30 });
    await until('the second drawing', () => (watching.output().match(/Live statistics/g) ?? []).length >= 3, { within: 10_000 });
    const output = watching.output();
    const [, first, second] = output.split('\u001b[J');
    assert.match(second, /^\u001b\[(\d+)A\r/);
    assert.equal(Number(/\u001b\[(\d+)A/.exec(second)[1]), first.split('\n').length - 1, 'goes up as far as it went down');
    assert.match(second, /[▁▂▃▄▅▆▇█ ]\u001b\[K/);
    assert.ok(!output.includes('\u001b[?25l'), 'the cursor is never hidden, so nothing has to bring it back');
    watching.child.stdin.write('\u0003');
    assert.deepEqual(await within(5000, 'the end of the watch', watching.ended), { code: 0 });
  });

  it('waits for a server that went away, and goes on', async () => {
    const watching = watch(api.key, '-o', 'jsonl');
    await until('a line', () => watching.lines().length >= 1, { within: 10_000 });
    await server.crash();
    await until('that it is told', () => watching.stderr.includes('trying to come back'), { within: 10_000 });
    server = await Server.start(options);
    await until('that it is back', () => watching.stderr.includes('Connected again.'), { within: 20_000 });
    const before = watching.lines().length;
    await until('a line more', () => watching.lines().length > before, { within: 10_000 });
    assert.equal(JSON.parse(watching.lines().at(-1)).lastHour.accepted, 3, 'the restart lost nothing');
    await stop(watching);
    await server.stop();
  });

  it('tells that no server is there', async () => {
    const { code, stderr } = await cli('--watch');
    assert.equal(code, 7);
    assert.match(stderr, /No server is running/);
  });
});
