// HTTP as bytes: where one request ends and the next begins, and what a server must not be talked
// into. Requests come over a bare TLS connection.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { withServer } from './lib/server.mjs';
import { drain, parseResponse } from './lib/client.mjs';
import { assertSchema, checkResponse } from './lib/contract.mjs';
import { sleep, slowness, within } from './lib/wait.mjs';

const message = JSON.stringify({ to: '+15551234567', text: 'byte by byte' });

withServer('http', {}, (context) => {
  // Everything the server sends for these bytes, until it closes the connection.
  const exchange = async (bytes, { end = false } = {}) => {
    const socket = await context.api.connect();
    const answer = drain(socket);
    socket.write(bytes);
    if (end) socket.end();
    try {
      return await within(5000, 'the server to close the connection', answer);
    } finally {
      socket.destroy();
    }
  };
  const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
  const send = (fields, body = message) =>
    `POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n${fields}\r\n${body}`;
  const sized = `Content-Length: ${message.length}\r\n`;
  const last = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const chunk = (text, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;

  it('refuses what could be read in two ways, and closes', async () => {
    const hidden = 'GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
    const dangerous = [
      send('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', `0\r\n\r\n${hidden}`),
      send('Content-Length: 5\r\nContent-Length: 60\r\n', `12345${hidden}`),
      send('Content-Length: +5\r\n', `12345${hidden}`),
      send('Content-Length: -5\r\n', hidden),
      send('Content-Length: 0x5\r\n', `12345${hidden}`),
      send('Content-Length: 5 5\r\n', `12345${hidden}`),
      send('Content-Length: 18446744073709551621\r\n', `12345${hidden}`),
      send('Content-Length:\r\n', hidden),
      send('Content-Length : 5\r\n', `12345${hidden}`),
      send('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `-1\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `0x1\r\nx\r\n0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `10000000000000001\r\nx\r\n0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `1\r\nxx\r\n0\r\n\r\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `1\nx\n0\n\n${hidden}`),
      send('Transfer-Encoding: chunked\r\n', `\r\n1\r\nx\r\n0\r\n\r\n${hidden}`),
      send(' Folded: x\r\n', hidden),
      send('X: a\r\n folded\r\nContent-Length: 0\r\n', hidden),
      send('Na me: x\r\n', hidden),
      send(': x\r\n', hidden),
      send('X: a\0b\r\n', hidden),
      send('X: a\rb\r\n', hidden),
      'GET /livez HTTP/1.1 x\r\nHost: x\r\n\r\n',
      'GET  /livez HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /li vez HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /livez HTTP/2.0\r\nHost: x\r\n\r\n',
      'GET /livez http/1.1\r\nHost: x\r\n\r\n',
      'G@T /livez HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n',
    ];
    for (const bytes of dangerous) {
      const shown = JSON.stringify(bytes.slice(0, 300));
      const text = await exchange(Buffer.from(bytes, 'latin1'));
      assert.deepEqual(statuses(text), [400], `one refusal and nothing more, to ${shown}`);
      const response = parseResponse(text);
      assertSchema('/components/schemas/Error', JSON.parse(response.text), shown);
      assert.match(response.headers['x-request-id'], /^req_/);
      assert.match(response.headers.connection ?? '', /close/i, `says that it closes, to ${shown}`);
    }
    const { body } = await context.api.get('/v1/messages');
    assert.equal(body.pagination.totalCount, 0, 'nothing was taken');
  });

  it('reads chunks with extensions, trailers and leading zeros', async () => {
    const pieces = [message.slice(0, 7), message.slice(7, 8), message.slice(8)];
    for (const body of [
      `${chunk(message)}0\r\n\r\n`,
      `${pieces.map((p) => chunk(p)).join('')}000\r\n\r\n`,
      `${pieces.map((p) => chunk(p, ';name="value"')).join('')}0;last\r\nTrailer: x\r\nOther: y\r\n\r\n`,
      `000${chunk(message)}0\r\n\r\n`,
    ]) {
      const text = await exchange(send('Transfer-Encoding: Chunked\r\n', body) + last);
      assert.deepEqual(statuses(text), [201, 200], body);
    }
  });

  it('reads a request whose bytes come one by one', async () => {
    for (const bytes of [send(sized), send('Transfer-Encoding: chunked\r\n', `${chunk(message)}0\r\n\r\n`)]) {
      const socket = await context.api.connect();
      const answer = drain(socket);
      socket.setNoDelay(true);
      for (const byte of bytes + last) {
        socket.write(byte);
        if (Math.random() < 0.1) await sleep(0);
      }
      assert.deepEqual(statuses(await within(10_000, 'the answers', answer)), [201, 200]);
    }
  });

  it('keeps the beginning of a request while its body grows', async () => {
    for (const size of [100, 5_000, 20_000, 70_000, 200_000, 262_000]) {
      const body = JSON.stringify({ to: '+15551234567', text: 'x', padding: 'p'.repeat(size) });
      const socket = await context.api.connect();
      const answer = drain(socket);
      socket.write(`POST /v1/send HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${context.api.key}\r\nConnection: close\r\n\r\n`);
      for (let at = 0; at < body.length; at += 9_000) {
        socket.write(body.slice(at, at + 9_000));
        await sleep(1);
      }
      const response = parseResponse(await within(10_000, 'the answer', answer));
      assert.equal(response.status, 201, `${size}: ${response.text}`);
      checkResponse('POST', '/v1/send', response);
    }
  });

  it('answers many pipelined requests, each its own', async () => {
    const many = Array.from({ length: 50 }, (_, i) => {
      const body = JSON.stringify({ to: '+15551234567', text: `pipelined ${i}` });
      return send(`Content-Length: ${body.length}\r\n`, body) + 'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n';
    }).join('');
    const text = await exchange(many + last);
    assert.deepEqual(statuses(text), [...Array(50).fill([201, 200]).flat(), 200]);
    assert.deepEqual([...text.matchAll(/"text":"pipelined (\d+)"/g)].map((m) => Number(m[1])), Array.from({ length: 50 }, (_, i) => i));
  });

  it('says 100 Continue to those who ask', async () => {
    const socket = await context.api.connect();
    const answer = drain(socket);
    const heard = new Promise((done) => { socket.once('data', (piece) => done(piece.toString())); });
    socket.write(send(`${sized}Expect: 100-continue\r\nConnection: close\r\n`, ''));
    assert.match(await within(3000, '100 Continue', heard), /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    socket.write(message);
    assert.deepEqual(statuses(await answer), [100, 201]);
  });

  it('answers HEAD like GET, without the body', async () => {
    for (const path of ['/livez', '/v1/openapi.json', '/docs/api-reference/errors']) {
      const whole = await context.api.get(path);
      const text = await exchange(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n\r\n${last}`);
      assert.deepEqual(statuses(text), [200, 200], path);
      const head = parseResponse(text);
      assert.equal(head.headers['content-length'], String(whole.bytes.length), path);
      assert.equal(head.headers['content-type'], whole.headers['content-type']);
      assert.match(head.text, /^HTTP\/1\.1 200/, 'the next answer follows at once');
    }
  });

  it('speaks HTTP/1.0 and then closes', async () => {
    assert.deepEqual(statuses(await exchange('GET /livez HTTP/1.0\r\n\r\n')), [200]);
    assert.deepEqual(statuses(await exchange(`GET /livez HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${last}`)), [200, 200]);
  });

  it('answers a client that closes its side early', async () => {
    assert.deepEqual(statuses(await exchange(send(sized), { end: true })), [201]);
  });

  it('takes no half of a request for a whole', async () => {
    const total = async () => (await context.api.get('/v1/messages?limit=1')).body.pagination.totalCount;
    const before = await total();
    for (const bytes of [send(sized, message.slice(0, -1)), send('Transfer-Encoding: chunked\r\n', chunk(message)), send('Transfer-Encoding: chunked\r\n', `${chunk(message)}0\r\n`)]) {
      assert.ok(!statuses(await exchange(bytes, { end: true })).includes(201));
    }
    await sleep(100);
    assert.equal(await total(), before);
  });

  it('does not swell for a client that does not read', async () => {
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${context.server.pid}/status`, 'utf8'))[1]);
    for (let i = 0; i < 100; i++) await context.api.sent({ to: '+15551234567', text: 'x'.repeat(500) });
    const before = memory();
    const socket = await context.api.connect();
    socket.pause();
    const request = `GET /v1/messages?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n\r\n`;
    socket.write(request.repeat(400) + last);
    await sleep(1000);
    for (let i = 0; i < 20; i++) await context.api.sent({ to: '+15551234567', text: 'quick' });
    const grown = memory() - before;
    assert.ok(grown < 16_384 * slowness, `grew by ${grown} KiB`);
    const answer = drain(socket);
    socket.resume();
    assert.equal(statuses(await within(20_000, 'all answers', answer)).length, 401);
  });
});
