// skylark doctor: what it finds, what helps, and that the books balance to the last message whatever happened.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Authority } from './lib/certificates.mjs';
import { run, skylark } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const atOnce = '+15550001234';
const codes = { ok: 0, failed: 1, usage: 2 };

async function doctor(folder, args = [], options = {}) {
  const { code, stdout, stderr } = await skylark(['doctor', '-o', 'json', '--data-dir', folder, ...args], options);
  const { healthy, checks, books } = JSON.parse(stdout);
  return { code, stderr, healthy, books, of: Object.fromEntries(checks.map((check) => [check.check, check])) };
}

const sql = async (folder, text) => {
  const { code, stdout, stderr } = await run('sqlite3', [join(folder, 'skylark.db'), text]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
};

// Sends on several connections until the server is gone; how many were acknowledged.
async function load(client) {
  let count = 0;
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (;;) {
      const later = Math.random() < 0.1 ? { scheduledAt: new Date(Date.now() + 600_000).toISOString() } : {};
      const to = Math.random() < 0.1 ? '+15005550002' : atOnce;
      const response = await client.exchange('POST', '/v1/send', { json: { to, text: 'Hello', tags: ['a', 'b'].slice(0, count % 3), ...later } }).catch(() => null);
      if (!response) return;
      assert.equal(response.status, 201, response.text);
      count += 1;
    }
  }));
  return count;
}

describe('doctor', { timeout: 240_000 * slowness }, () => {
  let folder;
  let server;

  before(async () => {
    folder = temporaryFolder();
    server = await Server.start({ dataDir: folder });
  });
  after(async () => {
    await server?.dispose();
    removeFolder(folder);
  });

  it('finds a running server well', async () => {
    const { code, stdout } = await skylark(['doctor', '--data-dir', folder], { env: { LC_ALL: 'C.UTF-8' } });
    assert.equal(code, codes.ok, stdout);
    assert.match(stdout, /^ok +configuration +no file; the defaults hold$/m);
    assert.match(stdout, /^ok +certificate +server\.pem holds until \d{4}-\d\d-\d\d$/m);
    assert.match(stdout, /^ok +clock +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    assert.match(stdout, /^ok +store +opens; /m);
    assert.match(stdout, new RegExp(`^ok +server +runs at https://127\\.0\\.0\\.1:${server.port} and is ready$`, 'm'));
    assert.match(stdout, /^ok +books +0 differences/m);
    assert.ok(!stdout.includes('→'), stdout);
  });

  it('counts every message again with --books', async () => {
    const client = await server.keyedClient();
    const sent = await Promise.all(Array.from({ length: 20 }, () => client.sent({ to: atOnce, text: 'Hello' })));
    await client.sent({ to: atOnce, text: 'Later', scheduledAt: new Date(Date.now() + 600_000).toISOString() });
    await until('the deliveries', async () => (await client.message(sent.at(-1).messageId)).status === 'delivered');
    const { stdout, code } = await skylark(['doctor', '--books', '--data-dir', folder]);
    assert.equal(code, codes.ok, stdout);
    assert.match(stdout, /^ok +books +0 differences, every message counted again$/m);
    assert.match(stdout, /^accepted +21\n {2}delivered +\d+\n {2}failed +0\n {2}cancelled +0\n {2}received +0\n {2}in flight +\d+\nin the store +21\ndifferences +0$/m);
  });

  it('shows each check as a line of JSON and CSV', async () => {
    const lines = (await skylark(['doctor', '-o', 'jsonl', '--data-dir', folder])).stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ check }) => check), ['configuration', 'data folder', 'certificate', 'disk', 'clock', 'store', 'server', 'books']);
    assert.match((await skylark(['doctor', '-o', 'csv', '--data-dir', folder])).stdout, /^state,check,finding,remedy\nok,configuration,/);
    assert.equal((await skylark(['doctor', '-o', 'xml', '--data-dir', folder])).code, codes.usage);
  });

  it('balances right after kill -9 in the middle of sends, again and again', async () => {
    let acknowledged = 21;
    for (let cycle = 0; cycle < 5; cycle++) {
      const client = await server.keyedClient();
      const loaded = load(client);
      await sleep(150 + cycle * 70);
      await server.crash();
      acknowledged += await loaded;
      const { code, books, of } = await doctor(folder, ['--books']);
      assert.equal(of.books.finding, '0 differences, every message counted again');
      assert.deepEqual([code, books.differences, books.first], [codes.ok, 0, null]);
      assert.ok(books.accepted >= acknowledged, `${books.accepted} counted, ${acknowledged} acknowledged`);
      assert.equal(books.accepted, books.delivered + books.failed + books.cancelled + books.received + books.inFlight);
      assert.equal(books.messages, books.accepted);
      assert.deepEqual([of.server.state, of.server.finding], ['warning', 'none runs; the last one was not stopped but killed']);
      server = await Server.start({ dataDir: folder });
    }
    assert.ok(acknowledged > 100, `only ${acknowledged} were sent`);
  });

  it('balances while messages are sent', async () => {
    const client = await server.keyedClient();
    const loaded = load(client);
    for (let i = 0; i < 5; i++) assert.equal((await doctor(folder, ['--books'])).of.books.finding, '0 differences, every message counted again');
    await server.stop();
    await loaded;
    assert.equal((await doctor(folder)).of.server.finding, 'none runs on this data folder');
  });

  it('names the hour of a count that is not right', async () => {
    const [start, counts] = (await sql(folder, 'SELECT start, hex(counts) FROM rollup WHERE grain = 1 ORDER BY length(counts) DESC LIMIT 1')).split('|');
    const other = await sql(folder, `SELECT hex(counts) FROM rollup WHERE grain = 1 AND hex(counts) <> '${counts}' LIMIT 1`);
    assert.ok(other, 'there are two rows');
    await sql(folder, `UPDATE rollup SET counts = X'${other}' WHERE grain = 1 AND start = ${start} AND hex(counts) = '${counts}'`);
    const { code, stdout } = await skylark(['doctor', '--books', '--data-dir', folder]);
    assert.equal(code, codes.failed, stdout);
    const hour = new Date(Number(start) * 3_600_000).toISOString().slice(0, 13);
    assert.match(stdout, /^wrong +books +\d+ difference/m);
    assert.ok(stdout.replace(/\s+/g, ' ').replace('T', ' ').includes(hour.replace('T', ' ')), `${hour} is not named in:\n${stdout}`);
    const json = await doctor(folder, ['--books']);
    assert.ok(json.books.differences > 0 && json.books.first, JSON.stringify(json.books));
    assert.equal(json.healthy, false);
    await sql(folder, `UPDATE rollup SET counts = X'${counts}' WHERE grain = 1 AND start = ${start} AND hex(counts) = '${other}' AND series = (SELECT series FROM rollup WHERE grain = 2 AND hex(counts) = '${counts}' LIMIT 1)`);
  });
});

