// What happens to server and carriers while messages flow.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ini, SENDERS } from '../e2e/lib/smsc.mjs';
import { run } from '../e2e/lib/program.mjs';
import { Server } from '../e2e/lib/server.mjs';
import { sleep } from '../e2e/lib/wait.mjs';

export class Troubles {
  constructor({ chance, folder, peers, traffic }) {
    Object.assign(this, { chance, folder, peers, traffic });
    this.file = join(folder, 'skylark.ini');
    this.counts = {};
    this.settings = new Map(peers.map((peer) => [peer, this.#carrier(peer)]));
    this.absent = new Set();
  }

  #carrier(peer) {
    return {
      address: `127.0.0.1:${peer.port}`, system_id: peer.name, password: 'secret',
      window: this.chance.one([1, 5, 20, 100]), binds: this.chance.one([1, 1, 2, 3]), bind: this.chance.one(['transceiver', 'transceiver', 'separate']),
      rate: this.chance.one([0, 0, 200]), reconnect_min: '50ms', reconnect_max: '300ms', response_timeout: '3s', stall_timeout: '4s',
      unanswered: peer.unanswered,
    };
  }

  #write() {
    const there = this.peers.filter((peer) => !this.absent.has(peer));
    const carrier = Object.fromEntries(there.map((peer) => [peer.name, this.settings.get(peer)]));
    const route = Object.fromEntries(there.map((peer, i) => [`to-${peer.name}`, { carrier: peer.name, failover_after: '2s', priority: this.chance.one([1, 1, 2]) }]));
    route['uk'] = { carrier: this.chance.one(there).name, prefix: '+44', failover_after: '3s' };
    writeFileSync(this.file, ini({ queue: { memory: 192 }, sender: SENDERS, carrier, route }));
  }

  async startServer() {
    this.#write();
    this.server = await Server.start({ dataDir: this.folder, args: ['--config', this.file] });
    this.traffic.server = this.server;
  }

  #reload() {
    this.#write();
    this.server.signal('SIGHUP');
  }

  // The API takes times from five minutes on; while nothing runs they are brought nearer.
  async #again(end) {
    this.traffic.server = null;
    await end();
    const due = `(${Date.now() + 1000} * 1000 + id % 4000000)`;
    await run('sqlite3', [join(this.folder, 'skylark.db'),
      `UPDATE message SET scheduled_us = ${due} WHERE id IN (SELECT id FROM schedule); UPDATE schedule SET due_us = ${due};`]);
    await this.startServer();
  }

  // ---- troubles ----

  async kill() {
    await this.#again(() => this.server.crash());
  }

  async stop() {
    await this.#again(() => this.server.stop());
  }

  change() {
    const peer = this.chance.one(this.peers);
    this.settings.set(peer, this.#carrier(peer));
    this.#reload();
  }

  remove() {
    if (this.absent.size < this.peers.length - 1) this.absent.add(this.chance.one(this.peers));
    this.#reload();
  }

  add() {
    this.absent.delete(this.chance.one([...this.absent, null]));
    this.#reload();
  }

  async drain() {
    await this.#drain('drain', this.chance.one(this.peers));
  }

  async enable() {
    await this.#drain('enable', this.chance.one(this.peers));
  }

  async #drain(verb, peer) {
    if (!this.absent.has(peer)) await this.server.command('carriers', verb, peer.name, '--config', this.file);
  }

  async vanish() {
    const peer = this.chance.one(this.peers);
    if (peer.isUp) await peer.stop();
  }

  async comeBack() {
    for (const peer of this.peers) {
      peer.freeze(false);
      if (!peer.isUp) await peer.start();
    }
  }

  freeze() {
    this.chance.one(this.peers).freeze(true);
  }

  async run(until) {
    const kinds = [
      [3, 'kill'], [1, 'stop'], [4, 'change'], [3, 'remove'], [5, 'add'], [2, 'drain'], [4, 'enable'], [3, 'vanish'], [7, 'comeBack'], [2, 'freeze'],
    ];
    while (Date.now() < until) {
      const kind = this.chance.weighed(kinds);
      await this[kind]();
      this.counts[kind] = (this.counts[kind] ?? 0) + 1;
      await sleep(this.chance.between(0, 1500));
    }
  }

  // All is well again.
  async end() {
    this.absent.clear();
    await this.comeBack();
    await this.stop();
    for (const peer of this.peers) await this.#drain('enable', peer);
  }
}
