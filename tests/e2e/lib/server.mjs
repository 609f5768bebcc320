// A server of its own for a test: started on a free port with its data in a temporary folder,
// watched for sanitizer reports, ended by its process id.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { Client } from './client.mjs';
import { environment, programPath, sanitizerReport, skylark, withoutLeakCheck } from './program.mjs';
import { slowness, until, within } from './wait.mjs';

const running = new Set();
process.on('exit', () => running.forEach((pid) => {
  try { process.kill(pid, 'SIGKILL'); } catch { /* gone already */ }
}));

export function temporaryFolder() {
  return mkdtempSync(join(tmpdir(), 'skylark-test-'));
}

// A port that nobody listens on, for programs that cannot take any.
export function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export const removeFolder = (folder) => rmSync(folder, { recursive: true, force: true });

export class Server {
  // Starts and waits until it is ready. With `dataDir` an existing folder is used and kept. `metrics`
  // is where they are to be had; '' says nothing of it. `through`: what the program is started by.
  static async start(options = {}) {
    const server = new Server(options);
    try {
      await server.ready();
      return server;
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  constructor({ dataDir, env = {}, args = [], listen = '127.0.0.1:0', metrics = '127.0.0.1:0', leakCheck = false, through = [] } = {}) {
    this.ownsFolder = dataDir === undefined;
    this.dataDir = dataDir ?? temporaryFolder();
    this.env = env;
    this.stdout = '';
    this.stderr = '';
    this.clients = [];
    const [command, ...front] = [...through, programPath];
    this.process = spawn(
      command,
      [...front, 'serve', '--data-dir', this.dataDir, '--listen', listen, ...(metrics ? ['--metrics-listen', metrics] : []), ...args],
      { env: environment({ ...(leakCheck ? {} : withoutLeakCheck()), ...env }), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.pid = this.process.pid;
    running.add(this.pid);
    this.process.stdout.on('data', (piece) => { this.stdout += piece; });
    this.process.stderr.on('data', (piece) => { this.stderr += piece; });
    this.exit = new Promise((done) => {
      this.process.on('error', (error) => { this.stderr += `${error.message}\n`; });
      this.process.on('close', (code, signal) => {
        running.delete(this.pid);
        this.ended = { code, signal };
        done(this.ended);
      });
    });
  }

  async ready() {
    this.port = Number(await until('the address', () => {
      if (this.ended) throw new Error(`the server ended at once: ${JSON.stringify(this.ended)}\n${this.stderr}`);
      return /https:\/\/127\.0\.0\.1:(\d+)/.exec(this.stdout)?.[1];
    }, { within: 10_000, every: 5 }));
    this.ca = readFileSync(join(this.dataDir, 'ca.pem'));
    const client = this.client();
    await until('readyz', async () => {
      const answer = await client.get('/readyz').catch((error) => ({ error }));
      if (this.ended) throw new Error(`the server ended: ${JSON.stringify(this.ended)}\n${this.stderr}`);
      if (answer.error?.code === 'ERR_ASSERTION') throw answer.error;
      return answer.status === 200;
    }, { within: 10_000, every: 5 });
  }

  // Where its metrics are: the file beside its address.
  get metricsUrl() {
    return readFileSync(join(this.dataDir, 'metrics-address'), 'utf8').trim();
  }

  client(key, options = {}) {
    const client = new Client({ port: this.port, ca: this.ca, key, ...options });
    this.clients.push(client);
    return client;
  }

  // Runs a command of the program on this server's data; returns what it said.
  async command(...args) {
    const { code, stdout, stderr } = await skylark([...args, '--data-dir', this.dataDir]);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  // A new key: {id, key}. `options` are those of `skylark keys create`: {permissions, 'per-hour': 5}.
  async createKey({ name = 'e2e', type = 'test', plan = 'unlimited', ...options } = {}) {
    const more = Object.entries({ plan, ...options }).filter(([, value]) => value);
    const args = ['keys', 'create', '--name', name, '--type', type, ...more.flatMap(([option, value]) => [`--${option}`, `${value}`])];
    return JSON.parse(await this.command(...args, '-o', 'json'));
  }

  async keyedClient(options, clientOptions) {
    return this.client((await this.createKey(options)).key, clientOptions);
  }

  signal(name) {
    process.kill(this.pid, name);
  }

  closeClients() {
    this.clients.forEach((client) => client.close());
    this.clients = [];
  }

  // Ends it politely and insists on a clean end.
  async stop({ timeout = 15_000 } = {}) {
    this.closeClients();
    if (!this.ended) this.signal('SIGTERM');
    const { code, signal } = await within(timeout, 'stopping the server', this.exit);
    this.assertNoReport();
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, this.stderr.slice(-4000));
  }

  // kill -9, as a crash or a power cut would.
  async crash() {
    this.signal('SIGKILL');
    await this.exit;
    this.closeClients();
    this.assertNoReport();
  }

  assertNoReport() {
    const report = sanitizerReport(this.stderr);
    assert.equal(report, null, report);
  }

  // Whatever happened before: no process and no folder stays behind.
  async dispose() {
    this.closeClients();
    if (!this.ended) {
      try { this.signal('SIGKILL'); } catch { /* it never started */ }
      await this.exit;
    }
    if (this.ownsFolder) removeFolder(this.dataDir);
  }
}

// A group of tests around one server. `context` holds the server and a client with an unlimited
// test key when the tests run. The last test is that the server stops cleanly.
export function withServer(name, options, define) {
  describe(name, { timeout: 240_000 * slowness }, () => {
    const context = {};
    before(async () => {
      context.server = await Server.start({ leakCheck: true, ...options });
      context.api = await context.server.keyedClient();
    });
    after(() => context.server?.dispose());
    define(context);
    it('stops cleanly', () => context.server.stop());
  });
}
