// What must hold when the troubles are over. Each finding is a sentence.
import { skylark } from '../e2e/lib/program.mjs';

const FINAL = ['delivered', 'failed', 'cancelled'];
// Why a message may fail in the soak.
const REASONS = ['undeliverable', 'validity_expired', 'upstream_timeout', 'upstream_error'];
const MICROS = 1_000_000;

// Everything about each acknowledged message, by the API.
export async function look(server, acknowledged, { parallel = 16 } = {}) {
  const clients = new Map();
  const queue = [...acknowledged];
  const work = async () => {
    for (let entry; (entry = queue.pop());) {
      if (!clients.has(entry.owner)) clients.set(entry.owner, server.client(entry.owner.key));
      const answer = await clients.get(entry.owner).exchange('GET', `/v1/messages/${entry.id}`);
      entry.message = answer.status === 200 ? JSON.parse(answer.text) : null;
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

async function events(server, entry) {
  const client = server.client(entry.owner.key);
  const answer = await client.exchange('GET', `/v1/messages/${entry.id}/events`);
  client.close();
  return JSON.parse(answer.text).data;
}

export function count(acknowledged) {
  const counts = {};
  for (const { message } of acknowledged) {
    const word = message ? message.status : 'lost';
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

function judgeStates(acknowledged) {
  const findings = [];
  for (const { id, message, cancelled, was } of acknowledged) {
    if (!message) findings.push(`${id} was acknowledged and is lost`);
    else if (![...FINAL, 'sent'].includes(message.status)) findings.push(`${id} is stuck: ${message.status}`);
    else if (cancelled && message.status !== 'cancelled') findings.push(`${id} was cancelled and is ${message.status}`);
    else if (message.status === 'failed' && !REASONS.includes(message.errorCode)) findings.push(`${id} failed: ${message.errorCode}`);
    if (message && was && was !== message.status) findings.push(`${id} was ${was} and is ${message.status}`);
  }
  return findings;
}

// How often each token went out.
function submissions(peers) {
  const seen = new Map();
  for (const peer of peers)
    for (const text of peer.texts()) {
      const token = /^m\d+\./.exec(text)?.[0];
      if (token) seen.set(token, (seen.get(token) ?? 0) + 1);
    }
  return seen;
}

async function judgeSubmissions(server, acknowledged, peers) {
  const seen = submissions(peers);
  const findings = [];
  let twice = 0;
  for (const entry of acknowledged) {
    const times = seen.get(entry.token) ?? 0;
    if (['delivered', 'sent'].includes(entry.message?.status) && times === 0) findings.push(`${entry.id} is ${entry.message.status}, and no carrier has seen it`);
    if (entry.message?.status === 'cancelled' && times > 0) {
      const flags = (await events(server, entry)).filter((e) => e.type === 'possible_duplicate').length;
      if (flags < times) findings.push(`${entry.id} is cancelled, and went out ${times} times`);
    }
    if (times <= 1) continue;
    twice += times - 1;
    const flags = (await events(server, entry)).filter((e) => e.type === 'possible_duplicate').length;
    if (flags < times - 1) findings.push(`${entry.id} went out ${times} times and is flagged ${flags} times`);
  }
  return { findings, twice };
}

async function strayIds(server) {
  const ids = new Set();
  for (let cursor = [], more = true; more;) {
    const { stdout, stderr } = await skylark(['receipts', 'list', '--data-dir', server.dataDir, '-o', 'json', '--limit', '100', ...cursor]);
    for (const row of JSON.parse(stdout)) ids.add(row.messageId);
    const next = /--cursor (\d+)/.exec(stderr)?.[1];
    more = next !== undefined;
    cursor = ['--cursor', next];
  }
  return ids;
}

// A receipt that was acknowledged and found no message, though there is one that waits for it.
async function judgeReceipts(server, acknowledged) {
  const strays = await strayIds(server);
  const findings = [];
  for (const entry of acknowledged.filter((e) => e.message?.status === 'sent').slice(0, 5000)) {
    const ids = (await events(server, entry)).filter((e) => e.type === 'carrier_answer').flatMap((e) => e.detail.match(/[0-9A-F]{8,}/g) ?? []);
    if (ids.some((id) => strays.has(id))) findings.push(`${entry.id} is sent, and its receipt is a stray`);
  }
  return { findings, strays: strays.size };
}

// What clients are told by status, and what the account has paid.
async function judgeSums(server, traffic, credit) {
  const findings = [];
  const { stdout } = await skylark(['accounts', 'list', '--data-dir', server.dataDir, '-o', 'json']);
  for (const owner of traffic.keys) {
    const client = server.client(owner.key);
    const total = async (query) => JSON.parse((await client.exchange('GET', `/v1/messages?limit=1${query}`)).text).pagination.totalCount;
    const parts = await Promise.all(['scheduled', 'queued', 'sent', ...FINAL].map((status) => total(`&status=${status}`)));
    const all = await total('');
    if (parts.reduce((a, b) => a + b) !== all) findings.push(`${owner.account}: ${parts.join(' + ')} is not ${all}`);
    const mine = traffic.acknowledged.filter((e) => e.owner.account === owner.account);
    if (all < mine.length) findings.push(`${owner.account}: ${all} messages, ${mine.length} were acknowledged`);
    const { balance } = JSON.parse(stdout).find((row) => row.name === owner.account);
    if (balance === null) continue;
    const paid = await costs(client, all);
    if (Math.round((credit - balance) * MICROS) !== paid) findings.push(`${owner.account} has paid ${credit - balance}, its messages cost ${paid / MICROS}`);
  }
  return findings;
}

// Of all messages, also those whose acknowledgement nobody saw.
async function costs(client, all) {
  let micros = 0;
  for (let at = 0, cursor = ''; at < all;) {
    const page = JSON.parse((await client.exchange('GET', `/v1/messages?limit=100${cursor}`)).text);
    for (const message of page.data) micros += Math.round(Number(message.cost.amount) * MICROS);
    at += page.data.length;
    if (!page.pagination.nextCursor) break;
    cursor = `&cursor=${page.pagination.nextCursor}`;
  }
  return micros;
}

// Whether all that was counted is right; a peer may be down just now, which is another matter.
async function judgeBooks(server) {
  const { stdout, stderr } = await skylark(['doctor', '--books', '-o', 'jsonl', '--data-dir', server.dataDir], { timeout: 600_000 });
  const books = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)).find(({ check }) => check === 'books');
  return books?.state === 'ok' ? [] : [`the books are wrong: ${stdout}${stderr}`];
}

export async function audit({ server, traffic, peers, credit }) {
  const { acknowledged } = traffic;
  await look(server, acknowledged);
  const submitted = await judgeSubmissions(server, acknowledged, peers);
  const receipts = await judgeReceipts(server, acknowledged);
  return {
    counts: count(acknowledged),
    twice: submitted.twice,
    strays: receipts.strays,
    findings: [...judgeStates(acknowledged), ...submitted.findings, ...receipts.findings, ...await judgeSums(server, traffic, credit), ...await judgeBooks(server), ...traffic.unexpected],
  };
}
