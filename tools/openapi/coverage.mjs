// How much of the contract the recorded exchanges show, and whether any of them strays from it.
//
//   node tools/openapi/coverage.mjs FOLDER [API-FILE]
//
// FOLDER holds what tests/e2e/lib/record.mjs wrote. `redocly drift` compares and counts; this leaves out
// of its count what cannot happen, names what is missing, and fails below the goal.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const goal = 0.95;
const root = fileURLToPath(new URL('../../', import.meta.url));

// What the description allows in general and the rules of the API exclude. The end-to-end tests hold
// every error to these rules (checkError in tests/e2e/lib/contract.mjs).
const impossible = [
  // A fault of ours cannot be ordered, but for the number that acts one.
  ({ operationId, status }) => status === '500' && operationId !== 'sendMessage',
  // All errors share one schema: only those that pass by themselves say when,
  ({ status, path }) => /^[45]/.test(status) && path === 'retryAfter' && !['429', '503'].includes(status),
  // and only a wrong request has a wrong field.
  ({ status, path }) => /^[45]/.test(status) && path === 'field' && status !== '400',
];

const kinds = { operation: 'operations', response: 'response codes', property: 'properties', parameter: 'parameters' };

function drift(traffic, api) {
  const folder = mkdtempSync(join(tmpdir(), 'skylark-coverage-'));
  const [report, coverage] = [join(folder, 'drift.json'), join(folder, 'coverage.json')];
  const args = [
    'drift', traffic, '--api', api, '--server', 'https://localhost:8443', '--traffic-format', 'ndjson', '--rules', 'schema-consistency',
    '--min-severity', 'error', '--format', 'json', '--output', report, '--coverage-output', coverage,
  ];
  try {
    execFileSync(process.execPath, [join(root, 'node_modules/@redocly/cli/bin/cli.js'), ...args], {
      cwd: root, stdio: 'pipe', encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
  } catch (error) {
    // It fails when it finds something, which is in the report, or else by itself.
    if (!existsSync(report) || !existsSync(coverage)) throw new Error(`redocly drift: ${error.stderr || error.message}`);
  }
  const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
  // What clients send may stray, and the tests do so on purpose (null for an absent field); answers may not.
  const problems = read(report).problems.filter(({ target }) => target !== 'request');
  const found = { problems, operations: read(coverage).operations };
  rmSync(folder, { recursive: true });
  return found;
}

// {kind: {covered, total, missing: ["POST /v1/send: response 503"]}}
export function count(operations) {
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { covered: 0, total: 0, missing: [] }]));
  for (const { method, path, operationId, covered, missing } of operations) {
    const possible = (item) => !impossible.some((rule) => rule({ operationId, ...item }));
    const at = (item) => [item.target, item.status, item.in, item.path ?? item.name].filter(Boolean).join(' ');
    for (const item of covered.filter(possible)) counts[item.kind].covered++;
    for (const item of missing.filter(possible)) counts[item.kind].missing.push(`${method} ${path}: ${item.kind} ${at(item)}`.trim());
  }
  for (const part of Object.values(counts)) part.total = part.covered + part.missing.length;
  return counts;
}

function main([traffic, api = join(root, 'api/openapi.json')]) {
  if (!traffic || !existsSync(traffic)) {
    console.error('coverage: nothing is recorded; the step e2e of script/test does it');
    return 1;
  }
  const { problems, operations } = drift(traffic, api);
  for (const { method, url, status, message } of problems) console.log(`drift: ${method} ${url} (${status}): ${message}`);
  let low = 0;
  for (const [kind, { covered, total, missing }] of Object.entries(count(operations))) {
    const share = total ? covered / total : 1;
    if (share < goal) low++;
    for (const item of missing) console.log(`never seen: ${item}`);
    console.log(`${kinds[kind]}: ${covered} of ${total}, ${(100 * share).toFixed(1)} %${share < goal ? `, less than ${100 * goal} %` : ''}`);
  }
  return problems.length || low ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2));
