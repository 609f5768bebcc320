// Starting: what the first and later starts print, and starts that must fail.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { environment, programPath, run, sanitizerReport, skylark, withoutLeakCheck } from './lib/program.mjs';
import { slowness, until, within } from './lib/wait.mjs';

const timeout = 60_000 * slowness;
const secret = /sl_(test|live)_[0-9A-Za-z]{32}/;

const databaseIn = (folder) => readdirSync(folder).map((name) => join(folder, name))
  .find((path) => path.endsWith('.db') && readFileSync(path).subarray(0, 15).toString() === 'SQLite format 3');

// The server with a terminal for its output; the log goes to a file. Returns what the terminal
// showed, while `use` runs.
async function onTerminal(dataDir, use) {
  const log = join(dataDir, '..', 'log');
  const note = join(dataDir, '..', 'pid');
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const command = `echo $$ > ${quote(note)}; exec ${quote(programPath)} serve --data-dir ${quote(dataDir)} --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0 2> ${quote(log)}`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], { env: environment({ ...withoutLeakCheck(), SHELL: '/bin/sh', TERM: 'xterm', COLUMNS: '80' }), stdio: ['pipe', 'pipe', 'inherit'] });
  const end = new Promise((done) => { terminal.on('close', done); });
  let shown = '';
  terminal.stdout.on('data', (piece) => { shown += piece; });
  try {
    await until('the address on the terminal', () => /https:\/\/127\.0\.0\.1:\d+/.test(shown) && existsSync(note), { within: 10_000 });
    await until('readyz', async () => {
      const [address] = /127\.0\.0\.1:\d+/.exec(shown);
      const probe = await run('curl', ['-sS', '--cacert', join(dataDir, 'ca.pem'), `https://${address}/readyz`]);
      return probe.code === 0;
    });
    // eslint-disable-next-line no-control-regex
    const text = () => shown.replace(/\x1b\[[0-9;]*m/g, '').replaceAll('\r\n', '\n');
    await use(text);
    process.kill(Number(readFileSync(note, 'utf8')), 'SIGTERM');
    assert.equal(await within(15_000, 'the end', end), 0, readFileSync(log, 'utf8'));
    assert.equal(sanitizerReport(readFileSync(log, 'utf8')), null);
    return text();
  } finally {
    if (terminal.exitCode === null && existsSync(note)) {
      try { process.kill(Number(readFileSync(note, 'utf8')), 'SIGKILL'); } catch { /* gone already */ }
    }
  }
}

it('start: as many files may be open as the system lets it, and as many connections', { timeout }, async () => {
  const server = await Server.start({ through: ['sh', '-c', 'ulimit -Sn 128 && exec "$0" "$@"'] });
  try {
    const [, soft, hard] = /^Max open files +(\d+) +(\d+)/m.exec(readFileSync(`/proc/${server.pid}/limits`, 'utf8')).map(Number);
    assert.equal(soft, Math.min(hard, 65536));
    if (hard < 1024) return; // then they would not fit
    const client = server.client(undefined, { connections: 200 });
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.get('/readyz')));
    assert.deepEqual(new Set(answers.map((a) => a.status)), new Set([200]));
  } finally {
    await server.dispose();
  }
});

it('start: on a terminal, the printed curl line works as it stands; the second start prints three lines', { timeout }, async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, `the "data" of O'Brien`);
  try {
    await onTerminal(dataDir, async (text) => {
      const key = await until('a test key', () => secret.exec(text())?.[0]);
      assert.match(key, /^sl_test_/);
      const line = await until('a curl line', () => text().split('\n').map((l) => l.trim()).find((l) => l.startsWith('curl ')));
      assert.ok(line.includes('--cacert') && line.includes(key), line);
      assert.doesNotMatch(line, /--insecure| -k /);
      const answer = await run('sh', ['-c', line], { cwd: '/' });
      assert.equal(answer.code, 0, answer.stderr);
      const message = JSON.parse(answer.stdout.slice(answer.stdout.indexOf('{'), answer.stdout.lastIndexOf('}') + 1));
      assert.equal(message.status, 'queued', answer.stdout);
      const status = await run('sh', ['-c', `${line} -o /dev/null -w '%{http_code}'`], { cwd: '/' });
      assert.ok(status.stdout.endsWith('201'), status.stdout);
      const hint = await until('the command that lists', () => /this shows it: (.*)/.exec(text())?.[1]);
      const listed = await run('sh', ['-c', `${hint} -o json`], { cwd: '/' });
      assert.equal(JSON.parse(listed.stdout).data.length, 2, listed.stderr);
    });
    const second = await onTerminal(dataDir, async (text) => {
      await until('three lines', () => text().trim().split('\n').length >= 3);
    });
    const lines = second.split('\n').filter((line) => line.trim() && !/\^C/.test(line));
    assert.equal(lines.length, 3, second);
    assert.doesNotMatch(second, secret);
  } finally {
    removeFolder(folder);
  }
});

