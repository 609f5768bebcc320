// A carrier of the soak: `skylark smsc` on a port of its own that goes away and comes back.
import { readFileSync, existsSync } from 'node:fs';
import { LocalSmsc } from '../e2e/lib/local-smsc.mjs';

export class Peer {
  constructor(name, log, options) {
    Object.assign(this, { name, log, options });
  }

  async start() {
    const args = ['--quiet', '--log', this.log, ...this.options];
    this.smsc = this.port ? await LocalSmsc.startAt(this.port, ...args) : await LocalSmsc.start(...args);
    this.port = this.smsc.port;
    this.frozen = false;
  }

  get isUp() {
    return this.smsc !== null;
  }

  // What it has not told anybody is gone with it.
  async stop() {
    const smsc = this.smsc;
    this.smsc = null;
    if (this.frozen) smsc.process.kill('SIGCONT');
    await smsc.stop();
  }

  freeze(frozen) {
    if (!this.smsc || this.frozen === frozen) return;
    this.frozen = frozen;
    this.smsc.process.kill(frozen ? 'SIGSTOP' : 'SIGCONT');
  }

  // The texts it has taken, one for each part.
  texts() {
    if (!existsSync(this.log)) return [];
    return readFileSync(this.log, 'utf8').split('\n').slice(0, -1).map((line) => line.split(' ').slice(2).join(' '));
  }
}
