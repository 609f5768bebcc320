// tools/openapi/diff.mjs: additions pass, and each kind of removal and narrowing is named.
import { after, it } from 'node:test';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakingChanges } from '../../tools/openapi/diff.mjs';
import { description } from '../e2e/lib/contract.mjs';
import { run, sourceRoot } from '../e2e/lib/program.mjs';

const today = '2027-05-01';
const json = (schema) => ({ 'application/json': { schema } });

// A small API with one of everything.
const sample = () => ({
  security: [{ apiKey: [] }],
  paths: {
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      post: {
        operationId: 'makeThing',
        'x-permission': 'things:write',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
          { $ref: '#/components/parameters/Status' },
        ],
        requestBody: { content: { ...json({ $ref: '#/components/schemas/Request' }), 'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/Request' } } } },
        responses: {
          201: {
            description: 'made',
            headers: { 'X-Id': { required: true, schema: { type: 'string' } }, 'X-More': { schema: { type: 'integer' } } },
            content: json({ $ref: '#/components/schemas/Thing' }),
          },
          400: { description: 'wrong', content: json({ type: 'object' }) },
        },
      },
    },
    '/health': { get: { operationId: 'health', security: [], responses: { 200: { description: 'fine' } } } },
  },
  components: {
    parameters: { Status: { name: 'status', in: 'query', schema: { type: 'string', enum: ['open', 'done'] } } },
    schemas: {
      Request: {
        type: 'object',
        required: ['to'],
        properties: {
          to: { type: 'string', minLength: 1, maxLength: 20 },
          text: { type: 'string', nullable: true },
          size: { type: 'number', minimum: 1, maximum: 10 },
          tags: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 50 } },
          address: { type: 'object', properties: { city: { type: 'string' }, street: { type: 'string' } } },
          when: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
          labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 10 } },
        },
      },
      Thing: {
        allOf: [
          { type: 'object', required: ['id'], properties: { id: { type: 'string', pattern: '^t_' } } },
          {
            type: 'object',
            required: ['state', 'parts'],
            properties: {
              state: { type: 'string', enum: ['new', 'old'] },
              cost: { type: 'integer', maximum: 9 },
              parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
              note: { type: 'string' },
            },
          },
        ],
      },
    },
  },
});

// The sentences about a change of the sample.
function broken(change, prepare = () => {}) {
  const [before, now] = [sample(), sample()];
  prepare(before);
  prepare(now);
  change(now);
  return breakingChanges(before, now, today);
}

const operation = (api) => api.paths['/things/{id}'].post;
const request = (api) => api.components.schemas.Request;
const thing = (api) => api.components.schemas.Thing.allOf[1];
const where = 'POST /things/{id}';

const additions = {
  'nothing at all': () => {},
  'a path': (api) => { api.paths['/more'] = { get: { operationId: 'more', responses: {} } }; },
  'a method': (api) => { api.paths['/health'].post = { operationId: 'more', responses: {} }; },
  'an optional parameter': (api) => operation(api).parameters.push({ name: 'x', in: 'query', schema: { type: 'string' } }),
  'an optional field of a request': (api) => { request(api).properties.more = { type: 'string' }; },
  'a word of a request': (api) => api.components.parameters.Status.schema.enum.push('lost'),
  'more room in a request': (api) => { request(api).properties.to.maxLength = 30; request(api).properties.size.minimum = 0; },
  'no limit in a request': (api) => { delete request(api).properties.to.maxLength; },
  'a wider type in a request': (api) => { delete operation(api).parameters[0].schema.type; },
  'one more way to say it': (api) => request(api).properties.when.oneOf.push({ type: 'boolean' }),
  'a required field that is optional now': (api) => { request(api).required = []; },
  'a content type': (api) => { operation(api).requestBody.content['text/plain'] = { schema: {} }; },
  'a response': (api) => { operation(api).responses[429] = { description: 'later' }; },
  'a field of a response': (api) => { thing(api).properties.more = { type: 'string' }; },
  'a word of a response': (api) => thing(api).properties.state.enum.push('ancient'),
  'a permission that is no longer needed': (api) => { delete operation(api)['x-permission']; },
  'a default that was not told': (api) => { request(api).properties.size.default = 1; },
  'a field that is always there now': (api) => thing(api).required.push('cost'),
  'a stricter response': (api) => { thing(api).properties.cost.maximum = 5; thing(api).properties.note.maxLength = 100; },
  'a header': (api) => { operation(api).responses[201].headers['X-New'] = { schema: { type: 'string' } }; },
  'another name for a path parameter': (api) => {
    api.paths['/things/{thingId}'] = api.paths['/things/{id}'];
    api.paths['/things/{thingId}'].parameters[0].name = 'thingId';
    delete api.paths['/things/{id}'];
  },
  'a key that is no longer needed': (api) => { operation(api).security = [{ apiKey: [] }, {}]; },
};

