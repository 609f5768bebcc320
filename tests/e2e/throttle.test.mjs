// Wrong keys: an address that shows many of them has to wait, and learns nothing meanwhile.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';

const wrong = `sl_test_${'x'.repeat(32)}`;
const count = (responses, status) => responses.filter((response) => response.status === status).length;

withServer('throttle', {}, (context) => {
  // Connections of their own, from an address of their own.
  const from = (localAddress, connections = 1) => context.server.client(undefined, { localAddress, connections });
  const ask = (client, key) => client.get('/v1/messages?limit=1', { key });

  it('tells twenty wrong keys a minute that they are wrong, over many connections too', async () => {
    const client = from('127.0.0.2', 16);
    const responses = await Promise.all(Array.from({ length: 60 }, () => ask(client, wrong)));
    assert.deepEqual([count(responses, 401), count(responses, 429)], [20, 40]);
    const refused = responses.find(({ status }) => status === 429);
    assert.equal(refused.body.code, 'too_many_failed_key_attempts');
    assert.ok(refused.body.retryAfter >= 1 && refused.body.retryAfter <= 60);
    assert.equal(refused.headers['x-ratelimit-limit'], undefined);
  });

  it('does not look at any key of that address meanwhile', async () => {
    const client = from('127.0.0.2');
    const [right, guess] = [await ask(client, context.api.key), await ask(client, wrong)];
    assert.deepEqual([right.status, guess.status], [429, 429]);
    assert.deepEqual({ ...right.body, retryAfter: 0, message: '' }, { ...guess.body, retryAfter: 0, message: '' });
    await client.refused(429, 'too_many_failed_key_attempts', undefined, client.call('POST', '/v1/send', { key: context.api.key, json: {} }));
    assert.equal((await client.get('/livez')).status, 200);
    await client.refused(401, 'missing_api_key', undefined, ask(client, null));
  });

  it('lets other addresses go on', async () => {
    assert.equal((await ask(from('127.0.0.3'), context.api.key)).status, 200);
    assert.equal((await ask(from('127.0.0.3'), wrong)).status, 401);
  });

  it('counts wrong keys only', async () => {
    const client = from('127.0.0.4');
    for (let i = 0; i < 25; i++) {
      assert.equal((await ask(client, null)).status, 401);
      assert.equal((await client.get('/v1/messages', { key: null, headers: { Authorization: 'Basic x' } })).status, 401);
      assert.equal((await ask(client, context.api.key)).status, 200);
    }
    assert.equal((await ask(client, wrong)).status, 401);
  });
});

it('an operator behind a proxy can switch the throttle off', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'skylark.ini');
  writeFileSync(file, '[server]\nfailed_keys = 0\n');
  const server = await Server.start({ args: ['--config', file] });
  try {
    const client = server.client(wrong, { connections: 8 });
    const responses = await Promise.all(Array.from({ length: 100 }, () => client.get('/v1/messages')));
    assert.equal(count(responses, 401), 100);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