it('start: without a terminal no secret is printed, and it says how to get one', { timeout }, async () => {
  const server = await Server.start();
  try {
    await server.stop();
    assert.doesNotMatch(server.stdout + server.stderr, secret);
    assert.match(server.stdout, /a test key in its file test-key/);
    assert.match(readFileSync(join(server.dataDir, 'test-key'), 'utf8'), new RegExp(`^${secret.source}\n$`));
    assert.equal(server.stdout.trimEnd().split('\n').length, 3, server.stdout);
    rmSync(join(server.dataDir, 'test-key'));
    const again = await Server.start({ dataDir: server.dataDir });
    await again.stop();
    assert.doesNotMatch(again.stdout + again.stderr, secret);
    assert.match(again.stdout + again.stderr, /skylark keys create/);
  } finally {
    await server.dispose();
  }
});

it('start: one that listens everywhere is reached by an address its certificate names', { timeout }, async () => {
  for (const [listen, reached] of [['0.0.0.0:0', /^https:\/\/127\.0\.0\.1:\d+\n$/], ['[::]:0', /^https:\/\/\[::1\]:\d+\n$/]]) {
    const server = new Server({ listen });
    const address = join(server.dataDir, 'address');
    try {
      await until('the address', () => existsSync(address) || server.ended);
      assert.match(readFileSync(address, 'utf8'), reached);
      const sent = await skylark(['send', '+15550001234', 'hello', '--data-dir', server.dataDir]);
      assert.equal(sent.code, 0, sent.stderr);
      await server.stop();
    } finally {
      await server.dispose();
    }
  }
});

it('start: with its standard files closed, nothing meant for them gets into others', { timeout }, async () => {
  const folder = temporaryFolder();
  const command = `"$1" serve --data-dir "$2" --listen 127.0.0.1:0 <&- >&- 2>&- & echo $!`;
  const { stdout } = await run('sh', ['-c', command, 'sh', programPath, folder]);
  const pid = Number(stdout);
  try {
    await until('the address', () => existsSync(join(folder, 'address')));
    const probe = await skylark(['send', '+15550001234', 'hello', '--data-dir', folder]);
    assert.equal(probe.code, 0, probe.stderr);
    process.kill(pid, 'SIGTERM');
    await until('the end', () => !existsSync(`/proc/${pid}`) || /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    assert.equal(readFileSync(join(folder, 'lock'), 'utf8'), '');
  } finally {
    try { process.kill(pid, 'SIGKILL'); } catch { /* gone already */ }
    removeFolder(folder);
  }
});

it('start: the address is also in a file, and the CA stays the same', { timeout }, async () => {
  const server = await Server.start();
  try {
    assert.ok(readFileSync(join(server.dataDir, 'address'), 'utf8').includes(`127.0.0.1:${server.port}`));
    const ca = readFileSync(join(server.dataDir, 'ca.pem'), 'utf8');
    await server.stop();
    const again = await Server.start({ dataDir: server.dataDir });
    assert.equal(readFileSync(join(server.dataDir, 'ca.pem'), 'utf8'), ca);
    await again.stop();
  } finally {
    await server.dispose();
  }
});

it('start: messages and keys outlive a restart', { timeout }, async () => {
  const server = await Server.start();
  try {
    const api = await server.keyedClient();
    const sent = await api.sent({ to: '+15550001060', text: 'still here' });
    await server.stop();
    const again = await Server.start({ dataDir: server.dataDir });
    const message = await again.client(api.key).message(sent.messageId);
    assert.equal(message.text, 'still here');
    assert.equal(message.createdAt, sent.createdAt);
    await again.stop();
  } finally {
    await server.dispose();
  }
});

it('start: a busy port is said in one line, exit code 1', { timeout }, async () => {
  const folder = temporaryFolder();
  const holder = net.createServer().listen(0, '127.0.0.1');
  await new Promise((done) => { holder.once('listening', done); });
  const { port } = holder.address();
  try {
    const { code, stdout, stderr } = await skylark(['serve', '--data-dir', folder, '--listen', `127.0.0.1:${port}`]);
    assert.equal(code, 1, stderr);
    const lines = stderr.trim().split('\n').filter((line) => /in use|busy|taken|uses/i.test(line));
    assert.equal(lines.length, 1, stderr);
    assert.ok(lines[0].includes(String(port)), stderr);
    assert.ok(lines[0].includes(`(pid ${process.pid})`), stderr);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.doesNotMatch(stdout, secret);
  } finally {
    holder.close();
    removeFolder(folder);
  }
});

it('start: a file that cannot be written is named, and nothing else', { timeout }, async () => {
  const folder = temporaryFolder();
  try {
    mkdirSync(join(folder, 'address'));
    const { code, stderr } = await skylark(['serve', '--data-dir', folder, '--listen', '127.0.0.1:0'], { timeout: 10_000 });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /'address'/);
    assert.doesNotMatch(stderr, /certificate|\.pem/);
  } finally {
    removeFolder(folder);
  }
});

