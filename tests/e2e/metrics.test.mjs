// The operator's metrics: what promtool and Prometheus themselves make of them, that they agree with
// what was done, and who may read them. And the log: request ids, lines of requests, no numbers.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Server, freePort, removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { LocalSmsc } from './lib/local-smsc.mjs';
import { environment, run, skylark, sourceRoot } from './lib/program.mjs';
import { slowness, until } from './lib/wait.mjs';

const tollFree = '+18005551234'; // a sender of every test key

const timeout = 120_000 * slowness;
const token = 'e2e-token-0123456789abcdef';

// Every name in the table of metrics.
const table = readFileSync(join(sourceRoot, 'src/base/metrics.def'), 'utf8');
const names = [...table.matchAll(/^(?:COUNTER|GAUGE|HISTOGRAM|SAMPLE)\(\w+,\s*"([a-z_]+)"/gm)].map(([, name]) => name);

function fetchText(url, { method = 'GET', headers = {}, ca } = {}) {
  return new Promise((done, fail) => {
    const request = (url.startsWith('https') ? https : http).request(url, { method, headers, ca, agent: false }, (response) => {
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('error', fail);
      response.on('end', () => done({ status: response.statusCode, headers: response.headers, text: Buffer.concat(pieces).toString() }));
    });
    request.on('error', fail);
    request.end();
  });
}

// {'skylark_messages_sent_total{mode="live"}': 3, …}
const parse = (text) => Object.fromEntries(text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
  const space = line.lastIndexOf(' ');
  return [line.slice(0, space), Number(line.slice(space + 1))];
}));

const scrape = async (server) => parse((await fetchText(server.metricsUrl)).text);

// Until the metrics are as wanted: {name: number}; says which are not.
async function becomes(server, wanted) {
  let wrong;
  await until('the metrics', async () => {
    const now = await scrape(server);
    wrong = Object.entries(wanted).filter(([name, value]) => now[name] !== value).map(([name, value]) => `${name} is ${now[name]}, not ${value}`);
    return wrong.length === 0;
  }, { within: 15_000 }).catch((error) => { throw new Error(`${error.message}\n${wrong.join('\n')}`); });
}

const mode = (name, word = 'test') => `skylark_${name}{mode="${word}"}`;

