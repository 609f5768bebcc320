// Receivers as the internet has them: each answer, and each lack of one, has the outcome that docs/WEBHOOKS.md
// promises. All cases run side by side on one server; each has an account of its own.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Authority, selfSigned } from './lib/certificates.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, freePort, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';
import { Hooks, localhostAllowed } from './lib/webhooks.mjs';

const minute = 60_000;
const hour = 60 * minute;

// Receivers that speak no HTTP of node's: `talk(socket)` is called once a request has come.
async function rawReceiver(talk) {
  const receiver = { connections: 0, sockets: new Set() };
  receiver.server = createServer((socket) => {
    receiver.connections++;
    receiver.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => receiver.sockets.delete(socket));
    socket.once('data', () => talk(socket, receiver));
  });
  await new Promise((done) => { receiver.server.listen(0, '127.0.0.1', done); });
  receiver.url = () => `http://127.0.0.1:${receiver.server.address().port}/hook`;
  receiver.stop = () => {
    receiver.sockets.forEach((socket) => socket.destroy());
    return new Promise((done) => { receiver.server.close(done); });
  };
  return receiver;
}

const answering = (status, headers = {}, body = '') => () => Receiver.start({ answer: (request, response) => response.writeHead(status, headers).end(body) });

// Writes for as long as somebody reads, up to a gigabyte.
async function flood(socket, receiver, piece) {
  receiver.written = 0;
  while (!socket.destroyed && receiver.written < 1 << 30) {
    receiver.written += piece.length;
    if (!socket.write(piece)) await Promise.race(['drain', 'close'].map((event) => new Promise((done) => { socket.once(event, done); })));
  }
  socket.destroy();
}

