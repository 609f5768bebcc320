// tools/e2e.mjs runs the test files, and tools/count-tests counts what they said: neither may turn
// a failure into silence.
import { after, it } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, sourceRoot } from '../e2e/lib/program.mjs';

const folder = mkdtempSync(join(tmpdir(), 'skylark-tools-'));
const out = join(folder, 'out');
after(() => rmSync(folder, { recursive: true }));

const head = "import { it } from 'node:test'; import fs from 'node:fs';\n";
const files = {
  good: `${head}it('a', () => {}); it('b', () => {}); it('c', { skip: true }, () => {});`,
  bad: `${head}it('a', () => {}); it('b', () => { throw new Error('no'); });`,
  broken: 'this is no JavaScript',
  // Fails the first time only.
  moody: `${head}it('a', () => { if (!fs.existsSync(process.env.MARK)) { fs.writeFileSync(process.env.MARK, ''); throw new Error('not yet'); } });`,
  // Two that can only pass side by side: each waits for the other.
  left: meets('left', 'right'),
  right: meets('right', 'left'),
  // One that can only pass when nothing runs beside it.
  alone: `// Runs alone: it says so\n${head}it('a', () => { if (fs.existsSync(process.env.BUSY)) throw new Error('not alone'); });`,
  busy: `${head}it('a', async () => { fs.writeFileSync(process.env.BUSY, ''); await new Promise((r) => setTimeout(r, 500)); fs.unlinkSync(process.env.BUSY); });`,
};

function meets(own, other) {
  return `${head}it('meets', async () => {
    fs.writeFileSync(process.env.MARK + '${own}', '');
    for (let i = 0; i < 500 && !fs.existsSync(process.env.MARK + '${other}'); i++) await new Promise((r) => setTimeout(r, 20));
    if (!fs.existsSync(process.env.MARK + '${other}')) throw new Error('nobody came');
  });`;
}

let marks = 0;

// Runs these files; what the runner and the counter said of them.
async function runner(names, ...options) {
  const paths = names.map((name) => join(folder, `${name}.test.mjs`));
  names.forEach((name, i) => writeFileSync(paths[i], files[name]));
  const env = { MARK: join(folder, `mark${++marks}`), BUSY: join(folder, 'busy'), NODE_TEST_CONTEXT: undefined };
  const { code, stdout, stderr } = await run('node', ['tools/e2e.mjs', '--out', out, ...options, ...paths], { env, cwd: sourceRoot });
  const counted = await run('tools/count-tests', ['tap', out], { cwd: sourceRoot });
  const unsteady = existsSync(join(out, 'unsteady')) ? readFileSync(join(out, 'unsteady'), 'utf8').trim() : '';
  const [counts, ...failed] = counted.stdout.trim().split('\n');
  return { code, said: stdout + stderr, counts, failed, unsteady };
}

it('runner: what passes is counted, what is skipped too', async () => {
  const { code, counts, unsteady, said } = await runner(['good'], '--again');
  assert.deepEqual({ code, counts, unsteady }, { code: 0, counts: '2 0 1', unsteady: '' }, said);
});

it('runner: a failing file fails, with and without a second run', async () => {
  for (const options of [[], ['--again']]) {
    const { code, counts, failed, unsteady, said } = await runner(['good', 'bad'], ...options);
    assert.deepEqual({ code, counts, unsteady }, { code: 1, counts: '3 1 1', unsteady: '' }, said);
    assert.equal(failed.length, 1, 'the one that failed is named');
    assert.match(failed[0], /^bad\.test\.mjs: b$/);
    assert.match(said, /bad\.test\.mjs: FAILED/);
  }
});

it('runner: a file that cannot even start is a failure', async () => {
  for (const options of [[], ['--again']]) {
    const { code, counts, said } = await runner(['broken'], ...options);
    assert.deepEqual({ code, counts }, { code: 1, counts: '0 1 0' }, said);
  }
});

it('runner: one that passes on its second run is named loudly', async () => {
  const once = await runner(['moody']);
  assert.deepEqual({ code: once.code, counts: once.counts }, { code: 1, counts: '0 1 0' }, once.said);
  const twice = await runner(['moody', 'good'], '--again');
  assert.deepEqual({ code: twice.code, counts: twice.counts }, { code: 0, counts: '3 0 1' }, twice.said);
  assert.match(twice.said, /^UNSTEADY .*moody\.test\.mjs: passed on the second run$/m);
  assert.match(twice.unsteady, /moody\.test\.mjs$/);
});

it('runner: files run side by side when asked to', async () => {
  const { code, said } = await runner(['left', 'right'], '--jobs', '2');
  assert.equal(code, 0, said);
});

it('runner: a file that wants to be alone is', async () => {
  const { code, said } = await runner(['alone', 'busy'], '--jobs', '2');
  assert.equal(code, 0, said);
});

it('count-tests: a unit test counts as it went the last time, and is named when it failed', async () => {
  const line = (name, result, said) => `${JSON.stringify({ name, result, stdout: said })}\n`;
  const logs = ['first', 'again'].map((name) => join(folder, `${name}.json`));
  writeFileSync(logs[0], line('one', 'OK', '[  PASSED  ] 3 test(s).') + line('skylark:unit / two', 'FAIL', '[  PASSED  ] 1 test(s).\n[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] rises\n'));
  writeFileSync(logs[1], line('skylark:unit / two', 'OK', '[  PASSED  ] 2 test(s).'));
  const count = async (...files) => (await run('tools/count-tests', ['meson', ...files], { cwd: sourceRoot })).stdout;
  assert.equal(await count(logs[0]), '4 1 0\ntwo: rises\n');
  assert.equal(await count(...logs), '5 0 0\n');
});
