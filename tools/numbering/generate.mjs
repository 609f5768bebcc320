// Writes the numbering plan as C tables, and example numbers to test them with.
//
// A calling code may serve several countries. Inside such a code the first DEPTH digits of the
// national number decide. We ask for each possible beginning which country claims it:
// countries with explicit leading digits first, then the others by their number patterns, in
// libphonenumber's order (main country first). What nobody claims falls to the main country.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parsePhoneNumber } from 'libphonenumber-js/max';

const require = createRequire(import.meta.url);
const metadata = require('libphonenumber-js/metadata.max.json');
const examples = require('libphonenumber-js/examples.mobile.json');
const version = JSON.parse(
  readFileSync(require.resolve('libphonenumber-js/package.json'), 'utf8')).version;
const output = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const DEPTH = 6;
// In the North American plan whole area codes belong to a country, whatever follows them.
const patternDepth = (code) => (code === '1' ? 3 : DEPTH);

// Positions in a country's record, as the package lays it out.
const LENGTHS = 3, LEADING = 10, TYPES = 11;

// ---- regular expressions over digits, as far as the metadata uses them ----

function parse(source) {
  let at = 0;
  const peek = () => source[at];

  function alternatives() {
    const list = [sequence()];
    while (peek() === '|') {
      at++;
      list.push(sequence());
    }
    return { any: list };
  }

  function sequence() {
    const list = [];
    while (at < source.length && peek() !== '|' && peek() !== ')')
      list.push(repeated(atom()));
    return { all: list };
  }

  function atom() {
    if (source.startsWith('(?:', at)) {
      at += 3;
      const inner = alternatives();
      at++; // the closing bracket
      return inner;
    }
    if (source.startsWith('\\d', at)) {
      at += 2;
      return { digits: '0123456789' };
    }
    if (peek() === '[')
      return { digits: digitClass() };
    if (!/[0-9]/.test(peek()))
      throw new Error(`cannot read ${source} at ${at}`);
    return { digits: source[at++] };
  }

  function digitClass() {
    const end = source.indexOf(']', at);
    const body = source.slice(at + 1, end);
    at = end + 1;
    return [...'0123456789'].filter((d) => new RegExp(`[${body}]`).test(d)).join('');
  }

  function repeated(node) {
    const match = /^(\?|\{(\d+)(?:,(\d+))?\})/.exec(source.slice(at));
    if (!match)
      return node;
    at += match[0].length;
    const least = match[1] === '?' ? 0 : Number(match[2]);
    const most = match[1] === '?' ? 1 : Number(match[3] ?? match[2]);
    return { node, least, most };
  }

  const tree = alternatives();
  if (at !== source.length)
    throw new Error(`cannot read ${source} at ${at}`);
  return tree;
}

// All beginnings, `depth` digits long or shorter when the pattern ends before.
function beginnings(node, heads, depth) {
  const open = new Set(), full = new Set();
  for (const head of heads)
    (head.length >= depth ? full : open).add(head);
  if (open.size === 0)
    return full;
  let result = new Set();
  if (node.digits) {
    for (const head of open)
      for (const digit of node.digits)
        result.add(head + digit);
  } else if (node.any) {
    for (const choice of node.any)
      for (const head of beginnings(choice, open, depth))
        result.add(head);
  } else if (node.all) {
    result = node.all.reduce((sofar, part) => beginnings(part, sofar, depth), open);
  } else {
    let sofar = open;
    for (let n = 0; n <= node.most; n++) {
      if (n >= node.least)
        sofar.forEach((head) => result.add(head));
      if (n < node.most)
        sofar = beginnings(node.node, sofar, depth);
    }
  }
  full.forEach((head) => result.add(head));
  return result;
}

// ---- who owns which beginning of a shared calling code ----

function claims(code, country) {
  const record = metadata.countries[country];
  if (record[LEADING])
    return beginnings(parse(record[LEADING]), [''], DEPTH);
  const patterns = (record[TYPES] ?? []).filter((type) => type && type[0]).map((type) => type[0]);
  const depth = patternDepth(code);
  const heads = new Set();
  for (const pattern of patterns)
    for (const head of beginnings(parse(pattern), [''], depth))
      if (head.length === depth) // a shorter one is a short number of its own
        heads.add(head);
  return heads;
}