describe('webhooks: receivers', { timeout: 240_000 * slowness }, () => {
  let server, folder, ca;
  const certificates = {};
  const elsewhere = { hits: 0 };

  before(async () => {
    folder = temporaryFolder();
    ca = await Authority.make(folder, 'ca');
    const other = await Authority.make(folder, 'other');
    certificates.good = await ca.sign('good', 'IP:127.0.0.1,DNS:localhost');
    certificates.wrongName = await ca.sign('wrong', 'DNS:elsewhere.example');
    certificates.expired = await ca.sign('expired', 'IP:127.0.0.1', { days: -1 });
    certificates.stranger = await other.sign('stranger', 'IP:127.0.0.1');
    certificates.selfSigned = await selfSigned(folder, 'self', 'IP:127.0.0.1');
    elsewhere.receiver = await Receiver.start();
    server = await Server.start({ leakCheck: true, env: { ...localhostAllowed, SKYLARK_WEBHOOKS_CA: ca.certFile } });
    beginSlowOnes();
  });
  after(async () => {
    await server?.dispose();
    await elsewhere.receiver?.stop();
    removeFolder(folder);
  });

  const residentKiB = () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]);

  // A test event to a receiver of this kind: the delivery after its first attempt, and how the endpoint stands.
  let accounts = 0;
  async function deliver(start, { attempts = 1, within = 15_000 } = {}) {
    const account = `case-${accounts += 1}`;
    await server.command('accounts', 'create', account);
    const hooks = new Hooks(await server.keyedClient({ account }));
    const receiver = await start();
    try {
      const { webhookId } = await hooks.create({ url: receiver.url('/hook') });
      const delivery = await hooks.tried(await hooks.test(webhookId), attempts, { within });
      return { receiver, hooks, delivery, webhook: await hooks.get(webhookId), attempt: delivery.lastAttempt };
    } finally {
      await receiver.stop();
    }
  }

  // These take half a minute, so they begin before all others.
  const slow = {};
  function beginSlowOnes() {
    const patience = { within: 60_000 };
    slow.silence = deliver(() => rawReceiver(() => {}), patience);
    slow.trickle = deliver(() => rawReceiver(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      while (!socket.destroyed) {
        socket.write('x');
        await delay(1000);
      }
    }), patience);
    Object.values(slow).forEach((outcome) => outcome.catch(() => {})); // whoever awaits it hears of it
  }

  function isDelivered({ delivery, webhook, attempt }, status) {
    assert.deepEqual(
      [delivery.status, delivery.attempts, delivery.nextAttemptAt, attempt.responseStatus, attempt.error],
      ['delivered', 1, null, status, null],
      JSON.stringify(delivery),
    );
    assert.deepEqual([webhook.status, webhook.consecutiveFailures, webhook.failingSince, webhook.pendingDeliveries], ['enabled', 0, null, 0]);
    assert.ok(webhook.lastSuccessAt);
  }

  // It waits for the second attempt, which comes after `wait` and at most a tenth more (or less, `least`).
  function isTriedAgain({ delivery, webhook, attempt }, { status = null, error = /./, wait = minute, least = wait * 0.9 }) {
    assert.deepEqual([delivery.status, delivery.attempts, attempt.responseStatus], ['pending', 1, status], JSON.stringify(delivery));
    if (status === null) assert.match(attempt.error, error);
    const ended = Date.parse(attempt.at) + attempt.durationMs;
    const waits = Date.parse(delivery.nextAttemptAt) - ended;
    assert.ok(waits >= least - 1500 * slowness && waits <= wait * 1.1 + 2000, `waits ${waits} ms`);
    assert.deepEqual([webhook.status, webhook.consecutiveFailures, webhook.pendingDeliveries, webhook.lastSuccessAt], ['enabled', 1, 1, null]);
    assert.ok(webhook.failingSince);
  }

  const is = (name, start, check, options) => it(name, async () => check(await deliver(start, options)));
  const fails = (name, start, expected, options) => is(name, start, (outcome) => isTriedAgain(outcome, expected), options);

  describe('answers', { concurrency: 8 }, () => {
    for (const status of [200, 201, 202, 204, 299]) is(`${status} is success`, answering(status), (outcome) => isDelivered(outcome, status));

    for (const status of [301, 302, 303, 307, 308]) {
      fails(`${status} is not followed`, () => Receiver.start({
        answer: (request, response) => response.writeHead(status, { Location: elsewhere.receiver.url('/trap') }).end(),
      }), { status });
    }

    for (const status of [304, 400, 401, 403, 404, 409, 422, 500, 502, 504]) fails(`${status} is tried again by the table`, answering(status), { status });

    is('410 switches the endpoint off, and parks the event', answering(410, {}, 'moved out'), ({ delivery, webhook, attempt }) => {
      assert.deepEqual([delivery.status, delivery.attempts, attempt.responseStatus], ['parked', 1, 410], JSON.stringify(delivery));
      assert.deepEqual([webhook.status, webhook.enabled, webhook.disabledReason, webhook.pendingDeliveries], ['disabled', false, 'gone', 1]);
      assert.ok(webhook.disabledAt);
    });

    for (const status of [429, 503]) {
      fails(`${status} with Retry-After in seconds waits as long`, answering(status, { 'Retry-After': '7200' }), { status, wait: 2 * hour, least: 2 * hour });
      fails(`${status} with Retry-After as a date waits until then`, () => Receiver.start({
        answer: (request, response) => response.writeHead(status, { 'Retry-After': new Date(Date.now() + hour).toUTCString() }).end(),
      }), { status, wait: hour, least: hour });
      fails(`${status} with a shorter Retry-After waits as the table says`, answering(status, { 'Retry-After': '1' }), { status });
      fails(`${status} with a Retry-After of a year waits a day`, answering(status, { 'Retry-After': '31536000' }), { status, wait: 24 * hour });
      for (const word of ['soon', '-5', '1.5e3', '99999999999999999999999', 'Sun, 99 Nov 2026 99:99:99 GMT']) {
        is(`${status} with the Retry-After ${JSON.stringify(word)} waits by the table, or a day at most`, answering(status, { 'Retry-After': word }), ({ delivery }) => {
          assert.equal(delivery.status, 'pending');
          const waits = Date.parse(delivery.nextAttemptAt) - Date.now();
          assert.ok(waits > 0.8 * minute && waits < 26.5 * hour, `${waits}`);
        });
      }
    }
    fails('500 with Retry-After waits by the table', answering(500, { 'Retry-After': '7200' }), { status: 500 });

    is('the answer is in the log, its first 1,024 bytes', answering(500, { 'Content-Type': 'text/plain' }, `Grüße ${'x'.repeat(4000)}`), ({ delivery }) => {
      const [attempt] = delivery.attemptLog;
      assert.ok(attempt.responseBody.startsWith('Grüße xxx'), attempt.responseBody);
      assert.equal(Buffer.byteLength(attempt.responseBody), 1024);
      assert.equal(attempt.number, 1);
      assert.ok(attempt.durationMs >= 0 && attempt.connectMs >= 0);
    });
    is('an answer that is no text is in the log, too', answering(500, {}, Buffer.from([0xff, 0xfe, 0x00, 0x41, 0x22, 0xc3])), ({ delivery }) => {
      assert.equal(typeof delivery.attemptLog[0].responseBody, 'string');
    });
    is('the log shows the request as it came', answering(204), ({ receiver, delivery }) => {
      const [{ headers, body, method }] = receiver.requests;
      assert.equal(delivery.request.body, body.toString());
      assert.equal(delivery.request.method, method);
      assert.equal(delivery.request.url, receiver.url('/hook'));
      const named = Object.entries(delivery.request.headers);
      assert.ok(named.length >= 10, JSON.stringify(named));
      for (const [name, value] of named) assert.equal(headers[name.toLowerCase()], value, name);
      assert.deepEqual(delivery.attemptLog[0].requestHeaders, delivery.request.headers);
    });
  });

  describe('connections', { concurrency: 8 }, () => {
    fails('nobody is there', async () => {
      const port = await freePort();
      return { url: () => `http://127.0.0.1:${port}/`, stop: async () => {} };
    }, { error: /^No connection to 127\.0\.0\.1 port \d+: Connection refused\.$/ });
    fails('reset after the request', () => rawReceiver((socket) => socket.resetAndDestroy()), { error: /^The connection was lost / });
    fails('closed without a word', () => rawReceiver((socket) => socket.end()), { error: /^The connection was closed before an answer came\.$/ });
    fails('closed in the middle of the head', () => rawReceiver((socket) => socket.end('HTTP/1.1 204 No Con')), { error: /^The connection was closed before an answer came\.$/ });
    fails('no HTTP', () => rawReceiver((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')), { error: /^What came is no HTTP\.$/ });
    fails('an answer that ends early is none', () => rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort')), { error: /^The connection was lost before the answer was complete\.$/ });
    is('HTTP/1.0 without a length', () => rawReceiver((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nfine')), (outcome) => isDelivered(outcome, 200));
    is('100 Continue and 103 Early Hints before the answer', () => rawReceiver((socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n')), (outcome) => isDelivered(outcome, 204));

    is('the answer one byte at a time', () => rawReceiver(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of 'HTTP/1.1 204 No Content\r\nServer: slow\r\nX-Slow: yes\r\n\r\n') {
        socket.write(byte);
        await delay(20);
      }
      socket.end();
    }), (outcome) => isDelivered(outcome, 204));

    it('silence: after 30 seconds it is over', async () => isTriedAgain(await slow.silence, { error: /^No answer came within 30 s\.$/ }));
    it('one byte a second for ever: after 30 seconds it is over', async () => isTriedAgain(await slow.trickle, { error: /^The answer was not complete after 30 s\.$/ }));

    it('a gigabyte is cut off, and the status counts', async () => {
      const before = residentKiB();
      const piece = Buffer.alloc(1 << 20, 'x');
      const outcome = await deliver(() => rawReceiver((socket, receiver) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n');
        return flood(socket, receiver, piece);
      }));
      isDelivered(outcome, 200);
      assert.ok(outcome.receiver.written < 64 << 20, `${outcome.receiver.written} bytes were read`);
      assert.equal(outcome.delivery.attemptLog[0].responseBody, 'x'.repeat(1024));
      assert.ok(residentKiB() - before < 32 << 10, `${before} KiB, then ${residentKiB()}`);
    });

    it('a gigabyte of header fields is cut off, and it fails', async () => {
      const before = residentKiB();
      const piece = Buffer.from(`X-Long: ${'x'.repeat(1014)}\r\n`.repeat(1024));
      const outcome = await deliver(() => rawReceiver((socket, receiver) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        return flood(socket, receiver, piece);
      }), { within: 45_000 });
      isTriedAgain(outcome, {});
      assert.ok(outcome.receiver.written < 64 << 20, `${outcome.receiver.written} bytes were read`);
      assert.ok(residentKiB() - before < 32 << 10, `${before} KiB, then ${residentKiB()}`);
    });
  });

  describe('TLS', { concurrency: 8 }, () => {
    const secure = (name, more) => () => Receiver.start({ tls: certificates[name], ...more });
    is("a certificate of the operator's authority", secure('good'), (outcome) => {
      isDelivered(outcome, 204);
      assert.equal(outcome.receiver.requests[0].version, '1.1');
    });
    is('HTTP/2 where it is offered', secure('good', { http2: true }), (outcome) => {
      isDelivered(outcome, 204);
      assert.equal(outcome.receiver.requests[0].version, '2.0');
    });
    for (const [name, what, error] of [
      ['wrongName', 'another name', /the certificate is for other names than 127\.0\.0\.1\.$/],
      ['expired', 'a certificate that is over', /the certificate has expired\.$/],
      ['selfSigned', 'a certificate that vouches for itself', /not signed by an authority that this system trusts\.$/],
      ['stranger', 'a certificate of an authority that nobody knows', /not signed by an authority that this system trusts\.$/],
    ]) {
      is(what, secure(name), (outcome) => {
        isTriedAgain(outcome, { error });
        assert.equal(outcome.receiver.requests.length, 0, 'nothing was told');
      });
    }
    fails('HTTP where HTTPS was expected', async () => {
      const plain = await Receiver.start();
      return Object.assign(plain, { scheme: 'https' });
    }, { error: /^The TLS handshake failed/ });
  });

  it('no redirect was followed', () => assert.equal(elsewhere.receiver.connections, elsewhere.hits));

  it('one connection serves many deliveries', async () => {
    const hooks = new Hooks(await server.keyedClient());
    const receiver = await Receiver.start({ tls: certificates.good });
    try {
      const { webhookId } = await hooks.create({ url: receiver.url() });
      for (let i = 1; i <= 20; i++) {
        await hooks.test(webhookId);
        await receiver.took(i);
      }
      assert.equal(receiver.connections, 1);
      await until('all to be noted', async () => (await hooks.get(webhookId)).pendingDeliveries === 0);
    } finally {
      await receiver.stop();
    }
  });

  it('stops cleanly', () => server.stop());
});