withServer('metrics', { env: { SKYLARK_SIMULATOR_ANSWER: '0ms', SKYLARK_SIMULATOR_DELIVERY: '0ms', SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on' } }, (context) => {
  it('counts are those of what was sent, whatever becomes of it', async () => {
    const before = await scrape(context.server);
    const since = (changes) => Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, before[name] + change]));
    for (let i = 0; i < 5; i++) await context.api.sent({ to: '+15551234567', text: 'x'.repeat(200) });
    await context.api.sent({ to: '+15005550003', text: 'fails' });
    const later = await context.api.sent({ to: '+15551234567', text: 'later', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    await context.api.refused(400, 'missing_required_field', 'to', context.api.send({ text: 'nobody' }));
    const cancelled = await context.api.call('POST', `/v1/messages/${later.messageId}/cancel`, { json: {} });
    assert.equal(cancelled.status, 200, cancelled.text);
    const inbound = await context.api.call('POST', '/v1/test/inbound', { json: { from: '+15551234567', to: tollFree, text: 'hi' } });
    assert.ok(inbound.status < 300, inbound.text);
    await becomes(context.server, since({
      [mode('messages_accepted_total')]: 7,
      [mode('messages_sent_total')]: 5,
      [mode('messages_delivered_total')]: 5,
      [mode('messages_failed_total')]: 1,
      'skylark_message_failures_total{reason="queue_full"}': 1,
      [mode('messages_cancelled_total')]: 1,
      [mode('messages_received_total')]: 1,
      [mode('messages_accepted_total', 'live')]: 0,
      [mode('message_send_seconds_count')]: 5,
      [mode('message_delivery_seconds_count')]: 5,
      [mode('message_segments_total')]: 12,
      'skylark_http_requests_total{handler="send",code="2xx"}': 7,
      'skylark_http_requests_total{handler="send",code="4xx"}': 1,
      'skylark_http_request_duration_seconds_count{handler="send"}': 8,
    }));
  });

  it('wrong keys, used up limits and doors that were shut are counted', async () => {
    const small = await context.server.keyedClient({ 'per-minute': 1 });
    for (let i = 0; i < 3; i++) await small.get('/v1/messages');
    await context.api.get('/v1/messages', { key: '' });
    await context.api.get('/v1/messages', { key: 'sl_test_nosuchkeynosuchkeynosuchkeynos' });
    const { port } = context.server;
    const plain = net.connect(port, '127.0.0.1');
    plain.on('error', () => {});
    plain.end('GET / HTTP/1.1\r\n\r\n');
    const broken = net.connect(port, '127.0.0.1');
    broken.on('error', () => {});
    broken.write(Buffer.from('16030100050100000100', 'hex'));
    await becomes(context.server, {
      skylark_http_rate_limited_total: 2,
      'skylark_http_auth_failures_total{reason="missing"}': 1,
      'skylark_http_auth_failures_total{reason="invalid"}': 1,
      'skylark_http_connections_refused_total{reason="plain_http"}': 1,
      'skylark_http_tls_handshakes_total{result="failure"}': 1,
    });
    broken.destroy();
    assert.ok((await scrape(context.server)).skylark_http_connections >= 1);
  });

  it('webhooks: attempts, how they went, and what waits', async () => {
    const before = await scrape(context.server);
    const receiver = http.createServer((request, response) => { request.resume(); response.writeHead(204).end(); });
    await new Promise((done) => { receiver.listen(0, '127.0.0.1', done); });
    try {
      const url = `http://127.0.0.1:${receiver.address().port}/hook`;
      const made = await context.api.call('POST', '/v1/webhooks', { json: { url, events: ['message.delivered'] } });
      assert.equal(made.status, 201, made.text);
      await context.api.sent({ to: '+15551234567', text: 'told' });
      await becomes(context.server, {
        'skylark_webhook_attempts_total{result="success"}': before['skylark_webhook_attempts_total{result="success"}'] + 1,
        'skylark_webhook_deliveries_total{result="delivered"}': before['skylark_webhook_deliveries_total{result="delivered"}'] + 1,
        skylark_webhook_delivery_lag_seconds_count: before.skylark_webhook_delivery_lag_seconds_count + 1,
        [mode('webhook_pending_deliveries')]: 0,
      });
      await context.api.call('DELETE', `/v1/webhooks/${made.body.webhookId}`);
    } finally {
      receiver.close();
    }
  });

  it('the queue, the store and the process are looked at', async () => {
    const later = await context.api.sent({ to: '+15551234567', text: 'later', scheduledAt: new Date(Date.now() + 3_600_000).toISOString() });
    await becomes(context.server, {
      'skylark_queue_messages{mode="test",status="scheduled"}': 1,
      'skylark_queue_messages{mode="test",status="queued"}': 0,
      'skylark_queue_messages{mode="live",status="queued"}': 0,
      [mode('queue_oldest_seconds')]: 0,
      skylark_books_difference: 0,
      skylark_store_failing: 0,
      skylark_store_writer_queue: 0,
    });
    await context.api.call('POST', `/v1/messages/${later.messageId}/cancel`, { json: {} });
    const now = await scrape(context.server);
    for (const name of ['skylark_store_database_bytes', 'skylark_store_wal_bytes', 'process_cpu_seconds_total', 'process_resident_memory_bytes', 'process_open_fds']) {
      assert.ok(now[name] > 0, name);
    }
    assert.ok(now['skylark_store_transactions_total{result="committed"}'] >= 9);
    assert.equal(now.skylark_store_commit_duration_seconds_count, now['skylark_store_transactions_total{result="committed"}']);
    assert.ok(Math.abs(now.process_start_time_seconds - Date.now() / 1000) < 300);
    const fds = readFileSync(`/proc/${context.server.pid}/limits`, 'utf8');
    assert.equal(now.process_max_fds, Number(/Max open files\s+(\d+)/.exec(fds)[1]));
  });

  it('every metric of the table is there, and promtool finds nothing wrong', async () => {
    const { status, headers, text } = await fetchText(context.server.metricsUrl);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
    assert.ok(names.length > 50, names);
    const shown = [...text.matchAll(/^# TYPE ([a-z_]+) /gm)].map(([, name]) => name);
    assert.deepEqual(shown, names);
    const { code, stdout, stderr } = await run('promtool', ['check', 'metrics'], { input: text });
    assert.deepEqual({ code, said: stdout + stderr }, { code: 0, said: '' });
  });

  it('labels are words: no numbers, no ids, no accounts', async () => {
    const { text } = await fetchText(context.server.metricsUrl);
    const labels = [...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)];
    assert.ok(labels.length > 100);
    for (const [, label, word] of labels) {
      if (label === 'le') assert.match(word, /^(\+Inf|[0-9.]+)$/);
      else if (label === 'version') assert.match(word, /^\d+\.\d+\.\d+$/);
      else assert.match(word, /^([a-z_]{2,}|[1-5]xx)$/, `${label}=${word}`);
    }
    assert.doesNotMatch(text, /\+?\d{11}"|msg_|acc_|key_/);
  });

  it('the listener has nothing else, and its own connections are not those of the API', async () => {
    const url = context.server.metricsUrl;
    assert.equal((await fetchText(url, { method: 'HEAD' })).text, '');
    assert.equal((await fetchText(url.replace('/metrics', '/'))).status, 404);
    assert.equal((await fetchText(url.replace('/metrics', '/v1/messages'))).status, 404);
    assert.equal((await fetchText(url, { method: 'POST' })).status, 404);
    const { status } = await context.api.exchange('GET', '/metrics');
    assert.equal(status, 404);
  });

  it('one address that holds connections open does not keep others out', async () => {
    const port = Number(new URL(context.server.metricsUrl).port);
    const held = Array.from({ length: 100 }, () => {
      const socket = net.connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' }, () => socket.write('GET /metrics HTTP/1.1\r\nX: '));
      return socket.on('error', () => {}).on('close', () => { socket.shut = true; }).resume();
    });
    try {
      await until('all but a few to be shut', () => held.filter(({ shut }) => !shut).length <= 16, { within: 5_000 });
      assert.equal((await fetchText(context.server.metricsUrl)).status, 200);
    } finally {
      held.forEach((socket) => socket.destroy());
    }
  });

  it('HTTPS on the plain port is refused at once', async () => {
    const begun = Date.now();
    await assert.rejects(fetchText(context.server.metricsUrl.replace('http:', 'https:'), { ca: context.server.ca }), /wrong version number|EPROTO|packet length/);
    assert.ok(Date.now() - begun < 5_000);
  });

  it('Prometheus itself scrapes it', { timeout }, async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    const target = new URL(context.server.metricsUrl).host;
    writeFileSync(join(folder, 'prometheus.yml'), `global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: skylark\n  static_configs: [{targets: ['${target}']}]\n`);
    const prometheus = spawn('prometheus', [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'], { env: environment(), stdio: ['ignore', 'ignore', 'pipe'] });
    const end = new Promise((done) => { prometheus.on('close', done); });
    const ask = async (query) => {
      const { text } = await fetchText(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
      return JSON.parse(text).data.result.map(({ value }) => Number(value[1]));
    };
    try {
      await until('up', async () => (await ask('up{job="skylark"}').catch(() => []))[0] === 1, { within: 30_000, every: 200 });
      const now = await scrape(context.server);
      await until('the count', async () => (await ask('skylark_messages_accepted_total{mode="test"}'))[0] === now[mode('messages_accepted_total')], { every: 200, within: 10_000 });
      const [p] = await ask('histogram_quantile(0.99, skylark_http_request_duration_seconds_bucket{handler="send"})');
      assert.ok(p > 0 && p < 10, `${p}`);
    } finally {
      prometheus.kill('SIGTERM');
      await end;
      removeFolder(folder);
    }
  });
});

describe('metrics of carriers', { timeout }, () => {
  let smsc, server, folder;
  before(async () => {
    smsc = await LocalSmsc.start();
    folder = temporaryFolder();
    const config = join(folder, 'skylark.ini');
    writeFileSync(config, `[carrier acme]\naddress = 127.0.0.1:${smsc.port}\nsystem_id = a\npassword = b\n[sender +18005551234]\n[route all]\ncarrier = acme\n`);
    server = await Server.start({ args: ['--config', config] });
  });
  after(async () => {
    await server?.dispose();
    await smsc?.dispose();
    removeFolder(folder);
  });

  it('a carrier by its name: how it stands and what it took', async () => {
    const api = await server.keyedClient({ type: 'live' });
    await becomes(server, { 'skylark_carrier_state{carrier="acme",state="bound"}': 1, 'skylark_carrier_binds{carrier="acme"}': 1, 'skylark_carrier_binds_wanted{carrier="acme"}': 1 });
    const message = await api.sent({ to: '+12125551234', text: 'live' });
    await until('delivered', async () => (await api.message(message.messageId)).status === 'delivered', { within: 15_000 });
    await becomes(server, {
      'skylark_carrier_submitted_total{carrier="acme"}': 1,
      'skylark_carrier_taken_total{carrier="acme"}': 1,
      'skylark_carrier_receipts_total{carrier="acme"}': 1,
      'skylark_receipts_total{result="matched"}': 1,
      [mode('dispatch_handed_over_total', 'live')]: 1,
      [mode('messages_delivered_total', 'live')]: 1,
      [mode('messages_delivered_total', 'test')]: 0,
    });
    const { text } = await fetchText(server.metricsUrl);
    const { code, stdout, stderr } = await run('promtool', ['check', 'metrics'], { input: text });
    assert.deepEqual({ code, said: stdout + stderr }, { code: 0, said: '' });
  });
});

describe('who may read metrics, and where they are', { timeout }, () => {
  it('with a token nobody else; the token is shown nowhere', async () => {
    const server = await Server.start({ env: { SKYLARK_METRICS_TOKEN: token } });
    try {
      const url = server.metricsUrl;
      for (const headers of [{}, { Authorization: `Bearer ${token}x` }, { Authorization: `Basic ${token}` }]) {
        const { status, text } = await fetchText(url, { headers });
        assert.equal(status, 401);
        assert.doesNotMatch(text, /skylark_/);
      }
      assert.equal((await fetchText(url, { headers: { Authorization: `Bearer ${token}` } })).status, 200);
      const shown = await skylark(['config', 'show'], { env: { SKYLARK_METRICS_TOKEN: token } });
      assert.match(shown.stdout, /metrics\.token\s+\*\*\*\*/);
      assert.ok(!(shown.stdout + server.stdout + server.stderr).includes(token));
      await server.stop();
      assert.ok(!existsSync(join(server.dataDir, 'metrics-address')));
    } finally {
      await server.dispose();
    }
  });

  it('where others can reach it, it is HTTPS and needs a token', async () => {
    const open = await skylark(['config', 'check'], { env: { SKYLARK_METRICS_LISTEN: '0.0.0.0:0' } });
    assert.equal(open.code, 78);
    assert.match(open.stderr, /metrics\.listen is 0\.0\.0\.0:0, which others can reach; set metrics\.token too/);
    const short = await skylark(['config', 'check'], { env: { SKYLARK_METRICS_TOKEN: 'short' } });
    assert.match(short.stderr, /metrics\.token has 5 characters; it needs at least 16/);
    assert.ok(!short.stderr.includes('short '));
    const server = await Server.start({ metrics: '0.0.0.0:0', env: { SKYLARK_METRICS_TOKEN: token } });
    try {
      const url = server.metricsUrl;
      assert.match(url, /^https:\/\/127\.0\.0\.1:\d+\/metrics$/);
      assert.equal((await fetchText(url, { ca: server.ca })).status, 401);
      const { status, text } = await fetchText(url, { ca: server.ca, headers: { Authorization: `Bearer ${token}` } });
      assert.equal(status, 200);
      assert.match(text, /^# HELP skylark_http_requests_total /);
      assert.equal((await fetchText(url.replace('https', 'http'))).status, 400);
      server.signal('SIGHUP');
      await until('the reload', () => server.stderr.includes('was read again'));
      assert.equal((await fetchText(url, { ca: server.ca })).status, 401);
      await server.stop();
    } finally {
      await server.dispose();
    }
  });

  it('off: no listener, no file, not a word', async () => {
    const server = await Server.start({ metrics: 'off' });
    try {
      assert.ok(!existsSync(join(server.dataDir, 'metrics-address')));
      assert.doesNotMatch(server.stdout, /its metrics/);
      await server.stop();
    } finally {
      await server.dispose();
    }
  });

  it('a port that is taken: the usual one is done without, a wanted one stops the start', async () => {
    const holder = net.createServer();
    await new Promise((done) => { holder.on('error', done).listen(9464, '127.0.0.1', done); });
    try {
      const server = await Server.start({ metrics: '' });
      try {
        assert.match(server.stderr, /metrics: cannot listen on 127\.0\.0\.1:9464: .* uses this port; there are none/);
        assert.ok(!existsSync(join(server.dataDir, 'metrics-address')));
        await server.stop();
      } finally {
        await server.dispose();
      }
      const folder = temporaryFolder();
      const wanted = await skylark(['serve', '--data-dir', folder, '--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:9464'], { timeout: 10_000 });
      removeFolder(folder);
      assert.equal(wanted.code, 1);
      assert.match(wanted.stderr, /metrics: cannot listen on 127\.0\.0\.1:9464/);
    } finally {
      holder.close();
    }
  });
});

describe('the log', { timeout }, () => {
  const number = '+15551234567';
  const lines = (server) => server.stderr.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));

  it('a line for each request when that is wanted, with its id, and numbers masked', async () => {
    const server = await Server.start({ env: { SKYLARK_LOG_REQUESTS: 'all', SKYLARK_LOG_LEVEL: 'debug', SKYLARK_SIMULATOR_ANSWER: '0ms', SKYLARK_SIMULATOR_DELIVERY: '0ms' } });
    try {
      const { key } = await server.createKey();
      const api = server.client(key);
      const added = await api.call('POST', '/v1/opt-outs', { json: { number: '+15557654321' } });
      assert.equal(added.status, 201, added.text);
      const got = await api.get('/v1/opt-outs/%2B15557654321');
      await api.get(`/v1/messages?to=${encodeURIComponent(number)}`);
      await api.sent({ to: number, text: 'a text that nobody logs' });
      await api.get(`/v1/messages/${encodeURIComponent(number)}`);
      await server.stop();
      const id = got.headers['x-request-id'];
      const line = lines(server).find((one) => one.request === id);
      assert.deepEqual({ ...line, time: 0, duration_us: 0, bytes: 0 }, {
        time: 0, level: 'info', event: 'http', message: 'answered', method: 'GET', path: '/v1/opt-outs/+1555***4321', status: 200, duration_us: 0, bytes: 0, key: key.slice(-4), address: '127.0.0.1', request: id,
      });
      assert.ok(line.duration_us > 0 && line.bytes === got.bytes.length);
      assert.ok(lines(server).some((one) => one.method === 'POST' && one.path === '/v1/send' && one.status === 201));
      assert.ok(lines(server).some((one) => one.path === '/v1/messages/+1555***4567' && one.status === 404));
      assert.doesNotMatch(server.stderr, /\d{9,}(?!["\da-f])|5551234567|5557654321|a text that nobody logs/);
      assert.ok(!server.stderr.includes(key));
    } finally {
      await server.dispose();
    }
  });

  it('no line for what went well unless that is wanted, none at all when off', async () => {
    for (const which of ['errors', 'off']) {
      const server = await Server.start({ env: { SKYLARK_LOG_REQUESTS: which } });
      try {
        const api = await server.keyedClient();
        await api.get('/v1/messages');
        await api.get('/nowhere').catch(() => {});
        await server.stop();
        assert.deepEqual(lines(server).filter((line) => line.event === 'http'), []);
      } finally {
        await server.dispose();
      }
    }
  });

  it('an answer from 500 on has its line', async () => {
    const server = new Server({ env: { SKYLARK_SERVER_MAINTENANCE: 'on' } }); // which is never ready
    try {
      await until('the address', () => /https:\/\/127\.0\.0\.1:(\d+)/.test(server.stdout), { within: 10_000 });
      server.port = Number(/https:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)[1]);
      server.ca = readFileSync(join(server.dataDir, 'ca.pem'));
      const refused = await server.client('sl_test_x').exchange('GET', '/v1/messages');
      assert.equal(refused.status, 503);
      const line = await until('the line', () => lines(server).find((one) => one.event === 'http'));
      assert.equal(line.level, 'error');
      assert.equal(line.status, 503);
      assert.equal(line.request, refused.headers['x-request-id']);
      await server.stop();
    } finally {
      await server.dispose();
    }
  });

  it('with carriers and at debug, still no number', async () => {
    const smsc = await LocalSmsc.start();
    const folder = temporaryFolder();
    const config = join(folder, 'skylark.ini');
    writeFileSync(config, `[log]\nlevel = debug\nrequests = all\n[carrier acme]\naddress = 127.0.0.1:${smsc.port}\nsystem_id = a\npassword = b\n[sender +18005551234]\n[route all]\ncarrier = acme\n`);
    const server = await Server.start({ args: ['--config', config] });
    try {
      const api = await server.keyedClient({ type: 'live' });
      const message = await api.sent({ to: '+12125551234', text: 'a text that nobody logs' });
      await until('delivered', async () => (await api.message(message.messageId)).status === 'delivered', { within: 15_000 });
      await server.stop();
      assert.match(server.stderr, /submit_sm/);
      assert.doesNotMatch(server.stderr, /2125551234|8005551234|a text that nobody logs/);
    } finally {
      await server.dispose();
      await smsc.dispose();
      removeFolder(folder);
    }
  });
});
