// examples/webhooks: receivers that believe only what is signed, and each event once.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { environment, programPath, run, sourceRoot } from './lib/program.mjs';
import { Server, freePort, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until, within } from './lib/wait.mjs';
import { Hooks, localhostAllowed, newSecret, signature, signedHeaders, standardSignature } from './lib/webhooks.mjs';

const folder = temporaryFolder();
const receivers = {
  'receiver.mjs': ['node', 'examples/webhooks/receiver.mjs'],
  'receiver.mjs --standard': ['node', 'examples/webhooks/receiver.mjs', '--standard'],
  'receiver.py': ['python3', 'examples/webhooks/receiver.py'],
  'receiver.c': [join(folder, 'receiver')],
};

before(async () => {
  const command = 'cc -Wall -Wextra -Werror -o "$0" examples/webhooks/receiver.c $(pkg-config --cflags --libs gnutls jansson)';
  const { code, stderr } = await run('sh', ['-c', command, join(folder, 'receiver')], { cwd: sourceRoot });
  assert.equal(code, 0, stderr);
});
after(() => removeFolder(folder));

// One of the programs, on a free port.
class Example {
  static async start(name, secret) {
    const example = new Example(name, secret);
    example.port = Number(await until('the port', () => /^listening on http:\/\/127\.0\.0\.1:(\d+)$/m.exec(example.said)?.[1]));
    return example;
  }

  constructor(name, secret) {
    const [command, ...args] = receivers[name];
    this.said = '';
    this.complaints = '';
    this.process = spawn(command, [...args, '0'], { cwd: sourceRoot, env: environment({ SKYLARK_WEBHOOK_SECRET: secret }), stdio: ['ignore', 'pipe', 'pipe'] });
    this.process.stdout.on('data', (piece) => { this.said += piece; });
    this.process.stderr.on('data', (piece) => { this.complaints += piece; });
    this.ended = new Promise((done) => { this.process.on('close', (code) => done(code)); });
  }

  get lines() {
    return this.said.trimEnd().split('\n').slice(1);
  }

  // The status of the answer.
  post(body, headers) {
    return within(5_000, 'an answer', new Promise((done, fail) => {
      const request = http.request({ host: '127.0.0.1', port: this.port, method: 'POST', headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } }, (response) => {
        response.resume();
        response.on('end', () => done(response.statusCode));
      });
      request.on('error', fail);
      request.end(body);
    }));
  }

  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
  }
}

const eventOf = (id, more = {}) => JSON.stringify({ id, type: 'message.delivered', data: { messageId: 'msg_1', text: 'Grüße "und" \\o/ 😀' }, ...more });

