// The program under test on a terminal, as script(1) makes one.
import { spawn } from 'node:child_process';
import { environment, programPath, run, withoutLeakCheck } from './program.mjs';

const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`;
const commandOf = (args, width, height) => `stty cols ${width} rows ${height}; exec ${[programPath, ...args].map(quoted).join(' ')}`;

const variables = (env) => ({ SHELL: '/bin/sh', TERM: 'xterm', LC_ALL: 'C.UTF-8', ...env });

// Runs it to its end: {code, stdout}, the output with LF at the ends of lines.
export async function onTerminal(args, { env = {}, width = 80, height = 40 } = {}) {
  const { code, stdout } = await run('script', ['-qec', commandOf(args, width, height), '/dev/null'], { env: variables(env) });
  return { code, stdout: stdout.replaceAll('\r\n', '\n') };
}

// Starts it: {child, output(), ended}; ended is {code} when it is over.
export function startOnTerminal(args, { env = {}, width = 80, height = 40 } = {}) {
  const child = spawn('script', ['-qec', commandOf(args, width, height), '/dev/null'],
    { env: environment({ ...withoutLeakCheck(), ...variables(env) }), stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (piece) => { output += piece; });
  const ended = new Promise((done) => { child.on('close', (code) => done({ code })); });
  return { child, ended, output: () => output };
}
