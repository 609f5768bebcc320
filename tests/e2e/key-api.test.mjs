// Keys over the API: made, shown once, used, rotated and switched off while the server runs.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, withServer } from './lib/server.mjs';
import { until } from './lib/wait.mjs';

const everything = 'sms:send,sms:read,webhooks:read,webhooks:write,analytics:read,optouts:read,optouts:write,keys:read,keys:write';

async function created(client, json, options = {}) {
  const response = await client.call('POST', '/v1/keys', { json, ...options });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

const rotate = (client, id, json = {}, options = {}) => client.call('POST', `/v1/keys/${id}/rotate`, { json, ...options });
const status = async (client) => (await client.get('/v1/messages?limit=1')).status;

withServer('key API', {}, (context) => {
  const admin = {};
  const clientOf = (key) => context.server.client(key);

  it('is for keys that name it', async () => {
    admin.test = await context.server.keyedClient({ name: 'admin', permissions: everything });
    admin.live = await context.server.keyedClient({ name: 'live admin', type: 'live', permissions: everything });
    for (const call of [['GET', '/v1/keys'], ['POST', '/v1/keys'], ['GET', '/v1/keys/key_x'], ['DELETE', '/v1/keys/key_x']]) {
      const { body } = await context.api.refused(403, 'insufficient_permissions', undefined, context.api.call(...call, call[0] === 'POST' ? { json: {} } : {}));
      assert.match(body.message, /keys:(read|write)/);
    }
  });

  it('makes a key that works at once and is shown once', async () => {
    const made = await created(admin.test, { name: 'newsletter', permissions: ['sms:send'] });
    assert.match(made.key, /^sl_test_[0-9A-Za-z]{32}$/);
    assert.equal(made.lastFour, made.key.slice(-4));
    const client = clientOf(made.key);
    await client.refused(403, 'insufficient_permissions', undefined, client.get('/v1/messages'));
    const { body } = await admin.test.get(`/v1/keys/${made.keyId}`);
    assert.equal(body.key, undefined);
    assert.ok(!JSON.stringify(body).includes(made.key.slice(8)));
    const list = await admin.test.get('/v1/keys?limit=1');
    assert.equal(list.body.data[0].keyId, made.keyId, 'newest first');
  });

  it('makes live keys with live keys only', async () => {
    const made = await created(admin.live, { name: 'shop' });
    assert.match(made.key, /^sl_live_/);
    await admin.test.refused(404, 'key_not_found', undefined, admin.test.get(`/v1/keys/${made.keyId}`));
    const seen = (await admin.test.get('/v1/keys?limit=100')).body.data;
    assert.ok(seen.length > 0 && seen.every(({ keyType }) => keyType === 'test'));
  });

  it('gives no more than the caller has', async () => {
    const keeper = await context.server.keyedClient({ permissions: 'keys:write,sms:read' });
    const { body } = await keeper.refused(403, 'insufficient_permissions', undefined, keeper.call('POST', '/v1/keys', { json: { name: 'x', permissions: ['sms:read', 'sms:send'] } }));
    assert.match(body.message, /sms:send/);
    await keeper.refused(403, 'insufficient_permissions', undefined, keeper.call('POST', '/v1/keys', { json: { name: 'x' } }));
    const sender = await created(admin.test, { name: 'sender', permissions: ['sms:send'] });
    await keeper.refused(403, 'insufficient_permissions', undefined, rotate(keeper, sender.keyId));
    assert.deepEqual((await created(keeper, { name: 'x', permissions: ['sms:read'] })).permissions, ['sms:read']);
  });

  it('switches off at once', async () => {
    const made = await created(admin.test, { name: 'doomed' });
    const client = clientOf(made.key);
    assert.equal(await status(client), 200);
    const first = await admin.test.call('DELETE', `/v1/keys/${made.keyId}`);
    assert.equal(first.status, 200);
    assert.equal(first.body.status, 'revoked');
    await client.refused(401, 'invalid_api_key', undefined, client.get('/v1/messages'));
    const again = await admin.test.call('DELETE', `/v1/keys/${made.keyId}`);
    assert.equal(again.body.revokedAt, first.body.revokedAt);
    await admin.test.refused(404, 'key_not_found', undefined, rotate(admin.test, made.keyId));
  });

  it('rotates, at once or with grace', async () => {
    const old = await created(admin.test, { name: 'turning', perMinute: 50, permissions: ['sms:read', 'sms:send'] });
    const graced = await rotate(admin.test, old.keyId, { gracePeriodHours: 1 });
    assert.equal(graced.status, 201, graced.text);
    assert.equal(graced.body.replaces, old.keyId);
    assert.deepEqual([graced.body.name, graced.body.perMinute, graced.body.permissions], ['turning', 50, ['sms:send', 'sms:read']]);
    assert.equal(await status(clientOf(old.key)), 200);
    assert.equal(await status(clientOf(graced.body.key)), 200);
    const retiring = (await admin.test.get(`/v1/keys/${old.keyId}`)).body;
    assert.equal(retiring.status, 'retiring');
    assert.ok(Math.abs(Date.parse(retiring.revokedAt) - Date.now() - 3_600_000) < 60_000);
    const next = await rotate(admin.test, graced.body.keyId);
    assert.equal(await status(clientOf(graced.body.key)), 401);
    assert.equal(await status(clientOf(next.body.key)), 200);
  });

  it('answers a repeated request with the same key, which lies nowhere on disk', async () => {
    const headers = { 'Idempotency-Key': 'make it once' };
    const first = await created(admin.test, { name: 'once' }, { headers });
    const again = await admin.test.call('POST', '/v1/keys', { json: { name: 'once' }, headers });
    assert.deepEqual(again.body, first);
    assert.equal(again.headers['idempotency-replayed'], 'true');
    const secret = first.key.slice(8);
    for (const name of readdirSync(context.server.dataDir)) {
      assert.equal(readFileSync(join(context.server.dataDir, name)).includes(secret), false, `${name} holds the key`);
    }
    assert.ok(!context.server.stderr.includes(secret), 'the log holds the key');
  });

  it('and the command line see the same keys', async () => {
    const made = await created(admin.test, { name: 'seen from outside', permissions: ['sms:read'], perHour: 77, expiresAt: '2099-01-01T01:00:00+01:00' });
    const listed = JSON.parse(await context.server.command('keys', 'list', '-o', 'json')).find(({ id }) => id === made.keyId);
    assert.deepEqual(
      [listed.name, listed.permissions, listed.perHour, listed.perMinute, listed.expiresAt, listed.state, listed.preview],
      ['seen from outside', 'sms:read', 77, null, '2099-01-01T00:00:00.000Z', 'active', `sl_test_…${made.lastFour}`],
    );
    const outside = await context.server.createKey({ name: 'from outside' });
    const { body } = await admin.test.get(`/v1/keys/${outside.id}`);
    assert.equal(body.name, 'from outside');
  });

  it('tells when and from where a key was used, and how often', async () => {
    const made = await created(admin.test, { name: 'busy' });
    const client = context.server.client(made.key, { localAddress: '127.0.0.9' });
    const before = Date.now();
    for (let i = 0; i < 5; i++) await client.get('/v1/messages?limit=1');
    const used = await until('the usage', async () => {
      const { body } = await admin.test.get(`/v1/keys/${made.keyId}`);
      return body.requestCount >= 5 && body;
    });
    assert.equal(used.requestCount, 5);
    assert.equal(used.lastUsedFrom, '127.0.0.9');
    assert.ok(Date.parse(used.lastUsedAt) >= before - 1000);
    const listed = JSON.parse(await context.server.command('keys', 'list', '-o', 'json')).find(({ id }) => id === made.keyId);
    assert.deepEqual([listed.requests, listed.lastUsedFrom, listed.lastUsedAt], [5, '127.0.0.9', used.lastUsedAt]);
  });
});

it('keys made, rotated and used are there after a restart', { timeout: 120_000 }, async () => {
  const server = await Server.start();
  try {
    const admin = await server.keyedClient({ permissions: everything });
    const old = await created(admin, { name: 'lasting' });
    const { body: turned } = await rotate(admin, old.keyId);
    const client = server.client(turned.key);
    for (let i = 0; i < 3; i++) assert.equal(await status(client), 200);
    const { key } = admin;
    await server.stop();
    const second = await Server.start({ dataDir: server.dataDir });
    try {
      assert.equal(await status(second.client(turned.key)), 200);
      assert.equal(await status(second.client(old.key)), 401);
      const { body } = await second.client(key).get(`/v1/keys/${turned.keyId}`);
      assert.ok(body.requestCount >= 3, `${body.requestCount} requests`);
      assert.equal(body.lastUsedFrom, '127.0.0.1');
      await second.stop();
    } finally {
      await second.dispose();
    }
  } finally {
    await server.dispose();
  }
});
