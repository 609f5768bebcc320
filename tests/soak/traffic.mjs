// Clients of the soak: they send single messages and batches, now and later, and change their minds.
// What was acknowledged is kept: {id, token, client, refused}. Each text begins with a token of its
// own, by which the carriers' logs are read.
import { sleep } from '../e2e/lib/wait.mjs';

const LONG = ' x'.repeat(150); // three segments
const LATER_MS = 310_000; // the earliest that is taken, and a little

export class Traffic {
  constructor(chance) {
    this.chance = chance;
    this.keys = [];
    this.acknowledged = [];
    this.unexpected = []; // answers that should not be
    this.last = 0;
    this.server = null; // NULL: there is none to send to
    this.going = true;
  }

  #destination() {
    const n = String(this.chance.below(10_000)).padStart(4, '0');
    return this.chance.below(3) ? `+1415555${n}` : `+44770090${n}`;
  }

  #message(later) {
    const token = `m${++this.last}.`;
    const message = { to: this.#destination(), text: token + (this.chance.below(20) ? '' : LONG) };
    if (later) message.scheduledAt = new Date(Date.now() + LATER_MS).toISOString();
    if (this.chance.below(10) === 0) message.validityPeriod = 60;
    return { token, message };
  }

  // An answer, or null when the server went away. Whether it did what was asked is not known then.
  async #exchange(owner, method, path, json) {
    const server = this.server;
    if (!server) return null;
    owner.clients ??= new Map();
    if (!owner.clients.has(server)) owner.clients.set(server, server.client(owner.key));
    const answer = await owner.clients.get(server).exchange(method, path, { json }).catch(() => null);
    if (answer && ![200, 201, 503, 429].includes(answer.status)) this.unexpected.push(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer && { status: answer.status, body: JSON.parse(answer.text) };
  }

  #keep(owner, id, token) {
    this.acknowledged.push({ id, token, owner, cancelled: false });
  }

  async #sendOne(owner, later) {
    const { token, message } = this.#message(later);
    const answer = await this.#exchange(owner, 'POST', '/v1/send', message);
    if (answer?.status === 201) this.#keep(owner, answer.body.messageId, token);
  }

  async #sendMany(owner) {
    const made = Array.from({ length: 1 + this.chance.below(60) }, () => this.#message(false));
    const answer = await this.#exchange(owner, 'POST', '/v1/messages/batch', { messages: made.map((m) => m.message) });
    if (answer?.status !== 201) return;
    answer.body.results.forEach((result, i) => {
      if (result.messageId) this.#keep(owner, result.messageId, made[i].token);
      else this.unexpected.push(JSON.stringify(result));
    });
  }

  // Mostly a late one, which may still wait.
  async #cancel() {
    const back = Math.min(this.acknowledged.length, this.chance.below(5) ? 20 : 2000);
    const entry = back && this.acknowledged.at(-1 - this.chance.below(back));
    if (!entry || !this.server) return;
    entry.owner.clients ??= new Map();
    const client = entry.owner.clients.get(this.server);
    const answer = await client?.exchange('POST', `/v1/messages/${entry.id}/cancel`).catch(() => null);
    if (answer?.status === 200) entry.cancelled = true;
    else if (answer && ![400, 503].includes(answer.status)) this.unexpected.push(`cancel: ${answer.status} ${answer.text}`);
  }

  async #client(owner, restMs) {
    while (this.going) {
      if (!this.server) {
        await sleep(20);
        continue;
      }
      await this.chance.weighed([
        [70, () => this.#sendOne(owner, false)], [10, () => this.#sendOne(owner, true)],
        [10, () => this.#sendMany(owner)], [10, () => this.#cancel()],
      ])();
      await sleep(restMs * this.chance.next());
    }
  }

  // Several clients for each key.
  run({ clients, restMs }) {
    this.clients = this.keys.flatMap((owner) => Array.from({ length: clients }, () => this.#client(owner, restMs)));
  }

  async end() {
    this.going = false;
    await Promise.all(this.clients);
  }
}