for (const [name, change] of Object.entries(additions)) {
  it(`versioning: may come: ${name}`, () => assert.deepEqual(broken(change), []));
}

const breaks = [
  [(api) => { delete api.paths['/health']; }, 'GET /health is gone'],
  [(api) => { api.paths['/health'] = { post: api.paths['/health'].get }; }, 'GET /health is gone'],
  [(api) => { operation(api).operationId = 'create'; }, `${where}: the operationId makeThing became create`],
  [(api) => { delete api.paths['/health'].get.security; }, 'GET /health: a key is needed now'],
  [(api) => { api.security = [{ oauth: [] }]; }, `${where}: the security {"apiKey":[]} is gone`],
  [(api) => { operation(api)['x-permission'] = 'things:all'; }, `${where}: the permission things:all is needed now`],
  [(api) => { api.paths['/health'].get['x-permission'] = 'health:read'; }, 'GET /health: the permission health:read is needed now'],
  [(api) => operation(api).parameters.shift(), `${where}: query parameter limit is gone`],
  [(api) => { operation(api).parameters[0].schema.default = 20; }, `${where}: query parameter limit: the default 50 became 20`],
  [(api) => { delete operation(api).parameters[0].schema.default; }, `${where}: query parameter limit: the default 50 became none`],
  [(api) => operation(api).parameters.pop(), `${where}: query parameter status is gone`],
  [(api) => { operation(api).parameters[0].required = true; }, `${where}: query parameter limit is required now`],
  [(api) => operation(api).parameters.push({ name: 'x', in: 'header', required: true, schema: {} }), `${where}: header parameter x is required now`],
  [(api) => { operation(api).parameters[0].schema.maximum = 50; }, `${where}: query parameter limit: maximum 100 became 50`],
  [(api) => { operation(api).parameters[0].schema.type = 'string'; }, `${where}: query parameter limit: the type "integer" became "string"`],
  [(api) => api.components.parameters.Status.schema.enum.pop(), `${where}: query parameter status: the value "done" is gone`],
  [(api) => { operation(api).requestBody.required = true; }, `${where}: request: a body is required now`],
  [(api) => { delete operation(api).requestBody.content['application/x-www-form-urlencoded']; }, `${where}: request: the content type application/x-www-form-urlencoded is gone`],
  [(api) => { delete request(api).properties.text; }, `${where}: request field text is gone`],
  [(api) => { delete request(api).properties.address.properties.city; }, `${where}: request field address.city is gone`],
  [(api) => request(api).required.push('text'), `${where}: request field text is required now`],
  [(api) => { request(api).properties.address.required = ['city']; }, `${where}: request field address.city is required now`],
  [(api) => { request(api).properties.text.nullable = false; }, `${where}: request field text: null is no longer taken`],
  [(api) => { request(api).properties.text.enum = ['a']; }, `${where}: request field text: only ["a"] are taken now`],
  [(api) => { request(api).properties.text.pattern = '^a'; }, `${where}: request field text: pattern none became "^a"`],
  [(api) => { request(api).properties.to.minLength = 2; }, `${where}: request field to: minLength 1 became 2`],
  [(api) => { request(api).properties.size.type = 'integer'; }, `${where}: request field size: the type "number" became "integer"`],
  [(api) => { request(api).properties.size.maximum = 9; }, `${where}: request field size: maximum 10 became 9`],
  [(api) => { request(api).properties.text.maxLength = 9; }, `${where}: request field text: maxLength none became 9`],
  [(api) => { request(api).properties.tags.maxItems = 4; }, `${where}: request field tags: maxItems 5 became 4`],
  [(api) => { request(api).properties.tags.uniqueItems = true; }, `${where}: request field tags: uniqueItems none became true`],
  [(api) => { request(api).properties.tags.items.maxLength = 5; }, `${where}: request field tags[]: maxLength 50 became 5`],
  [(api) => request(api).properties.when.oneOf.pop(), `${where}: request field when: the alternative number 2 is gone`],
  [(api) => { request(api).properties.labels.additionalProperties.maxLength = 5; }, `${where}: request field labels.*: maxLength 10 became 5`],
  [(api) => { request(api).properties.address.additionalProperties = false; }, `${where}: request field address: other fields are no longer taken`],
  [(api) => { delete operation(api).responses[400]; }, `${where}: 400 is gone`],
  [(api) => { operation(api).responses[201].content = { 'text/plain': { schema: {} } }; }, `${where}: 201: the content type application/json is gone`],
  [(api) => { delete operation(api).responses[201].headers['X-Id']; }, `${where}: 201 header X-Id is gone`],
  [(api) => { operation(api).responses[201].headers['X-Id'].required = false; }, `${where}: 201 header X-Id may now be missing`],
  [(api) => { operation(api).responses[201].headers['X-More'].schema.type = 'string'; }, `${where}: 201 header X-More: the type "integer" became "string"`],
  [(api) => { delete thing(api).properties.note; }, `${where}: 201 field note is gone`],
  [(api) => thing(api).required.shift(), `${where}: 201 field state may now be missing`],
  [(api) => { thing(api).properties.note.nullable = true; }, `${where}: 201 field note: it may now be null`],
  [(api) => { thing(api).properties.cost.type = 'number'; }, `${where}: 201 field cost: the type "integer" became "number"`],
  [(api) => { thing(api).properties.cost.maximum = 99; }, `${where}: 201 field cost: maximum 9 became 99`],
  [(api) => { delete thing(api).properties.cost.maximum; }, `${where}: 201 field cost: maximum 9 became none`],
  [(api) => thing(api).properties.state.enum.pop(), `${where}: 201 field state: the value "old" is gone`],
  [(api) => { delete thing(api).properties.state.enum; }, `${where}: 201 field state: it is no longer one of a list of words`],
  [(api) => { api.components.schemas.Thing.allOf[0].properties.id.pattern = '^x_'; }, `${where}: 201 field id: pattern "^t_" became "^x_"`],
  [(api) => { thing(api).properties.parts.items = { type: 'string' }; }, `${where}: 201 field parts[]: the type "object" became "string"`],
];

