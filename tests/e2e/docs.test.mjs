// What the service says about itself: health, its own description, the error reference. And that
// the description and the program's tables agree.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { assertSchema, description, escape, follow } from './lib/contract.mjs';
import { sourceRoot } from './lib/program.mjs';
import { withServer } from './lib/server.mjs';

const rows = [...readFileSync(`${sourceRoot}src/messaging/problem.def`, 'utf8').matchAll(/^X\((\w+), (\d+),/gm)]
  .map(([, name, status]) => ({ code: name.toLowerCase(), status: Number(status) }));
const records = readFileSync(`${sourceRoot}src/store/records.h`, 'utf8');

// The words of an X-macro table in records.h.
function words(table) {
  const [, body] = new RegExp(`#define ${table}\\(X\\)((?:.*\\\\\\n)*.*)`).exec(records);
  return [...body.matchAll(/X\(\w+, \d+,[\s\\]*"([^"]+)"/g)].map((m) => m[1]);
}

it('docs: the description knows exactly the codes that the program has', () => {
  const { schemas, examples } = description.components;
  assert.deepEqual(schemas.ErrorCode.enum, rows.map((r) => r.code));
  for (const { code, status } of rows) assert.equal(examples[code].value.statusCode, status, code);
});

it('docs: the description knows exactly the words that the program has', () => {
  const { Direction, Message, MessageStatus, MessageType, NumberType, RouteReason, Routing, TimelineEvent } = description.components.schemas;
  assert.deepEqual(MessageStatus.enum, words('MESSAGE_STATUSES'));
  assert.deepEqual(NumberType.enum, words('NUMBER_TYPES'));
  assert.deepEqual(Routing.properties.coverage.enum, words('COVERAGES'));
  assert.deepEqual(RouteReason.enum, words('ROUTE_REASONS'));
  assert.deepEqual(Message.properties.encoding.enum, words('ENCODINGS'));
  assert.deepEqual(Direction.enum, words('DIRECTIONS'));
  assert.deepEqual(Message.properties.type.enum, words('MESSAGE_KINDS'));
  assert.deepEqual(MessageType.enum, words('MESSAGE_TYPES'));
  assert.deepEqual(Message.properties.errorCode.enum, [...words('FAILURES'), null]);
  assert.deepEqual(TimelineEvent.properties.errorCode.enum, words('FAILURES'));
  const types = [...readFileSync(`${sourceRoot}src/messaging/timeline.h`, 'utf8').matchAll(/X\(\w+, "(\w+)"\)/g)].map((m) => m[1]);
  assert.deepEqual([...TimelineEvent.properties.type.enum].sort(), types.sort());
});

it('docs: every example is what its schema says', () => {
  const seen = new Set();
  const check = (content, pointer) => {
    for (const [type, { examples = {} }] of Object.entries(content ?? {})) {
      for (const [name, example] of Object.entries(examples)) {
        const [{ value }, at] = follow(example, `${pointer}/${name}`);
        assertSchema(`${pointer}/content/${escape(type)}/schema`, value, at);
        seen.add(at);
      }
    }
  };
  const checkAll = (paths, place) => {
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { requestBody, responses, callbacks = {} }] of Object.entries(operations)) {
        const pointer = `${place}/${escape(path)}/${method}`;
        check(requestBody?.content, `${pointer}/requestBody`);
        for (const [status, response] of Object.entries(responses)) {
          const [{ content }, at] = follow(response, `${pointer}/responses/${status}`);
          check(content, at);
        }
        for (const [name, back] of Object.entries(callbacks)) checkAll(back, `${pointer}/callbacks/${name}`);
      }
    }
  };
  checkAll(description.paths, '/paths');
  seen.add('/components/examples/not_found'); // no operation has it, only paths that are none
  for (const name of Object.keys(description.components.examples)) assert.ok(seen.has(`/components/examples/${name}`), name);
});

it('docs: api/openapi.json is what api/openapi.yaml says', () => {
  assert.deepEqual(JSON.parse(readFileSync(`${sourceRoot}api/openapi.json`, 'utf8')), description);
});

withServer('docs', {}, (context) => {
  it('is alive and ready', async () => {
    assert.deepEqual((await context.api.get('/livez')).body, { status: 'ok' });
    assert.deepEqual((await context.api.get('/readyz')).body, { status: 'ok' });
  });

  it('serves its description byte by byte', async () => {
    const { bytes } = await context.api.get('/v1/openapi.json');
    assert.ok(bytes.equals(readFileSync(`${sourceRoot}api/openapi.json`)));
  });

  it('ignores a query on pages without parameters', async () => {
    assert.equal((await context.api.get('/livez?x=1')).status, 200);
    assert.equal((await context.api.get('/v1/openapi.json?')).status, 200);
  });

  it('has a reference of all operations and objects, which runs nothing and loads nothing', async () => {
    const { text, bytes, headers } = await context.api.get('/docs');
    assert.ok(bytes.equals(readFileSync(`${sourceRoot}api/reference.html`)));
    assert.match(headers['content-type'], /^text\/html; *charset=utf-8$/i);
    assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'unsafe-inline'");
    assert.equal(/<script|<img|<link|\ssrc=|\son\w+=|href="http|@import|url\(/.exec(text), null);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]);
    assert.equal(new Set(ids).size, ids.length, 'each id once');
    for (const item of Object.values(description.paths)) {
      for (const { operationId } of Object.values(item)) assert.ok(ids.includes(operationId), operationId);
    }
    for (const name of ['Message', 'MessageList', 'Pagination', 'Error']) assert.ok(ids.includes(name), name);
  });

  it('has no link in its pages that leads nowhere', async () => {
    const pages = new Map();
    const page = async (path) => {
      if (!pages.has(path)) pages.set(path, await context.api.get(path));
      return pages.get(path);
    };
    const links = async (path) => [...(await page(path)).text.matchAll(/href="([^"]+)"/g)].map((m) => new URL(m[1], `https://localhost${path}`));
    for (const { pathname, hash } of [...await links('/docs'), ...await links('/docs/api-reference/errors')]) {
      const { status, text } = await page(pathname);
      assert.equal(status, 200, pathname);
      if (hash) assert.ok(text.includes(` id="${hash.slice(1)}"`), `${pathname}${hash}`);
    }
  });

  it('explains every error code at its anchor', async () => {
    const { text, headers } = await context.api.get('/docs/api-reference/errors');
    assert.match(headers['content-type'], /^text\/html; *charset=utf-8$/i);
    for (const { code, status } of rows) {
      const [, section] = text.split(`id="${code}"`);
      assert.ok(section, code);
      assert.ok(section.slice(0, 400).includes(String(status)), `${code}: status`);
    }
    assert.equal(/<script|\ssrc=|href="http|@import|url\(/.exec(text), null, 'no scripts, nothing from outside');
  });

  it('points every error to its anchor on this very server', async () => {
    const { body } = await context.api.get('/v1/messages?limit=0');
    assert.equal(body.documentation, `https://127.0.0.1:${context.server.port}/docs/api-reference/errors#invalid_limit`);
  });
});
