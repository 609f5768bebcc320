// Makes api/openapi.json, which the program embeds and serves, from api/openapi.yaml, which people
// write. With --check it writes nothing and fails when the JSON is not what the YAML says.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const path = (name) => fileURLToPath(new URL(`../../api/${name}`, import.meta.url));

const description = parse(readFileSync(path('openapi.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 });
const json = `${JSON.stringify(description, null, 1)}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(path('openapi.json'), json);
} else if (readFileSync(path('openapi.json'), 'utf8') !== json) {
  console.error('api/openapi.json is not what api/openapi.yaml says; run: npm run openapi');
  process.exitCode = 1;
}
