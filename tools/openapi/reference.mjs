// The API reference for people, one HTML page made from the OpenAPI description. The page is static:
// no scripts, nothing from outside, colours that follow the reader's system.
import { readFileSync } from 'node:fs';
import { escape, markdown } from './markdown.mjs';
import { resolve } from './schema-diff.mjs';

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const errorsPage = '/docs/api-reference/errors';
const css = readFileSync(new URL('reference.css', import.meta.url), 'utf8');
const nameOf = (schema) => schema?.$ref?.split('/').at(-1);
const code = (text) => `<code>${escape(text)}</code>`;

export function reference(api) {
  const operations = Object.entries(api.paths).flatMap(([path, item]) => methods.filter((m) => item[m]).map((method) => ({ path, method, ...item[method] })));
  const link = (text) => {
    const found = operations.find(({ method, path }) => text === `${method.toUpperCase()} ${path}`);
    return found ? `#${found.operationId}` : null;
  };
  const prose = (text) => markdown(text, link);
  const objects = responseObjects(api, operations);
  const context = { api, link, prose, objects };
  const groups = api.tags.map((tag) => ({ ...tag, operations: operations.filter(({ tags }) => tags.includes(tag.name)) }));
  return [
    head(api),
    '<header>',
    `<h1>${escape(api.info.title)}</h1>`,
    `<p class="lead">Version ${escape(api.info.version)} · <a href="${errorsPage}">all errors, with cause and remedy</a> · <a href="/v1/openapi.json">OpenAPI file</a></p>`,
    '</header>',
    contents(groups, objects),
    '<main id="main">',
    prose(api.info.description),
    ...groups.map((group) => groupSection(context, group)),
    '<section class="group" id="objects">\n<h2>Objects</h2>',
    '<p>What answers are made of. New fields may be added to any of them at any time.</p>',
    ...[...objects].map((name) => objectSection(context, name)),
    '</section>',
    '</main>\n</body>\n</html>\n',
  ].join('\n');
}

const head = ({ info }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(info.title)} reference</title>
<style>
${css}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>`;

// The objects that answers are made of, in the order they are met; errors have their own page.
function responseObjects(api, operations) {
  const found = new Set();
  const visit = (schema) => {
    const name = nameOf(schema);
    const target = resolve(api, schema);
    if (name && target.properties) {
      if (found.has(name)) return;
      found.add(name);
    }
    [...Object.values(target.properties ?? {}), target.items, ...target.oneOf ?? []].filter(Boolean).forEach(visit);
  };
  for (const { responses, callbacks } of operations) {
    for (const { requestBody: body } of callbackOperations(callbacks)) visit(body.content['application/json'].schema);
    for (const response of Object.values(responses)) visit(resolve(api, response).content?.['application/json']?.schema);
  }
  return found;
}

// What an operation makes the server ask of the client.
const callbackOperations = (callbacks = {}) => Object.values(callbacks)
  .flatMap((expressions) => Object.values(expressions)).flatMap((methods) => Object.values(methods));

function contents(groups, objects) {
  const list = (items) => `<ul>${items.join('')}</ul>`;
  const parts = groups.map(({ name, operations }) => `<h2>${escape(name)}</h2>${list(operations.map((o) => `<li><a href="#${o.operationId}">${escape(o.summary)}</a></li>`))}`);
  const last = `<h2><a href="#objects">Objects</a></h2>${list([...objects].map((name) => `<li><a href="#${name}">${escape(name)}</a></li>`))}`;
  return `<nav aria-label="Contents">\n${[...parts, last].map((part) => `<div>${part}</div>`).join('\n')}\n</nav>`;
}

function groupSection(context, { name, description, operations }) {
  const id = name.toLowerCase().replace(/\W+/g, '-');
  return `<section class="group" id="${id}">\n<h2>${escape(name)}</h2>\n${context.prose(description)}\n${operations.map((o) => operationSection(context, o)).join('\n')}\n</section>`;
}

function operationSection(context, operation) {
  const { method, path, operationId, summary, description, deprecated } = operation;
  return [
    `<section class="operation" id="${operationId}">`,
    `<h3><a href="#${operationId}">${escape(summary)}</a></h3>`,
    `<p class="path"><span class="method ${method}">${method.toUpperCase()}</span> ${code(path)}${deprecated ? ` <strong>deprecated, ends ${escape(operation['x-sunset'] ?? '')}</strong>` : ''}</p>`,
    needs(operation),
    context.prose(description),
    parameters(context, operation),
    requestBody(context, operation),
    answers(context, operation),
    ...callbackOperations(operation.callbacks).map((back) => callback(context, back)),
    '</section>',
  ].join('\n');
}

// Most descriptions say it themselves.
function needs({ security, description, 'x-permission': permission }) {
  const say = (text) => `<p class="needs">${text}</p>`;
  if (security?.length === 0) return say('No key is needed.');
  if (!permission) return say('Any key will do.');
  return description.includes(`\`${permission}\``) ? '' : say(`Needs a key with the permission ${code(permission)}.`);
}

// ---- fields

