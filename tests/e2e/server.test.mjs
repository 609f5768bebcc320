// The HTTPS server itself: TLS, plain HTTP, odd requests, slow clients, caps, stopping, reloading.
// Runs alone: deadlines to the second.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import net from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { drain, parseResponse } from './lib/client.mjs';
import { assertSchema, checkResponse } from './lib/contract.mjs';
import { run, skylark } from './lib/program.mjs';
import { sleep, slowness, until, within } from './lib/wait.mjs';

const to = '+15551234567';

// Sends bytes over a bare TLS connection; what came back until the server closed, or after a while.
async function converse(client, bytes, { wait = 3000 } = {}) {
  const socket = await client.connect();
  const answer = drain(socket);
  socket.write(bytes);
  const timer = setTimeout(() => socket.destroy(), wait * slowness);
  const text = await answer;
  clearTimeout(timer);
  return text;
}

// What a plain connection gets for these bytes.
async function plainly(port, bytes) {
  const socket = net.connect({ host: '127.0.0.1', port });
  const answer = drain(socket);
  socket.write(bytes);
  return within(5000, 'an answer to plain HTTP', answer);
}

withServer('server: protocol', {}, (context) => {
  it('serves nothing over plain HTTP and says why', async () => {
    const { port } = context.server;
    for (const head of [
      `GET /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n\r\n`,
      'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      `POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`,
    ]) {
      const text = await plainly(port, head);
      const response = parseResponse(text);
      assert.ok(response, `no answer to ${JSON.stringify(head)}`);
      assert.equal(response.status, 400);
      assert.match(response.text, /https/i, 'the answer says why');
      assert.match(response.headers['x-request-id'] ?? '', /^req_/);
      assert.equal('location' in response.headers, false, 'no redirect');
    }
    assert.doesNotMatch(await plainly(port, `GET /v1/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sl_test_wrong\r\n\r\n`), / 401 /, 'the key is not looked at');
  });

  it('survives noise', async () => {
    for (const noise of ['\0'.repeat(100), '\x16\x03\x01\xff\xff'.repeat(50), '\x16', 'x', '\r\n\r\n', '\xff'.repeat(5000)]) {
      const socket = net.connect({ host: '127.0.0.1', port: context.server.port });
      const answer = drain(socket);
      socket.end(Buffer.from(noise, 'latin1'));
      await within(5000, 'the end of a noisy connection', answer);
    }
    assert.equal((await context.api.get('/livez')).status, 200);
  });

  it('speaks TLS 1.2 and 1.3 and nothing older', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3']) {
      const socket = await context.api.connect({ minVersion: version, maxVersion: version });
      assert.equal(socket.getProtocol(), version);
      assert.ok(socket.authorized);
      socket.destroy();
    }
    for (const version of ['TLSv1', 'TLSv1.1']) {
      await assert.rejects(
        context.api.connect({ minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' }),
        // From the server, not a refusal of our own library to try.
        (error) => /ALERT_PROTOCOL_VERSION|ECONNRESET|alert/i.test(`${error.code} ${error.message}`) && !/no protocols available/i.test(error.message),
      );
    }
  });

  it('has a certificate for localhost and loopback that its CA vouches for', async () => {
    for (const servername of ['localhost', undefined]) {
      const socket = await context.api.connect({ servername });
      const { subjectaltname, valid_from: from, valid_to: end } = socket.getPeerCertificate();
      assert.match(subjectaltname, /DNS:localhost/);
      assert.match(subjectaltname, /IP Address:127\.0\.0\.1/);
      assert.match(subjectaltname, /IP Address:0:0:0:0:0:0:0:1/);
      assert.ok((Date.parse(end) - Date.parse(from)) / 86_400_000 <= 397);
      socket.destroy();
    }
    const ca = await run('openssl', ['x509', '-in', join(context.server.dataDir, 'ca.pem'), '-noout', '-text']);
    assert.match(ca.stdout, /X509v3 Name Constraints: critical/);
    assert.match(ca.stdout, /CA:TRUE/);
  });

  it('keeps a connection open for many requests, answers with errors too', async () => {
    const client = context.server.client(context.api.key, { connections: 1 });
    const ports = new Set();
    client.agent.on('free', (socket) => ports.add(socket.localPort));
    for (let i = 0; i < 20; i++) {
      await client.get('/livez');
      const { messageId } = await client.sent({ to, text: `${i}` });
      await client.message(messageId);
      await client.get('/v1/messages?limit=0');
      await client.get('/v1/nothing');
      await client.send({ to: 'x', text: 'x' });
      await client.get('/v1/messages', { key: null });
    }
    assert.equal(ports.size, 1, `${ports.size} connections were needed`);
  });

  it('answers pipelined requests in order', async () => {
    const body = JSON.stringify({ to, text: 'x' });
    const send = `POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const text = await converse(context.api, `${send}${send}GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.deepEqual([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((m) => m[1]), ['201', '201', '200']);
  });

  it('gives each response its own id', async () => {
    const ids = new Set();
    for (let i = 0; i < 100; i++) ids.add((await context.api.get('/livez')).headers['x-request-id']);
    assert.equal(ids.size, 100);
  });

  it('knows no other paths', async () => {
    for (const path of ['/', '/v1', '/v1/', '/v1/sends', '/v1/send/', '/v1/messages/', '/v1/messages/a/b', '/v2/send', '/V1/send', '/v1/../v1/messages',
      '/%76%31/send', '//v1/messages', '/v1/openapi.jsonx', '/livez/', '/%00', '/%FF', '/docs/api-reference/errors/x', `/${'x'.repeat(8000)}`]) {
      const { status, body } = await context.api.get(path);
      assert.equal(status, 404, path);
      assert.equal((await context.api.get(path, { key: null })).status, 404, `${path} without a key`);
      assert.ok(['not_found', ...(path === '/v1/messages/' ? ['message_not_found'] : [])].includes(body.code), path);
    }
  });

  it('knows no other methods', async () => {
    for (const [method, path] of [['GET', '/v1/send'], ['PUT', '/v1/send'], ['DELETE', '/v1/send'], ['PATCH', '/v1/messages'], ['POST', '/v1/messages'],
      ['DELETE', '/v1/messages/msg_x'], ['OPTIONS', '/v1/send'], ['POST', '/livez'], ['TRACE', '/livez'], ['PROPFIND', '/v1/messages'], ['POST', '/v1/openapi.json']]) {
      await context.api.refused(404, 'not_found', undefined, context.api.call(method, path));
    }
    const text = await converse(context.api, `BREW /v1/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${context.api.key}\r\n\r\n`);
    const response = parseResponse(text);
    assert.equal(response.status, 404);
    checkResponse('BREW', '/v1/send', response);
  });

  it('never crashes on malformed requests', async () => {
    for (const bytes of ['GET\r\n\r\n', '\r\n\r\n\r\n', 'GET /livez\r\n\r\n', 'GET  HTTP/1.1\r\n\r\n', 'GET /livez HTTP/9.9\r\n\r\n', 'GET /livez HTTP/1.1\r\nno colon\r\n\r\n',
      'POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 'POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n',
      'POST /v1/send HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
      'GET /livez HTTP/1.1\r\nHost: \0\r\n\r\n']) {
      const text = await converse(context.api, bytes, { wait: 300 });
      const status = parseResponse(text)?.status;
      if (/Length|chunked/.test(bytes)) assert.notEqual(status, 201, bytes);
    }
    assert.equal((await context.api.get('/livez')).status, 200);
  });

  it('says at once that lines end with CR and LF', async () => {
    const text = await converse(context.api, 'GET /livez HTTP/1.1\nHost: x\n\n', { wait: 2000 });
    assert.equal(parseResponse(text).status, 400);
    assert.match(text, /its lines must end with CR and LF/);
  });

  it('refuses headers over 16 KiB', async () => {
    const fine = await context.api.get('/v1/messages', { headers: { 'X-Padding': 'x'.repeat(8_000) } });
    assert.equal(fine.status, 200);
    // Refused before the key is looked at, so without the headers that tell of its limits.
    const refused = await context.api.exchange('GET', '/v1/messages', { headers: { 'X-Padding': 'x'.repeat(17_000) } });
    assert.equal(refused.status, 400);
    assert.match(refused.headers['x-request-id'], /^req_/);
    assertSchema('/components/schemas/Error', JSON.parse(refused.text), 'the refusal');
    assert.equal(JSON.parse(refused.text).code, 'request_too_large');
    const text = await converse(context.api, `GET /livez HTTP/1.1\r\nHost: x\r\nX-Padding: ${'x'.repeat(1_000_000)}\r\n\r\n`);
    assert.doesNotMatch(text, /^HTTP\/1\.1 2/);
    const many = await converse(context.api, `GET /livez HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(100_000)}\r\n`);
    assert.doesNotMatch(many, /^HTTP\/1\.1 2/);
    assert.equal((await context.api.get('/livez')).status, 200);
  });

  it('does not stall at any number of connections', async () => {
    for (const connections of [1, 16, 64, 256]) {
      const client = context.server.client(context.api.key, { connections });
      const sends = Array.from({ length: connections * 3 }, (_, i) => client.sent({ to, text: `${i}` }));
      await within(20_000, `sends over ${connections} connections`, Promise.all(sends));
      client.close();
    }
  });

  it('goes on when clients vanish', async () => {
    const body = JSON.stringify({ to, text: 'x' });
    for (let i = 0; i < 50; i++) {
      const socket = await context.api.connect();
      socket.write(`POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      if (i % 2) await sleep(1);
      socket.destroy();
    }
    assert.equal((await context.api.send({ to, text: 'x' })).status, 201);
  });
});

withServer('server: slow clients', { env: { SKYLARK_SERVER_REQUEST_TIMEOUT: '2s' } }, (context) => {
  // How long the server bears a connection that gets one more byte every 100 ms.
  async function patience(socket, bytes) {
    const started = Date.now();
    const answer = drain(socket);
    const trickle = setInterval(() => {
      if (bytes.length) socket.write(bytes.slice(0, 1));
      bytes = bytes.slice(1);
    }, 100);
    try {
      const text = await within(8000, 'the cut', answer);
      assert.doesNotMatch(text, /^HTTP\/1\.1 2/);
      return Date.now() - started;
    } finally {
      clearInterval(trickle);
      socket.destroy();
    }
  }
  const inTime = (ms) => assert.ok(ms >= 1000 && ms <= 4500 * slowness, `cut after ${ms} ms`);

  it('are cut off, whatever they trickle', async () => {
    const head = `POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\nContent-Length: 1000\r\n\r\n`;
    const body = await context.api.connect();
    body.write(head);
    const silent = net.connect({ host: '127.0.0.1', port: context.server.port });
    const handshake = net.connect({ host: '127.0.0.1', port: context.server.port });
    const times = await Promise.all([
      patience(await context.api.connect(), `GET /livez HTTP/1.1\r\nX-Slow: ${'x'.repeat(500)}`),
      patience(body, `{"text": "${'x'.repeat(500)}`),
      patience(silent, ''),
      patience(handshake, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(500, 'x')),
    ]);
    times.forEach(inTime);
  });

  it('do not hold up others', async () => {
    const slow = await Promise.all(Array.from({ length: 50 }, () => context.api.connect()));
    slow.forEach((socket) => socket.write('GET /livez HT'));
    const started = Date.now();
    for (let i = 0; i < 20; i++) await context.api.sent({ to, text: 'quick' });
    assert.ok(Date.now() - started < 2000 * slowness);
    slow.forEach((socket) => socket.destroy());
  });

  it('are not confused with idle connections', async () => {
    const client = context.server.client(context.api.key, { connections: 1 });
    await client.get('/livez');
    await sleep(3000);
    assert.equal((await client.get('/livez')).status, 200);
    assert.equal((await client.sent({ to, text: 'x' })).status, 'queued');
  });
});

withServer('server: caps', { env: { SKYLARK_SERVER_MAX_CONNECTIONS_PER_ADDRESS: '6' } }, (context) => {
  it('allows so many connections from one address', async () => {
    context.server.closeClients();
    await sleep(200);
    const open = [];
    for (let i = 0; i < 6; i++) open.push(await context.api.connect());
    await assert.rejects(within(3000, 'a refusal', context.api.connect()), /ECONNRESET|EPIPE|disconnected|socket hang up|closed/i);
    open.pop().destroy();
    const another = await until('a place to be free', () => context.api.connect().catch(() => null), { within: 3000, every: 50 });
    another.destroy();
    open.forEach((socket) => socket.destroy());
    await until('all places to be free', () => context.api.get('/livez').then((r) => r.status === 200, () => false), { every: 50 });
  });

  // Bytes and the end of the connection that arrive together must both be seen. The server stands
  // still while the clients write and hang up, so that they do arrive together.
  it('notices every connection that is closed', async () => {
    context.api.close();
    const place = (what) => until(what, () => openPair().catch(() => null), { within: 3000, every: 20 });
    const openPair = async () => {
      const raw = net.connect({ host: '127.0.0.1', port: context.server.port });
      return { raw, secure: await context.api.connect({ socket: raw }) };
    };
    for (let round = 0; round < 5; round++) {
      const pairs = [];
      while (pairs.length < 6) pairs.push(await place(`place ${pairs.length + 1} in round ${round}`));
      context.server.signal('SIGSTOP');
      try {
        await Promise.all(pairs.map(({ raw, secure }) => new Promise((done) => {
          secure.write('GET /livez HT', () => { raw.destroy(); done(); });
        })));
        await sleep(50);
      } finally {
        context.server.signal('SIGCONT');
      }
    }
  });
});

it('server: a client whose last bytes and goodbye arrive together gives its place free', { timeout: 60_000 * slowness }, async () => {
  const server = await Server.start({ env: { SKYLARK_SERVER_MAX_CONNECTIONS_PER_ADDRESS: '6' } });
  try {
    server.closeClients();
    await sleep(200);
    const client = server.client();
    const open = await Promise.all(Array.from({ length: 6 }, () => client.connect()));
    server.signal('SIGSTOP');
    await Promise.all(open.map((socket) => new Promise((done) => { socket.write('GET /livez HT', done); })));
    open.forEach((socket) => socket.destroy());
    await sleep(300);
    server.signal('SIGCONT');
    await until('a place to be free', () => client.get('/livez').then((r) => r.status === 200, () => false), { within: 5000, every: 50 });
    await server.stop();
  } finally {
    await server.dispose();
  }
});

it('server: SIGTERM lets requests under way finish, and they are kept', { timeout: 60_000 * slowness }, async () => {
  const server = await Server.start();
  try {
    const api = await server.keyedClient();
    const idle = await api.connect();
    const body = JSON.stringify({ to, text: 'under way' });
    const head = `POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sockets = await Promise.all(Array.from({ length: 16 }, () => api.connect()));
    const answers = sockets.map(drain);
    sockets.forEach((socket) => socket.write(head + body.slice(0, 10)));
    await sleep(300);
    server.signal('SIGTERM');
    await sleep(200);
    await assert.rejects(api.connect(), 'new connections are refused');
    sockets.forEach((socket) => socket.write(body.slice(10)));
    const responses = (await within(8000, 'the answers', Promise.all(answers))).map(parseResponse);
    for (const response of responses) assert.equal(response?.status, 201);
    await server.stop();
    idle.destroy();

    const again = await Server.start({ dataDir: server.dataDir });
    const reader = again.client(api.key);
    for (const { text } of responses) assert.equal((await reader.message(JSON.parse(text).messageId)).text, 'under way');
    await again.stop();
  } finally {
    await server.dispose();
  }
});

it('server: an idle connection does not hold up the end', { timeout: 60_000 }, async () => {
  const server = await Server.start();
  try {
    const client = server.client();
    await client.get('/livez');
    const sockets = await Promise.all(Array.from({ length: 5 }, () => client.connect()));
    const started = Date.now();
    server.signal('SIGTERM');
    const { code } = await within(5000, 'the end', server.exit);
    assert.equal(code, 0, server.stderr);
    assert.ok(Date.now() - started < 3000 * slowness);
    sockets.forEach((socket) => socket.destroy());
    server.assertNoReport();
  } finally {
    await server.dispose();
  }
});

it('server: SIGHUP reads the configuration again, and keeps the old one when it is faulty', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  writeFileSync(file, '[plan tiny]\nper_minute = 5\nper_hour = 500\n');
  const server = await Server.start({ args: ['--config', file] });
  try {
    const made = await skylark(['keys', 'create', '--config', file, '--data-dir', server.dataDir, '--name', 'x', '--type', 'test', '--plan', 'tiny', '-o', 'json']);
    assert.equal(made.code, 0, made.stderr);
    const client = server.client(JSON.parse(made.stdout).key);
    const limit = async () => (await client.get('/v1/messages')).headers['x-ratelimit-limit'];
    assert.equal(await limit(), '5');

    writeFileSync(file, '[plan tiny]\nper_minute = 77\nper_hour = 500\n');
    server.signal('SIGHUP');
    await until('the new limit', async () => await limit() === '77', { within: 3000, every: 100 });

    writeFileSync(file, '[plan tiny]\nper_minute = 88\nper_hour = 500\n[server]\nrequest_timeot = 5s\n');
    server.stderr = '';
    server.signal('SIGHUP');
    await until('the complaint', () => {
      assert.equal(server.ended, undefined, server.stderr);
      return /request_timeot/.test(server.stderr);
    }, { within: 3000 });
    assert.match(server.stderr, /request_timeout/, 'the nearest valid key is named');
    assert.match(server.stderr, /skylark\.ini:5/, 'file and line are named');

    writeFileSync(file, '[plan tiny]\nper_minute = 88\nper_hour = 500\n[webhooks]\nallow = 10.1.2.3/8\n');
    server.signal('SIGHUP');
    await until('the complaint', () => /skylark\.ini:5: webhooks\.allow/.test(server.stderr), { within: 3000 });
    assert.equal(await limit(), '77');
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
