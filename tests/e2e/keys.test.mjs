// API keys: made, listed and revoked by command while the server runs; and how they are checked.
// Runs alone: a revoked key is refused within a second.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { withServer } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}

withServer('keys by command', {}, (context) => {
  const list = async () => {
    const { code, stdout, stderr } = await skylark(['keys', 'list', '--data-dir', context.server.dataDir, '-o', 'json']);
    assert.equal(code, 0, stderr);
    return { keys: JSON.parse(stdout), stdout };
  };
  const revoke = (id) => skylark(['keys', 'revoke', id, '--data-dir', context.server.dataDir]);
  const rotate = (id, ...args) => skylark(['keys', 'rotate', id, '--data-dir', context.server.dataDir, ...args]);
  const create = (...args) => skylark(['keys', 'create', '--data-dir', context.server.dataDir, ...args]);

  it('makes keys of both kinds that work at once', async () => {
    for (const type of ['test', 'live']) {
      const made = await context.server.createKey({ type, name: `my ${type} key` });
      assert.match(made.key, new RegExp(`^sl_${type}_[0-9A-Za-z]{32}$`));
      assert.ok(made.id);
      const client = context.server.client(made.key);
      await until('the key to be known', async () => (await client.get('/v1/messages')).status === 200, { within: 1000 });
    }
  });

  it('uses the default plan when none is named', async () => {
    const client = await context.server.keyedClient({ plan: null });
    const { headers } = await client.get('/v1/messages');
    assert.equal(headers['x-ratelimit-limit'], '100');
    assert.equal(headers['x-ratelimit-remaining'], '99');
  });

  it('shows on an unlimited plan numbers too large to reach', async () => {
    const { headers } = await context.api.get('/v1/messages');
    assert.ok(Number(headers['x-ratelimit-remaining']) > 1_000_000);
  });

  it('lists keys without their secrets', async () => {
    const made = await context.server.createKey({ name: 'listed' });
    const { keys, stdout } = await list();
    const row = keys.find((key) => key.id === made.id);
    assert.equal(row.name, 'listed');
    assert.equal(row.type, 'test');
    assert.ok(JSON.stringify(row).includes(made.key.slice(-4)), 'the last four characters are shown');
    assert.ok(!stdout.includes(made.key.slice(8)), 'the secret is shown');
    const table = await skylark(['keys', 'list', '--data-dir', context.server.dataDir]);
    assert.equal(table.code, 0);
    assert.ok(table.stdout.includes('listed') && !table.stdout.includes(made.key.slice(8)));
  });

  it('keeps only a hash', async () => {
    const made = await context.server.createKey({ name: 'hidden' });
    await context.server.client(made.key).get('/v1/messages');
    const secret = Buffer.from(made.key.slice(8));
    for (const file of filesBelow(context.server.dataDir)) {
      assert.equal(readFileSync(file).includes(secret), false, `${file} holds the key`);
    }
    assert.ok(!context.server.stderr.includes(made.key.slice(8)), 'the log holds the key');
    assert.equal(statSync(context.server.dataDir).mode & 0o077, 0, 'others may look into the data folder');
  });

  it('revokes within a second, on connections that are open too', async () => {
    const made = await context.server.createKey({ name: 'doomed' });
    const client = context.server.client(made.key, { connections: 1 });
    assert.equal((await client.get('/v1/messages')).status, 200);
    const { code, stderr } = await revoke(made.id);
    assert.equal(code, 0, stderr);
    const revoked = Date.now();
    await until('the key to be refused', async () => (await client.get('/v1/messages')).status === 401, { within: 1000 });
    assert.ok(Date.now() - revoked <= 1000 * slowness);
    await client.refused(401, 'invalid_api_key', undefined, client.send({ to: '+15551234567', text: 'x' }));
    await sleep(300);
    await client.refused(401, 'invalid_api_key', undefined, client.get('/v1/messages'));
    assert.equal((await revoke(made.id)).code, 0, 'revoking twice is no mistake');
    assert.equal((await context.api.get('/v1/messages')).status, 200, 'other keys go on');
  });

  it('gives a key only the permissions named', async () => {
    const withPermissions = async (permissions) => {
      const { code, stdout, stderr } = await create('--name', 'narrow', '--type', 'test', '--permissions', permissions, '-o', 'json');
      assert.equal(code, 0, stderr);
      return context.server.client(JSON.parse(stdout).key);
    };
    const reader = await withPermissions('sms:read');
    assert.equal((await reader.get('/v1/messages')).status, 200);
    const refusal = await reader.refused(403, 'insufficient_permissions', undefined, reader.send({ to: '+15551234567', text: 'x' }));
    assert.match(refusal.body.message, /sms:send/, 'the message names the permission');
    await reader.refused(403, 'insufficient_permissions', undefined, reader.call('POST', '/v1/send', { raw: '{', type: 'text/xml' }));
    const sender = await withPermissions('sms:send');
    const { messageId } = await sender.sent({ to: '+15551234567', text: 'x' });
    await sender.refused(403, 'insufficient_permissions', undefined, sender.get(`/v1/messages/${messageId}`));
    await sender.refused(403, 'insufficient_permissions', undefined, sender.get('/v1/messages'));
    assert.equal((await create('--name', 'x', '--permissions', 'sms:fly')).code, 2);
  });

  it('makes a key with permissions, limits and an end of its own', async () => {
    const { code, stdout, stderr } = await create('web shop', '--permissions', 'sms:send,sms:read', '--per-minute', '7', '--per-hour', '70', '--expires', '2099-12-31T23:59:59Z', '-o', 'json');
    assert.equal(code, 0, stderr);
    const made = JSON.parse(stdout);
    assert.deepEqual([made.name, made.permissions, made.perMinute, made.perHour, made.expiresAt], ['web shop', 'sms:send,sms:read', 7, 70, '2099-12-31T23:59:59.000Z']);
    const row = (await list()).keys.find(({ id }) => id === made.id);
    assert.deepEqual([row.perMinute, row.perHour, row.state, row.account, row.requests, row.lastUsedAt], [7, 70, 'active', 'default', 0, null]);
    const { headers } = await context.server.client(made.key).get('/v1/messages');
    assert.equal(headers['x-ratelimit-limit'], '7');
  });

  it('refuses a key from the moment on at which it expires', async () => {
    const { code, stdout, stderr } = await create('short', '--plan', 'unlimited', '--expires', new Date(Date.now() + 3000 * slowness).toISOString(), '-o', 'json');
    assert.equal(code, 0, stderr);
    const made = JSON.parse(stdout);
    const client = context.server.client(made.key);
    assert.equal((await client.get('/v1/messages')).status, 200);
    await until('the end', () => Date.now() > Date.parse(made.expiresAt), { within: 4000, every: 50 });
    await client.refused(401, 'invalid_api_key', undefined, client.get('/v1/messages'));
    assert.equal((await list()).keys.find(({ id }) => id === made.id).state, 'expired');
    assert.equal((await rotate(made.id)).code, 5);
  });

  it('rotates a key, at once or with grace', async () => {
    const old = await context.server.createKey({ name: 'turning', 'per-hour': 500 });
    const graced = await rotate(old.id, '--grace', '2', '-o', 'json');
    assert.equal(graced.code, 0, graced.stderr);
    assert.match(graced.stderr, /2 more hours/);
    const next = JSON.parse(graced.stdout);
    const client = (key) => context.server.client(key);
    await until('the new key', async () => (await client(next.key).get('/v1/messages')).status === 200);
    assert.equal((await client(old.key).get('/v1/messages')).status, 200);
    const row = async (wanted) => (await list()).keys.find(({ id }) => id === wanted);
    assert.equal((await row(old.id)).state, 'retiring');
    assert.deepEqual([(await row(next.id)).name, (await row(next.id)).perHour], ['turning', 500]);
    assert.equal((await rotate(next.id)).code, 0);
    await until('the old key to be off', async () => (await client(next.key).get('/v1/messages')).status === 401, { every: 100 });
    assert.equal((await rotate(next.id)).code, 5, 'it is off');
    assert.equal((await rotate('key_00000000000')).code, 5);
    for (const hours of ['169', '-1', 'x']) assert.equal((await rotate(old.id, '--grace', hours)).code, 2, hours);
  });

  it('says what is wrong with a command', async () => {
    for (const [args, exit] of [
      [['--name', 'x', '--type', 'banana'], 2],
      [['--name', 'x', '--type'], 2],
      [['--name', 'x', '--type', 'test', '--colour', 'blue'], 2],
      [['x', '--name', 'y'], 2],
      [[''], 2],
      [['x'.repeat(65)], 2],
      [['x', '--per-minute', 'many'], 2],
      [['x', '--per-hour', '-1'], 2],
      [['x', '--expires', 'tomorrow'], 2],
      [['x', '--expires', '2026-02-30T00:00:00Z'], 2],
      [['x', '--expires', '2020-01-01T00:00:00Z'], 2],
      [['x', '--account', 'nobody'], 5],
    ]) {
      const { code, stdout, stderr } = await create(...args);
      assert.equal(code, exit, `${args}: ${stderr}`);
      assert.equal(stdout, '');
      assert.ok(stderr.trim().length > 10);
    }
    const plan = await create('--name', 'x', '--type', 'test', '--plan', 'no-such-plan', '-o', 'json');
    assert.notEqual(plan.code, 0);
    assert.ok(!plan.stdout.includes('sl_test_'));
    assert.equal((await revoke('no-such-key')).code, 5);
  });
});