for (const name of Object.keys(receivers)) {
  describe(`examples/webhooks: ${name}`, { timeout: 60_000 * slowness }, () => {
    const [secret, other] = [newSecret(), newSecret()];
    let example;

    before(async () => { example = await Example.start(name, `${secret} ${other}`); });
    after(() => example?.stop());

    it('takes what is signed, and prints a line', async () => {
      const body = eventOf('evt_1');
      assert.equal(await example.post(body, signedHeaders(secret, body)), 204);
      const test = eventOf('evt_2', { type: 'webhook.test', data: { webhookId: 'whk_1', message: 'A test.' } });
      assert.equal(await example.post(test, signedHeaders(secret, test)), 204);
      await until('the lines', () => example.lines.length === 2);
      assert.deepEqual(example.lines, ['evt_1  message.delivered  msg_1', 'evt_2  webhook.test  whk_1']);
    });

    it('takes it from the second secret, too: a rotation is under way', async () => {
      const body = eventOf('evt_3');
      assert.equal(await example.post(body, signedHeaders(other, body)), 204);
    });

    it('prints an event once, and answers a repetition like the first', async () => {
      const body = eventOf('evt_1');
      assert.equal(await example.post(body, signedHeaders(secret, body)), 204);
      const next = eventOf('evt_4');
      assert.equal(await example.post(next, signedHeaders(secret, next)), 204);
      await until('the next one', () => example.lines.some((line) => line.startsWith('evt_4 ')));
      assert.equal(example.lines.filter((line) => line.startsWith('evt_1 ')).length, 1);
    });

    it('refuses what is not', async () => {
      const body = eventOf('evt_bad');
      const good = signedHeaders(secret, body);
      const time = Math.floor(Date.now() / 1000);
      const spoiled = {
        'no signature': { 'Content-Type': 'application/json' },
        'an empty one': { ...good, 'X-Service-Signature': '', 'webhook-signature': '' },
        'a secret of somebody else': signedHeaders(newSecret(), body),
        'another body': { ...good, ...signedHeaders(secret, eventOf('evt_b')), 'webhook-id': 'evt_bad' },
        'the last digit changed': {
          ...good,
          'X-Service-Signature': good['X-Service-Signature'].replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
          'webhook-signature': good['webhook-signature'].replace(/.=$/, (end) => (end === 'A=' ? 'E=' : 'A=')),
        },
        'the last digit cut off': { ...good, 'X-Service-Signature': good['X-Service-Signature'].slice(0, -1), 'webhook-signature': good['webhook-signature'].slice(0, -1) },
        'a digit too many': { ...good, 'X-Service-Signature': `${good['X-Service-Signature']}0`, 'webhook-signature': `${good['webhook-signature']}0` },
        'no word before it': { ...good, 'X-Service-Signature': signature(secret, body).slice(7), 'webhook-signature': standardSignature(secret, 'evt_bad', time, body).slice(3) },
        'no bytes of ours': { ...good, 'X-Service-Signature': Buffer.from('sha256=ü', 'utf8').toString('latin1'), 'webhook-signature': 'v1,ü' },
      };
      for (const [what, headers] of Object.entries(spoiled)) assert.equal(await example.post(body, headers), 401, what);
      assert.equal(await example.post(body.replace('msg_1', 'msg_2'), good), 401, 'a changed body');
      assert.equal(await example.post('', good), 401, 'no body');
      assert.ok(!example.said.includes('evt_bad'), example.said);
    });

    it('goes on after what is no request', async () => {
      for (const text of ['\r\n\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nx', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab']) {
        const socket = connect(example.port, '127.0.0.1');
        socket.on('error', () => {});
        socket.end(text);
        await new Promise((done) => { socket.on('close', done).resume(); });
      }
      const body = eventOf(`evt_5`);
      assert.equal(await example.post(body, signedHeaders(secret, body)), 204, example.complaints);
    });
  });

  it(`examples/webhooks: ${name} says what is missing`, { timeout: 20_000 * slowness }, async () => {
    const example = new Example(name, undefined);
    assert.equal(await within(10_000, 'its end', example.ended), 1);
    assert.match(example.complaints, /^SKYLARK_WEBHOOK_SECRET is not set\. .*--print-secret/);
  });
}

describe('examples/webhooks: what only the signature of Standard Webhooks knows', { timeout: 60_000 * slowness }, () => {
  const secret = newSecret();
  let example;

  before(async () => { example = await Example.start('receiver.mjs --standard', secret); });
  after(() => example?.stop());

  it('one of several signatures is enough', async () => {
    const body = eventOf('evt_1');
    const headers = signedHeaders(secret, body);
    headers['webhook-signature'] = `${signedHeaders(newSecret(), body)['webhook-signature']} ${headers['webhook-signature']}`;
    assert.equal(await example.post(body, headers), 204);
  });

  it('an old request is not believed, nor one from the future, nor one with another id', async () => {
    const body = eventOf('evt_2');
    const now = Math.floor(Date.now() / 1000);
    for (const time of [now - 400, now + 400, 'now']) assert.equal(await example.post(body, signedHeaders(secret, body, { time })), 401, `${time}`);
    assert.equal(await example.post(body, { ...signedHeaders(secret, body), 'webhook-id': 'evt_3' }), 401);
  });
});

withServer('examples/webhooks: what a server delivers', { env: localhostAllowed }, (context) => {
  for (const name of Object.keys(receivers)) {
    it(`${name} takes it, also while the secret is changed`, async () => {
      const hooks = new Hooks(context.api);
      const [secret, next] = [newSecret(), newSecret()];
      const example = await Example.start(name, `${secret} ${next}`);
      try {
        const { webhookId } = await hooks.create({ url: `http://127.0.0.1:${example.port}/hook`, secret });
        const { messageId } = await context.api.sent({ to: '+15550001234', text: 'Grüße "und" \\o/ 😀' });
        await until('both events', () => example.lines.length === 2, { within: 10_000 });
        assert.deepEqual(example.lines.map((line) => line.split('  ').slice(1)), [['message.sent', messageId], ['message.delivered', messageId]]);
        for (const change of [{ gracePeriodHours: 1, secret: next }, { gracePeriodHours: 0, secret }]) {
          await hooks.rotate(webhookId, change);
          const { eventId } = await hooks.test(webhookId);
          await until('the test', () => example.lines.at(-1) === `${eventId}  webhook.test  ${webhookId}`, { within: 10_000 });
        }
        await hooks.rotate(webhookId, { gracePeriodHours: 0 });
        const refused = await hooks.tried(await hooks.test(webhookId));
        assert.equal(refused.lastAttempt.responseStatus, 401, 'a secret that it does not know');
        assert.equal(example.lines.length, 4);
      } finally {
        await example.stop();
      }
    });
  }
});

const source = (path) => readFileSync(join(sourceRoot, path), 'utf8');

describe('README.md: be told', { timeout: 60_000 * slowness }, () => {
  // The lines as they stand, but for the place of the program and the port of the receiver.
  const [, listen, send] = /^## Be told.*?```sh\n(.*?)\n\n(.*?)\n```$/ms.exec(source('README.md'));
  const paste = (lines, port) => lines.replaceAll('build/skylark', `'${programPath}'`).replace(':4000', `:${port}`).replace('receiver.mjs', `receiver.mjs ${port}`);

  it('does what it says', async () => {
    const home = temporaryFolder();
    const server = await Server.start({ dataDir: join(home, '.local/share/skylark') });
    const env = { HOME: home, XDG_DATA_HOME: undefined };
    const port = await freePort();
    const terminal = spawn('sh', ['-c', paste(listen, port)], { cwd: sourceRoot, env: environment(env), detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise((done) => { terminal.on('close', done); });
    let said = '';
    terminal.stdout.on('data', (piece) => { said += piece; });
    terminal.stderr.on('data', (piece) => { said += piece; });
    try {
      await until('both to be ready', () => /^listening on/m.test(said) && /ready|forward/i.test(said), { within: 10_000 })
        .catch((error) => { throw new Error(`${error.message}: ${said}`); });
      const sent = await run('sh', ['-c', paste(send, port)], { cwd: sourceRoot, env });
      assert.equal(sent.code, 0, sent.stderr);
      const lines = await until('three events', () => {
        const events = said.match(/^evt_\w+  message\.\w+  msg_\w+$/gm) ?? [];
        return events.length >= 3 && events;
      }, { within: 10_000 }).catch((error) => { throw new Error(`${error.message}: ${said}`); });
      assert.deepEqual(lines.map((line) => line.split('  ')[1]), ['message.queued', 'message.sent', 'message.delivered']);
      assert.doesNotMatch(said, /no setting|not (taken|forwarded)/i);
    } finally {
      process.kill(-terminal.pid, 'SIGTERM');
      await ended;
      await server.stop().finally(() => server.dispose());
      removeFolder(home);
    }
  });
});

describe('docs/WEBHOOKS.md', () => {
  const page = source('docs/WEBHOOKS.md');
  const blocks = (language) => [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code);

  it('shows the very lines of the examples', () => {
    for (const [language, file, count] of [['js', 'receiver.mjs', 3], ['python', 'receiver.py', 1], ['c', 'receiver.c', 1]]) {
      const shown = blocks(language);
      assert.equal(shown.length, count, language);
      for (const code of shown) assert.ok(source(`examples/webhooks/${file}`).includes(code), code);
    }
  });

  it('names every event with what it is by default', () => {
    const kinds = [...source('src/store/records.h').matchAll(/^\s+X\([A-Z_]+, \d+, "((?:message|webhook)\.[a-z_]+)"\)/gm)].map(([, type]) => type);
    assert.ok(kinds.length >= 10, `${kinds}`);
    const rows = [...page.matchAll(/^\| \[`((?:message|webhook)\.[a-z_]+)`\]\(\.\.\/examples\/webhooks\/events\/\1\.json\) \|/gm)].map(([, type]) => type);
    assert.deepEqual(rows.sort(), kinds.sort());
  });

  it('names every setting with its default', () => {
    const settings = [...source('src/base/config.h').matchAll(/X\(webhooks, (\w+), \w+, "([^"]*)"/g)];
    assert.ok(settings.length >= 5);
    for (const [, key, value] of settings) assert.ok(page.includes(`| \`webhooks.${key}\` | ${value ? `\`${value}\` ` : ''}|`), key);
  });

  it('has a request whose signatures are right', () => {
    const [endpoint, event] = ['"secret"', '"sequence"'].map((word) => JSON.parse(blocks('json').find((code) => code.includes(word))));
    const header = Object.fromEntries(blocks('http')[0].split('\n').slice(1, -1).map((line) => line.split(/: (.*)/)));
    const expected = signedHeaders(endpoint.secret, JSON.stringify(event), { time: header['webhook-timestamp'] });
    for (const [name, value] of Object.entries(expected)) assert.equal(header[name], value, name);
    assert.deepEqual([header['X-Service-Event-Id'], header['X-Service-Event-Type']], [event.id, event.type]);
    assert.equal(Math.floor(Date.parse(header['X-Service-Timestamp']) / 1000), Number(header['webhook-timestamp']));
  });

  it('has JSON that is JSON, and links that lead somewhere', () => {
    for (const code of blocks('json')) JSON.parse(code);
    const anchors = [...page.matchAll(/^##+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\w -]/g, '').replaceAll(' ', '-'));
    for (const [, anchor] of page.matchAll(/\]\(#([^)]*)\)/g)) assert.ok(anchors.includes(anchor), anchor);
  });
});
