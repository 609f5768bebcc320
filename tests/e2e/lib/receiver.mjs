// A receiver of webhooks on this machine, over plain HTTP (webhooks.allow_localhost): notes each
// request with its raw body, and answers as it is told.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

export class Receiver {
  // `answer(request)`: a status, or {status, headers, body}; or it answers by `response` itself and
  // returns null.
  static async start(answer = () => 200) {
    const receiver = new Receiver();
    receiver.requests = [];
    receiver.answer = answer;
    receiver.server = createServer((message, response) => receiver.take(message, response));
    receiver.server.keepAliveTimeout = 60_000;
    await new Promise((done) => receiver.server.listen(0, '127.0.0.1', done));
    receiver.url = `http://127.0.0.1:${receiver.server.address().port}`;
    return receiver;
  }

  take(message, response) {
    const pieces = [];
    message.on('error', () => {});
    message.on('data', (piece) => pieces.push(piece));
    message.on('end', async () => {
      const body = Buffer.concat(pieces);
      const request = { path: message.url, headers: message.headers, body, at: Date.now() };
      this.requests.push(request);
      const answer = await this.answer(request, response);
      if (answer === null) return;
      const { status, headers = {}, body: text = '' } = typeof answer === 'number' ? { status: answer } : answer;
      response.writeHead(status, headers).end(text);
    });
  }

  // The events that came, parsed, in the order of their coming.
  get events() {
    return this.requests.map(({ body }) => JSON.parse(body));
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

// Whether a request is signed with this secret, by what the API promises of X-Service-Signature.
export function isSigned({ headers, body }, secret) {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(headers['x-service-signature'] ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

// The environment of a server whose webhooks may reach such a receiver.
export const reachable = { SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on' };
