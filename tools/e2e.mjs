// Runs end-to-end test files, each in a process of its own, several at a time.
//
//   node tools/e2e.mjs --out FOLDER [--jobs N] [--again] FILE...
//
// A file with the line "// Runs alone: WHY" measures time or exact limits; no other test
// runs beside it; it comes after the others. What a file said is printed when it ends, and its results lie in
// FOLDER/NAME.tap. With --again a file that failed is run once more, alone, and the second run
// counts; that this was so is never hidden: it is printed, and its name is in FOLDER/unsteady.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';

const timeout = 10 * 60_000;

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, jobs: { type: 'string', default: '1' }, again: { type: 'boolean', default: false } },
});
if (!options.out || files.length === 0) {
  console.error('usage: node tools/e2e.mjs --out FOLDER [--jobs N] [--again] FILE...');
  process.exit(2);
}

// Each file leads a process group, so that nothing it started outlives it.
const groups = new Set();
const endGroup = (pid) => {
  try { process.kill(-pid, 'SIGKILL'); } catch { /* all gone */ }
};
process.on('exit', () => groups.forEach(endGroup));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const tapOf = (file) => join(options.out, `${basename(file)}.tap`);

// Runs one file to its end: true if all of it passed. `slowness` stretches the tests' patience.
function run(file, slowness) {
  const began = Date.now();
  writeFileSync(tapOf(file), ''); // one that ends without a word is not overlooked
  const args = ['--test-reporter=spec', '--test-reporter-destination=stdout', '--test-reporter=tap', `--test-reporter-destination=${tapOf(file)}`];
  const child = spawn(process.execPath, [...args, file], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SKYLARK_TEST_SLOWNESS: String(slowness) },
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece));
  groups.add(child.pid);
  const watchdog = setTimeout(() => {
    said.push(`${file}: killed after ${timeout / 1000} s\n`);
    endGroup(child.pid);
  }, timeout);
  return new Promise((done) => {
    child.on('close', (code) => {
      clearTimeout(watchdog);
      endGroup(child.pid);
      groups.delete(child.pid);
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      process.stdout.write(`\n---- ${file}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s\n`);
      process.stdout.write(Buffer.concat(said.map((piece) => Buffer.from(piece))));
      done(code === 0);
    });
  });
}

// Runs files, `jobs` at a time; returns those that failed.
async function runAll(list, jobs) {
  const waiting = [...list];
  const failed = [];
  const lane = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) if (!await run(file, jobs)) failed.push(file);
  };
  await Promise.all(Array.from({ length: Math.min(jobs, waiting.length) }, lane));
  return failed;
}

async function runAgain(file) {
  process.stdout.write(`\n---- ${file}: once more, alone\n`);
  renameSync(tapOf(file), join(options.out, `${basename(file)}.first`));
  if (!await run(file, 1)) return false;
  process.stdout.write(`\nUNSTEADY ${file}: passed on the second run\n`);
  appendFileSync(join(options.out, 'unsteady'), `${file}\n`);
  return true;
}

rmSync(options.out, { recursive: true, force: true });
mkdirSync(options.out, { recursive: true });
const runsAlone = (file) => /^\/\/ Runs alone: ./m.test(readFileSync(file, 'utf8'));
const failed = [
  ...await runAll(files.filter((file) => !runsAlone(file)), Number(options.jobs)),
  ...await runAll(files.filter(runsAlone), 1),
];
let failures = failed.length;
if (options.again) for (const file of failed) if (await runAgain(file)) failures--;
process.exit(failures === 0 ? 0 : 1);
