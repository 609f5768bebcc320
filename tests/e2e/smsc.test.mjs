// skylark smsc: the carrier to try live mode with. A server of ours is its client here.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { LocalSmsc } from './lib/local-smsc.mjs';
import { skylark } from './lib/program.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { smpp } from './lib/smsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const us = '+18005551234';
const handset = '+15551234567';

// An SMSC with these options and a server that is bound to it; `settings` go into its section.
async function withBoth(args, settings, body) {
  const folder = temporaryFolder();
  const smsc = await LocalSmsc.start(...args(folder));
  let server;
  try {
    const file = join(folder, 'skylark.ini');
    const lines = { address: `127.0.0.1:${smsc.port}`, system_id: 'us', password: 'secret', reconnect_min: '50ms', ...settings(folder) };
    writeFileSync(file, `[carrier local]\n${Object.entries(lines).map(([key, value]) => `${key} = ${value}\n`).join('')}[sender ${us}]\n`);
    server = await Server.start({ dataDir: folder, args: ['--config', file] });
    const api = await server.keyedClient({ type: 'live' });
    const carrier = async () => JSON.parse((await skylark(['carriers', 'list', '-o', 'json', '--data-dir', folder, '--config', file])).stdout)[0];
    const ends = async (id, status) => {
      let message;
      return until(`${id} to be ${status}`, async () => {
        message = await api.message(id);
        return message.status === status && message;
      }, { within: 20_000 }).catch(async (error) => {
        const events = (await api.get(`/v1/messages/${id}/events`)).body.data;
        throw new Error(`${error.message}: ${JSON.stringify({ message, events, carrier: await carrier() })} ${smsc.stderr.slice(0, 2000)} ${server.stderr.slice(-2000)}`);
      });
    };
    await body({ smsc, server, api, carrier, ends, folder, file });
    await server.stop();
    await smsc.stop();
  } finally {
    await server?.dispose();
    await smsc.dispose();
    removeFolder(folder);
  }
}

const none = () => [];
const usual = () => ({});