it('start: two servers do not share a folder', { timeout }, async () => {
  const server = await Server.start();
  try {
    const { code, stderr } = await skylark(['serve', '--data-dir', server.dataDir, '--listen', '127.0.0.1:0'], { timeout: 10_000 });
    assert.equal(code, 1, stderr);
    assert.ok(stderr.trim().length > 10);
    assert.equal((await server.client().get('/readyz')).status, 200, 'the first goes on');
    await server.stop();
  } finally {
    await server.dispose();
  }
});

it('start: bad configuration ends with 78 and says where', { timeout }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  const serve = (args, env) => skylark(['serve', '--data-dir', join(folder, 'data'), '--listen', '127.0.0.1:0', ...args], { env, timeout: 10_000 });
  try {
    writeFileSync(file, '[server]\nrequest_timeout = 5s\nmax_conections = 5\n');
    const misspelt = await serve(['--config', file]);
    assert.equal(misspelt.code, 78, misspelt.stderr);
    assert.match(misspelt.stderr, /skylark\.ini:3/);
    assert.match(misspelt.stderr, /max_connections/, 'the nearest valid key');

    writeFileSync(file, '[server]\nrequest_timeout = soon\n');
    const wrong = await serve(['--config', file]);
    assert.equal(wrong.code, 78, wrong.stderr);
    assert.match(wrong.stderr, /skylark\.ini:2/);

    const environmental = await serve([], { SKYLARK_SERVER_REQUEST_TIMEOUT: 'banana' });
    assert.equal(environmental.code, 78, environmental.stderr);
    assert.match(environmental.stderr, /SKYLARK_SERVER_REQUEST_TIMEOUT/);

    const flag = await skylark(['serve', '--data-dir', join(folder, 'data'), '--listen', 'nonsense:port'], { timeout: 10_000 });
    assert.ok([2, 78].includes(flag.code), flag.stderr);

    writeFileSync(file, '[webhooks]\nallow = 10.1.2.3/8\nca = /does/not/exist\n');
    for (const webhooks of [await serve(['--config', file]), await skylark(['config', 'check', '--config', file])]) {
      assert.equal(webhooks.code, 78, webhooks.stderr);
      assert.match(webhooks.stderr, /skylark\.ini:2: webhooks\.allow: '10\.1\.2\.3\/8'[^\n]*\n[^\n]*skylark\.ini:3: webhooks\.ca: \/does\/not\/exist cannot be read/);
    }

    const missing = await serve(['--config', join(folder, 'no-such.ini')]);
    assert.equal(missing.code, 78, missing.stderr);
    assert.equal(existsSync(join(folder, 'data')), false, 'nothing was made');
  } finally {
    removeFolder(folder);
  }
});

it('start: a flag wins over the environment, that over the file', { timeout }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  const show = (args, env) => skylark(['config', 'show', '--config', file, ...args], { env });
  try {
    writeFileSync(file, '[log]\nlevel = error\n');
    assert.match((await show([])).stdout, /error.*skylark\.ini:2/);
    assert.match((await show([], { SKYLARK_LOG_LEVEL: 'warning' })).stdout, /warning.*SKYLARK_LOG_LEVEL/);
    assert.match((await show(['--log-level', 'debug'], { SKYLARK_LOG_LEVEL: 'warning' })).stdout, /debug.*--log-level/);
    assert.equal((await skylark(['config', 'check', '--config', file])).code, 0);
    writeFileSync(file, '[log]\nlevel = loud\n');
    assert.equal((await skylark(['config', 'check', '--config', file])).code, 78);
  } finally {
    removeFolder(folder);
  }
});

