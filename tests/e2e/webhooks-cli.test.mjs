// Webhooks and events by the command line: what is shown, what is told, exit codes; signatures
// explained; events forwarded to a receiver while the server dies and comes back.
import { describe, it, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, programPath, run, sanitizerReport, skylark, withoutLeakCheck } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { signature, standardSignature } from './lib/webhooks.mjs';
import { slowness, until, within } from './lib/wait.mjs';

const to = '+15550001234';
const codes = { ok: 0, failed: 1, usage: 2, auth: 4, notFound: 5, unreachable: 7 };
const env = { SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on' };

// What a receiver must be able to rely on, computed by node's own crypto.
function assertSigned({ headers, body }, secret) {
  assert.equal(headers['x-service-signature'], signature(secret, body));
  assert.equal(headers['webhook-signature'], standardSignature(secret, headers['webhook-id'], headers['webhook-timestamp'], body));
  assert.equal(headers['webhook-id'], JSON.parse(body).id);
  assert.equal(headers['x-service-event-id'], JSON.parse(body).id);
  assert.equal(headers['x-service-event-type'], JSON.parse(body).type);
  assert.match(headers['x-service-delivery'], /^dlv_[0-9A-Za-z]{11}$/);
  assert.equal(headers['content-type'], 'application/json');
}

withServer('webhooks by the command line', { env }, (context) => {
  const secrets = {};
  let receiver;
  let status = 200;
  const cli = (args, options = {}) =>
    skylark([...args, '--data-dir', context.server.dataDir], { ...options, env: { SKYLARK_API_KEY: context.api.key, ...options.env } });
  const json = async (...args) => {
    const { code, stdout, stderr } = await cli([...args, '-o', 'json']);
    assert.equal(code, codes.ok, stderr);
    return JSON.parse(stdout);
  };
  const hook = {};

  before(async () => {
    receiver = await Receiver.start({ answer: (request, response) => response.writeHead(status).end('line one\nline \u001b[2Jtwo') });
  });
  after(() => receiver.stop());

  it('says that there are none yet', async () => {
    const { code, stdout, stderr } = await cli(['webhooks', 'list']);
    assert.deepEqual([code, stdout], [codes.ok, '']);
    assert.match(stderr, /no webhooks yet/);
  });

  it('makes one and shows its secret once', async () => {
    const { code, stdout, stderr } = await cli(['webhooks', 'create', receiver.url('/hook'), '--events', 'message.sent, message.delivered', '--description', 'größer']);
    assert.equal(code, codes.ok, stderr);
    [secrets.own] = /whsec_\S+/.exec(stdout);
    [hook.id] = /whk_[0-9A-Za-z]{11}/.exec(stdout);
    assert.match(stderr, /not shown again/);
    for (const args of [['webhooks', 'get', hook.id], ['webhooks', 'list'], ['webhooks', 'list', '-o', 'json'], ['webhooks', 'list', '-o', 'csv']]) {
      const shown = await cli(args);
      assert.equal(shown.code, codes.ok, shown.stderr);
      assert.ok(shown.stdout.includes(hook.id) && !shown.stdout.includes('whsec_'), shown.stdout);
    }
    const one = await json('webhooks', 'get', hook.id);
    assert.deepEqual([one.events, one.description, one.mode], [['message.sent', 'message.delivered'], 'größer', 'test']);
  });

  it('takes a secret of one\'s own from a file or standard input, never as a word', async () => {
    const own = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const made = await cli(['webhooks', 'create', receiver.url('/own'), '--secret-file', '-', '-o', 'jsonl'], { input: `${own}\n` });
    assert.equal(made.code, codes.ok, made.stderr);
    assert.equal(JSON.parse(made.stdout).secret, own);
    const { webhookId } = JSON.parse(made.stdout);
    assert.equal((await cli(['webhooks', 'create', receiver.url('/own'), '--secret', own])).code, codes.usage);
    assert.equal((await cli(['webhooks', 'create', receiver.url('/own'), '--secret-file', '/does/not/exist'])).code, codes.usage);
    const deleted = await cli(['webhooks', 'delete', webhookId]);
    assert.deepEqual([deleted.code, deleted.stdout], [codes.ok, '']);
    assert.equal((await cli(['webhooks', 'get', webhookId])).code, codes.notFound);
  });

  it('changes one', async () => {
    const changed = await json('webhooks', 'update', hook.id, '--disable', '--events', '*', '--description', 'off');
    assert.deepEqual([changed.enabled, changed.events, changed.description], [false, ['*'], 'off']);
    const tried = await cli(['webhooks', 'test', hook.id]);
    assert.equal(tried.code, codes.failed);
    assert.match(tried.stderr, /switched off or paused/);
    assert.equal((await json('webhooks', 'update', hook.id, '--enable')).status, 'enabled');
    assert.equal((await cli(['webhooks', 'update', hook.id])).code, codes.usage);
    assert.equal((await cli(['webhooks', 'update', hook.id, '--enable', '--disable'])).code, codes.usage);
  });

  it('tries one and says what it answers', async () => {
    const good = await cli(['webhooks', 'test', hook.id]);
    assert.equal(good.code, codes.ok, good.stderr);
    assert.match(good.stderr, /answered 200 after \d+ ms: the webhook works/);
    status = 500;
    const bad = await cli(['webhooks', 'test', hook.id]);
    assert.equal(bad.code, codes.failed);
    assert.match(bad.stderr, /answered 500 after \d+ ms/);
    status = 200;
    const nobody = await json('webhooks', 'create', 'http://127.0.0.1:1/');
    const lost = await cli(['webhooks', 'test', nobody.webhookId]);
    assert.equal(lost.code, codes.failed);
    assert.match(lost.stderr, /did not answer: /);
    await cli(['webhooks', 'delete', nobody.webhookId]);
  });

  it('shows deliveries and the bytes of one', async () => {
    const list = await until('a failed try', async () => {
      const { data } = await json('webhooks', 'deliveries', hook.id);
      return data.some(({ lastAttempt }) => lastAttempt?.responseStatus === 500) && data;
    });
    const failed = list.find(({ lastAttempt }) => lastAttempt?.responseStatus === 500);
    const table = await cli(['webhooks', 'deliveries', hook.id]);
    assert.match(table.stdout, /^ID +STATUS +EVENT .*TRIES +LAST ANSWER/);
    assert.ok(table.stdout.split('\n').some((line) => line.includes(failed.deliveryId) && /pending +webhook\.test .* 500 /.test(line)), table.stdout);
    const whole = await cli(['webhooks', 'delivery', hook.id, failed.deliveryId]);
    assert.equal(whole.code, codes.ok, whole.stderr);
    const sent = receiver.requests.find(({ headers }) => headers['x-service-delivery'] === failed.deliveryId);
    assert.ok(whole.stdout.includes(sent.body.toString()), whole.stdout);
    assert.ok(whole.stdout.includes(`X-Service-Signature: ${sent.headers['x-service-signature']}`), whole.stdout);
    assert.match(whole.stdout, /Try 1 .* answer 500 /);
    assert.ok(whole.stdout.includes('  line one\n  line \\x1b[2Jtwo\n'), 'what a terminal would obey is written out');
    assertSigned(sent, secrets.own);
    const again = await json('webhooks', 'retry', hook.id, failed.deliveryId);
    assert.equal(again.deliveryId, failed.deliveryId);
    await until('the retry', async () => (await json('webhooks', 'delivery', hook.id, failed.deliveryId)).status === 'delivered');
    assert.equal((await cli(['webhooks', 'delivery', hook.id, 'dlv_00000000000'])).code, codes.notFound);
    assert.equal((await cli(['webhooks', 'delivery', hook.id, 'no/id'])).code, codes.usage);
    assert.equal((await cli(['webhooks', 'deliveries', hook.id, '--since', 'yesterday'])).code, codes.usage);
    assert.match((await cli(['webhooks', 'deliveries', hook.id, '--status', 'failed', '--since', '1h'])).stderr, /no such deliveries/);
  });

  it('sends again what was delivered, and counts first', async () => {
    const dry = await json('webhooks', 'redeliver', hook.id, '--since', '1h', '--all', '--dry-run');
    assert.ok(dry.count >= 2 && dry.dryRun, JSON.stringify(dry));
    const before = receiver.requests.length;
    const asked = [programPath, 'webhooks', 'redeliver', hook.id, '--since', '1h', '--all', '--data-dir', context.server.dataDir].join(' ');
    const { stdout: talk } = await run('script', ['-qec', asked, '/dev/null'], { env: { SKYLARK_API_KEY: context.api.key }, input: 'n\n' });
    assert.match(talk, new RegExp(`Send ${dry.count} deliveries once more\\? \\[y/N\\][^]*Nothing is sent again`));
    const done = await cli(['webhooks', 'redeliver', hook.id, '--since', '1h', '--all']);
    assert.equal(done.code, codes.ok, done.stderr);
    assert.match(done.stdout, new RegExp(`Deliveries +${dry.count}\n`));
    await receiver.took(before + dry.count);
    assert.equal((await cli(['webhooks', 'redeliver', hook.id])).code, codes.usage);
    const nothing = await cli(['webhooks', 'redeliver', hook.id, '--since', '0s']);
    assert.match(nothing.stderr, /nothing to send again/);
  });

  it('gives it a new secret', async () => {
    const { code, stdout, stderr } = await cli(['webhooks', 'rotate-secret', hook.id, '--grace', '0']);
    assert.equal(code, codes.ok, stderr);
    [secrets.new] = /whsec_\S+/.exec(stdout);
    assert.notEqual(secrets.new, secrets.own);
    const before = receiver.requests.length;
    await cli(['webhooks', 'test', hook.id]);
    assertSigned((await receiver.took(before + 1)).at(-1), secrets.new);
    assert.match((await json('webhooks', 'message-secret')).secret, /^whsec_/);
    assert.equal((await cli(['webhooks', 'rotate-secret', hook.id, '--grace', 'long'])).code, codes.usage);
  });

  it('lists events in every format', async () => {
    const { messageId } = await json('send', to, 'for the list');
    const list = await until('delivered', async () => {
      const { data } = await json('events', 'list', '--limit', '3');
      return data.every(({ data: { messageId: id } }) => id === messageId) && data.length === 3 && data;
    });
    assert.deepEqual(list.map(({ type }) => type), ['message.delivered', 'message.sent', 'message.queued']);
    const table = await cli(['events', 'list', '--limit', '1']);
    assert.match(table.stdout, /^TIME \(UTC\) +ID +TYPE +MESSAGE/);
    assert.match(table.stderr, /--cursor evt_/);
    const behind = await cli(['events', 'list', '--after', list[2].id, '-o', 'jsonl']);
    assert.deepEqual(behind.stdout.trim().split('\n').map((line) => JSON.parse(line).id), [list[1].id, list[0].id]);
    const csv = (await cli(['events', 'list', '--events', 'message.sent', '--limit', '1', '-o', 'csv'])).stdout.trim().split('\n');
    assert.equal(csv[0], 'timestamp,id,type,messageId,to,errorCode,sequence,livemode');
    assert.ok(csv[1].includes(list[1].id));
    assert.match((await cli(['webhooks', 'event-types'])).stdout, /message\.opt_out +false +/);
  });

  it('tells by its exit code what happened', async () => {
    const table = [
      [codes.failed, ['webhooks', 'create', 'http://example.com/']],
      [codes.failed, ['webhooks', 'create', receiver.url(), '--events', 'message.flown']],
      [codes.auth, ['webhooks', 'create', receiver.url(), '--mode', 'live']],
      [codes.usage, ['webhooks', 'create']],
      [codes.usage, ['webhooks', 'get', '../keys']],
      [codes.notFound, ['webhooks', 'get', 'whk_00000000000']],
      [codes.notFound, ['webhooks', 'delete', 'whk_00000000000']],
      [codes.notFound, ['webhooks', 'test', 'whk_00000000000']],
      [codes.failed, ['events', 'list', '--after', 'evt_nonsense']],
      [codes.usage, ['webhooks', 'listen']],
      [codes.usage, ['webhooks', 'listen', '--forward-to', 'http://example.com/']],
      [codes.usage, ['webhooks', 'listen', '--forward-to', receiver.url(), '--from', 'x', '--since-start']],
      [codes.usage, ['webhooks', 'verify', '--signature', 'sha256=00']],
    ];
    for (const [expected, args] of table) {
      const { code, stdout, stderr } = await cli(args);
      assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
      assert.equal(stdout, '', 'talk goes to standard error');
      assert.ok(stderr.trim(), 'something is said');
    }
    const wrong = await cli(['webhooks', 'listen', '--forward-to', receiver.url()], { env: { SKYLARK_API_KEY: `sl_test_${'x'.repeat(32)}` } });
    assert.equal(wrong.code, codes.auth, wrong.stderr);
    const away = await cli(['webhooks', 'listen', '--forward-to', receiver.url(), '--url', 'https://127.0.0.1:1']);
    assert.equal(away.code, codes.unreachable, away.stderr);
  });

  // ---- verify ----

  const request = () => receiver.requests.at(-1);
  const raw = ({ path, headers, body }, end = '\r\n') => Buffer.concat([
    Buffer.from([`POST ${path} HTTP/1.1`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join(end)), body,
  ]);
  const verify = (args, input, secret = secrets.new) => skylark(['webhooks', 'verify', ...args], { input, env: { SKYLARK_WEBHOOK_SECRET: secret } });

  it('finds a request good', async () => {
    for (const end of ['\r\n', '\n']) {
      const whole = await verify(['--request', '-'], raw(request(), end));
      assert.equal(whole.code, codes.ok, whole.stdout + whole.stderr);
      assert.match(whole.stdout, /\nGood: /);
      assert.match(whole.stdout, /X-Service-Signature[^]*They are the same[^]*webhook-signature[^]*They are the same/);
    }
    const { headers, body } = request();
    const folder = temporaryFolder();
    try {
      writeFileSync(join(folder, 'body'), body);
      writeFileSync(join(folder, 'secret'), `${secrets.new}\n`);
      const files = await verify([join(folder, 'body'), '--secret-file', join(folder, 'secret'), '--signature', headers['x-service-signature']], '', '');
      assert.equal(files.code, codes.ok, files.stdout + files.stderr);
      assert.match(files.stdout, /line end behind it is left out/);
    } finally {
      removeFolder(folder);
    }
    const standard = ['id', 'timestamp', 'signature'].flatMap((word) => [`--webhook-${word}`, headers[`webhook-${word}`]]);
    assert.equal((await verify(standard, body)).code, codes.ok);
  });

  it('names the mistake that explains a bad one', async () => {
    const { headers, body } = request();
    const given = ['--signature', headers['x-service-signature']];
    const pretty = JSON.stringify(JSON.parse(body), null, 2);
    const hex = headers['x-service-signature'].slice('sha256='.length);
    const table = [
      [given, `${body}\n`, secrets.new, /line end or other white space behind it/],
      [given, pretty, secrets.new, /read as JSON and written again/],
      [given, JSON.stringify(JSON.parse(body)).replaceAll('/', '\\/').replace('",', '", '), secrets.new, /read as JSON and written again/],
      [given, body, ` ${secrets.new} `, /white space around/],
      [given, body, `"${secrets.new}"`, /quotes around/],
      [given, body, secrets.new.slice('whsec_'.length), /lacks whsec_/],
      [given, body, secrets.own, /None of the usual mistakes/],
      [given, '', secrets.new, /Has something read it before/],
      [['--signature', `sha256=${hex.toUpperCase()}`], body, secrets.new, /capital letters/],
      [['--signature', hex], body, secrets.new, /lacks sha256=/],
      [['--signature', Buffer.from(hex, 'hex').toString('base64')], body, secrets.new, /It is base64/],
      [['--signature', signature(Buffer.from(secrets.new.slice(6), 'base64'), body)], body, secrets.new, /signed with the decoded secret/],
    ];
    for (const [args, input, secret, said] of table) {
      const { code, stdout, stderr } = await verify(args, input, secret);
      assert.equal(code, codes.failed, `${said}: ${stdout}${stderr}`);
      assert.match(stdout, said);
    }
    const id = 'evt_00000000001';
    const time = String(Math.floor(Date.now() / 1000) - 3600);
    const old = await verify(['--webhook-id', id, '--webhook-timestamp', time, '--webhook-signature', standardSignature(secrets.new, id, time, '{}')], '{}');
    assert.equal(old.code, codes.failed);
    assert.match(old.stdout, /They are the same[^]*more than five minutes old/);
  });

  it('says what is wrong with what it was given', async () => {
    for (const [args, input, secret, said] of [
      [['--request', '-'], 'webhook-id: 1\n', 'x', /no empty line/],
      [['--request', '-'], 'POST / HTTP/1.1\nnonsense\n\n', 'x', /Line 2 .* is no header/],
      [['--request', '-'], 'webhook-id: 1\n\n{}', 'x', /no signature to check/],
      [['--signature', 'sha256=00'], '{}', '', /With which secret/],
      [['--signature', 'sha256=00', '--secret-file', '-'], '{}', '', /cannot both come from standard input/],
      [['--signature', 'sha256=00', '/does/not/exist'], '', 'x', /cannot be read/],
    ]) {
      const { code, stdout, stderr } = await verify(args, input, secret);
      assert.deepEqual([code, stdout], [codes.usage, ''], stderr);
      assert.match(stderr, said);
    }
  });
});

describe('webhooks listen', { timeout: 240_000 * slowness }, () => {
  let dataDir;
  let server;
  let api;
  let receiver;
  let status = 200;
  const listeners = new Set();

  // The program while it listens; `end` is Ctrl-C.
  const listen = async (...args) => {
    const child = spawn(programPath, ['webhooks', 'listen', '--forward-to', receiver.url('/hook'), '--data-dir', dataDir, ...args], {
      env: environment({ ...withoutLeakCheck(), SKYLARK_API_KEY: api.key }), stdio: ['ignore', 'pipe', 'pipe'],
    });
    const listener = { stdout: '', stderr: '', child };
    listeners.add(child);
    child.stdout.on('data', (piece) => { listener.stdout += piece; });
    child.stderr.on('data', (piece) => { listener.stderr += piece; });
    const ended = new Promise((done) => {
      child.on('close', (code) => {
        listeners.delete(child);
        done(code);
      });
    });
    listener.end = async () => {
      child.kill('SIGINT');
      const code = await within(10_000, 'the end of listening', ended);
      assert.equal(sanitizerReport(listener.stderr), null, listener.stderr);
      return code;
    };
    await until('the first lines', () => listener.stderr.includes('Forwarding to'));
    return listener;
  };
  const secretOf = async () => (await skylark(['webhooks', 'listen', '--print-secret', '--data-dir', dataDir])).stdout;
  const send = async (text) => (await api.sent({ to, text })).messageId;
  const typesOf = (id) => receiver.events.filter(({ data }) => data.messageId === id).map(({ type }) => type);
  const whole = ['message.queued', 'message.sent', 'message.delivered'];

  before(async () => {
    dataDir = temporaryFolder();
    server = await Server.start({ dataDir });
    api = await server.keyedClient();
    receiver = await Receiver.start({ answer: (request, response) => response.writeHead(status).end() });
  });
  after(async () => {
    listeners.forEach((child) => child.kill('SIGKILL'));
    await receiver?.stop();
    await server?.dispose();
    removeFolder(dataDir);
  });

  it('has a secret that stays the same, and is for its owner only', async () => {
    const secret = await secretOf();
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{32}\n$/);
    assert.equal(await secretOf(), secret);
    assert.equal(statSync(join(dataDir, 'listen-secret')).mode & 0o777, 0o600);
    const elsewhere = temporaryFolder();
    try {
      const args = ['webhooks', 'listen', '--print-secret', '--data-dir', '/does/not/exist'];
      const made = await run(programPath, args, { env: { XDG_CONFIG_HOME: elsewhere } });
      assert.match(made.stdout, /^whsec_/, made.stderr);
      assert.equal(readFileSync(join(elsewhere, 'skylark', 'listen-secret'), 'utf8'), made.stdout);
    } finally {
      removeFolder(elsewhere);
    }
  });

  it('writes it into a file of settings, and leaves the rest alone', async () => {
    const file = join(dataDir, 'settings.env');
    const secret = (await secretOf()).trim();
    const write = (value) => skylark(['webhooks', 'listen', '--write-env', value, '--data-dir', dataDir]);
    writeFileSync(file, '# mine\nPORT=3000\nexport HOOK_SECRET="old"\nHOOK_SECRET_2=x');
    chmodSync(file, 0o640);
    const { code, stdout, stderr } = await write(`${file}:HOOK_SECRET`);
    assert.deepEqual([code, stdout], [codes.ok, ''], stderr);
    assert.equal(readFileSync(file, 'utf8'), `# mine\nPORT=3000\nexport HOOK_SECRET=${secret}\nHOOK_SECRET_2=x`);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.equal((await write(`${file}:NEW`)).code, codes.ok);
    assert.ok(readFileSync(file, 'utf8').endsWith(`HOOK_SECRET_2=x\nNEW=${secret}\n`));
    for (const bad of [file, `${file}:2X`, ':X', `${file}:`]) assert.equal((await write(bad)).code, codes.usage, bad);
    assert.equal((await write('/does/not/exist/.env:X')).code, codes.failed);
  });

  it('forwards each event, signed and in order', async () => {
    const listener = await listen();
    const ids = [];
    for (let i = 0; i < 5; i++) ids.push(await send(`message ${i}`));
    await until('all events', () => ids.every((id) => typesOf(id).length === 3));
    for (const id of ids) assert.deepEqual(typesOf(id), whole);
    const secret = (await secretOf()).trim();
    for (const request of receiver.requests) {
      assertSigned(request, secret);
      assert.equal(request.headers['x-service-attempt'], '1');
      assert.equal(request.headers['x-service-delivery'].slice(4), request.headers['x-service-event-id'].slice(4));
    }
    assert.equal(await listener.end(), codes.ok);
    assert.match(listener.stderr, /\n15 events forwarded, 0 not taken\./);
    const lines = listener.stdout.trim().split('\n');
    assert.equal(lines.length, 15);
    for (const line of lines) assert.match(line, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}message\.\w+ +evt_\w{11} {2}msg_\w{11} {2}200 +\d+ ms$/);
  });

  it('begins where it is told', async () => {
    const { data } = (await api.get('/v1/events?limit=4')).body;
    receiver.requests.length = 0;
    const behind = await listen('--from', data[3].id);
    await receiver.took(3);
    assert.deepEqual(receiver.events.map(({ id }) => id), data.slice(0, 3).reverse().map(({ id }) => id));
    await behind.end();
    receiver.requests.length = 0;
    const all = await listen('--since-start', '--events', 'message.sent');
    await receiver.took(5);
    assert.ok(receiver.events.every(({ type }) => type === 'message.sent'));
    await all.end();
    const nowhere = await skylark(['webhooks', 'listen', '--forward-to', receiver.url(), '--from', 'evt_nonsense', '--data-dir', dataDir], { env: { SKYLARK_API_KEY: api.key } });
    assert.equal(nowhere.code, codes.failed, nowhere.stderr);
    assert.doesNotMatch(nowhere.stderr, /Go on where it stopped/);
  });

  it('misses nothing while the server is killed and comes back', async () => {
    receiver.requests.length = 0;
    const listener = await listen();
    const ids = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) ids.push(await send(`round ${round}, ${i}`));
      await server.crash();
      server = await Server.start({ dataDir }); // at another port
      api = server.client(api.key);
      for (let i = 0; i < 4; i++) ids.push(await send(`round ${round} after, ${i}`));
      await until('connected again', () => listener.stderr.split('Connected again.').length > round + 1, { within: 20_000 });
    }
    await until('all events', () => ids.every((id) => typesOf(id).includes('message.delivered')), { within: 20_000 });
    const secret = (await secretOf()).trim();
    receiver.requests.forEach((request) => assertSigned(request, secret));
    // A message that was handed over when the server died may be queued again; nothing is told twice.
    assert.equal(new Set(receiver.events.map(({ id }) => id)).size, receiver.requests.length);
    for (const id of ids) assert.deepEqual([...new Set(typesOf(id))], whole);
    assert.equal(await listener.end(), codes.ok);
  });

  it('tries again when the receiver does not take an event, then goes on', async () => {
    receiver.requests.length = 0;
    status = 500;
    const listener = await listen('--events', 'message.delivered');
    const first = await send('refused');
    await receiver.took(2);
    status = 204;
    await until('taken', () => listener.stdout.includes('204'));
    assert.deepEqual(receiver.requests.map(({ headers }) => headers['x-service-attempt']).slice(0, 3), ['1', '2', '3']);
    assert.equal(new Set(receiver.requests.map(({ headers }) => headers['x-service-delivery'])).size, 1);
    assert.match(listener.stderr, /answered 500; evt_\w+ is tried again/);
    status = 500;
    const second = await send('refused for good');
    await until('given up', () => listener.stderr.includes('the last of 4 tries'), { within: 10_000 });
    status = 200;
    const third = await send('taken');
    await until('the next', () => typesOf(third).length === 1);
    assert.deepEqual([typesOf(first).length, typesOf(second).length], [3, 4]);
    assert.equal(await listener.end(), codes.ok);
    assert.match(listener.stderr, /2 events forwarded, 1 not taken/);
  });

  it('ends at once when it is told to, whatever it waits for', async () => {
    const hanging = await Receiver.start({ answer: () => {} });
    const own = receiver;
    try {
      receiver = hanging;
      const listener = await listen();
      await send('never answered');
      await hanging.took(1);
      const start = Date.now();
      assert.equal(await listener.end(), codes.ok);
      assert.ok(Date.now() - start < 3000 * slowness);
      assert.match(listener.stderr, /0 events forwarded/);
    } finally {
      receiver = own;
      await hanging.stop();
    }
  });
});
