// What an operator does while messages flow: reading the configuration again, draining, testing,
// asking where a message would go and what it costs.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Smsc, carrier, liveServer, STATUS } from './lib/smsc.mjs';
import { skylark } from './lib/program.mjs';
import { sleep, slowness, until } from './lib/wait.mjs';

const to = '+14155550123';

describe('smpp: operating', { timeout: 120_000 * slowness }, () => {
  async function withTwo(body) {
    const a = await Smsc.start();
    const b = await Smsc.start();
    const sections = (more = {}) => ({ carrier: { first: carrier(a, more.first), second: carrier(b, more.second) }, route: { uk: { carrier: 'second', prefix: '+44' }, rest: { carrier: 'first' } } });
    const live = await liveServer(sections());
    try {
      await a.bound();
      await b.bound();
      await body({ a, b, live, client: live.client, sections });
      await live.end();
    } finally {
      await live.server.dispose();
      await a.stop();
      await b.stop();
    }
  }

  it('the longest prefix decides, and SIGHUP keeps binds that did not change', () => withTwo(async ({ a, b, live, client, sections }) => {
    const us = await client.sent({ to, text: 'us' });
    const uk = await client.sent({ to: '+447700900777', text: 'uk' });
    await live.status(us.messageId, 'delivered');
    await live.status(uk.messageId, 'delivered');
    assert.deepEqual([a.submits.length, b.submits.length], [1, 1]);
    const { refused } = (await live.events(uk.messageId)).find((e) => e.type === 'routed');
    assert.ok(refused.some((r) => r.route === 'rest' && r.carrier === 'first' && r.reason), JSON.stringify(refused));

    live.configure({ ...sections({ second: { window: 5 } }), route: { all: { carrier: 'second' } } });
    await until('the second to bind anew', () => b.binds.length === 2 && b.sessions.length === 1, { within: 10_000 });
    assert.equal(a.binds.length, 1, 'the first kept its bind');
    await until('the new route', async () => {
      const { messageId } = await client.sent({ to, text: 'us by the second' });
      await live.status(messageId, 'delivered');
      return b.submits.length > 1;
    });

    // A faulty file changes nothing.
    writeFileSync(live.file, '[carrier first]\nadress = x\n');
    live.server.signal('SIGHUP');
    await until('the complaint', () => /adress/.test(live.server.stderr));
    const still = await client.sent({ to, text: 'still here' });
    await live.status(still.messageId, 'delivered');
  }));

  it('a carrier that is taken out of the configuration leaves nothing behind', () => withTwo(async ({ a, b, live, client, sections }) => {
    a.submit = () => true; // takes and never answers
    const held = [];
    for (let i = 0; i < 12; i++) held.push((await client.sent({ to, text: `held ${i}` })).messageId);
    await a.got(10);
    const { second } = sections().carrier;
    live.configure({ carrier: { second } });
    for (const id of held) await live.status(id, 'delivered', { within: 20_000 });
    assert.ok(b.submits.length >= 12);
    await until('the first to be let go', () => a.sessions.length === 0, { within: 10_000 });
  }));

  it('drain and enable', () => withTwo(async ({ a, b, live, client }) => {
    await live.drain('first');
    assert.equal((await live.carriers()).first.state, 'drained');
    const { messageId } = await client.sent({ to, text: 'waits' });
    await sleep(700);
    assert.equal((await client.message(messageId)).status, 'queued');
    assert.equal(a.submits.length, 0);
    assert.equal(a.sessions.length, 1, 'it goes on to receive');
    await live.server.command('carriers', 'enable', 'first', '--config', live.file);
    await live.status(messageId, 'delivered');
    await until('the list to say so', async () => /first\s.*bound/.test(await live.server.command('carriers', 'list', '--config', live.file)));
    assert.equal(b.submits.length, 0);
  }));

  it('says so when it reads another configuration than the server', () => withTwo(async ({ live }) => {
    const folder = ['--data-dir', live.server.dataDir];
    const list = await until('the server to note its carriers', async () => {
      const told = await skylark(['carriers', 'list', ...folder]);
      return /first\s+bound/.test(told.stdout) && told;
    });
    assert.match(list.stderr, /another configuration.*--config/s);
    const test = await skylark(['carriers', 'test', 'first', ...folder]);
    assert.equal(test.code, 5);
    assert.match(test.stderr, /has no carriers.*--config/);
    const explain = await skylark(['route', 'explain', to, ...folder]);
    assert.match(explain.stderr, /--config or \$SKYLARK_CONFIG/);
  }));

  it('carriers test tells what works and what does not', () => withTwo(async ({ a, live }) => {
    const good = await skylark(['carriers', 'test', 'first', '--config', live.file]);
    assert.equal(good.code, 0, good.stderr);
    assert.match(good.stdout, /bound|bind/i);
    a.bind = (pdu, session) => { session.send(pdu.response({ command_status: STATUS.ESME_RINVPASWD })); return true; };
    const bad = await skylark(['carriers', 'test', 'first', '--config', live.file]);
    assert.equal(bad.code, 1);
    assert.match(bad.stdout + bad.stderr, /RINVPASWD|password/i);
    const nobody = await skylark(['carriers', 'test', 'frist', '--config', live.file]);
    assert.notEqual(nobody.code, 0);
    assert.match(nobody.stderr, /did you mean.*first/i);
  }));

  it('route explain and imported prices', () => withTwo(async ({ live, client }) => {
    const explain = async (...args) => live.server.command('route', 'explain', ...args, '--config', live.file);
    const uk = await explain('+447700900777');
    assert.match(uk, /second/);
    assert.match(uk, /\+447700900555/);
    assert.match(await explain(to), /first/);

    const file = join(live.folder, 'prices.csv');
    writeFileSync(file, 'prefix,price,valid_from\n1,0.0031,\n1415,0.123456,\n44,0.05,2099-01-01\n');
    await live.server.command('prices', 'import', file);
    const message = await until('the new price', async () => {
      const m = await client.sent({ to, text: 'x'.repeat(200) });
      return m.cost.amount !== 0.015 && m;
    });
    assert.equal(message.cost.amount, 0.246912);
    assert.equal((await client.sent({ to: '+447700900777', text: 'x' })).cost.amount, 0.045, 'not valid yet');

    writeFileSync(file, 'prefix,price\n1,0.0000001\nx,1\n');
    const bad = await skylark(['prices', 'import', file, '--data-dir', live.folder]);
    assert.notEqual(bad.code, 0);
    assert.match(bad.stderr, /:2:|line 2/);
    assert.match(bad.stderr, /:3:|line 3/);
  }));
});
