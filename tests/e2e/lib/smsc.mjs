// A carrier to test against: an SMSC made with node-smpp, which nobody here wrote, that does what
// the test tells it. And a Skylark server with carriers in its configuration.
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, temporaryFolder, removeFolder } from './server.mjs';
import { until } from './wait.mjs';

const require = createRequire(import.meta.url);
export const smpp = require('smpp');

export const STATUS = smpp.errors;

// What the SMSC does with a submit_sm unless the test says otherwise: takes it.
let lastId = 0xa000;

export class Smsc {
  // `on`: {submit(pdu, session, smsc), bind(pdu, session)}; each may answer by itself and return true.
  static async start(options = {}) {
    const smsc = new Smsc(options);
    await new Promise((done) => { smsc.server.listen(options.port ?? 0, '127.0.0.1', done); });
    smsc.port = smsc.server.address().port;
    return smsc;
  }

  constructor({ tls, submit, bind, receipts = true, nextId } = {}) {
    Object.assign(this, { submit, bind, receipts });
    this.nextId = nextId ?? (() => (lastId++).toString(16).toUpperCase());
    this.sessions = []; // that are bound
    this.binds = []; // every bind that was asked for, in order
    this.submits = []; // every submit_sm
    this.unbinds = 0;
    this.delivered = []; // responses to our deliver_sm
    this.server = smpp.createServer(tls ?? {}, (session) => this.#accept(session));
    this.server.on('error', () => {});
  }

  #accept(session) {
    session.on('error', () => session.destroy());
    session.on('close', () => { this.sessions = this.sessions.filter((s) => s !== session); });
    for (const kind of ['bind_transceiver', 'bind_transmitter', 'bind_receiver']) {
      session.on(kind, (pdu) => {
        this.binds.push(pdu);
        session.kind = kind;
        if (this.bind?.(pdu, session, this)) return;
        session.send(pdu.response({ system_id: 'smsc' }));
        this.sessions.push(session);
      });
    }
    session.on('submit_sm', (pdu) => {
      pdu.session = session;
      pdu.at = performance.now();
      this.submits.push(pdu);
      if (this.submit?.(pdu, session, this)) return;
      this.take(pdu);
    });
    session.on('enquire_link', (pdu) => { if (!this.deaf) session.send(pdu.response()); });
    session.on('unbind', (pdu) => {
      this.unbinds++;
      session.send(pdu.response());
      session.close();
    });
  }

  get receivers() {
    return this.sessions.filter((s) => s.kind !== 'bind_transmitter');
  }

  // Answers well; a receipt follows unless the SMSC gives none.
  take(pdu, { id = this.nextId(), receipt = this.receipts } = {}) {
    pdu.session.send(pdu.response({ message_id: id }));
    if (receipt && pdu.registered_delivery & 1) this.receipt(pdu, { id });
    return id;
  }

  // An error; node-smpp sends these without a body.
  refuse(pdu, status) {
    pdu.session.send(pdu.response({ command_status: status }));
  }

  // A delivery receipt for a submit_sm. `text` and `tlvs` say what it has; both by default.
  receipt(pdu, { id, state = 2, stat = 'DELIVRD', err = '000', text, tlvs = true, esm_class = 4, session, more = {}, swap = true } = {}) {
    const [from, to] = swap ? [pdu.destination_addr, pdu.source_addr] : [pdu.source_addr, pdu.destination_addr];
    return this.deliver({
      source_addr: from, destination_addr: to, source_addr_ton: 1, source_addr_npi: 1, esm_class,
      short_message: text ?? `id:${id} sub:001 dlvrd:001 submit date:2611160800 done date:2611160801 stat:${stat} err:${err} text:`,
      ...(tlvs ? { receipted_message_id: id, message_state: state } : {}),
      ...more,
    }, session);
  }

  // A deliver_sm; resolves with the response.
  deliver(fields, session = this.receivers.at(-1)) {
    return new Promise((done, fail) => {
      if (!session) return fail(new Error('nobody is bound to receive'));
      const sent = session.deliver_sm(fields, (response) => {
        this.delivered.push(response);
        done(response);
      });
      if (sent === false) fail(new Error('the session is closed'));
    }).catch((error) => ({ error }));
  }