describe('skylark smsc', { timeout: 180_000 * slowness }, () => {
  it('prints messages, with their parts joined, and sends receipts', () => withBoth(none, usual, async ({ smsc, api, carrier, ends, folder }) => {
    const long = 'Ein Text, der nicht in eine Nachricht paßt. '.repeat(8).trim();
    const texts = ['Hello, phone network', long, 'Привет 👋'];
    const ids = [];
    for (const text of texts) ids.push((await api.sent({ to: handset, text })).messageId);
    for (const id of ids) await ends(id, 'delivered');
    await smsc.printed(3);
    assert.deepEqual(smsc.lines, [
      `${us} → ${handset}  ${texts[0]}`,
      `${us} → ${handset}  ${texts[1]}  (3 of 3 parts)`,
      `${us} → ${handset}  ${texts[2]}`,
    ]);
    const row = await until('the count of receipts', async () => {
      const found = await carrier();
      return found.receipts === 5 && found;
    });
    assert.deepEqual([row.name, row.state, row.bindsUp, row.submitted, row.taken, row.strays], ['local', 'bound', 1, 5, 5, 0]);
    const { stdout } = await skylark(['carriers', 'list', '--data-dir', folder]);
    assert.match(stdout, /^local +bound +1\/1 /m, 'the server knows its configuration, whatever the command was given');
    const lost = await skylark(['carriers', 'test', 'local', '--data-dir', folder]);
    assert.equal(lost.code, 5);
    assert.match(lost.stderr, /has no carriers; name the file that has them with --config/);
  }));

  it('sends what is typed as a handset would', () => withBoth(none, usual, async ({ smsc, api, ends }) => {
    const inbound = async (count) => (await until(`${count} messages from handsets`, async () => {
      const { body } = await api.get('/v1/messages?direction=inbound');
      return body.data.length === count && body.data;
    }));
    await ends((await api.sent({ to: handset, text: 'Will you come?' })).messageId, 'delivered');
    smsc.type(`${handset} Yes, at 8 o'clock`);
    const [answer] = await inbound(1);
    assert.deepEqual([answer.from, answer.to, answer.text], [handset, us, 'Yes, at 8 o\'clock']);
    const long = 'да '.repeat(60).trim();
    smsc.type(`+15557654321 ${us} ${long}`);
    assert.equal((await inbound(2))[0].text, long);
    smsc.type(`${handset} STOP`);
    await inbound(3);
    await until('the opt-out', async () => (await api.send({ to: handset, text: 'x' })).body.code === 'recipient_opted_out');
    smsc.type('what');
    await until('a word of advice', () => /Write a number and a text/.test(smsc.stderr));
  }));

  it('fails as many as it is told to', () => withBoth(() => ['--fail', '50'], usual, async ({ api }) => {
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push((await api.sent({ to: handset, text: `${i}` })).messageId);
    const ended = [];
    for (const id of ids) ended.push(await until('an end', async () => {
      const message = await api.message(id);
      return message.status !== 'queued' && message.status !== 'sent' && message;
    }, { within: 20_000 }));
    assert.deepEqual(ended.map((m) => m.errorCode).sort(), ['undeliverable', 'undeliverable', null, null].sort());
  }));

  it('throttles, and nothing is lost', () => withBoth(() => ['--throttle', '5'], usual, async ({ api, carrier, ends }) => {
    const ids = [];
    for (let i = 0; i < 8; i++) ids.push((await api.sent({ to: handset, text: `${i}` })).messageId);
    for (const id of ids) await ends(id, 'delivered');
    assert.ok((await until('the count', async () => (await carrier()).throttled)) >= 1);
  }));

  it('speaks TLS with the certificate of the data folder', () => withBoth(
    (folder) => ['--tls', '--data-dir', folder],
    (folder) => ({ tls: 'on', tls_ca: join(folder, 'ca.pem') }),
    async ({ api, ends, folder, file }) => {
      await ends((await api.sent({ to: handset, text: 'in secret' })).messageId, 'delivered');
      const { code, stdout } = await skylark(['carriers', 'test', 'local', '--config', file, '--data-dir', folder]);
      assert.equal(code, 0, stdout);
      assert.match(stdout, /TLS, its certificate is good/);
    },
  ));

  it('takes several binds, and a transmitter with a receiver', () => withBoth(none, () => ({ bind: 'separate', binds: 2 }), async ({ api, carrier, ends }) => {
    await until('all binds', async () => (await carrier()).bindsUp === 4, { within: 10_000 });
    const { messageId } = await api.sent({ to: handset, text: 'both ways' });
    await ends(messageId, 'delivered');
  }));

  it('keeps receipts until they are answered well', async () => {
    const smsc = await LocalSmsc.start();
    const receipts = [];
    // Binds with node-smpp; `answer` says what becomes of a delivery.
    const bind = (answer) => new Promise((done) => {
      const session = smpp.connect({ url: `smpp://127.0.0.1:${smsc.port}` });
      session.on('error', () => {});
      session.on('deliver_sm', (pdu) => {
        receipts.push(pdu.receipted_message_id);
        answer(pdu, session);
      });
      session.bind_transceiver({ system_id: 'us' }, () => done(session));
    });
    try {
      const first = await bind((pdu, session) => session.destroy()); // hangs up instead of answering
      const id = await new Promise((done) => {
        first.submit_sm({ source_addr: '1', destination_addr: '2', registered_delivery: 1, short_message: 'x' }, (pdu) => done(pdu.message_id));
      });
      await until('the receipt', () => receipts.length === 1);
      let last = null;
      const second = await bind((pdu, session) => {
        last = performance.now();
        session.send(pdu.response({ command_status: receipts.length === 2 ? smpp.ESME_RX_T_APPN : 0 }));
      });
      await until('the receipt, refused and sent again', () => receipts.length === 3, { within: 10_000 });
      assert.deepEqual(receipts, [id, id, id]);
      await until('a while without another', () => performance.now() - last > 1500, { within: 10_000 });
      assert.equal(receipts.length, 3);
      second.close();
      await smsc.stop();
    } finally {
      await smsc.dispose();
    }
  });

  it('writes a line for each submit when it is quiet', () => withBoth((folder) => ['--quiet', '--log', join(folder, 'smsc.log')], usual, async ({ smsc, api, ends, folder }) => {
    const { messageId } = await api.sent({ to: handset, text: 'A line of the log, cut off after thirty-two bytes' });
    await ends(messageId, 'delivered');
    const line = await until('the line', () => readFileSync(join(folder, 'smsc.log'), 'utf8').split('\n')[0], { within: 5_000 });
    assert.match(line, new RegExp(`^\\d+ \\${handset} A line of the log, cut off after$`));
    assert.equal(smsc.stdout, '');
  }));

  it('bears what is no SMPP', async () => {
    const smsc = await LocalSmsc.start();
    try {
      const answer = (bytes) => new Promise((done) => {
        const socket = connect(smsc.port, '127.0.0.1', () => socket.write(bytes));
        const pieces = [];
        socket.on('data', (piece) => { pieces.push(piece); if (bytes.length % 2 === 0) socket.end(); });
        socket.on('error', () => {});
        socket.on('close', () => done(Buffer.concat(pieces).toString('hex')));
      });
      assert.equal(await answer(Buffer.from('GET / HTTP/1.1\r\n\r\n ')), '', 'a length that no PDU has');
      assert.equal(await answer(Buffer.from('0000001000000fff0000000000000007', 'hex')), '00000010800000000000000300000007', 'a command that nobody knows');
      assert.equal(await answer(Buffer.from('00000010000000040000000000000009', 'hex')), '00000010800000000000000200000009', 'a body that is missing');
      await smsc.stop();
    } finally {
      await smsc.dispose();
    }
  });

  it('says what is wrong with its options', async () => {
    assert.equal((await skylark(['smsc', '--fail', '101'])).code, 2);
    assert.equal((await skylark(['smsc', '--throttle', 'x'])).code, 2);
    const { code, stderr } = await skylark(['smsc', '--listen', 'nowhere']);
    assert.equal(code, 1);
    assert.match(stderr, /write HOST:PORT/);
  });
});
