// The program under test, run as a command: exit code, standard output, standard error.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { resolve } from 'node:path';

export const sourceRoot = fileURLToPath(new URL('../../../', import.meta.url));
export const programPath = resolve(sourceRoot, process.env.SKYLARK_BIN ?? 'build/skylark');

const complaints = /ERROR: (Address|Leak)Sanitizer|runtime error:|WARNING: ThreadSanitizer/;

// The report of a sanitizer in what a program wrote, or null.
export function sanitizerReport(text) {
  const found = complaints.exec(text);
  return found && text.slice(found.index, found.index + 4000);
}

// The caller's environment without Skylark's own settings, plus `extra`.
export function environment(extra = {}) {
  const own = Object.entries(process.env).filter(([name]) => !/^SKYLARK_|^STATE_DIRECTORY$/.test(name));
  return { ...Object.fromEntries(own), ...extra };
}

// Looking for leaks at the end takes the address sanitizer seconds, too long for every short-lived
// process of a test run; groups of tests around one server have it done.
export const withoutLeakCheck = () => ({ ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0` });

// Runs any command to its end.
export function run(command, args = [], { env = {}, input = '', timeout = 60_000, cwd } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { env: environment({ ...withoutLeakCheck(), ...env }), cwd, timeout, killSignal: 'SIGKILL' });
    const out = [];
    const err = [];
    child.stdout.on('data', (piece) => out.push(piece));
    child.stderr.on('data', (piece) => err.push(piece));
    child.on('error', fail);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code, signal) => {
      const stdout = Buffer.concat(out).toString();
      const stderr = Buffer.concat(err).toString();
      const report = sanitizerReport(stderr);
      if (report) fail(new Error(report));
      else done({ code, signal, stdout, stderr });
    });
  });
}

// Runs the program under test to its end.
export const skylark = (args, options) => run(programPath, args, options);
