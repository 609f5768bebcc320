// Idempotency-Key: a request that is repeated is answered once more and done only once, whatever
// happens to the connection or to the server in between.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+15551234567';
const keyed = (key, more = {}) => ({ headers: { 'Idempotency-Key': key }, ...more });
const replayed = (response) => response.headers['idempotency-replayed'];

async function countMessages(client, query = '') {
  const { status, body, text } = await client.get(`/v1/messages?limit=1${query}`);
  assert.equal(status, 200, text);
  return body.pagination.totalCount;
}

withServer('idempotency', {}, (context) => {
  const post = (path, json, key) => context.api.call('POST', path, keyed(key, { json }));
  const send = (json, key) => post('/v1/send', json, key);

  it('answers a repetition with the same message', async () => {
    const before = await countMessages(context.api);
    const first = await send({ to, text: 'once' }, 'repeat');
    assert.equal(first.status, 201, first.text);
    assert.equal(replayed(first), undefined);
    for (let i = 0; i < 3; i++) {
      const again = await send({ to, text: 'once' }, 'repeat');
      assert.equal(again.status, 201);
      assert.equal(replayed(again), 'true');
      assert.equal(again.text, first.text);
    }
    assert.equal(await countMessages(context.api), before + 1);
  });

  it('gives all of several at once the same message', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => send({ to, text: `race ${round}` }, `race-${round}`)));
      assert.deepEqual(new Set(answers.map((a) => a.status)), new Set([201]));
      assert.equal(new Set(answers.map((a) => a.body.messageId)).size, 1);
      assert.equal(answers.filter((a) => replayed(a) === undefined).length, 1, 'one of them was the first');
    }
  });

  it('shows the message as accepted, whatever became of it', async () => {
    const first = await send({ to: '+15550001234', text: 'quick' }, 'quick');
    await until('it to be delivered', async () => (await context.api.message(first.body.messageId)).status === 'delivered', { within: 10_000 });
    const again = await send({ to: '+15550001234', text: 'quick' }, 'quick');
    assert.equal(again.text, first.text);
    assert.equal(again.body.status, 'queued');
  });

  it('compares what was asked for, not how it was written', async () => {
    const json = { to, text: 'Grüße', tags: ['a', 'b'], metadata: { x: [1, { y: null, z: 'ü' }], w: 'a' }, validityPeriod: 600 };
    const first = await send(json, 'same');
    assert.equal(first.status, 201, first.text);
    const same = [
      { raw: '{"validityPeriod":600.0,"metadata":{"w":"\\u0061","x":[1,{"z":"\\u00fc","y":null}]},\n "tags":["a","b"] ,"text":"Gr\\u00fc\\u00dfe","unknown":[],"to":"+15551234567"}', type: 'application/json' },
      { form: [['tags', 'a'], ['metadata', '{ "x":[1,{"y":null,"z":"ü"}], "w":"a" }'], ['tags', 'b'], ['validityPeriod', '600'], ['text', 'Grüße'], ['to', to]] },
    ];
    for (const request of same) {
      const again = await context.api.call('POST', '/v1/send', keyed('same', request));
      assert.equal(replayed(again), 'true', again.text);
      assert.equal(again.text, first.text);
    }
    const other = [
      { text: 'Gruesse' }, { to: '+15551234568' }, { tags: ['b', 'a'] }, { tags: ['a'] }, { validityPeriod: 601 },
      { metadata: { ...json.metadata, x: [1] } }, { messageType: 'otp' }, { subject: 's' }, { from: '+18005551234' },
    ];
    for (const change of other) {
      await context.api.refused(400, 'idempotency_key_mismatch', undefined, send({ ...json, ...change }, 'same'));
    }
  });

  it('keeps nothing of what was refused', async () => {
    await context.api.refused(400, 'text_required', 'text', send({ to, text: '' }, 'refused'));
    const first = await send({ to, text: 'x' }, 'refused');
    assert.equal(first.status, 201);
    assert.equal(replayed(first), undefined);
  });

  it('takes keys of 1 to 255 printable characters, once', async () => {
    for (const key of ['~', ' inner space '.trim(), 'x'.repeat(255)]) {
      assert.equal((await send({ to, text: 'x' }, key)).status, 201);
      assert.equal(replayed(await send({ to, text: 'x' }, key)), 'true');
    }
    for (const key of ['x'.repeat(256), 'tab\tinside', 'caf\u00e9', ['a', 'a'], ['a', 'b']]) {
      await context.api.refused(400, 'invalid_idempotency_key', undefined, send({ to, text: 'x' }, key));
    }
    assert.equal(replayed(await send({ to, text: 'x' }, '')), undefined);
    assert.equal(replayed(await send({ to, text: 'x' }, '')), undefined, 'an empty key is none');
  });

  it('checks the key of a dry run and does not use it', async () => {
    const dry = await send({ to, text: 'x', dryRun: true }, 'dry');
    assert.equal(dry.status, 200);
    assert.equal(replayed(await send({ to, text: 'x' }, 'dry')), undefined);
    await context.api.refused(400, 'invalid_idempotency_key', undefined, send({ to, text: 'x', dryRun: true }, 'x'.repeat(256)));
  });

  it('keeps paths, accounts and modes apart', async () => {
    const first = await send({ to, text: 'apart' }, 'apart');
    const batch = await post('/v1/messages/batch', { messages: [{ to, text: 'apart' }] }, 'apart');
    assert.equal(batch.status, 201, batch.text);
    assert.equal(replayed(batch), undefined);
    await context.server.command('accounts', 'create', 'other');
    const other = await context.server.keyedClient({ account: 'other' });
    const theirs = await other.call('POST', '/v1/send', keyed('apart', { json: { to, text: 'apart' } }));
    assert.equal(theirs.status, 201);
    assert.equal(replayed(theirs), undefined);
    assert.notEqual(theirs.body.messageId, first.body.messageId);
    const colleague = await context.server.keyedClient();
    const ours = await colleague.call('POST', '/v1/send', keyed('apart', { json: { to, text: 'apart' } }));
    assert.equal(ours.body.messageId, first.body.messageId, 'another key of the account is the same client');
  });

  it('holds for everything that a POST creates', async () => {
    const manager = await context.server.keyedClient({ permissions: 'sms:send,sms:read,keys:write,optouts:write' });
    const again = async (path, json, key) => {
      const first = await manager.call('POST', path, keyed(key, { json }));
      assert.equal(first.status, 201, first.text);
      const second = await manager.call('POST', path, keyed(key, { json }));
      assert.equal(second.status, 201, second.text);
      assert.equal(replayed(second), 'true');
      assert.equal(second.text, first.text);
      await manager.refused(400, 'idempotency_key_mismatch', undefined,
        manager.call('POST', path, keyed(key, { json: path === '/v1/messages/batch' ? { messages: [{}] } : { ...json, ...other[path] } })));
      return first.body;
    };
    const other = { '/v1/opt-outs': { number: '+15551230001' }, '/v1/keys': { name: 'another' }, '/v1/test/inbound': { text: 'another' } };
    await again('/v1/messages/batch', { messages: [{ to, text: 'a' }, { to, text: '' }] }, 'create');
    await again('/v1/opt-outs', { number: '+15551230000' }, 'create');
    await again('/v1/test/inbound', { from: '+15551230009', text: 'hi' }, 'create');
    const key = await again('/v1/keys', { name: 'made once', permissions: ['sms:read'] }, 'create');
    const fresh = context.server.client(key.key);
    assert.equal((await fresh.get('/v1/messages')).status, 200, 'the key of the repetition is the key');
    const rotate = `/v1/keys/${key.keyId}/rotate`;
    other[rotate] = { gracePeriodHours: 2 };
    await again(rotate, { gracePeriodHours: 1 }, 'create');
  });
});