for (const [change, sentence] of breaks) {
  it(`versioning: is named: ${sentence}`, () => {
    const found = broken(change);
    assert.ok(found.includes(sentence), `${sentence}\nwas not among\n${found.join('\n')}`);
  });
}

it('versioning: what was announced a year ahead may go, and not a day sooner', () => {
  const announce = (date) => (api) => {
    for (const part of [request(api).properties.text, operation(api).parameters[0], api.paths['/health'].get]) Object.assign(part, { deprecated: true, 'x-sunset': date });
  };
  const remove = (api) => {
    delete request(api).properties.text;
    operation(api).parameters.shift();
    delete api.paths['/health'];
  };
  assert.deepEqual(broken(remove, announce('2027-05-01')), []);
  assert.equal(broken(remove, announce('2027-05-02')).length, 3);
});

it('versioning: an announcement leaves twelve months', () => {
  const announce = (date) => (api) => Object.assign(api.paths['/health'].get, { deprecated: true, 'x-sunset': date });
  assert.deepEqual(broken(announce('2028-04-30')), []);
  assert.match(broken(announce('2028-04-29'))[0], /^GET \/health: x-sunset 2028-04-29 needs .* from 2028-04-30 on$/);
});

it('versioning: our own description is compared whole', () => {
  assert.deepEqual(breakingChanges(description, description), []);
  const changed = structuredClone(description);
  changed.components.schemas.Message.required = changed.components.schemas.Message.required.filter((name) => name !== 'segments');
  const found = breakingChanges(description, changed);
  assert.ok(found.includes('GET /v1/messages: 200 field data[].segments may now be missing'), found.join('\n'));
  assert.ok(found.includes('POST /v1/send: 201 field segments may now be missing'), found.join('\n'));
});

// ---- against the last release of a repository

const folder = mkdtempSync(join(tmpdir(), 'skylark-release-'));
after(() => rmSync(folder, { recursive: true }));
const write = (api) => writeFileSync(join(folder, 'api/openapi.json'), JSON.stringify(api));
const compare = () => run('node', [`${sourceRoot}tools/openapi/diff.mjs`, '--release'], { cwd: folder });
const git = async (...args) => {
  const { code, stderr } = await run('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=main', ...args], { cwd: folder });
  assert.equal(code, 0, stderr);
};

it('versioning: the last release is the measure; without one it says so', async () => {
  mkdirSync(join(folder, 'api'));
  write(sample());
  assert.match((await compare()).stdout, /^no release yet.*\n$/, 'not even a repository');
  await git('init', '-q');
  await git('add', '.');
  await git('commit', '-qm', 'first');
  const none = await compare();
  assert.deepEqual([none.code, none.stdout.split('\n').length], [0, 2], none.stderr);
  assert.match(none.stdout, /^no release yet/);

  await git('tag', 'v0.9.0');
  const less = sample();
  delete less.paths['/health'];
  write(less);
  const broke = await compare();
  assert.equal(broke.code, 1);
  assert.match(broke.stdout, /^GET \/health is gone\n1 breaking; see docs\/VERSIONING.md\n$/);

  await git('commit', '-qam', 'second');
  await git('tag', 'v0.10.0');
  const same = await compare();
  assert.deepEqual([same.code, same.stdout], [0, 'the API keeps what v0.10.0 promised\n']);
});
