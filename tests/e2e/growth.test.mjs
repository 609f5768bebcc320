// The store's log is moved into the main file while the server works: it must not grow for as long
// as there is load.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Server } from './lib/server.mjs';
import { slowness } from './lib/wait.mjs';

const connections = 32;
const logMax = 40 << 20;
const sends = 6000; // some 100 MB of log, were it never moved

it('growth: the log stays small under load, also after a read', { timeout: 240_000 * slowness }, async (t) => {
  const server = await Server.start();
  try {
    const client = await server.keyedClient({}, { connections });
    const text = '漢'.repeat(1600); // much to store with few requests
    const logSize = () => statSync(join(server.dataDir, 'skylark.db-wal')).size;
    let left = sends;
    let most = 0;
    const sender = async () => {
      assert.equal((await client.exchange('GET', '/v1/messages?limit=1')).status, 200);
      while (left-- > 0) {
        const { status, text: body } = await client.exchange('POST', '/v1/send', { json: { to: '+15551234567', text } });
        assert.equal(status, 201, body);
        most = Math.max(most, left % 100 === 0 ? logSize() : 0);
      }
    };
    // Every worker has read something once, and then sees nothing but sends.
    await Promise.all(Array.from({ length: connections }, sender));
    t.diagnostic(`${sends} sends, at most ${(most / 1e6).toFixed(1)} MB of log`);
    assert.ok(most < logMax, `the log grew to ${most} bytes`);
    await server.stop();
  } finally {
    await server.dispose();
  }
});
