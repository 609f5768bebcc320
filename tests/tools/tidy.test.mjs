// tools/tidy reads a file again when anything changed on which the verdict depends, and no bad file is ever taken for
// a good one. clang-tidy and ninja are played by scripts.
import { after, beforeEach, it } from 'node:test';
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, sourceRoot } from '../e2e/lib/program.mjs';

let folder;
const folders = [];
const path = (name) => join(folder, name);
const script = (name, text) => writeFileSync(path(`bin/${name}`), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
after(() => folders.forEach((name) => rmSync(name, { recursive: true })));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skylark-tidy-'));
  folders.push(folder);
  mkdirSync(path('bin'));
  mkdirSync(path('build'));
  // Notes what it reads, and finds fault with the word "bad".
  clangTidy('14');
  script('ninja', `cat ${path('deps')}`);
  writeFileSync(path('.clang-tidy'), 'Checks: all\n');
  writeFileSync(path('read'), '');
  writeFileSync(path('a.h'), 'int a;\n');
  for (const name of ['a', 'b']) writeFileSync(path(`${name}.c`), `int ${name};\n`);
  commands('-O1');
  depsOf('VALID');
});

function clangTidy(version) {
  script('clang-tidy', `[ "$1" = --version ] && { echo ${version}; exit; }
for file; do :; done
basename "$file" >>${path('read')}
if grep bad "$file" ${path('a.h')}; then echo "$file: error: bad"; exit 1; fi`);
}

function commands(option) {
  const entry = (name) => ({ directory: path('build'), command: `cc ${option} -c ../${name}.c`, file: `../${name}.c`, output: `${name}.o` });
  writeFileSync(path('build/compile_commands.json'), JSON.stringify([entry('a'), entry('b')]));
}

function depsOf(state) {
  writeFileSync(path('deps'), ['a', 'b'].map((name) => `${name}.o: #deps 2, deps mtime 1 (${state})\n    ../${name}.c\n    ../${name === 'a' ? 'a.h' : 'b.c'}\n\n`).join(''));
}

// Runs it; which files were read, and how it ended.
async function tidy(...options) {
  writeFileSync(path('read'), '');
  const env = { PATH: `${path('bin')}:${process.env.PATH}`, XDG_CACHE_HOME: path('cache') };
  const { code, stdout, stderr } = await run(join(sourceRoot, 'tools/tidy'), ['build', '\\.c$', ...options], { env, cwd: folder });
  return { code, read: readFileSync(path('read'), 'utf8').split('\n').filter(Boolean).sort().join(' '), said: stdout + stderr };
}

async function expect(code, read, ...options) {
  const result = await tidy(...options);
  assert.deepEqual({ code: result.code, read: result.read }, { code, read }, result.said);
  return result.said;
}

it('tidy: what was found good is not read again, and that is said', async () => {
  await expect(0, 'a.c b.c');
  assert.match(await expect(0, ''), /0 files read, 2 unchanged/);
});

for (const [what, change, read] of [
  ['the file', () => appendFileSync(path('b.c'), '// more\n'), 'b.c'],
  ['a header', () => appendFileSync(path('a.h'), '// more\n'), 'a.c'],
  ['.clang-tidy', () => appendFileSync(path('.clang-tidy'), '# more\n'), 'a.c b.c'],
  ["the compiler's options", () => commands('-O2'), 'a.c b.c'],
  ['clang-tidy', () => clangTidy('15'), 'a.c b.c'],
]) {
  it(`tidy: reads again when this changed: ${what}`, async () => {
    await expect(0, 'a.c b.c');
    change();
    await expect(0, read);
    await expect(0, '');
  });
}

it('tidy: other options are another question', async () => {
  await expect(0, 'a.c b.c');
  await expect(0, 'a.c b.c', '--checks=less');
});

it('tidy: a bad file is named, and is bad each time', async () => {
  writeFileSync(path('b.c'), 'bad\n');
  for (const read of ['a.c b.c', 'b.c']) assert.match(await expect(1, read), /b\.c: error: bad/);
});

it('tidy: a header that turns bad makes its file bad', async () => {
  await expect(0, 'a.c b.c');
  writeFileSync(path('a.h'), 'bad\n');
  await expect(1, 'a.c');
});

it('tidy: what a file includes must be known', async () => {
  depsOf('STALE');
  await expect(0, 'a.c b.c');
  await expect(0, 'a.c b.c');
});

it('tidy: no file at all is a fault', async () => {
  writeFileSync(path('build/compile_commands.json'), '[]');
  await expect(1, '');
});