it('start: settings of webhooks that make no sense are named', { timeout }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  const serve = () => skylark(['serve', '--config', file, '--data-dir', join(folder, 'data'), '--listen', '127.0.0.1:0'], { timeout: 10_000 });
  try {
    for (const [text, line, said] of [
      ['[webhooks]\nallow = 10.0.0.0/8, intranet\n', 2, "webhooks.allow: 'intranet' is no network"],
      ['[webhooks]\nallow = 10.1.2.3/8\n', 2, "webhooks.allow: '10.1.2.3/8' is an address in a network"],
      ['[webhooks]\n\nca = /nowhere.pem\n', 3, '/nowhere.pem cannot be read'],
    ]) {
      writeFileSync(file, text);
      const checked = await skylark(['config', 'check', file]);
      assert.equal(checked.code, 78, checked.stderr);
      assert.ok(checked.stderr.startsWith(`${file}:${line}: webhooks.`), checked.stderr);
      assert.ok(checked.stderr.includes(said), checked.stderr);
      const started = await serve();
      assert.notEqual(started.code, 0);
      assert.ok(started.stderr.includes(said), started.stderr);
    }
    writeFileSync(file, '[webhooks]\nallow = 10.0.0.0/8, fd00::/8 192.0.2.7\n');
    assert.equal((await skylark(['config', 'check', file])).code, 0);
  } finally {
    removeFolder(folder);
  }
});

it('start: a newer schema is refused, and left alone', { timeout }, async () => {
  const server = await Server.start();
  try {
    await server.stop();
    const file = databaseIn(server.dataDir);
    const bumped = await run('sqlite3', [file, 'PRAGMA user_version = 9999;']);
    assert.equal(bumped.code, 0, bumped.stderr);
    const { code, stderr } = await skylark(['serve', '--data-dir', server.dataDir, '--listen', '127.0.0.1:0'], { timeout: 10_000 });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /newer/i);
    assert.match(stderr, /9999/);
    const kept = await run('sqlite3', [file, 'PRAGMA user_version;']);
    assert.equal(kept.stdout.trim(), '9999');
  } finally {
    await server.dispose();
  }
});

it('start: a damaged store is refused in words', { timeout }, async () => {
  const server = await Server.start();
  try {
    await server.stop();
    const file = databaseIn(server.dataDir);
    writeFileSync(file, Buffer.concat([Buffer.from('this is no database'), readFileSync(file).subarray(19)]));
    const { code, stderr } = await skylark(['serve', '--data-dir', server.dataDir, '--listen', '127.0.0.1:0'], { timeout: 10_000 });
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(file) || /database/i.test(stderr), stderr);
  } finally {
    await server.dispose();
  }
});

it('start: a store with damaged pages is refused in words', { timeout }, async () => {
  const server = await Server.start();
  try {
    await server.stop();
    const file = databaseIn(server.dataDir);
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4096);
    writeFileSync(file, bytes);
    const { code, stderr } = await skylark(['serve', '--data-dir', server.dataDir, '--listen', '127.0.0.1:0'], { timeout: 10_000 });
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(`store ${file}`), stderr);
  } finally {
    await server.dispose();
  }
});

it('start: a store made by the first key is for the owner only, too', { timeout }, async () => {
  const folder = temporaryFolder();
  const create = (dataDir) => run('sh', ['-c', 'umask 022; "$0" keys create --name x --data-dir "$1"', programPath, dataDir]);
  try {
    chmodSync(folder, 0o755);
    for (const dataDir of [folder, `${join(folder, 'new')}/`]) {
      const { code, stderr } = await create(dataDir);
      assert.equal(code, 0, stderr);
      assert.equal(statSync(join(dataDir, 'skylark.db')).mode & 0o077, 0);
    }
    assert.equal(statSync(join(folder, 'new')).mode & 0o077, 0);
  } finally {
    removeFolder(folder);
  }
});

it('start: secrets on disk are for the owner only', { timeout }, async () => {
  const server = await Server.start();
  try {
    await server.createKey();
    const { stdout } = await run('find', [server.dataDir, '-type', 'f', '-perm', '/077', '-printf', '%f\n']);
    const open = stdout.trim().split('\n').filter((name) => name && !['ca.pem', 'server.pem', 'address', 'metrics-address'].includes(name));
    assert.deepEqual(open, []);
    await server.stop();
  } finally {
    chmodSync(server.dataDir, 0o700);
    await server.dispose();
  }
});
