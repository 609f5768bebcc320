// Names every change between two OpenAPI files that a client of the old one could trip over.
//
//   node tools/openapi/diff.mjs OLD NEW     compares two files, JSON or YAML
//   node tools/openapi/diff.mjs --release   compares api/openapi.json with that of the last release tag
//
// Exit code 1 if there is any. What counts, and why: docs/VERSIONING.md
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { RECEIVED, SENT, compareSchemas, mayGo, resolve } from './schema-diff.mjs';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const noticeDays = 365;

// The name of a path's parameter is ours to change, its place is not.
const shape = (path) => path.replace(/\{[^}]*\}/g, '{}');

// operations(document): "POST /v1/send" → {where, operation}, by the shape of the path.
function operations(document) {
  const all = new Map();
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods.filter((name) => item[name])) {
      const operation = { ...item[method], parameters: [...item.parameters ?? [], ...item[method].parameters ?? []] };
      all.set(`${method} ${shape(path)}`, { where: `${method.toUpperCase()} ${path}`, operation });
    }
  }
  return all;
}

function compareParameters(context, where, before, after) {
  const key = (document) => (parameter) => {
    const { in: place, name } = resolve(document, parameter);
    return place === 'path' ? 'path parameter' : `${place} parameter ${name}`;
  };
  const named = (document, list) => new Map(list.map((parameter) => [key(document)(parameter), resolve(document, parameter)]));
  const [olds, news] = [named(context.before, before.parameters), named(context.after, after.parameters)];
  for (const [name, old] of olds) {
    const now = news.get(name);
    const at = `${where}: ${name}`;
    if (now) compareSchemas(context, SENT, at, old.schema, now.schema);
    else if (!mayGo(old, context.today)) context.report(at, 'is gone');
  }
  for (const [name, now] of news) {
    if (now.required && !olds.get(name)?.required) context.report(`${where}: ${name}`, 'is required now');
  }
}

function compareContents(context, direction, at, before, after) {
  for (const [type, { schema }] of Object.entries(before ?? {})) {
    if (!after?.[type]) context.report(at, `the content type ${type} is gone`);
    else compareSchemas(context, direction, at, schema, after[type].schema);
  }
}

function compareRequest(context, where, before, after) {
  const [old, now] = [resolve(context.before, before.requestBody), resolve(context.after, after.requestBody)];
  const at = `${where}: request`;
  if (now.required && !old.required) context.report(at, 'a body is required now');
  compareContents(context, SENT, at, old.content, now.content);
}

function compareResponses(context, where, before, after) {
  for (const [status, response] of Object.entries(before.responses)) {
    const at = `${where}: ${status}`;
    if (!after.responses[status]) {
      context.report(at, 'is gone');
      continue;
    }
    const [old, now] = [resolve(context.before, response), resolve(context.after, after.responses[status])];
    compareContents(context, RECEIVED, at, old.content, now.content);
    for (const name of Object.keys(old.headers ?? {})) {
      const [had, has] = [resolve(context.before, old.headers[name]), resolve(context.after, now.headers?.[name])];
      if (!now.headers?.[name]) context.report(`${at} header ${name}`, 'is gone');
      else if (had.required && !has.required) context.report(`${at} header ${name}`, 'may now be missing');
      else compareSchemas(context, RECEIVED, `${at} header ${name}`, had.schema, has.schema);
    }
  }
}

// The ways to be let in, each as text; none at all is a way, too.
const security = (document, operation) => {
  const ways = operation.security ?? document.security ?? [];
  return ways.length ? ways.map((way) => JSON.stringify(way)) : ['{}'];
};

function compareOperations(context, old, now) {
  const { where, operation: before } = old;
  const { operation: after } = now;
  if (before.operationId !== after.operationId) context.report(where, `the operationId ${before.operationId} became ${after.operationId}`);
  const [had, needs] = [before, after].map((operation) => operation['x-permission']);
  if (needs && needs !== had) context.report(where, `the permission ${needs} is needed now`);
  const ways = security(context.after, after);
  for (const way of security(context.before, before)) if (!ways.includes(way)) context.report(where, `${way === '{}' ? 'a key is needed now' : `the security ${way} is gone`}`);
  compareParameters(context, where, before, after);
  compareRequest(context, where, before, after);
  compareResponses(context, where, before, after);
}

// A new announcement must leave the promised time.
function checkNotice(context, where, before, after) {
  const sunset = after['x-sunset'];
  if (sunset === undefined || before?.['x-sunset'] === sunset) return;
  const earliest = new Date(Date.parse(context.today) + noticeDays * 86_400_000).toISOString().slice(0, 10);
  if (!after.deprecated || sunset < earliest) context.report(where, `x-sunset ${sunset} needs deprecated: true and a date from ${earliest} on`);
}

// Every break as a sentence: "POST /v1/send: request field to: maxLength 20 became 10".
export function breakingChanges(before, after, today = new Date().toISOString().slice(0, 10)) {
  const found = new Set();
  const context = { before, after, today, report: (place, what) => found.add(`${place}${/^(is|may) /.test(what) ? ' ' : ': '}${what}`) };
  const [olds, news] = [operations(before), operations(after)];
  for (const [key, old] of olds) {
    if (news.has(key)) compareOperations(context, old, news.get(key));
    else if (!mayGo(old.operation, today)) context.report(old.where, 'is gone');
  }
  for (const [key, { where, operation }] of news) checkNotice(context, where, olds.get(key)?.operation, operation);
  return [...found];
}

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });

// The tag of the last release that this work stands on; null if there is none.
function lastRelease() {
  if (!existsSync('.git')) return null;
  const [tag] = git('tag', '--list', 'v[0-9]*', '--merged', 'HEAD', '--sort=-v:refname').split('\n');
  return tag || null;
}

function main([first, second]) {
  let before;
  let what = `${second} keeps what ${first} promised`;
  if (first === '--release') {
    const tag = lastRelease();
    if (!tag) {
      console.log('no release yet: there is no older API to compare with');
      return 0;
    }
    before = JSON.parse(git('show', `${tag}:api/openapi.json`));
    second = 'api/openapi.json';
    what = `the API keeps what ${tag} promised`;
  } else if (second) {
    before = parse(readFileSync(first, 'utf8'), { merge: true, maxAliasCount: -1 });
  } else {
    console.error('usage: node tools/openapi/diff.mjs OLD NEW | --release');
    return 2;
  }
  const found = breakingChanges(before, parse(readFileSync(second, 'utf8'), { merge: true, maxAliasCount: -1 }));
  console.log(found.length ? `${found.join('\n')}\n${found.length} breaking; see docs/VERSIONING.md` : what);
  return found.length ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main(process.argv.slice(2));
