// tools/openapi/reference.mjs and markdown.mjs: the page says what the description says, and nothing
// in a description can break out of it.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { inline, markdown } from '../../tools/openapi/markdown.mjs';
import { reference } from '../../tools/openapi/reference.mjs';

it('reference: text is text, marks are marks', () => {
  assert.equal(inline('a < b & "c" **d** `<e>` [f](/g)'), 'a &lt; b &amp; &quot;c&quot; <strong>d</strong> <code>&lt;e&gt;</code> <a href="/g">f</a>');
  assert.equal(inline('`**not bold**`'), '<code>**not bold**</code>');
  assert.equal(inline('see `GET /x`', (code) => (code === 'GET /x' ? '#x' : null)), 'see <a href="#x"><code>GET /x</code></a>');
});

it('reference: paragraphs, lists, tables and code', () => {
  assert.equal(markdown('one\ntwo\n\nthree\n'), '<p>one\ntwo</p>\n<p>three</p>');
  assert.equal(markdown('- a\n  b\n- `c`'), '<ul><li>a b</li><li><code>c</code></li></ul>');
  assert.equal(markdown('```sh\na\n\n<b>\n```'), '<pre tabindex="0"><code>a\n\n&lt;b&gt;</code></pre>');
  const table = markdown('| a | b |\n|---|---|\n| `1` | <2> |');
  assert.ok(table.includes('<tr><th scope="col">a</th><th scope="col">b</th></tr>'), table);
  assert.ok(table.includes('<tr><td><code>1</code></td><td>&lt;2&gt;</td></tr>'), table);
  assert.equal(markdown(undefined), '');
});

const api = {
  info: { title: 'Things', version: '1.2', description: 'About **things**. See `POST /things/{id}`.' },
  tags: [{ name: 'All things', description: 'Each and every one.' }],
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'changeThing',
        'x-permission': 'things:write',
        tags: ['All things'],
        summary: 'Change a thing',
        description: 'Changes it.',
        parameters: [{ name: 'id', in: 'path', required: true, description: 'Which.', schema: { type: 'string' } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 9, description: 'How large.' },
                  kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
                  tags: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 5 } },
                },
              },
              examples: { one: { summary: 'A small one', value: { size: 1 } } },
            },
          },
        },
        responses: {
          200: { description: 'Changed.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          400: { description: 'Wrong.', content: { 'application/json': { schema: { type: 'object' }, examples: { bad: { value: { code: 'invalid_size' } } } } } },
        },
        callbacks: {
          changed: {
            '{$request.body#/url}': {
              post: {
                summary: 'News of a thing',
                description: 'It **changed**.',
                parameters: [{ name: 'X-Why', in: 'header', required: true, description: 'Why.', schema: { type: 'string' } }],
                requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/News' }, examples: { one: { summary: 'Small news', value: {} } } } } },
                responses: { 200: { description: 'Seen.' } },
              },
            },
          },
        },
      },
    },
    '/health': { get: { operationId: 'health', tags: ['All things'], summary: 'Well?', description: 'Asks.', security: [], responses: {} } },
  },
  components: {
    schemas: {
      Thing: { type: 'object', description: 'A thing.', required: ['at'], properties: { at: { type: 'string', format: 'date-time', nullable: true }, inner: { $ref: '#/components/schemas/Inner' } } },
      News: { type: 'object', description: 'News.', properties: { what: { type: 'string' } } },
      Inner: { type: 'object', properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } } },
    },
  },
};

it('reference: every part of a description is on the page', () => {
  const page = reference(api);
  for (const piece of [
    '<title>Things reference</title>',
    '<a href="#changeThing"><code>POST /things/{id}</code></a>',
    '<li><a href="#changeThing">Change a thing</a></li>',
    '<section class="group" id="all-things">',
    '<span class="method post">POST</span> <code>/things/{id}</code>',
    'Needs a key with the permission <code>things:write</code>.',
    'No key is needed.',
    '<code>id</code> <span class="type">string · in the path · <strong>required</strong></span>',
    '<code>size</code> <span class="type">integer · <strong>required</strong></span>',
    '1 to 9',
    'one of <code>a</code> <code>b</code>; <code>a</code> when left out',
    'at most 3 entries; each at most 5 characters',
    '<summary>Example: A small one</summary>',
    '<a href="#Thing">Thing</a>',
    '<section class="operation" id="Inner">',
    '<code>at</code> <span class="type">time or null · <strong>required</strong></span>',
    'list of <a href="#Thing">Thing</a>',
    '<h4>Posted to you: news of a thing</h4>\n<p>It <strong>changed</strong>.</p>\n<p class="limits"><a href="#News">News</a></p>',
    '<code>X-Why</code> <span class="type">string · header · <strong>required</strong></span>',
    '<summary>Example: Small news</summary>',
    '<section class="operation" id="News">',
    '<a href="/docs/api-reference/errors#invalid_size"><code>invalid_size</code></a>',
  ]) assert.ok(page.includes(piece), `${piece}\nis not in\n${page.slice(page.indexOf('<main'))}`);
});
