// A carrier of the soak that does what carriers do on bad days: refuses now, for good, or for reasons
// of its own; answers late, not at all, or after the receipt. Made with node-smpp.
import { Smsc } from '../e2e/lib/smsc.mjs';

const BUSY = 0x14; // ESME_RMSGQFUL: later
const STRANGE = 0x4ff; // nobody knows: another route

export class WildPeer {
  #taken = [];
  #waiting = new Map(); // id → submit, whose receipt has not been answered

  constructor(name, chance) {
    Object.assign(this, { name, chance });
    this.calm = false;
  }

  async start() {
    this.smsc = await Smsc.start({ port: this.port, submit: (pdu, session, smsc) => this.#submit(pdu, smsc) });
    this.port = this.smsc.port;
    this.courier = setInterval(() => this.#deliver(), 20);
  }

  get isUp() {
    return this.smsc !== null;
  }

  async stop() {
    const smsc = this.smsc;
    this.smsc = null;
    clearInterval(this.courier);
    await smsc.stop();
  }

  freeze() {}

  texts() {
    return this.#taken;
  }

  #submit(pdu, smsc) {
    const refuse = (status) => () => smsc.refuse(pdu, status);
    const take = () => this.#take(pdu, smsc);
    const kinds = [[100, take], [10, () => { setTimeout(take, this.chance.between(0, 300)); }]];
    if (!this.calm) kinds.push([1, refuse(BUSY)], [5, refuse(STRANGE)], [5, () => this.#tellFirst(pdu, smsc)], [0.05, () => this.#note(pdu)]);
    this.chance.weighed(kinds)();
    return true;
  }

  #note(pdu) {
    this.#taken.push(pdu.short_message.message);
  }

  #take(pdu, smsc) {
    this.#note(pdu);
    this.#waiting.set(smsc.take(pdu, { receipt: false }), pdu);
  }

  #tellFirst(pdu, smsc) {
    const id = smsc.nextId();
    this.#note(pdu);
    this.#waiting.set(id, pdu);
    this.#deliver();
    setTimeout(() => smsc.take(pdu, { id, receipt: false }), this.chance.between(0, 50));
  }

  // Until it is answered, as carriers do.
  #deliver() {
    if (!this.smsc?.receivers.length) return;
    for (const [id, pdu] of this.#waiting) {
      if (Date.now() - (pdu.told ?? 0) < 2000) continue;
      pdu.told = Date.now();
      this.smsc.receipt(pdu, { id }).then((response) => { if (response.command_status === 0) this.#waiting.delete(id); });
    }
  }
}
