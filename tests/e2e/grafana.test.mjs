// packaging/grafana: the rules are good and come when they should, and a real Prometheus that scraped a real server
// understands every expression of board and rules.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { run, sourceRoot } from './lib/program.mjs';
import { Server, freePort, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const folder = `${sourceRoot}packaging/grafana`;
const board = JSON.parse(readFileSync(`${folder}/skylark.json`, 'utf8'));
const rules = parse(readFileSync(`${folder}/alerts.yaml`, 'utf8')).groups.flatMap((group) => group.rules);
const panels = board.panels.filter(({ type }) => type !== 'row');
const boardExpressions = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
const expressions = [...boardExpressions, ...rules.map(({ alert, expr }) => ({ title: alert, expr }))];
const variables = board.templating.list.filter(({ type }) => type === 'query').map(({ name, definition }) => {
  const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(definition);
  return { name, metric, label };
});

// What Grafana puts in the places of its variables when all is chosen.
const filled = (expr) => expr.replaceAll('$__rate_interval', '1m').replace(/\$\w+/g, '.*');
const metricsIn = (expr) => expr.match(/\b(skylark|process)_\w+/g) ?? [];

describe('grafana: the files', () => {
  it('promtool finds the rules good, and their tests pass', async () => {
    for (const args of [['check', 'rules', 'alerts.yaml'], ['test', 'rules', 'alerts_test.yaml']]) {
      const { code, stdout, stderr } = await run('promtool', args, { cwd: folder });
      assert.equal(code, 0, stdout + stderr);
    }
  });

  it('each alert has a severity, says what it means and what helps, and is tested', () => {
    const tests = readFileSync(`${folder}/alerts_test.yaml`, 'utf8');
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(critical|warning)$/, alert);
      for (const name of ['summary', 'description', 'runbook']) assert.ok(annotations[name]?.length > 10, `${alert}: ${name}`);
      const family = alert.startsWith('SkylarkCarrier') ? 'SkylarkCarrier' : alert.startsWith('SkylarkWebhook') ? 'SkylarkWebhook' : alert;
      assert.ok(tests.split(family).length > 2, `${alert} is not tested`);
    }
  });

  it('the board can be imported: one data source to choose, ids and places that do not collide, units', () => {
    assert.deepEqual(board.__inputs.map(({ type, pluginId }) => [type, pluginId]), [['datasource', 'prometheus']]);
    assert.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length);
    const taken = new Set();
    for (const { title, gridPos: { x, y, w, h } } of board.panels) {
      assert.ok(x + w <= 24, title);
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          assert.ok(!taken.has(`${column},${line}`), `${title} lies on another`);
          taken.add(`${column},${line}`);
        }
      }
    }
    for (const { title, type, datasource, fieldConfig, options } of panels) {
      assert.equal(datasource.uid, '${datasource}', title);
      assert.ok(type === 'heatmap' ? options.yAxis.unit : fieldConfig.defaults.unit, `${title} has no unit`);
    }
    const rows = board.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    assert.deepEqual(rows, ['At a glance', 'Traffic', 'Queue', 'Carriers', 'Receipts', 'Webhooks', 'Store', 'Process', 'MMS']);
  });
});

describe('grafana: with a server and a Prometheus', { timeout: 120_000 * slowness }, () => {
  const data = temporaryFolder();
  let server;
  let target;
  let prometheus;
  let port;
  let log = '';

  const query = async (path) => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json();
  const ask = (expr) => query(`query?query=${encodeURIComponent(expr)}`);

  before(async () => {
    const config = join(data, 'skylark.ini');
    // A carrier that nobody plays: its metrics are there, and it is down.
    writeFileSync(config, `[carrier acme]\naddress = 127.0.0.1:${await freePort()}\nsystem_id = a\npassword = b\n[metrics]\nlisten = 127.0.0.1:0\n[sender +18005551234]\n`);
    server = await Server.start({ args: ['--config', config] });
    const api = await server.keyedClient();
    await api.sent({ to: '+15550001234', text: 'Hello' });
    target = readFileSync(join(server.dataDir, 'metrics-address'), 'utf8').trim().replace(/^https?:\/\//, '').replace(/\/.*$/, '');
    port = await freePort();
    const settings = join(data, 'prometheus.yml');
    writeFileSync(settings, JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [`${folder}/alerts.yaml`],
      scrape_configs: [{ job_name: 'skylark', static_configs: [{ targets: [target] }] }],
    }));
    prometheus = spawn('prometheus', [`--config.file=${settings}`, `--storage.tsdb.path=${join(data, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [prometheus.stdout, prometheus.stderr]) stream.on('data', (piece) => { log += piece; });
    prometheus.on('error', (error) => { log += error.message; });
    await until('three scrapes', async () => {
      const { data: found } = await ask('count_over_time(up{job="skylark"}[1m]) > 2 and up{job="skylark"} == 1').catch(() => ({}));
      return found?.result.length === 1;
    }, { within: 30_000, every: 200 }).catch((error) => { throw new Error(`${error.message}\n${log}`); });
  });
  after(async () => {
    if (prometheus?.pid) {
      const ended = new Promise((done) => { prometheus.on('close', done); });
      prometheus.kill('SIGKILL');
      await ended;
    }
    await server?.dispose();
    removeFolder(data);
  });

  it('every metric of board and rules is in a scrape, and every metric of ours is on the board', async () => {
    const text = await (await fetch(`http://${target}/metrics`)).text();
    const series = new Set([...text.matchAll(/^([a-z_]\w*)[{ ]/gm)].map(([, name]) => name));
    const named = new Set(expressions.flatMap(({ expr }) => metricsIn(expr)));
    for (const { metric } of variables) named.add(metric);
    assert.ok(named.size > 40, `only ${named.size} metrics are named`);
    for (const name of named) assert.ok(series.has(name), `${name} is not in a scrape`);
    const families = [...text.matchAll(/^# TYPE (skylark_\w+) /gm)].map(([, name]) => name);
    const shown = boardExpressions.flatMap(({ expr }) => metricsIn(expr)).map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    assert.deepEqual(families.filter((name) => !shown.includes(name)), []);
  });

  it('Prometheus understands every expression, and finds labels for every variable', async () => {
    for (const { title, expr } of expressions) {
      const answer = await ask(filled(expr));
      assert.equal(answer.status, 'success', `${title}: ${expr}\n${answer.error}`);
    }
    for (const { metric, label } of variables) {
      const { data: found } = await query(`label/${label}/values?match[]=${metric}`);
      assert.ok(found.length > 0, `${metric} has no label ${label}`);
    }
  });

  it('expressions of gauges give something to see', async () => {
    const empty = [];
    for (const { title, expr } of boardExpressions.filter(({ expr: text }) => !/rate\(|> 0/.test(text))) {
      const { data: found } = await ask(filled(expr));
      if (found.result.length === 0) empty.push(`${title}: ${expr}`);
    }
    assert.deepEqual(empty, []);
  });

  it('the rules are loaded and healthy; the carrier that is down is on its way to an alert', async () => {
    const { data: { groups } } = await query('rules');
    const loaded = groups.flatMap((group) => group.rules);
    assert.equal(loaded.length, rules.length);
    for (const { name, health, lastError } of loaded) assert.equal(health, 'ok', `${name}: ${lastError}`);
    assert.deepEqual(loaded.filter(({ state }) => state !== 'inactive').map(({ name }) => name), ['SkylarkCarrierDown']);
  });
});
