// Webhooks are no way into the operator's network: whatever form an address has, and whatever a name comes to mean.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Authority } from './lib/certificates.mjs';
import { run } from './lib/program.mjs';
import { Receiver } from './lib/receiver.mjs';
import { Server, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';
import { Hooks, localhostAllowed } from './lib/webhooks.mjs';

// Counts connections and says nothing.
class Trap {
  static async set(host, port = 0) {
    const trap = new Trap();
    trap.connections = 0;
    trap.server = createServer((socket) => {
      trap.connections++;
      socket.on('error', () => {}).destroy();
    });
    await new Promise((done, fail) => { trap.server.on('error', fail).listen(port, host, done); });
    return Object.assign(trap, { port: trap.server.address().port });
  }

  stop() {
    return new Promise((done) => { this.server.close(done); });
  }
}

const hosts = {
  loopback: ['127.0.0.1', '127.0.0.2', '127.255.255.254', '[::1]'],
  'the machine itself by name': ['localhost', 'LocalHost', 'localhost.', 'app.localhost'],
  'the metadata service, and others of the link': ['169.254.169.254', '169.254.0.1', '[fe80::1]', '[fd00:ec2::254]'],
  private: ['10.0.0.0', '10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '[fc00::1]'],
  'this network': ['0.0.0.0', '0', '[::]'],
  'an IPv4 address in an IPv6 one': ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:10.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[::ffff:169.254.169.254]'],
  decimal: ['2130706433', '127.1', '127.0.1', '10.1'],
  hexadecimal: ['0x7f000001', '0x7f.0.0.1', '0X7F.1', '0xa9fea9fe'],
  octal: ['017700000001', '0177.0.0.1', '0177.1', '012.0.0.1'],
  'shared, reserved, for tests, for many': ['100.64.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.7', '224.0.0.1', '240.0.0.1', '255.255.255.255', '[ff02::1]', '[2001:db8::1]'],
};

const remedy = /webhooks\.allow/;

describe('webhooks: addresses', { timeout: 120_000 * slowness }, () => {
  let server, api, hooks, traps;

  before(async () => {
    traps = [await Trap.set('127.0.0.1')];
    traps.push(await Trap.set('::1', traps[0].port));
    server = await Server.start();
    api = await server.keyedClient();
    hooks = new Hooks(api);
  });
  after(async () => {
    await server?.dispose();
    for (const trap of traps) await trap.stop();
  });

  const send = (fields) => api.send({ to: '+15550001234', text: 'x', ...fields });

  for (const [what, list] of Object.entries(hosts)) {
    it(`refused: ${what}`, async () => {
      for (const host of list) {
        const url = `https://${host}:${traps[0].port}/`;
        const responses = [
          await api.refused(400, 'invalid_webhook_url', 'url', api.call('POST', '/v1/webhooks', { json: { url } })),
          await api.refused(400, 'invalid_webhook_url', 'webhookUrl', send({ webhookUrl: url })),
          await api.refused(400, 'invalid_webhook_url', 'webhookFailoverUrl', send({ webhookUrl: 'https://example.com/', webhookFailoverUrl: url })),
        ];
        for (const { body } of responses) assert.match(body.message, remedy, `${host}: ${body.message}`);
      }
    });
  }

  it('refused in a change and in a batch, too', async () => {
    const url = `https://127.0.0.1:${traps[0].port}/`;
    const { webhookId } = await hooks.create({ url: 'https://example.com/' });
    await api.refused(400, 'invalid_webhook_url', 'url', api.call('PATCH', `/v1/webhooks/${webhookId}`, { json: { url } }));
    assert.equal((await hooks.get(webhookId)).url, 'https://example.com/');
    const { body } = await api.call('POST', '/v1/messages/batch', { json: { messages: [{ to: '+15550001234', text: 'x', webhookUrl: url }] } });
    assert.equal(body.results[0].error.code, 'invalid_webhook_url', JSON.stringify(body));
    assert.equal((await api.call('DELETE', `/v1/webhooks/${webhookId}`)).status, 200);
  });

  it('refused: plain HTTP, other schemes, no host', async () => {
    for (const url of ['http://example.com/', 'http://localhost/', 'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'https://', 'https:///x', '//example.com', 'example.com', '']) {
      const { body } = await api.call('POST', '/v1/webhooks', { json: { url } });
      assert.deepEqual([body.statusCode, body.code], [400, 'invalid_webhook_url'], `${url}: ${JSON.stringify(body)}`);
    }
    const { body } = await api.call('POST', '/v1/webhooks', { json: { url: 'http://localhost:4000/' } });
    assert.match(body.message, /https:\/\/.*skylark webhooks listen.*webhooks\.allow_localhost/, 'what every developer tries first');
  });

  // Whether they are an address is a matter of who reads them. Refused at once or at the attempt: nobody gets there.
  it('in disguise', async () => {
    const disguises = ['%31%32%37.0.0.1', '127%2e0.0.1', '１２７.0.0.1', '127。0。0。1', '①②⑦.0.0.1', 'example.com@127.0.0.1', 'example.com#@127.0.0.1', '127.0.0.1%00.example.com', '127.0.0.1\\@example.com', '127.0.0.1.', '[::1%25lo]', '[0:0:0:0:0:0:0:1]', '0x7f000001.', '00000177.1'];
    for (const host of disguises) {
      const { status, body } = await api.call('POST', '/v1/webhooks', { json: { url: `https://${host}:${traps[0].port}/` } });
      if (status === 400) {
        assert.equal(body.code, 'invalid_webhook_url', host);
        continue;
      }
      assert.equal(status, 201, host);
      const { status: outcome, lastAttempt } = await hooks.tried(await hooks.test(body.webhookId), 1, { within: 45_000 });
      assert.notEqual(outcome, 'delivered', host);
      assert.ok(lastAttempt.error, host);
      assert.equal((await api.call('DELETE', `/v1/webhooks/${body.webhookId}`)).status, 200);
    }
  });

  it('nobody was connected to', () => assert.deepEqual(traps.map(({ connections }) => connections), [0, 0]));
  it('stops cleanly', () => server.stop());
});

describe('webhooks: names', { timeout: 240_000 * slowness }, () => {
  let folder, ca, file, wrapped;
  const preload = { LD_PRELOAD: 'libnss_wrapper.so', NSS_WRAPPER_DISABLE_DEEPBIND: '1' }; // which the sanitizers do not bear
  // libnss_wrapper reads the file again when its time differs by a second or more, so each has a time of its own.
  let seconds = 1_000_000_000;
  const means = (names) => {
    writeFileSync(file, Object.entries(names).map(([name, list]) => [list].flat().map((address) => `${address} ${name}\n`).join('')).join(''));
    utimesSync(file, seconds += 1, seconds);
  };

  before(async () => {
    folder = temporaryFolder();
    file = join(folder, 'hosts');
    ca = await Authority.make(folder, 'ca');
    means({ 'is-there.test': '127.0.0.9' });
    wrapped = (await run('getent', ['hosts', 'is-there.test'], { env: { ...preload, NSS_WRAPPER_HOSTS: file } })).stdout.includes('127.0.0.9');
  });
  after(() => removeFolder(folder));

  // 127.0.0.2 is let through and plays the public internet; 127.0.0.1 at the same port is the trap.
  async function withNames(t, body) {
    if (!wrapped) return t.skip('libnss_wrapper.so is missing: apt-get install libnss-wrapper');
    const tls = await ca.sign(`names-${Date.now()}`, 'DNS:*.test,DNS:rebind.test,DNS:inside.test,DNS:both.test');
    const receiver = await Receiver.start({ host: '127.0.0.2', tls, answer: (request, response) => response.writeHead(204, { Connection: 'close' }).end() });
    const trap = await Trap.set('127.0.0.1', receiver.port);
    const server = await Server.start({ env: { ...preload, NSS_WRAPPER_HOSTS: file, SKYLARK_WEBHOOKS_ALLOW: '127.0.0.2/32', SKYLARK_WEBHOOKS_CA: ca.certFile } });
    try {
      await body({ receiver, trap, hooks: new Hooks(await server.keyedClient()), port: receiver.port });
      assert.equal(trap.connections, 0, 'nobody was connected to');
      await server.stop();
    } finally {
      await server.dispose();
      await trap.stop();
      await receiver.stop();
    }
    return undefined;
  }

  const isRefused = ({ lastAttempt }) => {
    assert.equal(lastAttempt.responseStatus, null);
    assert.match(lastAttempt.error, /^The name \w+\.test leads to a (loopback|private) address;/);
    assert.doesNotMatch(lastAttempt.error, /\d\.\d|::/, 'which address it is stays inside');
  };

  it('one that means this machine is refused when it is connected to', (t) => {
    means({ 'inside.test': '127.0.0.1', 'private.test': '10.0.0.1', 'sixth.test': '::1' });
    return withNames(t, async ({ hooks, port }) => {
      for (const name of ['inside.test', 'private.test', 'sixth.test']) {
        const { webhookId } = await hooks.create({ url: `https://${name}:${port}/` });
        const delivery = await hooks.tried(await hooks.test(webhookId));
        isRefused(delivery);
        assert.equal(delivery.status, 'pending', 'it is tried again: names change');
      }
    });
  });

  it('one that means something else the second time is refused then', (t) => {
    means({ 'rebind.test': '127.0.0.2' });
    return withNames(t, async ({ receiver, hooks, port }) => {
      const { webhookId } = await hooks.create({ url: `https://rebind.test:${port}/` });
      const delivery = await hooks.test(webhookId);
      assert.equal((await hooks.tried(delivery)).status, 'delivered', 'the first time it is let through');
      means({ 'rebind.test': '127.0.0.1' });
      // What was looked up may be remembered for ten seconds; the address is the first one as long as that.
      let attempts = 1;
      const refused = await until('the name to be looked up again', async () => {
        await hooks.retry(delivery);
        const now = await hooks.tried(delivery, attempts += 1);
        return now.lastAttempt.responseStatus === null && now;
      }, { within: 30_000, every: 1_000 });
      isRefused(refused);
      const reached = receiver.requests.length;
      assert.equal(reached, attempts - 1, 'all others went to the first address');
    });
  });

  it('one that means both goes to the one that is allowed', (t) => {
    means({ 'both.test': ['127.0.0.1', '127.0.0.2'] });
    return withNames(t, async ({ hooks, port }) => {
      const { webhookId } = await hooks.create({ url: `https://both.test:${port}/` });
      const { lastAttempt } = await hooks.tried(await hooks.test(webhookId));
      assert.ok(lastAttempt.responseStatus === 204 || /loopback/.test(lastAttempt.error), JSON.stringify(lastAttempt));
    });
  });
});

describe('webhooks: what the operator opens', { timeout: 120_000 * slowness }, () => {
  it('proxies of the environment are not asked', async () => {
    const proxy = await Trap.set('127.0.0.1');
    const address = `http://127.0.0.1:${proxy.port}`;
    const receiver = await Receiver.start();
    const proxies = Object.fromEntries(['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy'].map((name) => [name, address]));
    const server = await Server.start({ env: { ...localhostAllowed, ...proxies, no_proxy: '', NO_PROXY: '' } });
    try {
      const hooks = new Hooks(await server.keyedClient());
      const { webhookId } = await hooks.create({ url: receiver.url() });
      await hooks.test(webhookId);
      await receiver.took(1);
      assert.equal(proxy.connections, 0);
      await server.stop();
    } finally {
      await server.dispose();
      await receiver.stop();
      await proxy.stop();
    }
  });
});

withServer('webhooks: allow_localhost', { env: localhostAllowed }, (context) => {
  it('lets this machine through, also over plain HTTP, and nothing else', async () => {
    const hooks = new Hooks(context.api);
    const receivers = [await Receiver.start(), await Receiver.start({ host: '::1' })];
    try {
      for (const [receiver, url] of [[receivers[0], receivers[0].url()], [receivers[1], receivers[1].url()], [receivers[0], `http://localhost:${receivers[0].port}/`]]) {
        const before = receiver.requests.length;
        const { webhookId } = await hooks.create({ url });
        await hooks.test(webhookId);
        await receiver.took(before + 1);
      }
      for (const url of ['http://example.com/', 'https://10.0.0.1/', 'https://169.254.169.254/', 'http://10.0.0.1/', 'https://0.0.0.0/']) {
        await context.api.refused(400, 'invalid_webhook_url', 'url', context.api.call('POST', '/v1/webhooks', { json: { url } }));
      }
    } finally {
      for (const receiver of receivers) await receiver.stop();
    }
  });
});
