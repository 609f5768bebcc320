// Makes api/openapi.json and api/reference.html, which the program embeds and serves, from
// api/openapi.yaml, which people write. With --check it writes nothing and fails when they are not
// what the YAML says.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { reference } from './reference.mjs';

const path = (name) => fileURLToPath(new URL(`../../api/${name}`, import.meta.url));

const description = parse(readFileSync(path('openapi.yaml'), 'utf8'), { merge: true, maxAliasCount: -1 });
const made = {
  'openapi.json': `${JSON.stringify(description, null, 1)}\n`,
  'reference.html': reference(description),
};

for (const [name, text] of Object.entries(made)) {
  if (!process.argv.includes('--check')) {
    writeFileSync(path(name), text);
  } else if (readFileSync(path(name), 'utf8') !== text) {
    console.error(`api/${name} is not what api/openapi.yaml says; run: npm run openapi`);
    process.exitCode = 1;
  }
}
