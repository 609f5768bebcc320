// What a client of the old schema would trip over in the new one. A schema is compared in the
// direction its values travel: what clients send may only become freer, what they receive only
// stricter. New properties and new words of an enum that clients receive are additions.

export const SENT = 'sent'; // by the client
export const RECEIVED = 'received';

// limit: +1 where a larger number allows more, -1 where a smaller one does.
const limits = {
  maximum: 1, maxLength: 1, maxItems: 1, maxProperties: 1, minimum: -1, minLength: -1, minItems: -1, minProperties: -1,
};
// Whatever has one of these is stricter than what has not; two different ones cannot be compared.
const marks = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'];

// "request" → "request field to" → "request field to.city"
const fieldAt = (place, name) => (place.includes(' field ') ? `${place}.${name}` : `${place} field ${name}`);
const show = (value) => (value === undefined ? 'none' : JSON.stringify(value));

// An object that a reference leads to, with all of its allOf folded into it.
export function resolve(document, object) {
  let found = object ?? {};
  while (found.$ref) found = found.$ref.slice(2).split('/').reduce((at, part) => at[decode(part)], document);
  if (!found.allOf) return found;
  const { allOf, ...rest } = found;
  return [...allOf, rest].map((part) => resolve(document, part)).reduce((whole, part) => ({
    ...whole,
    ...part,
    properties: { ...whole.properties, ...part.properties },
    required: [...whole.required ?? [], ...part.required ?? []],
  }), {});
}

const decode = (part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');

// A deprecated part whose announced end has come may go.
export const mayGo = (part, today) => part.deprecated === true && part['x-sunset'] !== undefined && part['x-sunset'] <= today;

// Compares and tells `report(place, what)` of each break. `context`: {before, after, today, report}.
export function compareSchemas(context, direction, place, oldSchema, newSchema, seen = new Set()) {
  const pair = `${direction} ${oldSchema?.$ref} ${newSchema?.$ref}`;
  if (oldSchema?.$ref && seen.has(pair)) return;
  const inner = new Set(seen).add(pair);
  const before = resolve(context.before, oldSchema);
  const after = resolve(context.after, newSchema);
  const say = (what) => context.report(place, what);
  compareType(direction, before, after, say);
  compareEnum(direction, before.enum, after.enum, say);
  if (direction === SENT && before.default !== undefined) compareDefault(before.default, after.default, say);
  compareLimits(direction, before, after, say);
  compareProperties(context, direction, place, before, after, inner);
  compareAlternatives(context, direction, place, before, after, inner);
  if (before.items) compareSchemas(context, direction, `${place}[]`, before.items, after.items, inner);
  compareAdditional(context, direction, place, before, after, inner);
}

function compareType(direction, before, after, say) {
  const [narrow, wide] = direction === SENT ? [before, after] : [after, before];
  const widens = wide.type === undefined || (narrow.type === 'integer' && wide.type === 'number');
  if (before.type !== after.type && !widens) say(`the type ${show(before.type)} became ${show(after.type)}`);
  if (direction === SENT && before.nullable && !after.nullable) say('null is no longer taken');
  if (direction === RECEIVED && after.nullable && !before.nullable) say('it may now be null');
}

function compareEnum(direction, before, after, say) {
  if (direction === SENT && !before && after) say(`only ${show(after)} are taken now`);
  if (direction === RECEIVED && before && !after) say('it is no longer one of a list of words');
  if (!before || !after) return;
  for (const word of before) if (!after.includes(word)) say(`the value ${show(word)} is gone`);
}

function compareDefault(before, after, say) {
  if (show(before) !== show(after)) say(`the default ${show(before)} became ${show(after)}`);
}

function compareLimits(direction, before, after, say) {
  for (const [name, sign] of Object.entries(limits)) {
    const room = (schema) => (schema[name] === undefined ? Infinity : sign * schema[name]);
    const shrinks = direction === SENT ? room(after) < room(before) : room(after) > room(before);
    if (shrinks) say(`${name} ${show(before[name])} became ${show(after[name])}`);
  }
  for (const name of marks) {
    const [strict, other] = direction === SENT ? [after[name], before[name]] : [before[name], after[name]];
    if (strict !== undefined && strict !== false && strict !== other) say(`${name} ${show(before[name])} became ${show(after[name])}`);
  }
}

function compareProperties(context, direction, place, before, after, seen) {
  const at = (name) => fieldAt(place, name);
  for (const [name, schema] of Object.entries(before.properties ?? {})) {
    const other = after.properties?.[name];
    if (other) compareSchemas(context, direction, at(name), schema, other, seen);
    else if (!mayGo(resolve(context.before, schema), context.today)) context.report(at(name), 'is gone');
  }
  const [had, has] = direction === SENT ? [before, after] : [after, before];
  for (const name of has.required ?? []) {
    if (had.required?.includes(name) || (direction === RECEIVED && !after.properties?.[name])) continue;
    context.report(at(name), direction === SENT ? 'is required now' : 'may now be missing');
  }
}

// Alternatives are told apart by what they refer to, or else by their place.
function compareAlternatives(context, direction, place, before, after, seen) {
  for (const word of ['oneOf', 'anyOf']) {
    const named = (list) => new Map((list ?? []).map((schema, i) => [schema.$ref?.split('/').at(-1) ?? `number ${i + 1}`, schema]));
    const [olds, news] = [named(before[word]), named(after[word])];
    for (const [name, schema] of olds) {
      if (news.has(name)) compareSchemas(context, direction, `${place} (${name})`, schema, news.get(name), seen);
      else context.report(place, `the alternative ${name} is gone`);
    }
    for (const name of news.keys()) {
      const freer = direction === SENT && olds.size > 0;
      if (!olds.has(name) && !freer) context.report(place, `the alternative ${name} is new`);
    }
  }
}

function compareAdditional(context, direction, place, before, after, seen) {
  const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
  if (typeof old === 'object' && typeof now === 'object') compareSchemas(context, direction, fieldAt(place, '*'), old, now, seen);
  else if (direction === SENT && old !== false && now === false) context.report(place, 'other fields are no longer taken');
}
