// examples/carrier-kannel: Kannel with its file and Skylark with the other are the same to a carrier.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LocalSmsc } from './lib/local-smsc.mjs';
import { environment, run, skylark, sourceRoot } from './lib/program.mjs';
import { Server, freePort, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const example = (name) => readFileSync(join(sourceRoot, 'examples/carrier-kannel', name), 'utf8');
const bearerbox = '/usr/sbin/bearerbox';
const text = 'The same from both';

// Kannel with the example's file, on ports of its own; sends one message.
async function sendWithKannel(folder, smsc) {
  const ports = { 2775: smsc.port, 13000: await freePort(), 13001: await freePort(), 13013: await freePort() };
  const config = example('kannel.conf').replace(/^(.*port) = (\d+)$/gm, (line, name, port) => `${name} = ${ports[port]}`);
  mkdirSync(join(folder, 'spool'));
  writeFileSync(join(folder, 'kannel.conf'), config);
  const boxes = [];
  const start = (program) => {
    const child = spawn(program, ['-v', '2', 'kannel.conf'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: environment() });
    const box = { child, said: '', ended: new Promise((done) => { child.on('close', done); }) };
    child.stdout.on('data', (piece) => { box.said += piece; });
    child.stderr.on('data', (piece) => { box.said += piece; });
    boxes.push(box);
  };
  const curl = async (path) => (await run('curl', ['-s', `http://127.0.0.1:${path}`])).stdout;
  try {
    start(bearerbox);
    await until('Kannel to be bound', async () => /acme.*\(online/.test(await curl(`${ports[13000]}/status.txt?password=change-me`)), { within: 20_000 })
      .catch((error) => { throw new Error(`${error.message}: ${boxes[0].said.slice(-1000)}`); });
    start('/usr/sbin/smsbox');
    const query = new URLSearchParams({ username: 'foo', password: 'bar', from: '+18005551234', to: '+15551234567', text });
    await until('Kannel to take a message', async () => /Accepted/.test(await curl(`${ports[13013]}/cgi-bin/sendsms?${query}`)), { within: 20_000 });
    await smsc.printed(1);
  } finally {
    for (const { child, ended } of boxes.reverse()) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(late);
    }
  }
}

describe('examples/carrier-kannel', { timeout: 120_000 * slowness }, () => {
  it('skylark.ini has no faults', async () => {
    const { code, stderr } = await skylark(['config', 'check', join(sourceRoot, 'examples/carrier-kannel/skylark.ini')]);
    assert.equal(code, 0, stderr);
  });

  it('what Kannel sends, Skylark sends', async (t) => {
    if (!existsSync(bearerbox)) return t.skip(`${bearerbox} is missing: apt-get install kannel`);
    const folder = temporaryFolder();
    const smsc = await LocalSmsc.start();
    let server;
    try {
      await sendWithKannel(folder, smsc);
      const file = join(folder, 'skylark.ini');
      writeFileSync(file, example('skylark.ini').replace('127.0.0.1:2775', `127.0.0.1:${smsc.port}`));
      server = await Server.start({ dataDir: folder, args: ['--config', file] });
      const api = await server.keyedClient({ type: 'live' });
      const { messageId } = await api.sent({ to: '+15551234567', text });
      await until('its receipt', async () => (await api.message(messageId)).status === 'delivered', { within: 20_000 });
      await smsc.printed(2);
      assert.deepEqual(smsc.lines, Array(2).fill(`+18005551234 → +15551234567  ${text}`));
      await server.stop();
      await smsc.stop();
    } finally {
      await server?.dispose();
      await smsc.dispose();
      removeFolder(folder);
    }
  });

  it('its table names settings that there are', () => {
    const config = readFileSync(join(sourceRoot, 'src/base/config.h'), 'utf8');
    const keys = new Set([...config.matchAll(/^\s+X\((\w+), [A-Z]+,/gm)].map(([, key]) => key));
    const rows = example('README.md').split('\n').filter((line) => line.startsWith('| `') && line.split('|').length === 5);
    const named = rows.flatMap((line) => [...line.split('|')[2].matchAll(/`([a-z_]+)(?: = [^`]*)?`/g)].map(([, key]) => key))
      .filter((word) => word.includes('_') || ['address', 'tls', 'bind', 'binds', 'version', 'window', 'rate', 'alphabet', 'receipts', 'prefix', 'carriers'].includes(word));
    assert.ok(named.length > 25, `${named.length} are named`);
    assert.deepEqual(named.filter((key) => !keys.has(key)), []);
  });
});