it('idempotency: keys hold through a restart', { timeout: 60_000 * slowness }, async () => {
  const folder = temporaryFolder();
  let server = await Server.start({ dataDir: folder });
  try {
    const { key } = await server.createKey({ permissions: 'sms:send,keys:write' });
    const requests = [
      ['/v1/send', { to, text: 'x' }], ['/v1/keys', { name: 'x', permissions: ['sms:send'] }], ['/v1/messages/batch', { messages: [{ to, text: 'x' }] }],
    ];
    const ask = (path, json) => server.client(key).call('POST', path, keyed('restart', { json }));
    const first = [];
    for (const [path, json] of requests) first.push(await ask(path, json));
    for (const answer of first) assert.equal(answer.status, 201, answer.text);
    await server.crash();
    server = await Server.start({ dataDir: folder });
    for (const [i, [path, json]] of requests.entries()) {
      const again = await ask(path, json);
      assert.equal(replayed(again), 'true', path);
      assert.equal(again.text, first[i].text, path);
    }
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});

it('idempotency: a race on 1,000 keys through crashes makes 1,000 messages', { timeout: 240_000 * slowness }, async (t) => {
  const keys = 1000;
  const connections = 50;
  const copies = 3; // of each request, at about the same time on neighbouring connections
  const crashes = 5;
  const folder = temporaryFolder();
  const tasks = Array.from({ length: keys * copies }, (_, i) => Math.floor(i / copies));
  const ids = new Map(); // key → the ids it was answered with
  const total = tasks.length;
  let server = await Server.start({ dataDir: folder });
  let client;
  let up;
  let answers = 0;
  let failures = 0;
  let crashed = 0;
  const open = (key) => { client = server.client(key, { connections }); };

  try {
    const { key } = await server.createKey();
    open(key);
    up = Promise.resolve();
    const crash = async () => {
      await server.crash();
      server = await Server.start({ dataDir: folder });
      open(key);
    };
    const one = async (n) => {
      for (;;) {
        await up;
        let response;
        try {
          response = await client.exchange('POST', '/v1/send', keyed(`key-${n}`, { json: { to, text: `message ${n}` } }));
        } catch {
          failures++;
          continue;
        }
        assert.equal(response.status, 201, response.text);
        const { messageId, text } = JSON.parse(response.text);
        assert.equal(text, `message ${n}`);
        ids.set(n, (ids.get(n) ?? new Set()).add(messageId));
        answers++;
        if (crashed < crashes && answers >= (crashed + 1) * (total / (crashes + 1))) {
          crashed++;
          up = crash();
        }
        return;
      }
    };
    const worker = async () => {
      while (tasks.length) await one(tasks.shift());
    };
    await Promise.all(Array.from({ length: connections }, worker));
    assert.equal(answers, total);
    t.diagnostic(`${crashed} crashes, ${failures} requests cut off and repeated`);
    for (const [n, of] of ids) assert.equal(of.size, 1, `key ${n} was answered with ${[...of]}`);
    assert.equal(ids.size, keys);
    assert.equal(new Set([...ids.values()].flatMap((of) => [...of])).size, keys);
    assert.equal(await countMessages(server.client(key)), keys);
    await server.stop();
  } finally {
    await server.dispose();
    removeFolder(folder);
  }
});