describe('doctor, of what is wrong', { timeout: 120_000 * slowness }, () => {
  let folder;

  before(async () => {
    folder = temporaryFolder();
    await (await Server.start({ dataDir: folder })).stop();
  });
  after(() => removeFolder(folder));

  const finds = async (check, state, finding, remedy, args = [], options = {}) => {
    const { of, code } = await doctor(folder, args, options);
    assert.equal(of[check]?.state, state, JSON.stringify(of));
    assert.match(of[check].finding, finding);
    assert.match(of[check].remedy, remedy);
    assert.equal(code, state === 'wrong' ? codes.failed : codes.ok);
  };

  it('a folder that is not there', async () => {
    const { code, of } = await doctor(join(folder, 'none'));
    assert.equal(code, codes.failed);
    assert.match(of['data folder'].finding, /^there is no folder /);
    assert.equal(of.store, undefined);
  });

  it('a folder without a store; --books has nothing to read then', async () => {
    const empty = temporaryFolder();
    const { code, of } = await doctor(empty);
    assert.deepEqual([code, of.store.state, of.store.finding], [codes.ok, 'warning', 'there is none in this folder']);
    const books = await doctor(empty, ['--books']);
    assert.deepEqual([books.code, books.of.books.state, books.books], [codes.failed, 'wrong', null]);
    removeFolder(empty);
  });

  it('keys that others may read', async () => {
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'server.key'), 0o644);
    await finds('data folder', 'warning', /may enter .* and read server\.key$/, /^chmod -R go= /);
    chmodSync(join(folder, 'server.key'), 0o600);
    chmodSync(folder, 0o700);
    assert.equal((await doctor(folder)).of['data folder'].state, 'ok');
  });

  it('a faulty configuration, with what config check would say', async () => {
    const file = join(folder, 'bad.ini');
    writeFileSync(file, '[server]\nlisen = 1\n', { mode: 0o600 });
    const { code, of, stderr } = await doctor(folder, ['--config', file]);
    assert.equal(code, codes.failed);
    assert.deepEqual(Object.keys(of), ['configuration']);
    assert.match(stderr, /bad\.ini:2/);
    rmSync(file);
  });

  it('a certificate that ends soon, and one that is none', async () => {
    const authority = await Authority.make(folder, 'authority');
    const soon = await authority.sign('soon', 'IP:127.0.0.1', { days: 5 });
    const env = { SKYLARK_TLS_CERTIFICATE: soon.certFile, SKYLARK_TLS_KEY: soon.keyFile };
    await finds('certificate', 'warning', /soon\.pem ends on \d{4}-\d\d-\d\d, in 4 days$/, /SIGHUP/, [], { env });
    writeFileSync(join(folder, 'server.pem'), 'nonsense');
    await finds('certificate', 'wrong', /server\.pem/, /Remove server\.pem/);
  });

  it('a store that is damaged', async () => {
    writeFileSync(join(folder, 'skylark.db'), 'This is no store. '.repeat(1000));
    rmSync(join(folder, 'skylark.db-wal'), { force: true });
    await finds('store', 'wrong', /cannot be opened/, /backup/, ['--books']);
  });

  it('a server that hangs', async () => {
    const other = await Server.start({});
    try {
      other.signal('SIGSTOP');
      const { code, of } = await doctor(other.dataDir);
      assert.deepEqual([code, of.server.state], [codes.failed, 'wrong']);
      assert.match(of.server.finding, /does not answer/);
    } finally {
      other.signal('SIGCONT');
      await other.dispose();
    }
  });
});
