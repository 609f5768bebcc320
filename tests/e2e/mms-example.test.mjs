// examples/mmsc and docs/MMS.md: the MMSC of the example takes an MMS, reports it, and sends one back.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, skylark, sourceRoot } from './lib/program.mjs';
import { Server, freePort, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const file = join(sourceRoot, 'examples/mmsc/skylark.ini');
const guide = readFileSync(join(sourceRoot, 'docs/MMS.md'), 'utf8');

// The sections of the guide, with what stands in capitals filled in.
const sections = [...guide.matchAll(/```ini\n([^]*?)```/g)].map(([, text]) => text.replace(/[A-Z]+(-[A-Z]+)+/g, (word) => `x${word.length}`));

describe('examples/mmsc', { timeout: 120_000 * slowness }, () => {
  it('skylark.ini and the sections of docs/MMS.md have no faults', async () => {
    const folder = temporaryFolder();
    try {
      assert.equal(sections.length, 3);
      const check = async (name, text) => {
        writeFileSync(join(folder, name), text);
        const { code, stderr } = await skylark(['config', 'check', join(folder, name)]);
        assert.equal(code, 0, stderr);
      };
      await check('example.ini', readFileSync(file, 'utf8').replace(/^ca = .*$/m, ''));
      await check('first.ini', sections[0]);
      await check('second.ini', sections[1]);
      const texts = '[carrier x20]\naddress = 127.0.0.1:2775\nsystem_id = x\n';
      await check('routes.ini', `${sections[0]}\n${texts}\n${sections[2].replace(/^carrier = x\d+$/m, 'carrier = x20')}`);
    } finally {
      removeFolder(folder);
    }
  });

  it('does what docs/MMS.md says', async () => {
    const folder = temporaryFolder();
    const [port, mediaPort, listener] = [await freePort(), await freePort(), await freePort()];
    const mmsc = spawn('python3', [join(sourceRoot, 'examples/mmsc/mmsc.py'), '--port', port, '--media-port', mediaPort, '--listener', `http://127.0.0.1:${listener}/mm7/local`],
      { cwd: folder, env: environment(), stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    mmsc.stdout.on('data', (piece) => { said += piece; });
    mmsc.stderr.on('data', (piece) => { said += piece; });
    const ended = new Promise((done) => { mmsc.on('close', done); });
    const says = (pattern) => until(`${pattern} in: ${said}`, () => pattern.test(said), { within: 10_000 });
    let server;
    try {
      await says(/^files/m);
      const ini = readFileSync(file, 'utf8').replace(':8085', `:${port}`).replace(':8444', `:${listener}`).replace('mmsc-files', join(folder, 'mmsc-files'));
      writeFileSync(join(folder, 'skylark.ini'), ini);
      server = await Server.start({ args: ['--config', join(folder, 'skylark.ini')] });
      const client = await server.keyedClient({ type: 'live' });
      const message = await client.sent({ to: '+15551234567', text: 'A picture for you', mediaUrls: [`https://127.0.0.1:${mediaPort}/cat.png`] });
      assert.deepEqual([message.type, message.segments, message.cost.amount], ['mms', 1, 0.02]);
      await says(/^[0-9a-f]+-1 {2}reported as Retrieved; Skylark answered 1000$/m);
      const [, size, name] = /^[0-9a-f]+-1 {2}\+18005551234 -> \+15551234567\n {4}A picture for you\n {4}image\/png, (\d+) bytes: (\S+)$/m.exec(said) ?? assert.fail(said);
      assert.match(guide, new RegExp(`image/png, ${size} bytes: ${name.replace(/[0-9a-f]+-1-1/, '[0-9a-f]+-1-1')}\\n`), `docs/MMS.md shows ${size} bytes: ${name}`);
      await until('delivered', async () => (await client.message(message.messageId)).status === 'delivered');

      mmsc.stdin.write(`+15551234567 Here is one back ${name}\n`);
      await says(/delivered; Skylark answered 1000/);
      const [back] = (await client.get('/v1/messages?direction=inbound')).body.data;
      assert.deepEqual([back.from, back.text, back.mediaUrls.length], ['+15551234567', 'Here is one back', 1]);
      const got = await client.exchange('GET', new URL(back.mediaUrls[0]).pathname);
      assert.deepEqual(got.bytes, readFileSync(join(folder, name)));
      await server.stop();
    } finally {
      await server?.dispose();
      mmsc.kill('SIGTERM');
      await ended;
      removeFolder(folder);
    }
  });
});
