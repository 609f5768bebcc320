// skylark carriers and receipts without a server, and what `carriers test` makes of peers of all kinds.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { LocalSmsc } from './lib/local-smsc.mjs';
import { skylark } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const usual = 'system_id = us\npassword = secret\nconnect_timeout = 500ms\nresponse_timeout = 500ms\n';

// A folder with a configuration of these carriers: {name: 'address = …\n…'}.
async function withCarriers(carriers, body) {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  const sections = Object.entries(carriers).map(([name, lines]) => `[carrier ${name}]\n${usual}${lines}\n`);
  writeFileSync(file, `${sections.join('')}[sender +18005551234]\n`);
  try {
    await body((...args) => skylark([...args, '--config', file, '--data-dir', folder]), folder, file);
  } finally {
    removeFolder(folder);
  }
}

// A peer that does with each connection what it is told.
async function withPeer(behave, body) {
  const sockets = new Set();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    behave(socket);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  try {
    await body(server.address().port);
  } finally {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  }
}

// A response to the request at the front of `bytes`.
function response(bytes, status, body = '') {
  const out = Buffer.concat([Buffer.alloc(16), Buffer.from(body, 'latin1')]);
  out.writeUInt32BE(out.length, 0);
  out.writeUInt32BE((bytes.readUInt32BE(4) | 0x80000000) >>> 0, 4);
  out.writeUInt32BE(status, 8);
  bytes.copy(out, 12, 12, 16);
  return out;
}

describe('carriers', { timeout: 120_000 * slowness }, () => {
  it('are those of the configuration before any server ran', () => withCarriers({ acme: 'address = 127.0.0.1:1', beta: 'address = 127.0.0.1:1' }, async (command) => {
    assert.equal((await command('carriers', 'list')).code, 5, 'there is no store yet');
    assert.equal((await command('accounts', 'create', 'one')).code, 0);
    const { code, stdout, stderr } = await command('carriers', 'list');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^acme +unknown/m);
    assert.match(stderr, /No server runs on this data folder/);
    const drained = await command('carriers', 'drain', 'beta');
    assert.equal(drained.code, 0, drained.stderr);
    const states = async () => Object.fromEntries(JSON.parse((await command('carriers', 'list', '-o', 'json')).stdout).map((row) => [row.name, row.state]));
    assert.deepEqual(await states(), { acme: 'unknown', beta: 'drained' });
    assert.equal((await command('carriers', 'enable', 'beta')).code, 0);
    assert.deepEqual(await states(), { acme: 'unknown', beta: 'unknown' });
    const slip = await command('carriers', 'drain', 'bata');
    assert.equal(slip.code, 5);
    assert.match(slip.stderr, /did you mean 'beta'/);
    assert.equal((await command('carriers', 'drain')).code, 2);
  }));

  it('that the configuration has no more are shown as unused', () => withCarriers({ acme: 'address = 127.0.0.1:1' }, async (command, folder) => {
    await command('accounts', 'create', 'one');
    await command('carriers', 'drain', 'acme');
    const { stdout } = await skylark(['carriers', 'list', '-o', 'csv', '--data-dir', folder]);
    assert.match(stdout, /^acme,unused,/m);
  }));

  it('receipts: there are none to show, and pages have bounds', () => withCarriers({}, async (command, folder) => {
    await skylark(['accounts', 'create', 'one', '--data-dir', folder]);
    const receipts = (...args) => skylark(['receipts', 'list', '--data-dir', folder, ...args]);
    const { code, stdout, stderr } = await receipts();
    assert.deepEqual([code, stdout], [0, '']);
    assert.match(stderr, /Every receipt has found its message/);
    assert.equal((await receipts('-o', 'json')).stdout, '[]\n');
    assert.equal((await receipts('--limit', '0')).code, 2);
    assert.equal((await receipts('--cursor', 'x')).code, 2);
  }));
});