  bound(count = 1) {
    return until(`${count} binds`, () => this.sessions.length >= count, { within: 10_000 });
  }

  got(count) {
    return until(`${count} submits, there are ${this.submits.length}`, () => this.submits.length >= count, { within: 15_000 });
  }

  // Cuts every connection, as a network does.
  cut() {
    for (const session of [...this.server.sessions]) session.socket.destroy();
  }

  async stop() {
    const closed = new Promise((done) => { this.server.close(done); });
    this.cut();
    await closed;
  }
}

// The bytes of a submit's short message, whatever node-smpp made of it.
export function octets(pdu) {
  const { short_message: message } = pdu;
  const raw = message?.message ?? message;
  return { udh: message?.udh, raw };
}

const words = (settings) => Object.entries(settings).map(([key, value]) => `${key} = ${value}\n`).join('');

// An INI file: {carrier: {acme: {...}}, sender: {...}, route: {...}}, more sections as they are.
export function ini(sections) {
  return Object.entries(sections).map(([kind, named]) =>
    Object.entries(named).map(([name, settings]) => (typeof settings === 'object'
      ? `[${kind} ${name}]\n${words(settings)}` : null)).filter(Boolean).join('\n')
    || `[${kind}]\n${words(named)}`).join('\n');
}

// What a test usually wants of a carrier: quick to come back.
export const carrier = (smsc, more = {}) => ({
  address: `127.0.0.1:${smsc.port}`, system_id: 'skylark', password: 'secret', reconnect_min: '50ms', reconnect_max: '200ms', ...more,
});

export const SENDERS = {
  '+18005550199': { type: 'toll-free', messages_per_minute: 180 },
  '+447700900555': { messages_per_minute: 60 },
  ACME: { messages_per_minute: 600 },
};

// A server with these sections, and a client with a live key. `live.configure(sections)` writes the
// file anew and has it read.
export async function liveServer(sections, options = {}) {
  const folder = options.folder ?? temporaryFolder();
  const file = join(folder, 'skylark.ini');
  const write = (next) => writeFileSync(file, ini({ sender: SENDERS, ...next }));
  write(sections);
  const server = await Server.start({ dataDir: folder, args: ['--config', file], ...options.server });
  const { key } = options.key ? options : await server.createKey({ type: 'live' });
  const live = {
    folder,
    file,
    server,
    key,
    client: server.client(key),
    configure: (next) => {
      write(next);
      server.signal('SIGHUP');
    },
    status: async (id, status, { within = 15_000 } = {}) => {
      let message;
      await until(`${id} to be ${status}`, async () => {
        message = await live.client.message(id);
        return message.status === status;
      }, { within }).catch((error) => { throw new Error(`${error.message}; it is ${JSON.stringify(message)}`); });
      return message;
    },
    events: async (id) => (await live.client.get(`/v1/messages/${id}/events`)).body.data,
    carriers: async () => {
      const list = JSON.parse(await server.command('carriers', 'list', '--config', file, '-o', 'json'));
      return Object.fromEntries((list.data ?? list).map((row) => [row.name, row]));
    },
    // The store knows at once; the running server a moment later, and says so.
    drain: async (name) => {
      await server.command('carriers', 'drain', name, '--config', file);
      await until(`the drain of ${name}`, () => server.stderr.includes(`${name} is drained`));
    },
    // Stops and says whether all went well; then nothing of it is left.
    end: async () => {
      try {
        await server.stop();
      } finally {
        await server.dispose();
        if (!options.folder) removeFolder(folder);
      }
    },
  };
  return live;
}

// A test body around one SMSC and one server; both end with it.
export const withLive = (smscOptions, sectionsOf, body) => async (t) => {
  const smsc = await Smsc.start(smscOptions);
  let live;
  try {
    live = await liveServer(sectionsOf(smsc));
    await smsc.bound(1);
    await body({ smsc, live, client: live.client, t });
    await live.end();
    live = null;
  } finally {
    await live?.server.dispose();
    if (live) removeFolder(live.folder);
    await smsc.stop();
  }
};
