// Holds responses against api/openapi.yaml: status, headers and body must be what the description
// of the operation says, to the letter.
import { readFileSync } from 'node:fs';
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { sourceRoot } from './program.mjs';

export const description = parse(readFileSync(`${sourceRoot}api/openapi.yaml`, 'utf8'), { merge: true, maxAliasCount: -1 });

// Those who want to know what was checked: (method, path template, status, body).
export const onChecked = new Set();

const ajv = new Ajv({ strict: true, allErrors: true });
addFormats(ajv);
ajv.addVocabulary(['example', 'openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components']);
ajv.addSchema(description, 'openapi.yaml');

const compiled = new Map();

// A validator of the schema at a JSON pointer into the description.
function validatorAt(pointer) {
  if (!compiled.has(pointer)) compiled.set(pointer, ajv.compile({ $ref: `openapi.yaml#${pointer}` }));
  return compiled.get(pointer);
}

export const escape = (part) => part.replaceAll('~', '~0').replaceAll('/', '~1').replace(/[{}#]/g, encodeURIComponent);

// Follows a $ref of the description: [the object, the pointer it is at].
export function follow(object, pointer) {
  while (object.$ref) {
    pointer = object.$ref.slice(1);
    object = pointer.split('/').slice(1).reduce((at, part) => at[part], description);
  }
  return [object, pointer];
}

// A path that is written out goes before one with a {…} in the same place.
const templates = Object.keys(description.paths).sort((a, b) => (a.replaceAll('{', '~') < b.replaceAll('{', '~') ? -1 : 1))
  .map((path) => ({ path, matches: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`) }));

function operationOf(method, path) {
  const { path: template } = templates.find(({ matches }) => matches.test(path)) ?? {};
  const operation = template && description.paths[template][method.toLowerCase()];
  return operation && { operation, template, pointer: `/paths/${escape(template)}/${method.toLowerCase()}` };
}

export function assertSchema(pointer, value, what) {
  const validate = validatorAt(pointer);
  if (validate(value)) return;
  const faults = validate.errors.map((e) => `${e.instancePath || '(whole)'} ${e.message}`);
  assert.fail(`${what} is not as described:\n  ${faults.join('\n  ')}\n${JSON.stringify(value)}`);
}

function checkHeaders(response, spec, pointer, what) {
  for (const [name, reference] of Object.entries(spec.headers ?? {})) {
    const [header, at] = follow(reference, `${pointer}/headers/${name}`);
    const text = response.headers[name.toLowerCase()];
    if (text === undefined) {
      assert.ok(!header.required, `${what}: the header ${name} is missing`);
      continue;
    }
    const value = header.schema.type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
    assertSchema(`${at}/schema`, value, `${what}: header ${name}`);
  }
}

function checkBody(response, spec, pointer, what) {
  const types = Object.keys(spec.content);
  const type = (response.headers['content-type'] ?? '').split(';')[0].trim();
  assert.ok(types.includes(type), `${what}: the content type is ${type}, not ${types.join(' or ')}`);
  if (type === 'application/json') response.body = JSON.parse(response.text);
  assertSchema(`${pointer}/content/${escape(type)}/schema`, response.body ?? response.text, `${what}: body`);
}

// The examples of a response are all the codes that may come with it.
function checkCode(response, spec, what) {
  const { examples } = Object.values(spec.content)[0];
  if (response.status < 400 || !response.body.error || !examples) return;
  const codes = Object.values(examples).map((example) => follow(example)[0].value.code);
  assert.ok(codes.includes(response.body.code), `${what}: ${response.body.code} is not described here; ${response.text}`);
}

const families = {
  400: 'validation_error', 401: 'authentication_error', 403: 'authentication_error',
  404: 'validation_error', 429: 'rate_limit_exceeded', 500: 'api_error', 503: 'api_error',
};

// Found before the key was: there are no limits to show.
const keyUnknown = new Set(['missing_api_key', 'invalid_authorization_header', 'invalid_api_key',
  'too_many_failed_key_attempts', 'maintenance']);

// What the schema of an error cannot say.
function checkError(response, what) {
  const { body, status, headers } = response;
  assert.equal(body.statusCode, status, `${what}: statusCode`);
  assert.equal(body.error, families[status], `${what}: error`);
  assert.equal(description.components.examples[body.code].value.statusCode, status, `${what}: status of ${body.code}`);
  assert.match(body.documentation, new RegExp(`^https://.*/docs/api-reference/errors#${body.code}$`));
  const waits = status === 429 || status === 503;
  assert.equal(body.retryAfter, waits ? Number(headers['retry-after']) : undefined, `${what}: retryAfter`);
  assert.equal('www-authenticate' in headers, status === 401, `${what}: WWW-Authenticate`);
  if (keyUnknown.has(body.code)) assert.ok(!('x-ratelimit-limit' in headers), `${what}: limits of nobody`);
}

// Fails when the response is not one that the description allows. Sets response.body.
// A path or method that is not described can only have an error for an answer.
export function checkResponse(method, path, response) {
  const what = `${method} ${path} → ${response.status}`;
  const found = operationOf(method, path);
  assert.match(response.headers['x-request-id'] ?? '', /^req_[0-9A-Za-z]+$/, `${what}: X-Request-Id`);

  if (found) {
    const declared = found.operation.responses[response.status];
    assert.ok(declared, `${what}: this status is not described; the body is ${response.text}`);
    const [spec, pointer] = follow(declared, `${found.pointer}/responses/${response.status}`);
    checkHeaders(response, spec, pointer, what);
    checkBody(response, spec, pointer, what);
    checkCode(response, spec, what);
  } else {
    assert.ok(response.status >= 400, `${what}: undescribed, yet no error`);
    assert.equal((response.headers['content-type'] ?? '').split(';')[0], 'application/json', what);
    response.body = JSON.parse(response.text);
    assertSchema('/components/schemas/Error', response.body, `${what}: body`);
  }
  if (response.status >= 400 && response.body?.error) checkError(response, what);
  if (found) for (const tell of onChecked) tell(method, found.template, response.status, response.body);
}