withServer('keys on requests', {}, (context) => {
  const messages = (headers) => context.api.call('GET', '/v1/messages', { key: null, headers });

  it('wants an Authorization header', async () => {
    await context.api.refused(401, 'missing_api_key', undefined, messages({}));
    await context.api.refused(401, 'missing_api_key', undefined, context.api.call('POST', '/v1/send', { key: null, json: {} }));
    await context.api.refused(401, 'missing_api_key', undefined, context.api.call('GET', '/v1/messages/msg_x', { key: null }));
  });

  it('wants Bearer and a key in it', async () => {
    const { key } = context.api;
    for (const value of ['', 'Bearer', 'Bearer ', key, `Basic ${key}`, `Bearer${key}`, `Token ${key}`, `Bearer ${key} ${key}`, 'Basic dXNlcjpwYXNz', `Bearer ${key},`]) {
      const { status, body } = await messages({ Authorization: value });
      assert.equal(status, 401, value);
      assert.ok(['invalid_authorization_header', ...(value === '' ? ['missing_api_key'] : []), ...(value.endsWith(',') ? ['invalid_api_key'] : [])].includes(body.code), `${value}: ${body.code}`);
    }
  });

  it('takes the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      assert.equal((await messages({ Authorization: `${scheme} ${context.api.key}` })).status, 200, scheme);
    }
  });

  it('answers unknown and revoked keys alike', async () => {
    const { key } = context.api;
    const last = key.at(-1) === 'a' ? 'b' : 'a';
    const unknown = [`sl_test_${'x'.repeat(32)}`, `${key.slice(0, -1)}${last}`, `${key}a`, key.slice(0, -1), key.replace('test', 'live'), 'x', 'sl_test_', 'a'.repeat(2000)];
    const answers = [];
    for (const wrong of unknown) {
      const response = await context.api.refused(401, 'invalid_api_key', undefined, messages({ Authorization: `Bearer ${wrong}` }));
      answers.push(response.body);
    }
    const revoked = await context.server.createKey();
    await skylark(['keys', 'revoke', revoked.id, '--data-dir', context.server.dataDir]);
    const client = context.server.client(revoked.key);
    answers.push(await until('the revocation', async () => {
      const { status, body } = await client.get('/v1/messages');
      return status === 401 && body;
    }, { within: 1000, every: 100 }));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
  });

  it('does not count refused keys against a limit', async () => {
    const { headers } = await messages({ Authorization: 'Bearer x' });
    assert.equal(headers['x-ratelimit-limit'], undefined);
  });

  it('needs no key for what the service says about itself', async () => {
    for (const path of ['/livez', '/readyz', '/v1/openapi.json', '/docs/api-reference/errors']) {
      assert.equal((await context.api.get(path, { key: null })).status, 200, path);
      assert.equal((await context.api.get(path, { headers: { Authorization: 'Bearer wrong' }, key: null })).status, 200, path);
    }
  });
});