// What a schema says in a few words: "array of Message", "integer, 1 to 100".
function typeOf({ api, objects }, schema) {
  const name = nameOf(schema) ?? nameOf(schema.allOf?.[0]);
  const target = resolve(api, schema);
  const nullable = target.nullable ? ' or null' : '';
  if (objects.has(name)) return `<a href="#${name}">${name}</a>${nullable}`;
  if (target.oneOf) return target.oneOf.map((part) => typeOf({ api, objects }, part)).join(' or ');
  if (target.type === 'array') return `list of ${typeOf({ api, objects }, target.items)}${nullable}`;
  return `${target.format === 'date-time' ? 'time' : target.type ?? 'any'}${nullable}`;
}

function range(low, high, unit = '') {
  if (low === undefined && high === undefined) return null;
  if (low === undefined || low === 0) return high === undefined ? null : `at most ${high}${unit}`;
  return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`;
}

function limits(api, schema) {
  const words = schema.enum?.filter((word) => word !== null);
  const each = schema.type === 'array' ? limits(api, resolve(api, schema.items)) : '';
  return [
    words && words.length <= 24 && `one of ${words.map((word) => code(word)).join(' ')}`,
    range(schema.minimum, schema.maximum),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' entries'),
    each && `each ${each}`,
    schema.default !== undefined && `${code(schema.default)} when left out`,
  ].filter(Boolean).join('; ');
}

function field(context, name, schema, { required, place, description }) {
  const target = resolve(context.api, schema);
  const what = description ?? schema.description ?? target.description ?? '';
  const marks = [typeOf(context, schema), place, required && '<strong>required</strong>', target.deprecated && '<strong>deprecated</strong>'];
  const fine = limits(context.api, target);
  return `<div><dt>${code(name)} <span class="type">${marks.filter(Boolean).join(' · ')}</span></dt><dd>${context.prose(what)}${fine ? `<p class="limits">${fine}</p>` : ''}</dd></div>`;
}

function fields(context, schema) {
  const { properties = {}, required = [] } = resolve(context.api, schema);
  const rows = Object.entries(properties).map(([name, part]) => field(context, name, part, { required: required.includes(name) }));
  return rows.length ? `<dl class="fields">\n${rows.join('\n')}\n</dl>` : '';
}

function objectSection(context, name) {
  const schema = context.api.components.schemas[name];
  return `<section class="operation" id="${name}">\n<h3><a href="#${name}">${escape(name)}</a></h3>\n${context.prose(schema.description)}\n${fields(context, schema)}\n</section>`;
}

// ---- parts of an operation

function parameters(context, operation) {
  const list = (operation.parameters ?? []).map((parameter) => resolve(context.api, parameter));
  if (!list.length) return '';
  const rows = list.map(({ name, in: place, required, schema, description }) => field(context, name, schema, { required, place: place === 'header' ? 'header' : `in the ${place}`, description }));
  return `<h4>Parameters</h4>\n<dl class="fields">\n${rows.join('\n')}\n</dl>`;
}

const pretty = (value) => escape(JSON.stringify(value, null, 2));

function examples(api, media) {
  return Object.values(media?.examples ?? {}).map((example) => resolve(api, example)).map(({ summary, value }) => (
    `<details><summary>${escape(summary ? `Example: ${summary}` : 'Example')}</summary><pre tabindex="0"><code>${typeof value === 'string' ? escape(value) : pretty(value)}</code></pre></details>`
  )).join('\n');
}

function requestBody(context, { requestBody: body }) {
  if (!body) return '';
  const { description, content } = resolve(context.api, body);
  const [media] = Object.values(content);
  return `<h4>Body</h4>\n${context.prose(description)}\n${fields(context, media.schema)}\n${examples(context.api, content['application/json'])}`;
}

// Without answers: those are the client's.
function callback(context, operation) {
  const { schema } = operation.requestBody.content['application/json'];
  return [
    `<h4>Posted to you: ${escape(operation.summary.toLowerCase())}</h4>`,
    context.prose(operation.description),
    `<p class="limits">${typeOf(context, schema)}</p>`,
    parameters(context, operation),
    examples(context.api, operation.requestBody.content['application/json']),
  ].join('\n');
}

function answers(context, { responses }) {
  const rows = Object.entries(responses).map(([status, response]) => answer(context, status, resolve(context.api, response)));
  return `<h4>Answers</h4>\n<dl class="answers">\n${rows.join('\n')}\n</dl>`;
}

// Errors are named by their codes; what each means is on the page of errors.
function answer(context, status, { description, content }) {
  const media = content?.['application/json'];
  const values = Object.values(media?.examples ?? {}).map((example) => resolve(context.api, example).value);
  const codes = status >= '400' ? values.map((value) => value?.code).filter(Boolean) : [];
  const list = codes.map((word) => `<a href="${errorsPage}#${word}">${code(word)}</a>`).join(' ');
  const body = media && nameOf(media.schema) && !codes.length ? `<p class="limits">${typeOf(context, media.schema)}</p>` : '';
  return `<div><dt class="s${status[0]}">${status}</dt><dd>${context.prose(description)}${body}${codes.length ? `<p class="codes">${list}</p>` : examples(context.api, media)}</dd></div>`;
}
