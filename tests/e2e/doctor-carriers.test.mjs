// skylark doctor about carriers: which of them get no messages, why, and what helps.
import { describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { skylark } from './lib/program.mjs';
import { mediaFiles } from './lib/media-files.mjs';
import { basic, withMms } from './lib/mmsc.mjs';
import { STATUS, carrier, withLive } from './lib/smsc.mjs';
import { slowness, until } from './lib/wait.mjs';

const codes = { ok: 0, failed: 1 };

// What doctor says of carriers: [state, finding, remedy] of each row.
async function look(live, args = ['--config', live.file]) {
  const { code, stdout } = await skylark(['doctor', '-o', 'json', '--data-dir', live.folder, ...args]);
  const rows = JSON.parse(stdout).checks.filter(({ check }) => check.startsWith('carrier'));
  return { code, rows: rows.map(({ state, finding, remedy }) => [state, finding, remedy]) };
}

const finds = (live, what, state, finding) => until(`doctor to find ${what}`, async () => {
  const found = await look(live);
  return found.rows.some((row) => row[0] === state && finding.test(row[1])) && found;
}, { within: 20_000 });

const one = (smsc) => ({ carrier: { acme: carrier(smsc, { refused_wait: '1s' }) } });

describe('doctor about carriers', { timeout: 120_000 * slowness }, () => {
  it('bound, drained, cut off and refused', withLive({}, one, async ({ smsc, live }) => {
    const good = await finds(live, 'it bound', 'ok', /^1 of 1 can be used$/);
    assert.deepEqual([good.code, good.rows.length], [codes.ok, 1]);

    await live.drain('acme');
    const drained = await finds(live, 'it drained', 'warning', /^'acme' is drained: it gets nothing new$/);
    assert.equal(drained.code, codes.ok);
    assert.match(drained.rows[0][2], /'skylark carriers enable acme'/);
    await live.server.command('carriers', 'enable', 'acme', '--config', live.file);
    await finds(live, 'it enabled', 'ok', /^1 of 1 can be used$/);

    smsc.bind = (pdu, session) => { session.send(pdu.response({ command_status: STATUS.ESME_RINVPASWD })); return true; };
    smsc.sessions.forEach((session) => session.destroy());
    const refused = await finds(live, 'it refused', 'wrong', /^'acme' is down since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC.*RINVPASWD/);
    assert.equal(refused.code, codes.failed);
    assert.match(refused.rows[0][2], /'skylark carriers test acme'/);
    smsc.bind = null;
    await finds(live, 'it bound again', 'ok', /^1 of 1 can be used$/);
  }));

  it('of another configuration than was read here', withLive({}, one, async ({ live }) => {
    await finds(live, 'it bound', 'ok', /can be used/);
    const { code, rows } = await look(live, []);
    assert.equal(code, codes.ok);
    assert.ok(live.server.stdout.includes(`carriers list --data-dir '${realpathSync(live.folder)}' --config '${realpathSync(live.file)}'\n`), live.server.stdout);
    assert.match(rows[0][1], /^the server has 'acme' from another configuration/);
    assert.match(rows[0][2], /--config/);
  }));

  it('an MMSC that answers with 401, and no server at all', withMms(() => mediaFiles(), { authorization: basic('us', 'right') }, { settings: { username: 'us', password: 'wrong', refused_wait: '1h' } }, async ({ media, live, client }) => {
    await finds(live, 'it ready', 'ok', /^1 of 1 can be used$/);
    const elsewhere = await live.server.command('carriers', 'list');
    assert.ok(/^acme +ready/m.test(elsewhere) && !/BINDS/.test(elsewhere), elsewhere);
    await client.sent({ to: '+14155550123', text: 'Hello', mediaUrls: [media.url('cat.jpg')] });
    const { code, rows } = await finds(live, 'it closed', 'wrong', /^'acme' is down since .* UTC; 1 message waits for it: .*HTTP 401: check username and password/);
    assert.equal(code, codes.failed);
    assert.equal(rows.length, 1);
    await live.server.stop();
    const after = await look(live);
    assert.deepEqual([after.code, after.rows.length], [codes.ok, 1]);
    assert.match(after.rows[0][1], /^1 in the configuration; no server answers/);
  }));
});
