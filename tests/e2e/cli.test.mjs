// The command line as a client of a running server: output, exit codes, help.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { programPath, run, skylark } from './lib/program.mjs';
import { until } from './lib/wait.mjs';

const to = '+15551234567';
const codes = { ok: 0, failed: 1, usage: 2, auth: 4, notFound: 5, limited: 6, unreachable: 7, timedOut: 8, badConfig: 78 };

// A server that takes the connection and says nothing. The command waits for half a minute, so it
// starts here and the last test looks at what became of it.
const silent = net.createServer(() => {}).listen(0, '127.0.0.1');
const unanswered = new Promise((done) => { silent.once('listening', done); }).then(() => skylark(
  ['messages', 'list', '--url', `https://127.0.0.1:${silent.address().port}`],
  { env: { SKYLARK_API_KEY: `sl_test_${'x'.repeat(32)}` } },
));
unanswered.catch(() => {}).finally(() => silent.close());

// Rows of CSV without line breaks inside quotes.
const csvRows = (text) => text.trimEnd().split('\n').map((line) => line.split(','));

withServer('cli', {}, (context) => {
  const cli = (args, { key = context.api.key } = {}) =>
    skylark([...args, '--data-dir', context.server.dataDir], { env: { SKYLARK_API_KEY: key } });
  const json = async (args) => {
    const { code, stdout, stderr } = await cli([...args, '-o', 'json']);
    assert.equal(code, codes.ok, stderr);
    return JSON.parse(stdout);
  };
  const sent = [];
  const scheduled = {};

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

  it('shows the media of an MMS below each other, also when it is not sent', async () => {
    const [one, two] = ['a', 'b'].map((name) => `https://media.example.com/${name}.jpg`);
    const shown = new RegExp(`^Type +mms {2}\\(transactional\\)$[^]*^(Media +)${one}\\n( +)${two}\\n[^]*^Tags +x,y$`, 'm');
    const args = ['--media', one, '--media', two, '--tag', 'x', '--tag', 'y', '--subject', 'Two'];
    const made = await cli(['send', to, 'x', ...args]);
    const [id] = /msg_[0-9A-Za-z]+/.exec(made.stdout);
    sent.unshift(id);
    const { stdout } = await cli(['messages', 'get', id]);
    const [, first, second] = shown.exec(stdout) ?? assert.fail(stdout);
    assert.equal(second.length, first.length, stdout);
    const dry = await cli(['send', to, 'x', ...args, '--dry-run']);
    assert.match(dry.stdout, new RegExp(`^Subject +Two$[^]*^Media +${one}\\n +${two}$`, 'm'));
  });

  it('sends with every field that the API has', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const message = await json(['send', to, 'Sale!', '--from', '+18005551234', '--message-type', 'marketing', '--subject', 'News', '--tag', 'spring', '--tag', 'große Äpfel', '--metadata', '{"order": 17}', '--validity', '600', '--schedule', at]);
    assert.deepEqual(
      [message.from, message.messageType, message.subject, message.tags, message.metadata, message.validityPeriod, message.scheduledAt, message.status],
      ['+18005551234', 'marketing', 'News', ['spring', 'große Äpfel'], { order: 17 }, 600, at, 'scheduled'],
    );
    const table = await cli(['messages', 'get', message.messageId]);
    for (const shown of ['Subject', 'News', 'große Äpfel', 'Scheduled']) assert.ok(table.stdout.includes(shown), table.stdout);
    scheduled.id = message.messageId;
    sent.unshift(message.messageId);
  });

  it('sends once with an idempotency key', async () => {
    const args = ['send', to, 'once', '--idempotency-key', 'order 17'];
    const first = await json(args);
    assert.equal((await json(args)).messageId, first.messageId);
    const other = await cli(['send', to, 'twice', '--idempotency-key', 'order 17']);
    assert.equal(other.code, codes.failed);
    assert.match(other.stderr, /idempotency_key_mismatch/);
    assert.equal((await cli(['send', to, 'x', '--idempotency-key', 'a\nX-Evil: 1'])).code, codes.usage);
    sent.unshift(first.messageId);
  });

  it('tells what would be sent, and sends nothing', async () => {
    const total = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;
    const before = await total();
    const { code, stdout, stderr } = await cli(['send', '+447911123456', 'x', '--dry-run']);
    assert.equal(code, codes.ok, stderr);
    assert.ok(stdout.includes('+447700900123'), stdout);
    assert.match(stdout, /BECAUSE/);
    assert.match(stderr, /nothing was sent/);
    assert.equal((await json(['send', to, 'x', '--dry-run'])).dryRun, true);
    assert.equal(await total(), before);
  });

  it('says which option makes no sense', async () => {
    for (const [args, said] of [[['--metadata', '{order'], /--metadata takes a JSON object/], [['--validity', 'long'], /--validity takes a whole number/]]) {
      const { code, stderr } = await cli(['send', to, 'x', ...args]);
      assert.equal(code, codes.usage, stderr);
      assert.match(stderr, said);
    }
    const { code, stderr } = await cli(['send', to, 'x', '--schedule', 'tomorrow']);
    assert.equal(code, codes.failed, stderr);
    assert.match(stderr, /invalid_scheduled_time/);
  });

  it('lists what the filters let through', async () => {
    const ids = async (...args) => (await json(['messages', 'list', ...args])).data.map(({ messageId }) => messageId);
    assert.deepEqual(await ids('--tag', 'große Äpfel'), [scheduled.id]);
    assert.deepEqual(await ids('--status', 'scheduled', '--to', to), [scheduled.id]);
    assert.deepEqual(await ids('--direction', 'inbound'), []);
    assert.deepEqual(await ids('--before', '2020-01-01T00:00:00Z'), []);
    assert.ok((await ids('--from', '+18005551234', '--after', '2020-01-01T00:00:00Z')).includes(scheduled.id));
    const none = await cli(['messages', 'list', '--status', 'failed']);
    assert.equal(none.code, codes.ok);
    assert.match(none.stderr, /no such messages/);
    const wrong = await cli(['messages', 'list', '--status', 'flying']);
    assert.equal(wrong.code, codes.failed);
    assert.match(wrong.stderr, /invalid_parameter/);
  });

  it('tells what happened to a message', async () => {
    const [id] = sent.slice(-1);
    const whole = await until('the end', async () => {
      const answer = await json(['messages', 'events', id]);
      return answer.data.some(({ type }) => type === 'delivered') && answer;
    }, { every: 200 });
    assert.equal(whole.messageId, id);
    const table = await cli(['messages', 'events', id]);
    assert.match(table.stdout, /^TIME \(UTC\) +EVENT +WHAT HAPPENED/);
    for (const { type } of whole.data) assert.ok(table.stdout.includes(type), type);
    const [names, ...rows] = (await cli(['messages', 'events', id, '-o', 'csv'])).stdout.trimEnd().split('\n');
    assert.equal(names, 'timestamp,type,description,from,numberType,reason,errorCode');
    assert.equal(rows.length, whole.data.length);
    assert.equal((await cli(['messages', 'events', 'msg_00000000000'])).code, codes.notFound);
  });

  it('calls a message back', async () => {
    const cancelled = await json(['messages', 'cancel', scheduled.id]);
    assert.equal(cancelled.status, 'cancelled');
    const again = await cli(['messages', 'cancel', scheduled.id]);
    assert.equal(again.code, codes.failed);
    assert.match(again.stderr, /message_not_cancellable/);
    assert.equal((await cli(['messages', 'cancel', 'no/id'])).code, codes.usage);
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

  it('shows one message in every format', async () => {
    for (const args of [['send', to, 'formats'], ['messages', 'get', sent[0]]]) {
      const table = await cli([...args, '-o', 'table']);
      assert.equal(table.code, codes.ok, table.stderr);
      assert.match(table.stdout, /msg_[0-9A-Za-z]{11}/);
      assert.match(table.stdout, /\+15551234567/);
      assert.throws(() => JSON.parse(table.stdout));

      const pretty = await cli([...args, '-o', 'json']);
      const message = JSON.parse(pretty.stdout);

      const line = await cli([...args, '-o', 'jsonl']);
      assert.equal(line.stdout.trimEnd().split('\n').length, 1);
      assert.deepEqual(Object.keys(JSON.parse(line.stdout)), Object.keys(message));

      const [names, cells, ...more] = csvRows((await cli([...args, '-o', 'csv'])).stdout);
      assert.equal(names[0], 'messageId');
      assert.equal(cells.length, names.length);
      assert.match(cells[0], /^msg_/);
      assert.equal(more.length, 0);
      for (const printed of [table, pretty, line]) {
        const [id] = /msg_[0-9A-Za-z]{11}/.exec(printed.stdout);
        if (args[0] === 'send') sent.unshift(id);
        else assert.equal(id, args[2]);
      }
      if (args[0] === 'send') sent.unshift(cells[0]);
    }
  });

  it('indents JSON on a terminal only, and never lines of JSON', async () => {
    const onTerminal = async (format) => {
      const command = [programPath, 'messages', 'get', sent[0], '-o', format, '--data-dir', context.server.dataDir].join(' ');
      const { code, stdout } = await run('script', ['-qec', command, '/dev/null'], { env: { SKYLARK_API_KEY: context.api.key } });
      assert.equal(code, codes.ok, stdout);
      return stdout.trim().split('\n').length;
    };
    assert.ok(await onTerminal('json') > 10);
    assert.equal(await onTerminal('jsonl'), 1);
    assert.equal((await cli(['messages', 'get', sent[0], '-o', 'json'])).stdout.trim().split('\n').length, 1);
  });

  it('shows keys and settings in every format', async () => {
    for (const [args, first, known] of [[['keys', 'list'], 'id', 'e2e'], [['config', 'show'], 'setting', 'server.data_dir']]) {
      const [table, pretty, lines, csv] = await Promise.all(['table', 'json', 'jsonl', 'csv'].map((format) => cli([...args, '-o', format])));
      for (const { code, stdout, stderr } of [table, pretty, lines, csv]) {
        assert.equal(code, codes.ok, stderr);
        assert.ok(stdout.includes(known), stdout);
      }
      assert.match(table.stdout.split('\n')[0], new RegExp(`^${first} `, 'i'));
      const rows = JSON.parse(pretty.stdout);
      assert.ok(Array.isArray(rows) && rows.length > 0 && first in rows[0], pretty.stdout);
      const timeless = (list) => list.map((row) => ({ ...row, lastUsedAt: undefined })); // which is written a moment after the use
      assert.deepEqual(timeless(lines.stdout.trimEnd().split('\n').map((line) => JSON.parse(line))), timeless(rows));
      assert.deepEqual(csvRows(csv.stdout)[0], Object.keys(rows[0]));
      assert.equal(csv.stdout.trimEnd().split('\n').length, rows.length + 1);
    }
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

  it('tells a key without the permission from others by its exit code', async () => {
    const made = await skylark(['keys', 'create', '--name', 'reader', '--permissions', 'sms:read', '-o', 'json', '--data-dir', context.server.dataDir]);
    const { key } = JSON.parse(made.stdout);
    const { code, stderr } = await cli(['send', to, 'x'], { key });
    assert.equal(code, codes.auth, stderr);
    assert.ok(stderr.includes('sms:send'), stderr);
    assert.equal((await cli(['messages', 'list'], { key })).code, codes.ok);
  });

  it('exits with 78 when the configuration is wrong, whatever the command', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'skylark.ini');
    writeFileSync(file, '[server]\nlisten = nonsense\n');
    try {
      const commands = [['config', 'check'], ['config', 'show'], ['keys', 'list'], ['messages', 'list'], ['send', to, 'x'], ['serve']];
      for (const command of commands) {
        const { code, stdout, stderr } = await skylark([...command, '--config', file], { timeout: 10_000 });
        assert.equal(code, codes.badConfig, `${command.join(' ')}: ${stderr}`);
        assert.equal(stdout, '');
        assert.ok(stderr.includes(`${file}:2`), stderr);
      }
    } finally {
      removeFolder(folder);
    }
  });

  it('tells every fault of the configuration in one round', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'skylark.ini');
    writeFileSync(file, [
      '[server]', 'workers = many', '[tls]', 'certificate = /none.pem', 'key = /none.key', '[webhooks]', 'allow = 10.0.0.0/99',
      '[carrier acme]', 'address = 127.0.0.1:1', 'system_id = x', 'tls = on', 'tls_ca = /none.ca',
      '[mmsc mms]', 'url = ftp://x', 'version = 6', '[mmsc two]', 'url = http://127.0.0.1:1', 'tls_ca = /none.ca', ''].join('\n'));
    try {
      const { code, stderr } = await skylark(['config', 'check', file]);
      assert.equal(code, codes.badConfig);
      const lines = stderr.trim().split('\n');
      assert.deepEqual(lines.map((line) => Number(line.slice(file.length + 1).split(':')[0])).sort((a, b) => a - b), [2, 4, 7, 8, 8, 14, 15, 16], stderr);
      assert.match(stderr, /a carrier needs a sender/);
    } finally {
      removeFolder(folder);
    }
  });

  it('tells of too many carriers, and looks no further', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'skylark.ini');
    const sections = (count, write) => Array.from({ length: count }, (_, i) => write(i)).join('');
    writeFileSync(file, `[sender +18005551234]\n${sections(40, (i) => `[carrier c${i}]\naddress = 127.0.0.1:1\nsystem_id = x\n`)}${sections(30, (i) => `[mmsc m${i}]\nurl = http://127.0.0.1:1\n`)}`);
    try {
      const { code, stderr } = await skylark(['config', 'check', file]);
      assert.equal(code, codes.badConfig, stderr);
      assert.match(stderr, /there are 40 carriers and 30 MMSCs; at most 64 are possible together/);
    } finally {
      removeFolder(folder);
    }
  });

  it('exits with 5 for a key that is not there', async () => {
    for (const id of ['key_00000000000', 'nonsense']) {
      const { code, stderr } = await skylark(['keys', 'revoke', id, '--data-dir', context.server.dataDir]);
      assert.equal(code, codes.notFound, stderr);
    }
  });

  it('says where a key stands that does not look like one', async () => {
    const folder = temporaryFolder();
    try {
      writeFileSync(join(folder, 'address'), 'https://127.0.0.1:1\n');
      writeFileSync(join(folder, 'test-key'), 'not a key!\n');
      const file = await skylark(['messages', 'list', '--data-dir', folder]);
      assert.equal(file.code, codes.auth, file.stderr);
      assert.match(file.stderr, /the file test-key of the data folder does not look like a key/);
      const variable = await skylark(['messages', 'list', '--data-dir', folder], { env: { SKYLARK_API_KEY: 'not a key!' } });
      assert.equal(variable.code, codes.auth, variable.stderr);
      assert.match(variable.stderr, /SKYLARK_API_KEY does not look like a key/);
    } finally {
      removeFolder(folder);
    }
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

it('cli: exits with 8 when the server does not answer in time', { timeout: 120_000 }, async () => {
  const { code, stdout, stderr } = await unanswered;
  assert.equal(code, codes.timedOut, stderr);
  assert.equal(stdout, '');
  assert.match(stderr, /30 seconds/);
});
