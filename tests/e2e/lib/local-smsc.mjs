// `skylark smsc`, run as a carrier for a test.
import { spawn } from 'node:child_process';
import assert from 'node:assert/strict';
import { environment, programPath, sanitizerReport } from './program.mjs';
import { until, within } from './wait.mjs';

export class LocalSmsc {
  static start(...args) {
    return LocalSmsc.startAt(0, ...args);
  }

  static async startAt(port, ...args) {
    const smsc = new LocalSmsc(port, args);
    smsc.port = Number(await until('the SMSC', () => {
      if (smsc.ended) throw new Error(`the SMSC ended at once: ${smsc.stderr}`);
      return /^SMSC on 127\.0\.0\.1:(\d+)/m.exec(smsc.stderr)?.[1];
    }, { within: 10_000, every: 5 }));
    return smsc;
  }

  constructor(port, args) {
    this.stdout = '';
    this.stderr = '';
    this.process = spawn(programPath, ['smsc', '--listen', `127.0.0.1:${port}`, ...args], { env: environment() });
    this.process.stdout.on('data', (piece) => { this.stdout += piece; });
    this.process.stderr.on('data', (piece) => { this.stderr += piece; });
    this.process.stdin.on('error', () => {});
    this.exit = new Promise((done) => {
      this.process.on('close', (code, signal) => {
        this.ended = { code, signal };
        done(this.ended);
      });
    });
  }

  get lines() {
    return this.stdout.split('\n').slice(0, -1);
  }

  // As if somebody typed it.
  type(line) {
    this.process.stdin.write(`${line}\n`);
  }

  printed(count) {
    return until(`${count} lines of the SMSC`, () => this.lines.length >= count, { within: 15_000 });
  }

  // Ends it and insists on a clean end.
  async stop() {
    if (!this.ended) this.process.kill('SIGTERM');
    const ended = await within(15_000, 'stopping the SMSC', this.exit);
    assert.equal(sanitizerReport(this.stderr), null, this.stderr);
    assert.deepEqual(ended, { code: 0, signal: null }, this.stderr);
  }

  async dispose() {
    if (!this.ended) this.process.kill('SIGKILL');
    await this.exit;
  }
}
