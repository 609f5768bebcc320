// Sends a message, waits until it has arrived, and lists the newest ones. With node alone, 18 or later.
//
//   node examples/send.mjs [TO [TEXT [ORDER]]]
//
// ORDER makes the message one of a kind: the same ORDER twice is one message. See README.md beside this.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const { SKYLARK_URL = 'https://127.0.0.1:8443', SKYLARK_API_KEY = '', SKYLARK_CA = `${homedir()}/.local/share/skylark/ca.pem` } = process.env;
const [to = '+15551234567', text = 'Hello from node', order = randomUUID()] = process.argv.slice(2);
const agent = new https.Agent({ keepAlive: true, ca: readFileSync(SKYLARK_CA) });

class ApiError extends Error {
  constructor({ code, message, field, retryAfter }) {
    super(field ? `${code}: ${message} (field ${field})` : `${code}: ${message}`);
    this.retryAfter = retryAfter;
  }
}

function request(method, path, body, headers) {
  const options = { method, agent, headers: { Authorization: `Bearer ${SKYLARK_API_KEY}`, 'Content-Type': 'application/json', ...headers } };
  return new Promise((resolve, reject) => {
    const call = https.request(SKYLARK_URL + path, options, async (response) => {
      response.setEncoding('utf8');
      let answer = '';
      for await (const piece of response) answer += piece;
      const parsed = JSON.parse(answer);
      if (response.statusCode < 300) resolve(parsed);
      else reject(new ApiError(parsed));
    });
    call.on('error', reject);
    call.end(body && JSON.stringify(body));
  });
}

// Tries again what is worth it: the server says when. Thanks to the key nothing is sent twice.
async function patiently(...call) {
  for (let tries = 1; ; tries++) {
    try {
      return await request(...call);
    } catch (error) {
      if (!error.retryAfter || tries === 3) throw error;
      await sleep(error.retryAfter * 1000);
    }
  }
}

try {
  let message = await patiently('POST', '/v1/send', { to, text }, { 'Idempotency-Key': order });
  console.log(`accepted ${message.messageId}: ${message.status}`);
  while (['scheduled', 'queued', 'sent'].includes(message.status)) {
    await sleep(200);
    const before = message.status;
    message = await patiently('GET', `/v1/messages/${message.messageId}`);
    if (message.status !== before) console.log(`now ${message.status}`);
  }
  console.log('newest messages:');
  const { data } = await patiently('GET', '/v1/messages?limit=3');
  for (const { messageId, status, to: number } of data) console.log(`  ${messageId}  ${status}  ${number}`);
  process.exitCode = message.status === 'delivered' ? 0 : 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
agent.destroy();
