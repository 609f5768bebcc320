// Maintenance: the operator refuses calls for a while, without stopping the server.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { until } from './lib/wait.mjs';

it('maintenance is switched on and off while the server runs', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  writeFileSync(file, '');
  const server = await Server.start({ args: ['--config', file] });
  try {
    const client = await server.keyedClient();
    const { messageId } = await client.sent({ to: '+15551234567', text: 'before' });
    const switchTo = async (word, status) => {
      writeFileSync(file, `[server]\nmaintenance = ${word}\n`);
      server.signal('SIGHUP');
      await until(`maintenance to be ${word}`, async () => (await client.get('/readyz')).status === status);
    };

    await switchTo('on', 503);
    for (const call of [['GET', '/v1/messages'], ['POST', '/v1/send', { json: {} }], ['GET', '/v1/rate-limits'], ['GET', '/v1/messages', { key: 'wrong' }], ['GET', '/v1/keys', { key: null }]]) {
      const { headers, body } = await client.refused(503, 'maintenance', undefined, client.call(...call));
      assert.equal(headers['retry-after'], '60');
      assert.equal(body.retryAfter, 60);
    }
    assert.equal((await client.get('/readyz')).body.reason, 'maintenance');
    assert.equal((await client.get('/livez')).status, 200);
    assert.equal((await client.get('/v1/openapi.json')).status, 200);
    assert.equal((await client.get('/v1/nothing')).status, 404);
    assert.match(server.stderr, /maintenance/);
    assert.ok(!/server\.maintenance has changed/.test(server.stderr), 'it took effect at once');

    await switchTo('off', 200);
    await until('what was accepted to be delivered', async () => (await client.message(messageId)).status === 'delivered');
    await client.sent({ to: '+15551234567', text: 'after' });
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
