// tools/openapi/coverage.mjs: what was never seen is named, what strays is too.
import { after, it } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, sourceRoot } from '../e2e/lib/program.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
const skip = major > 20 || (major === 20 && minor >= 19) ? false : 'redocly needs node 20.19 or later';

const folder = mkdtempSync(join(tmpdir(), 'skylark-coverage-test-'));
after(() => rmSync(folder, { recursive: true }));

const content = (properties) => ({ 'application/json': { schema: { type: 'object', properties } } });
const text = { type: 'string' };
const problem = { description: 'wrong', content: content({ code: text, field: text, retryAfter: { type: 'integer' } }) };
const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
const api = {
  openapi: '3.0.3',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://localhost:8443' }],
  paths: {
    '/things': {
      get: { operationId: 'list', parameters, responses: { 200: { description: 'all', content: content({ id: text, note: text }) }, 400: problem, 500: problem } },
      post: { operationId: 'make', requestBody: { content: content({ name: text }) }, responses: { 201: { description: 'made', content: content({ id: text }) }, 429: problem } },
    },
  },
};
writeFileSync(join(folder, 'api.json'), JSON.stringify(api));

const exchange = (method, path, status, body, sent) => ({
  request: { method, url: `https://localhost:8443${path}`, headers: sent ? { 'Content-Type': 'application/json' } : {}, body: sent },
  response: { status, headers: { 'content-type': 'application/json' }, body },
});
const all = [
  exchange('GET', '/things?limit=1', 200, { id: 'a', note: 'b' }),
  exchange('GET', '/things?limit=x', 400, { code: 'no', field: 'limit' }),
  exchange('POST', '/things', 201, { id: 'a' }, '{"name":"c"}'),
  exchange('POST', '/things', 429, { code: 'no', retryAfter: 3 }, '{"name":"c"}'),
];

let runs = 0;
function coverage(exchanges) {
  const traffic = join(folder, `traffic${++runs}`);
  mkdirSync(traffic);
  writeFileSync(join(traffic, '1.ndjson'), exchanges.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return run('node', ['tools/openapi/coverage.mjs', traffic, join(folder, 'api.json')], { cwd: sourceRoot });
}

it('coverage: all that can happen was seen', { skip }, async () => {
  const { code, stdout, stderr } = await coverage(all);
  assert.equal(stdout, 'operations: 2 of 2, 100.0 %\nresponse codes: 4 of 4, 100.0 %\nproperties: 8 of 8, 100.0 %\nparameters: 1 of 1, 100.0 %\n', stderr);
  assert.equal(code, 0);
});

it('coverage: what is missing is named', { skip }, async () => {
  const { code, stdout, stderr } = await coverage(all.slice(0, 3));
  assert.match(stdout, /^never seen: POST \/things: response 429$/m, stderr);
  assert.match(stdout, /^never seen: POST \/things: property response 429 retryAfter$/m);
  assert.match(stdout, /^response codes: 3 of 4, 75\.0 %, less than 95 %$/m);
  assert.equal(code, 1);
});

it('coverage: an answer that strays from the description is a failure', { skip }, async () => {
  const { code, stdout } = await coverage([...all, exchange('GET', '/things', 200, { id: 7 })]);
  assert.match(stdout, /^drift: GET https:\/\/localhost:8443\/things \(200\): .*id/m);
  assert.equal(code, 1);
});

it('coverage: without a recording it fails and says how to make one', async () => {
  const { code, stderr } = await run('node', ['tools/openapi/coverage.mjs', join(folder, 'nothing')], { cwd: sourceRoot });
  assert.match(stderr, /nothing is recorded/);
  assert.equal(code, 1);
});
