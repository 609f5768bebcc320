// Receives webhooks: checks who sent them, drops repetitions, prints a line for each event. With node alone, 18 or later.
//
//   SKYLARK_WEBHOOK_SECRET=whsec_… node examples/webhooks/receiver.mjs [PORT] [--standard]
//
// It speaks plain HTTP, and only to this machine: for `skylark webhooks listen --forward-to http://127.0.0.1:4000`, or
// behind something that speaks TLS. With --standard it checks the signature of Standard Webhooks instead of ours.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const args = process.argv.slice(2);
const port = Number(args.find((word) => /^\d+$/.test(word)) ?? 4000);
const secrets = (process.env.SKYLARK_WEBHOOK_SECRET ?? '').split(' ').filter(Boolean); // two of them during a rotation

// In the same time whether the first byte differs or the last, so that nobody can guess byte by byte.
function same(a, b) {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// X-Service-Signature: the key is the whole secret as it is written, `whsec_` included.
function signed(secret, headers, body) {
  const wanted = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return same(headers['x-service-signature'] ?? '', wanted);
}

// webhook-signature: the key is what stands in base64 behind `whsec_`. It is of id, time and body, so an old request
// cannot be sent again by somebody else. During a rotation there are two signatures in it, with a space between.
function standard(secret, headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const wanted = `v1,${createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')}`;
  return signatures.split(' ').filter((signature) => same(signature, wanted)).length > 0;
}

const genuine = args.includes('--standard') ? standard : signed;

// Deliveries come at least once. Yours remembers the ids where it keeps what the events change, in one transaction.
const seen = new Set();

function handle(event) {
  if (seen.has(event.id)) return;
  console.log(`${event.id}  ${event.type}  ${event.data.messageId ?? event.data.webhookId}`);
  seen.add(event.id);
  if (seen.size > 10_000) seen.delete(seen.values().next().value);
}

async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request) {
    pieces.push(piece);
    if ((size += piece.length) > 256 * 1024) throw new Error('too long for an event');
  }
  return Buffer.concat(pieces);
}

async function receive(request, response) {
  try {
    const body = await bodyOf(request); // the bytes as they came: parsed and written again they could be others
    const known = request.method === 'POST' && secrets.some((secret) => genuine(secret, request.headers, body));
    if (known) handle(JSON.parse(body));
    response.writeHead(known ? 204 : 401).end();
  } catch (error) {
    console.error(error.message);
    response.writeHead(400, { Connection: 'close' }).end();
  }
}

if (secrets.length === 0) {
  console.error('SKYLARK_WEBHOOK_SECRET is not set. `skylark webhooks listen --print-secret` prints it.');
  process.exit(1);
}
const server = createServer(receive).listen(port, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
