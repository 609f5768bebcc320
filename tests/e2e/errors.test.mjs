// Every error code that api/openapi.yaml lists for an operation, provoked on that operation; and all
// codes of the program, with what goes with them.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { description } from './lib/contract.mjs';
import { operations } from './lib/operations.mjs';
import { sourceRoot } from './lib/program.mjs';
import { endTroubled, fields, maintained, unprovoked, ways } from './lib/provoke.mjs';
import { mediaFiles } from './lib/media-files.mjs';
import { Server, removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness } from './lib/wait.mjs';
import { World } from './lib/world.mjs';

const statusOf = (code) => description.components.examples[code].value.statusCode;
const withKey = operations.filter((op) => op.withKey);
const pairs = withKey.flatMap((op) => Object.values(op.codes).flat().map((code) => ({ op, code })));
const provoked = new Set();

const families = { 4: 'validation_error', 5: 'api_error' };
const family = (status) => ({ 401: 'authentication_error', 403: 'authentication_error', 429: 'rate_limit_exceeded' }[status] ?? families[Math.trunc(status / 100)]);

describe('errors', { timeout: 240_000 * slowness }, () => {
  let media;
  let server;
  let world;

  // The client holds each answer against the description; this is what it should be in particular.
  function assertAnswer({ status, headers, body }, code, field) {
    const expected = {
      error: family(statusOf(code)), code, statusCode: statusOf(code), ...(field ? { field } : {}),
      documentation: body.documentation,
    };
    const { message, retryAfter, ...rest } = body;
    assert.equal(status, statusOf(code), JSON.stringify(body));
    assert.deepEqual(rest, expected, message);
    assert.match(body.documentation, new RegExp(`^https://127\\.0\\.0\\.1:\\d+/docs/api-reference/errors#${code}$`));
    assert.match(message, /^['A-Za-z0-9+].*[.)]$/, 'a sentence');
    assert.equal(headers['retry-after'], [429, 503].includes(status) ? `${retryAfter}` : undefined);
    provoked.add(code);
  }

  before(async () => {
    media = await mediaFiles();
    server = await Server.start({ leakCheck: true, env: { SKYLARK_MEDIA_CA: media.ca, SKYLARK_MEDIA_ALLOW_LOCALHOST: 'on' } });
    world = await World.make(server, media);
    world.folder = temporaryFolder();
  });
  after(async () => {
    await endTroubled();
    if (world) removeFolder(world.folder);
    await server?.dispose();
    await media?.stop();
  });

  for (const op of withKey) {
    describe(op.name, () => {
      for (const { code } of pairs.filter((pair) => pair.op === op && !unprovoked[pair.code]?.(op))) {
        it(code, async () => {
          assert.ok(ways[code], `lib/provoke.mjs has no way to get ${code}`);
          assertAnswer(await ways[code](op, world), code, fields[code]?.(op));
        });
      }
    });
  }

  for (const op of operations.filter((one) => !one.withKey)) {
    it(`${op.name}: request_too_large`, async () => assertAnswer(await ways.request_too_large(op, world), 'request_too_large'));
  }

  it('GET /readyz says that it is in maintenance, GET /livez is not touched by it', async () => {
    const client = await maintained(world);
    const { status, headers, body } = await client.get('/readyz');
    assert.deepEqual([status, headers['retry-after'], body], [503, '60', { status: 'unavailable', reason: 'maintenance' }]);
    for (const path of ['/livez', '/docs', '/v1/openapi.json']) assert.equal((await client.get(path)).status, 200, path);
  });

  it('not_found', async () => {
    for (const [method, path] of [['GET', '/v1/sends'], ['GET', '/v1/send'], ['DELETE', '/v1/messages'], ['PUT', '/v1/opt-outs'], ['POST', '/']]) {
      for (const key of [world.api.key, null]) assertAnswer(await world.api.call(method, path, { key }), 'not_found');
    }
  });

  it('every code of the program was provoked', () => {
    const codes = [...readFileSync(`${sourceRoot}src/messaging/problem.def`, 'utf8').matchAll(/^X\((\w+),/gm)].map(([, name]) => name.toLowerCase());
    assert.deepEqual(codes.filter((code) => !provoked.has(code)), ['insufficient_balance']);
  });

  it('stops cleanly', () => server.stop());
});
