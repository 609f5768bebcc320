// Accounts by command: each has keys and messages of its own, can be suspended, and can be prepaid.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { skylark } from './lib/program.mjs';
import { until } from './lib/wait.mjs';

withServer('accounts', {}, (context) => {
  const accounts = (...args) => skylark(['--data-dir', context.server.dataDir, 'accounts', ...args]);
  const account = async (name) => {
    const { code, stdout, stderr } = await accounts('list', '-o', 'json');
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).find((row) => row.name === name);
  };
  const acme = {};

  it('there is one from the start', async () => {
    const first = await account('default');
    assert.deepEqual([first.state, first.balance, first.suspendedAt], ['active', null, null]);
  });

  it('are made by name, once', async () => {
    const made = await accounts('create', 'acme', '-o', 'json');
    assert.equal(made.code, 0, made.stderr);
    assert.equal(JSON.parse(made.stdout).name, 'acme');
    const again = await accounts('create', 'acme');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already/);
    for (const name of ['', 'x'.repeat(65), 'two\nlines']) {
      const { code, stderr } = await accounts('create', name);
      assert.equal(code, 2, stderr);
    }
    assert.equal((await accounts('create')).code, 2);
  });

  it('have keys and messages of their own', async () => {
    acme.client = await context.server.keyedClient({ account: 'acme' });
    const { messageId } = await acme.client.sent({ to: '+15551234567', text: 'ours' });
    assert.equal((await acme.client.get('/v1/messages')).body.pagination.totalCount, 1);
    await context.api.refused(404, 'message_not_found', undefined, context.api.get(`/v1/messages/${messageId}`));
    const { code, stdout } = await skylark(['keys', 'list', '--account', 'acme', '-o', 'json', '--data-dir', context.server.dataDir]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout).map((row) => row.account), ['acme']);
  });

  it('are refused while they are suspended', async () => {
    const { code, stderr } = await accounts('suspend', 'acme');
    assert.equal(code, 0, stderr);
    await until('the suspension', async () => (await acme.client.get('/v1/messages')).status === 403);
    await acme.client.refused(403, 'account_suspended', undefined, acme.client.send({ to: '+15551234567', text: 'x' }));
    await acme.client.refused(403, 'account_suspended', undefined, acme.client.get('/v1/rate-limits'));
    assert.equal((await context.api.get('/v1/messages')).status, 200, 'others go on');
    assert.equal((await account('acme')).state, 'suspended');
    assert.equal((await accounts('resume', 'acme')).code, 0);
    await until('the resumption', async () => (await acme.client.get('/v1/messages')).status === 200);
    assert.equal((await account('acme')).state, 'active');
  });

  it('get credit to the millionth', async () => {
    for (const [amount, balance] of [['25.50', 25.5], ['0.000001', 25.500001], ['10', 35.500001]]) {
      const { code, stderr } = await accounts('credit', 'acme', amount);
      assert.equal(code, 0, stderr);
      assert.ok(stderr.includes(`${balance} USD`), stderr);
      assert.equal((await account('acme')).balance, balance);
    }
    assert.equal((await accounts('credit', 'acme', '--', '-35.500001')).code, 0);
    assert.equal((await account('acme')).balance, 0);
    for (const amount of ['five', '1.0000001', '1e3', '', '10000000000']) {
      const { code, stderr } = await accounts('credit', 'acme', amount);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /amount/);
    }
    assert.equal((await account('acme')).balance, 0);
  });

  it('that are not there are guessed', async () => {
    for (const args of [['suspend', 'acm'], ['resume', 'acm'], ['credit', 'acm', '1']]) {
      const { code, stderr } = await accounts(...args);
      assert.equal(code, 5, stderr);
      assert.match(stderr, /did you mean 'acme'/);
    }
    const { code, stderr } = await skylark(['keys', 'create', 'x', '--account', 'acm', '--data-dir', context.server.dataDir]);
    assert.equal(code, 5, stderr);
  });
});

it('accounts: without a store there is nothing to list', async () => {
  const folder = temporaryFolder();
  try {
    const { code, stderr } = await skylark(['accounts', 'list', '--data-dir', folder]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /--data-dir/);
  } finally {
    removeFolder(folder);
  }
});
