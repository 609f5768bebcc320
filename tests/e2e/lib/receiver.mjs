// Where webhooks go in tests: a receiver that keeps every request as it came, and answers as it is told.
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import { until } from './wait.mjs';

const bodyOf = async (request) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
};

export class Receiver {
  // `answer(request, response, kept)` answers, or does worse; 204 without it. With `tls` ({key, cert}) it speaks
  // HTTPS, with `http2` also HTTP/2.
  static async start({ host = '127.0.0.1', port = 0, ...options } = {}) {
    const receiver = new Receiver(options);
    await new Promise((done, fail) => { receiver.server.on('error', fail).listen(port, host, done); });
    return Object.assign(receiver, { host, port: receiver.server.address().port });
  }

  constructor({ answer, tls, http2: newer = false } = {}) {
    this.answer = answer ?? ((request, response) => response.writeHead(204).end());
    this.requests = []; // {method, path, headers, body, version, at}
    this.connections = 0;
    this.sockets = new Set();
    const take = (request, response) => this.#take(request, response).catch(() => {});
    this.scheme = tls ? 'https' : 'http';
    if (newer) this.server = http2.createSecureServer({ ...tls, allowHTTP1: true }, take);
    else if (tls) this.server = https.createServer(tls, take);
    else this.server = http.createServer(take);
    this.server.on('connection', (socket) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server.on('tlsClientError', () => {});
  }

  async #take(request, response) {
    const { method, url: path, headers, httpVersion: version } = request;
    const kept = { method, path, headers, version, at: Date.now(), body: await bodyOf(request) };
    this.requests.push(kept);
    this.answer(request, response, kept);
  }

  url(path = '/') {
    return `${this.scheme}://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}${path}`;
  }

  get events() {
    return this.requests.map(({ body }) => JSON.parse(body));
  }

  // The requests, as soon as there are so many.
  async took(count, options) {
    await until(`${count} requests`, () => this.requests.length >= count, options);
    return this.requests;
  }

  async stop() {
    this.sockets.forEach((socket) => socket.destroy());
    await new Promise((done) => { this.server.close(done); });
  }
}
