// The command line as a client of a running server: output, exit codes, help.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';
import { until } from './lib/wait.mjs';

const to = '+15551234567';
const codes = { ok: 0, failed: 1, usage: 2, auth: 4, notFound: 5, limited: 6, unreachable: 7 };

withServer('cli', {}, (context) => {
  const cli = (args, { key = context.api.key } = {}) =>
    skylark([...args, '--data-dir', context.server.dataDir], { env: { SKYLARK_API_KEY: key } });
  const json = async (args) => {
    const { code, stdout, stderr } = await cli([...args, '-o', 'json']);
    assert.equal(code, codes.ok, stderr);
    return JSON.parse(stdout);
  };
  const sent = [];

  it('sends', async () => {
    const message = await json(['send', to, 'Hello from the command line']);
    assert.equal(message.status, 'queued');
    assert.equal(message.text, 'Hello from the command line');
    sent.unshift(message.messageId);
    const named = await json(['send', '--to', to, '--text', 'grüße "x"', '--media', 'https://media.example.com/a.jpg', '--media', 'https://media.example.com/b.jpg']);
    assert.deepEqual(named.mediaUrls, ['https://media.example.com/a.jpg', 'https://media.example.com/b.jpg']);
    assert.equal(named.text, 'grüße "x"');
    sent.unshift(named.messageId);
  });

  it('says what became of it in words', async () => {
    const { code, stdout } = await cli(['send', to, 'plain']);
    assert.equal(code, codes.ok);
    const [id] = /msg_[0-9A-Za-z]+/.exec(stdout);
    sent.unshift(id);
    assert.match(stdout, /queued/);
    await until('delivered', async () => (await cli(['messages', 'get', id])).stdout.includes('delivered'), { every: 200 });
  });

  it('uses the first test key when none is named', async () => {
    const { code, stderr } = await cli(['messages', 'list'], { key: '' });
    assert.equal(code, codes.ok, stderr);
  });

  it('gets one message as the API shows it', async () => {
    assert.deepEqual(await json(['messages', 'get', sent[0]]), await context.api.message(sent[0]));
  });

  it('lists messages in every format', async () => {
    const table = await cli(['messages', 'list']);
    for (const id of sent) assert.ok(table.stdout.includes(id));
    assert.ok(table.stdout.includes('Hello from the command line'));

    const whole = await cli(['messages', 'list', '-o', 'json']);
    for (const id of sent) assert.ok(JSON.stringify(JSON.parse(whole.stdout)).includes(id));

    const lines = (await cli(['messages', 'list', '--limit', '2', '-o', 'jsonl'])).stdout.trim().split('\n');
    assert.deepEqual(lines.map((line) => JSON.parse(line).messageId), sent.slice(0, 2));

    const csv = (await cli(['messages', 'list', '-o', 'csv'])).stdout;
    assert.match(csv.split('\n')[0], /^messageId,/);
    assert.match(csv, /"grüße ""x"""/);

    const second = (await cli(['messages', 'list', '--limit', '1', '--cursor', sent[1], '-o', 'jsonl'])).stdout.trim();
    assert.equal(JSON.parse(second).messageId, sent[1]);
  });

  it('tells by its exit code what happened', async () => {
    const table = [
      [codes.failed, ['send', '123', 'x']],
      [codes.failed, ['send', to, '']],
      [codes.usage, ['send', '--colour', 'blue']],
      [codes.usage, ['messages', 'list', '-o', 'xml']],
      [codes.usage, ['messages', 'get']],
      [codes.notFound, ['messages', 'get', 'msg_00000000000']],
      [codes.limited, ['send', '+15550001003', 'x']],
      [codes.failed, ['send', '+15550001004', 'x']],
    ];
    for (const [expected, args] of table) {
      const { code, stdout, stderr } = await cli(args);
      assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
      assert.equal(stdout, '', 'talk goes to standard error');
      assert.ok(stderr.trim(), 'something is said');
    }
    assert.equal((await cli(['messages', 'list'], { key: `sl_test_${'x'.repeat(32)}` })).code, codes.auth);
    const away = await skylark(['messages', 'list', '--url', 'https://127.0.0.1:1', '--data-dir', context.server.dataDir], { env: { SKYLARK_API_KEY: context.api.key } });
    assert.equal(away.code, codes.unreachable, away.stderr);
  });

  it('says that no server runs', async () => {
    const folder = temporaryFolder();
    try {
      const { code, stderr } = await skylark(['messages', 'list', '--data-dir', folder], { env: { SKYLARK_API_KEY: context.api.key } });
      assert.equal(code, codes.unreachable, stderr);
    } finally {
      removeFolder(folder);
    }
  });

  it('trusts only the server’s own authority', async () => {
    const { code, stderr } = await cli(['messages', 'list', '--cacert', '/dev/null']);
    assert.notEqual(code, codes.ok, stderr);
  });

  it('guesses what was meant', async () => {
    for (const [typed, meant] of [[['sned'], 'send'], [['keys', 'crate'], 'create'], [['mesages', 'list'], 'messages'], [['send', '--txt', 'x'], '--text']]) {
      const { code, stderr } = await skylark(typed);
      assert.equal(code, codes.usage, stderr);
      assert.ok(stderr.includes(meant), stderr);
    }
  });

  it('helps', async () => {
    const overview = await skylark(['--help']);
    assert.equal(overview.code, codes.ok);
    for (const word of ['serve', 'send', 'messages', 'keys', 'config', 'version']) assert.ok(overview.stdout.includes(word), word);
    for (const command of [['serve'], ['send'], ['messages', 'list'], ['keys', 'create'], ['config', 'check']]) {
      const { code, stdout } = await skylark([...command, '--help']);
      assert.equal(code, codes.ok);
      assert.ok(stdout.includes(command.join(' ')));
    }
    const { code, stdout } = await skylark(['version']);
    assert.equal(code, codes.ok);
    assert.match(stdout, /\d+\.\d+\.\d+/);
    assert.equal((await skylark([])).code, codes.usage);
  });
});
