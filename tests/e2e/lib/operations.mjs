// The operations of api/openapi.yaml, with every reference in them resolved.
import { description, follow } from './contract.mjs';

const whole = (object) => follow(object, '')[0];

// A schema without references; `allOf` of one schema only adds words to it.
export function resolve(schema) {
  const { allOf, ...own } = whole(schema);
  const result = { ...(allOf ? resolve(allOf[0]) : {}), ...own };
  if (result.items) result.items = resolve(result.items);
  if (result.properties) {
    result.properties = Object.fromEntries(Object.entries(result.properties).map(([name, property]) => [name, resolve(property)]));
  }
  return result;
}

// {status: the error codes that may come with it}
function codesOf(responses) {
  return Object.fromEntries(Object.entries(responses).filter(([status]) => status >= 400).map(([status, response]) => {
    const examples = whole(response).content['application/json'].examples ?? {};
    return [status, Object.values(examples).map((example) => whole(example).value.code)];
  }));
}

function operation(path, method, spec) {
  const body = spec.requestBody?.content ?? {};
  const parameters = (spec.parameters ?? []).map((p) => whole(p)).map((p) => ({ ...p, schema: resolve(p.schema) }));
  const schemaOf = (type) => body[type] && resolve(body[type].schema);
  return {
    id: spec.operationId,
    method: method.toUpperCase(),
    path,
    name: `${method.toUpperCase()} ${path}`,
    permission: spec['x-permission'],
    withKey: !spec.security,
    json: schemaOf('application/json'),
    form: schemaOf('application/x-www-form-urlencoded'),
    bodyRequired: spec.requestBody?.required ?? false,
    inPath: parameters.filter((p) => p.in === 'path'),
    inQuery: parameters.filter((p) => p.in === 'query'),
    inHeaders: parameters.filter((p) => p.in === 'header'),
    successes: Object.keys(spec.responses).map(Number).filter((status) => status < 300),
    codes: codesOf(spec.responses),
  };
}

export const operations = Object.entries(description.paths)
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, spec]) => operation(path, method, spec)));

export const operationCalled = (id) => operations.find((op) => op.id === id);

// Whether a code is documented for an operation.
export const has = (op, code) => Object.values(op.codes).flat().includes(code);