describe('carriers test', { timeout: 120_000 * slowness }, () => {
  const tried = async (port, more = '') => {
    let result;
    await withCarriers({ acme: `address = 127.0.0.1:${port}\n${more}` }, async (command) => { result = await command('carriers', 'test', 'acme'); });
    return result;
  };

  it('tells each step of a bind that works, and of two', async () => {
    const smsc = await LocalSmsc.start();
    try {
      const one = await tried(smsc.port);
      assert.equal(one.code, 0, one.stdout);
      assert.deepEqual(one.stdout.trim().split('\n').map((line) => line.trim().split(/\s+/)[2]), ['connect', 'bind_transceiver', 'enquire_link', 'unbind']);
      assert.match(one.stdout, /taken; the carrier calls itself 'skylark-smsc', speaks SMPP 3\.4/);
      assert.match(one.stderr, /'acme' can be used/);
      await withCarriers({ acme: `address = 127.0.0.1:${smsc.port}\nbind = separate` }, async (command) => {
        const { code, stdout } = await command('carriers', 'test', 'acme', '-o', 'json');
        assert.equal(code, 0);
        const steps = JSON.parse(stdout);
        assert.deepEqual(steps.map((s) => s.step), ['connect', 'bind_transmitter', 'enquire_link', 'unbind', 'connect', 'bind_receiver', 'enquire_link', 'unbind']);
        assert.ok(steps.every((s) => s.ok && s.ms >= 0));
      });
      await smsc.stop();
    } finally {
      await smsc.dispose();
    }
  });

  it('says who cannot be reached', async () => {
    const { code, stdout, stderr } = await tried(1);
    assert.equal(code, 1);
    assert.match(stdout, /connect +.*refused/);
    assert.match(stderr, /'acme' cannot be used/);
  });

  it('says what a refused bind wants', () => withPeer((socket) => socket.on('data', (bytes) => socket.write(response(bytes, 0x0e))), async (port) => {
    const { code, stdout } = await tried(port);
    assert.equal(code, 1);
    assert.match(stdout, /bind_transceiver +refused with ESME_RINVPASWD \(0x0000000E\); check the password/);
  }));

  it('does not wait for ever', () => withPeer(() => {}, async (port) => {
    const { code, stdout } = await tried(port);
    assert.equal(code, 1);
    assert.match(stdout, /bind_transceiver +no answer in time/);
  }));

  it('knows what is no SMPP', () => withPeer((socket) => socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')), async (port) => {
    assert.match((await tried(port)).stdout, /what the carrier sends is not SMPP/);
  }));

  it('guesses when TLS is the matter', () => withPeer((socket) => socket.on('data', () => socket.end()), async (port) => {
    assert.match((await tried(port)).stdout, /bind_transceiver +.*does the port want tls = on\?/);
    assert.match((await tried(port, 'tls = on')).stdout, /connect +.*does the port want tls = off\?/);
  }));

  it('is content when the carrier hangs up at unbind', () => withPeer((socket) => socket.on('data', (bytes) => {
    if (bytes.readUInt32BE(4) === 6) socket.end();
    else socket.write(response(bytes, 0, bytes.readUInt32BE(4) === 9 ? 'x\0' : ''));
  }), async (port) => {
    const { code, stdout } = await tried(port);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /unbind +the carrier closed the connection/);
  }));

  it('leaves to the server what is delivered meanwhile', async () => {
    const smsc = await LocalSmsc.start();
    try {
      await withCarriers({ acme: `address = 127.0.0.1:${smsc.port}` }, async (command, folder, file) => {
        assert.equal((await command('carriers', 'test', 'acme')).code, 0); // so that the SMSC knows us
        smsc.type('+15551234567 +18005551234 for the server');
        const { code, stdout } = await command('carriers', 'test', 'acme');
        assert.equal(code, 0, stdout);
        const server = await Server.start({ dataDir: folder, args: ['--config', file] });
        try {
          const api = await server.keyedClient({ type: 'live' });
          const message = await until('the message', async () => (await api.get('/v1/messages?direction=inbound')).body.data[0], { within: 15_000 });
          assert.equal(message.text, 'for the server');
          await server.stop();
        } finally {
          await server.dispose();
        }
      });
      await smsc.stop();
    } finally {
      await smsc.dispose();
    }
  });
});
