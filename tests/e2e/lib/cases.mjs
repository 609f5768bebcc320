// What to try on a value, from its schema: {kind, label, value}. Kinds: `good` ones must be taken;
// `type`, `low`, `high`, `form` and `twice` must be refused: the wrong type, below and above what is
// allowed, the wrong form, the same item twice. What a schema cannot say (which number is one) comes
// from `samples`: {good: [values], bad: [values], fill: (length) => text}.

const types = { text: 'no', number: 5, fraction: 1.5, truth: true, list: [], object: {} };
const fits = {
  string: ['text'], integer: ['number'], number: ['number', 'fraction'], boolean: ['truth'], array: ['list'], object: ['object'],
};

const good = (label, value) => ({ kind: 'good', label, value });
const bad = (kind, label, value) => ({ kind, label, value });

function wrongTypes(schema) {
  return Object.entries(types).filter(([name]) => !fits[schema.type].includes(name))
    .map(([name, value]) => bad('type', `${name} for ${schema.type}`, value));
}

const fillWith = (samples) => samples?.fill ?? ((length) => 'é'.repeat(length));

function lengths(schema, samples) {
  const fill = fillWith(samples);
  const result = [];
  if (schema.maxLength !== undefined) {
    result.push(good(`${schema.maxLength} characters`, fill(schema.maxLength)));
    result.push(bad('high', `${schema.maxLength + 1} characters`, fill(schema.maxLength + 1)));
  }
  if (schema.minLength) {
    result.push(good(`${schema.minLength} characters`, fill(schema.minLength)));
    result.push(bad('low', `${schema.minLength - 1} characters`, fill(schema.minLength - 1)));
  }
  return result;
}

function words(schema) {
  if (!schema.enum) return [];
  return [
    ...schema.enum.map((word) => good(`'${word}'`, word)),
    ...['nosuchword', '', `${schema.enum[0]} `, schema.enum[0].toUpperCase()].map((word) => bad('form', `'${word}'`, word)),
  ];
}

function text(schema, samples) {
  return [
    ...words(schema),
    ...lengths(schema, samples),
    ...(samples?.good ?? []).map((value) => good(JSON.stringify(value), value)),
    ...(samples?.bad ?? []).map((value) => bad('form', JSON.stringify(value), value)),
  ];
}

function integer({ minimum, maximum }) {
  return [
    ...[minimum, maximum].map((value) => good(`${value}`, value)),
    bad('low', `${minimum - 1}`, minimum - 1),
    bad('high', `${maximum + 1}`, maximum + 1),
    ...[-2147483649, -(2 ** 53)].map((value) => bad('low', `${value}`, value)),
    ...[4294967296, 2 ** 53, 2 ** 53 + 2, 1e19, 1e300].map((value) => bad('high', `${value}`, value)),
  ];
}

// A list of so many different items.
function items(schema, count, samples) {
  return Array.from({ length: count }, (_, i) => samples.item(i));
}

function list(schema, samples) {
  const result = [];
  if (schema.maxItems !== undefined) {
    result.push(good(`${schema.maxItems} items`, items(schema, schema.maxItems, samples)));
    result.push(bad('many', `${schema.maxItems + 1} items`, items(schema, schema.maxItems + 1, samples)));
  }
  if (schema.minItems) {
    result.push(good(`${schema.minItems} items`, items(schema, schema.minItems, samples)));
    result.push(bad('few', `${schema.minItems - 1} items`, items(schema, schema.minItems - 1, samples)));
  } else {
    result.push(good('no items', []));
  }
  if (schema.uniqueItems) result.push(bad('twice', 'the same twice', [samples.item(0), samples.item(0)]));
  const each = schema.items.type === 'object' ? wrongTypes(schema.items) : tries(schema.items, samples.items);
  return [
    ...result,
    ...each.map(({ kind, label, value }) => ({ kind: kind === 'good' ? kind : `item ${kind}`, label: `an item of ${label}`, value: [value] })),
    bad('item type', 'an item that is null', [null]),
  ];
}

// Everything to try on a value of this schema.
export function tries(schema, samples) {
  const own = { string: text, integer, array: list, boolean: () => [good('true', true), good('false', false)], object: () => [] };
  const extra = schema.type === 'object' || schema.type === 'integer' ? text({}, samples) : [];
  return [...own[schema.type](schema, samples), ...extra, ...wrongTypes(schema)];
}

/* ---- the same in a query, where every value is text ---- */

const noIntegers = ['', ' ', 'abc', '1.5', '1e1', '0x10', '5x', '+5', ' 5', '5 ', '٥', 'null', '99999999999999999999'];

function joined(schema) {
  const [first, second] = schema.items.enum;
  return [
    ...schema.items.enum.map((word) => good(word, word)),
    good('two', `${first},${second}`),
    good('all', schema.items.enum.join(',')),
    ...['', ',', `${first},`, `,${first}`, `${first},nosuchword`, `${first} ,${second}`, first.toUpperCase()].map((value) => bad('form', `'${value}'`, value)),
  ];
}

export function queryTries(schema, samples) {
  if (schema.type === 'array') return joined(schema);
  if (schema.type !== 'integer') return text(schema, samples);
  return [
    ...integer(schema).map(({ kind, label, value }) => ({ kind, label, value: `${BigInt(value)}` })),
    ...noIntegers.map((value) => bad('form', `'${value}'`, value)),
  ];
}

/* ---- and in a form: undefined when a form cannot say it ---- */

export function formTries(schema, samples) {
  return tries(schema, samples).flatMap((one) => {
    if (one.kind === 'item type' || (one.kind === 'type' && !['integer', 'boolean'].includes(schema.type))) return [];
    if (one.kind === 'type' && typeof one.value === 'object') return [];
    if (one.kind === 'few' && one.value.length === 0) return []; // which is absent
    if (one.kind === 'type' && schema.type === 'boolean' && one.value === true) return [];
    return [one];
  });
}

// The fields of a form that says the same as a JSON body.
export function formFields(body) {
  return Object.entries(body).flatMap(([name, value]) => {
    if (Array.isArray(value) && typeof value[0] !== 'object') return value.map((item) => [name, `${item}`]);
    return [[name, value !== null && typeof value === 'object' ? JSON.stringify(value) : `${value}`]];
  });
}
