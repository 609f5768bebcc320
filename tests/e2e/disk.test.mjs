// The disk fails under the server: no message is taken that is not kept, the reason is said, and
// the server recovers by itself. A limit on file sizes plays the full disk.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { run } from './lib/program.mjs';
import { withServer } from './lib/server.mjs';
import { sleep, until } from './lib/wait.mjs';

const to = '+15551234567';

withServer('disk', {}, (context) => {
  const acknowledged = [];
  const limitFiles = async (size) => {
    const { code, stderr } = await run('prlimit', ['--pid', String(context.server.pid), `--fsize=${size}:unlimited`]);
    assert.equal(code, 0, stderr);
  };
  const send = async (text) => {
    const response = await context.api.send({ to, text });
    if (response.status === 201) acknowledged.push(response.body.messageId);
    return response;
  };

  for (const size of [0, 65_536]) {
    it(`full at ${size} bytes: 503, not ready, and the reason is said`, async () => {
      for (let i = 0; i < 20; i++) assert.equal((await send(`before ${size}`)).status, 201);
      context.server.stderr = '';
      await limitFiles(size);
      // With room left in a file some may still be kept; soon none is.
      await until('the first refusal', async () => (await send('maybe')).status === 503, { within: 20_000, every: 0 });
      const answers = await Promise.all(Array.from({ length: 40 }, () => send('no')));
      for (const { status, body } of answers) {
        if (size === 0) assert.equal(status, 503);
        if (status !== 201) assert.equal(body.code, 'service_unavailable');
      }
      const { status, body } = await until('readyz to say no', async () => {
        const response = await context.api.get('/readyz');
        return response.status === 503 && response;
      });
      assert.equal(status, 503);
      assert.ok(body.reason.length > 5);
      assert.equal((await context.api.get('/livez')).status, 200, 'it is alive all the same');
      assert.match(context.server.stderr, /disk|full|i\/o|large|write|store/i, 'the log says why');
    });

    it(`full at ${size} bytes: reads go on`, async () => {
      for (const id of acknowledged.slice(-20)) assert.equal((await context.api.message(id)).messageId, id);
    });

    it(`full at ${size} bytes: recovers by itself when there is room again`, async () => {
      await sleep(1500);
      await limitFiles('unlimited');
      await until('readyz', async () => (await context.api.get('/readyz')).status === 200, { within: 10_000, every: 50 });
      await until('a send', async () => (await send('after')).status === 201, { within: 10_000, every: 50 });
      for (let i = 0; i < 20; i++) assert.equal((await send(`after ${size}`)).status, 201);
      await until('all to be delivered', async () => {
        for (const id of acknowledged) if ((await context.api.message(id)).status !== 'delivered') return false;
        return true;
      }, { within: 10_000, every: 200 });
    });
  }

  it('keeps exactly what it acknowledged', async () => {
    const found = [];
    let cursor = null;
    do {
      const { body } = await context.api.get(`/v1/messages?limit=100${cursor ? `&cursor=${cursor}` : ''}`);
      found.push(...body.data.map((m) => m.messageId));
      assert.equal(body.pagination.totalCount, acknowledged.length);
      cursor = body.pagination.nextCursor;
    } while (cursor);
    assert.deepEqual(found.sort(), [...acknowledged].sort());
  });
});