function ranges(code, countries) {
  const owner = new Array(10 ** DEPTH);
  const explicitFirst = [...countries].sort((a, b) =>
    Boolean(metadata.countries[b][LEADING]) - Boolean(metadata.countries[a][LEADING]));
  for (const country of explicitFirst)
    for (const head of claims(code, country)) {
      const width = 10 ** (DEPTH - head.length);
      const first = Number(head) * width;
      for (let i = first; i < first + width; i++)
        owner[i] ??= country;
    }
  const list = [];
  for (let i = 0; i < owner.length; i++) {
    if (!owner[i] || owner[i] === countries[0])
      continue;
    const last = list.at(-1);
    if (last && last.country === owner[i] && last.last === i - 1)
      last.last = i;
    else
      list.push({ first: i, last: i, country: owner[i] });
  }
  return list;
}

// ---- the tables ----

const lengthBits = (lengths) => lengths.reduce((bits, n) => bits | (1 << n), 0);
const hex = (n) => '0x' + n.toString(16);

// Rows side by side, as many as fit in 100 columns.
function packed(rows) {
  const lines = [];
  for (const row of rows) {
    if (lines.length && lines.at(-1).length + row.length < 100)
      lines.push(`${lines.pop()} ${row}`);
    else
      lines.push(`    ${row}`);
  }
  return lines.join('\n');
}

const countryRows = [], codeRows = [], rangeRows = [];
const countryIndex = new Map();

function addCountry(name, record) {
  countryIndex.set(name, countryRows.length);
  const iso = /^[A-Z]{2}$/.test(name) ? name : '';
  countryRows.push(`{"${iso}", ${hex(lengthBits(record[LENGTHS]))}},`);
}

for (const name of Object.keys(metadata.countries).sort())
  addCountry(name, metadata.countries[name]);
for (const code of Object.keys(metadata.nonGeographic))
  addCountry(`+${code}`, metadata.nonGeographic[code]);

const allCodes = { ...metadata.country_calling_codes };
for (const code of Object.keys(metadata.nonGeographic))
  allCodes[code] = [`+${code}`];

for (const code of Object.keys(allCodes).sort((a, b) => a - b)) {
  const countries = allCodes[code];
  const list = countries.length > 1 ? ranges(code, countries) : [];
  codeRows.push(
    `{${code}, ${countryIndex.get(countries[0])}, ${rangeRows.length}, ${list.length}},`);
  for (const { first, last, country } of list)
    rangeRows.push(`{${first}, ${last}, ${countryIndex.get(country)}},`);
}

writeFileSync(output('src/messaging/numbering_table.c'),
  `/* Made by tools/numbering/generate.mjs; do not edit.
 * Facts from the metadata of libphonenumber (Apache-2.0), as libphonenumber-js ${version} has it. */
#include "messaging/numbering_table.h"

/* clang-format off */
const struct numbering_country numbering_countries[] = {
${packed(countryRows)}
};

const struct numbering_code numbering_codes[] = {
${packed(codeRows)}
};

const struct numbering_range numbering_ranges[] = {
${packed(rangeRows)}
};
/* clang-format on */

const size_t numbering_code_count = sizeof numbering_codes / sizeof *numbering_codes;
`);

// What the package itself says of a number is the measure for our table. Where countries share
// their mobile numbers it names the main one, and so do we.
const samples = Object.keys(examples).filter((name) => metadata.countries[name]).sort()
  .map((name) => parsePhoneNumber(examples[name], name).number)
  .map((number) => ({ number, parsed: parsePhoneNumber(number) }))
  .map(({ number, parsed }) => `${number},${parsed.countryCallingCode},${parsed.country}`);
writeFileSync(output('tests/data/numbers.csv'),
  `number,calling_code,country\n${samples.join('\n')}\n`);
console.log(`${codeRows.length} calling codes, ${countryRows.length} countries, `
  + `${rangeRows.length} ranges, ${samples.length} example numbers`);
