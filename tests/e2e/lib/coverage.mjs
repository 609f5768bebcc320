// Which successes, and which fields of their bodies, the tests of this process have seen. A field
// counts when it had a value, not null.
import { description, follow, onChecked } from './contract.mjs';

const seen = new Set();

// Calls `see` with "Schema.field" for all that a schema describes; with a value, for what is in it.
function walk(schema, name, see, value, given) {
  const [object, pointer] = follow(schema, '');
  const own = pointer ? pointer.split('/').at(-1) : name;
  for (const part of [...(object.allOf ?? []), ...(object.oneOf ?? [])]) walk(part, own, see, value, given);
  if (object.items) {
    if (!given) walk(object.items, own, see);
    else for (const item of Array.isArray(value) ? value : []) walk(object.items, own, see, item, true);
  }
  for (const [field, property] of Object.entries(object.properties ?? {})) {
    const inside = value?.[field];
    if (given && (inside === undefined || inside === null)) continue;
    see(`${own}.${field}`);
    walk(property, `${own}.${field}`, see, inside, given);
  }
}

const schemaOf = (response) => response.content['application/json']?.schema;

onChecked.add((method, template, status, body) => {
  if (status >= 300) return;
  const operation = description.paths[template][method.toLowerCase()];
  seen.add(`${operation.operationId} ${status}`);
  const schema = schemaOf(operation.responses[status]);
  if (schema) walk(schema, operation.operationId, (field) => { seen.add(field); }, body, true);
});

// "operation status" and "Schema.field" that no answer had.
export function neverSeen() {
  const described = new Set();
  const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, responses } of operations) {
    for (const [status, response] of Object.entries(responses).filter(([s]) => s < 300)) {
      described.add(`${operationId} ${status}`);
      const schema = schemaOf(response);
      if (schema) walk(schema, operationId, (field) => { described.add(field); });
    }
  }
  return [...described].filter((one) => !seen.has(one));
}
