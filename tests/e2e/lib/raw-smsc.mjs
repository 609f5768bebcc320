// A carrier that writes its own bytes: for what a library like node-smpp would never send.
import { createServer } from 'node:net';
import { until } from './wait.mjs';

export const RESPONSE = 0x80000000;
export const COMMAND = { bind_transceiver: 9, submit_sm: 4, deliver_sm: 5, enquire_link: 0x15, unbind: 6, generic_nack: RESPONSE };

export function frame(command, status, sequence, body = Buffer.alloc(0)) {
  const header = Buffer.alloc(16);
  [16 + body.length, command, status, sequence].forEach((word, i) => header.writeUInt32BE(word >>> 0, 4 * i));
  return Buffer.concat([header, body]);
}

const text = (s) => Buffer.from(`${s}\0`, 'latin1');

export const answer = (request, id, status = 0) => frame((request.command | RESPONSE) >>> 0, status, request.sequence, status ? undefined : text(id));

// A deliver_sm as most carriers write it.
export function deliver(sequence, { from = '14155550123', to = '18005550199', esm = 4, coding = 0, message = '', tlvs = Buffer.alloc(0) }) {
  const octets = Buffer.from(message, 'latin1');
  return frame(COMMAND.deliver_sm, 0, sequence, Buffer.concat([
    text(''), Buffer.from([1, 1]), text(from), Buffer.from([1, 1]), text(to), Buffer.from([esm, 0, 0]), text(''), text(''),
    Buffer.from([0, 0, coding, 0, octets.length]), octets, tlvs]));
}

export const receipt = (sequence, id, more = {}) => deliver(sequence, { message: `id:${id} sub:001 dlvrd:001 submit date:2611160800 done date:2611160801 stat:DELIVRD err:000 text:`, ...more });

// The destination of a submit_sm.
export function destination({ body }) {
  let at = body.indexOf(0) + 3; // service_type, TON and NPI of the source
  at = body.indexOf(0, at) + 3;
  return body.subarray(at, body.indexOf(0, at)).toString('latin1');
}

export class RawSmsc {
  // `hear(pdu, socket, smsc)` answers what it likes and returns true, or leaves it to us.
  static async start(hear = () => false) {
    const smsc = new RawSmsc(hear);
    await new Promise((done) => { smsc.server.listen(0, '127.0.0.1', done); });
    smsc.port = smsc.server.address().port;
    return smsc;
  }

  constructor(hear) {
    this.hear = hear;
    this.heard = [];
    this.bound = [];
    this.connections = 0;
    this.sockets = new Set();
    this.server = createServer((socket) => this.#accept(socket));
  }

  #accept(socket) {
    let rest = Buffer.alloc(0);
    this.connections++;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.bound = this.bound.filter((one) => one !== socket);
    });
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
        const length = rest.readUInt32BE(0);
        this.#take(rest.subarray(0, length), socket);
        rest = rest.subarray(length);
      }
    });
    this.accepted?.(socket);
  }

  #take(bytes, socket) {
    const pdu = { command: bytes.readUInt32BE(4), status: bytes.readUInt32BE(8), sequence: bytes.readUInt32BE(12), body: bytes.subarray(16), socket };
    this.heard.push(pdu);
    if (this.hear(pdu, socket, this)) return;
    if (pdu.command === COMMAND.submit_sm) socket.write(answer(pdu, `r${this.heard.length}`));
    else if (pdu.command < RESPONSE) socket.write(answer(pdu, 'raw'));
    if ([1, 2, 9].includes(pdu.command)) this.bound.push(socket);
    if (pdu.command === COMMAND.unbind) socket.end();
  }

  of(command) {
    return this.heard.filter((pdu) => pdu.command === command);
  }

  get submits() {
    return this.of(COMMAND.submit_sm);
  }

  binds(count = 1) {
    return until(`${count} binds`, () => this.bound.length >= count, { within: 10_000 });
  }

  async stop() {
    const closed = new Promise((done) => { this.server.close(done); });
    this.sockets.forEach((socket) => socket.destroy());
    await closed;
  }
}
