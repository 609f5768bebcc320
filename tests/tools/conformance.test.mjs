// docs/SMPP.md keeps its word: the tests that it names exist, every PDU and parameter of the codec
// is in its tables, and so is every setting with its default.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sourceRoot } from '../e2e/lib/program.mjs';

const read = (path) => readFileSync(join(sourceRoot, path), 'utf8');
const page = read('docs/SMPP.md');
const conformance = page.slice(page.indexOf('\n## Conformance'));

// The rows of the table under a heading, as lists of cells.
function table(heading, text = page) {
  const from = text.indexOf(`\n### ${heading}\n`);
  assert.ok(from >= 0, heading);
  const part = text.slice(from + 1).split(/\n##/)[0];
  return part.split('\n').filter((line) => line.startsWith('| ')).slice(1)
    .map((line) => line.replaceAll('\\|', '\u0000').split('|').slice(1, -1).map((cell) => cell.replaceAll('\u0000', '|').trim()));
}

const folders = ['src/smpp', 'src/carriers', 'src/messaging', 'tests/e2e'];
const sources = new Map(folders.flatMap((folder) => readdirSync(join(sourceRoot, folder))
  .filter((name) => /_test\.c$|\.test\.mjs$/.test(name)).map((name) => [name, join(folder, name)])));

// Whether a file has a test of that name: a function of cmocka that is run, or what `it` says.
function hasTest(file, name) {
  const path = sources.get(file);
  if (!path) return false;
  const text = read(path);
  if (file.endsWith('.c')) return new RegExp(`\\b${name}\\(void \\*\\*state\\)`).test(text) && new RegExp(`\\(${name}[,)]`).test(text);
  return text.includes(`it('${name.replaceAll("'", "\\'")}`);
}

it('conformance: every test that is named exists', () => {
  const named = [...conformance.matchAll(/`([\w.-]+\.(?:c|mjs)): ([^`]+)`/g)];
  assert.ok(named.length > 40, `${named.length} are named`);
  const missing = named.filter(([, file, name]) => !hasTest(file, name)).map(([words]) => words);
  assert.deepEqual(missing, []);
  assert.ok(!hasTest('pdu_test.c', 'no_such_test') && !hasTest('none.c', 'main'));
});

it('conformance: every yes has a test', () => {
  for (const heading of ['PDUs', 'Optional parameters']) {
    for (const [name, sent, received, tests] of table(heading, conformance)) {
      const claims = [sent, received].filter((cell) => cell && !/^(no|ignored.*|generic_nack, 0x03)$/.test(cell));
      assert.ok(claims.length === 0 || tests, name);
    }
  }
});

it('conformance: every PDU and every parameter of the codec has its place', () => {
  const commands = [...read('src/smpp/pdu.def').matchAll(/^X\([\w |]+,\s*(\w+),/gm)].map(([, name]) => name);
  assert.ok(commands.length > 30);
  assert.deepEqual(table('PDUs', conformance).map(([name]) => name).sort(), commands.sort());
  const parameters = [...read('src/smpp/tlv.def').matchAll(/^X\(\w+, 0x[0-9a-f]+, (\w+),/gm)].map(([, name]) => name);
  const ignored = /otherwise ignored:\n([\s\S]*?)\.\n/.exec(conformance)[1].split(/,\s+/);
  const used = table('Optional parameters', conformance).map(([name]) => name);
  assert.deepEqual([...used, ...ignored].sort(), parameters.sort());
});

it('conformance: the settings are those of the program, with their defaults', () => {
  const config = read('src/base/config.h');
  for (const [macro, heading] of [['CARRIER', '[carrier NAME]'], ['SENDER', '[sender ADDRESS]'], ['ROUTE', '[route NAME]']]) {
    const [, body] = new RegExp(`#define CONFIG_${macro}_ROWS\\(X\\)((?:.*\\\\\\n)*.*)`).exec(config);
    const rows = [...body.matchAll(/X\((\w+), \w+, "([^"]*)",/g)].map(([, key, value]) => [`\`${key}\``, value === '' ? '' : `\`${value}\``]);
    assert.deepEqual(table(heading).map(([key, value]) => [key, value]), rows, heading);
  }
});

it('conformance: links lead to headings', () => {
  const anchors = new Set([...page.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')));
  for (const [, anchor] of page.matchAll(/\]\(#([^)]+)\)/g)) assert.ok(anchors.has(anchor), anchor);
});
