// Two more judges that nobody here wrote: Kannel's drive_smpp as the SMSC, and tshark, which takes
// the PDUs apart on the wire.
// Runs alone: drive_smpp wants port 13001 of the machine for itself.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Smsc, carrier, liveServer } from './lib/smsc.mjs';
import { run } from './lib/program.mjs';
import { freePort, removeFolder, temporaryFolder } from './lib/server.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const drive = '/usr/lib/kannel/test/drive_smpp';
const to = '+14155550123';

// A free port, which is free again when this returns.
describe('smpp: Kannel\'s drive_smpp as the carrier', { timeout: 120_000 * slowness }, () => {
  it('its flood is received, its empty ids and sequence 0 are borne', async (t) => {
    if (!existsSync(drive)) return t.skip(`${drive} is missing: apt-get install kannel-extras`);
    const bearerbox = createServer((socket) => { socket.on('error', () => {}); socket.resume(); });
    await new Promise((done, fail) => { bearerbox.once('error', fail).listen(13001, '127.0.0.1', done); });
    const port = await freePort();
    const messages = 200;
    const child = spawn(drive, ['-v', '0', '-p', String(port), '-m', String(messages)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (piece) => { said += piece; });
    child.stderr.on('data', (piece) => { said += piece; });
    const ended = new Promise((done) => { child.on('close', done); });
    await sleep(300);
    const live = await liveServer({
      carrier: { kannel: carrier({ port }, { bind: 'separate' }) },
    });
    try {
      const count = async () => (await live.client.get('/v1/messages?direction=inbound&limit=1')).body.pagination.totalCount;
      await until(`${messages} messages from the flood`, async () => (await count()) >= messages, { within: 30_000 })
        .catch(async (error) => { throw new Error(`${error.message}; ${await count()} came; ${said.slice(-500)} ${live.server.stderr.slice(-800)}`); });
      assert.equal(await count(), messages);
      const { messageId } = await live.client.sent({ to, text: 'to Kannel' });
      const message = await live.status(messageId, 'sent');
      assert.equal(message.errorCode ?? null, null);
      await live.end();
    } finally {
      await live.server.dispose();
      if (child.exitCode === null) child.kill('SIGKILL');
      await ended;
      bearerbox.close();
    }
  });
});

describe('smpp: on the wire, as tshark sees it', { timeout: 120_000 * slowness }, () => {
  it('no frame is malformed, and fields are what they should be', async (t) => {
    const probe = await run('tshark', ['-D']).catch(() => null);
    if (!probe || !/\blo\b/.test(probe.stdout)) return t.skip('tshark is missing or may not capture: apt-get install tshark, and run as root');
    const folder = temporaryFolder();
    const file = join(folder, 'wire.pcapng');
    const carriers = [['plain', {}], ['wide', { long_text: 'udh16' }], ['sar', { long_text: 'sar' }], ['payload', { long_text: 'payload' }],
      ['packed', { alphabet: 'gsm_packed' }], ['latin', { alphabet: 'latin1' }], ['ascii', { alphabet: 'ascii' }], ['wide-text', { alphabet: 'ucs2' }]];
    const smscs = [];
    for (let i = 0; i < carriers.length; i++) smscs.push(await Smsc.start());
    const ports = smscs.map((s) => s.port);
    const capture = spawn('tshark', ['-q', '-i', 'lo', '-f', ports.map((p) => `tcp port ${p}`).join(' or '), '-w', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    capture.stderr.on('data', (piece) => { said += piece; });
    const captured = new Promise((done) => { capture.on('close', done); });
    await until('the capture', () => /Capturing on/.test(said) || existsSync(file), { within: 15_000 });
    await sleep(1000);
    const live = await liveServer({
      carrier: Object.fromEntries(carriers.map(([name, more], i) => [name, carrier(smscs[i], { enquire_link: '1s', ...more })])),
      route: Object.fromEntries(carriers.map(([name], i) => [name, { carrier: name, prefix: `+1415555010${i}` }])),
    });
    try {
      await Promise.all(smscs.map((s) => s.bound()));
      const ids = [];
      const send = async (number, text, more = {}) => ids.push((await live.client.sent({ to: number, text, ...more })).messageId);
      const long = 'Grüße an alle, die das lesen. '.repeat(8);
      for (let i = 0; i < carriers.length; i++) {
        await send(`+1415555010${i}`, `short to ${carriers[i][0]}`);
        await send(`+1415555010${i}`, carriers[i][0] === 'ascii' ? long.replaceAll(/[^ -~]/g, 'u') : long);
        await send(`+1415555010${i}`, '👋 Привет, мир! '.repeat(10));
      }
      for (const id of ids) await live.status(id, 'delivered', { within: 20_000 });
      await sleep(1500); // an enquire_link
      await live.end();
      await sleep(500);
      capture.kill('SIGINT');
      await captured;
      const decode = ports.flatMap((p) => ['-d', `tcp.port==${p},smpp`]);
      const read = async (filter, ...fields) => {
        const { code, stdout, stderr } = await run('tshark', ['-r', file, ...decode, '-Y', filter, '-T', 'fields', '-E', 'occurrence=f', ...fields.flatMap((f) => ['-e', f])]);
        assert.equal(code, 0, stderr);
        return stdout.split('\n').filter(Boolean).map((line) => line.split('\t'));
      };
      assert.deepEqual(await read('_ws.malformed or (smpp and _ws.expert.severity >= 0x600000 and not tcp.analysis.flags and not tcp.options.sack.dsack)', 'frame.number', '_ws.expert.message'), []);
      // One PDU a line: several share a frame.
      const { stdout } = await run('tshark', ['-r', file, ...decode, '-Y', 'smpp.command_id == 0x00000004', '-T', 'json', '--no-duplicate-keys', '-J', 'tcp smpp gsm_sms_ud'], { timeout: 60_000 });
      const pdus = JSON.parse(stdout).flatMap((p) => [p._source.layers.smpp].flat()).filter((s) => s['smpp.command_id'] === '0x00000004');
      assert.ok(pdus.length >= carriers.length * 5, `${pdus.length} submits were seen`);
      for (const pdu of pdus) {
        assert.equal(pdu['smpp.source_addr'], '18005550199');
        assert.equal(pdu['smpp.source_addr_ton'], '0x01');
        assert.match(pdu['smpp.destination_addr'], /^1415555010\d$/);
        assert.equal(pdu['smpp.dest_addr_ton'], '0x01');
      }
      const codings = (i) => new Set(pdus.filter((p) => p['smpp.destination_addr'].endsWith(`${i}`)).map((p) => Number(p['smpp.data_coding'])));
      assert.deepEqual([...codings(0)].sort(), [0, 8]);
      assert.deepEqual([...codings(5)].sort(), [3, 8]);
      assert.deepEqual([...codings(6)].sort(), [1, 8]);
      assert.deepEqual([...codings(7)], [8]);
      const kinds = new Set((await read('smpp', 'smpp.command_id')).flat());
      for (const kind of ['0x00000009', '0x00000004', '0x80000004', '0x00000005', '0x80000005', '0x00000006', '0x00000015']) assert.ok(kinds.has(kind), `${kind} was not seen: ${[...kinds]}`);
      t.diagnostic(`${pdus.length} submit_sm, ${kinds.size} kinds of PDU, 0 malformed`);
    } finally {
      await live.server.dispose();
      if (capture.exitCode === null) capture.kill('SIGKILL');
      await captured;
      for (const smsc of smscs) await smsc.stop();
      removeFolder(folder);
    }
  });
});
