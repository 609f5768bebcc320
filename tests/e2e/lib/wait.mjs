// Waiting, with the slowness of sanitizer builds taken into account.
import { setTimeout as delay } from 'node:timers/promises';
import { basename, dirname } from 'node:path';
import { programPath } from './program.mjs';

// Sanitizers cost a multiple of the time, and so does another test file beside this one; deadlines
// that guard against hanging grow with both.
const sanitized = /asan|tsan|sanit/.test(basename(dirname(programPath)));
export const slowness = (sanitized ? 5 : 1) * Number(process.env.SKYLARK_TEST_SLOWNESS ?? 1);

export const sleep = (ms) => delay(ms);

// Calls `probe` until it returns something truthy, and returns that.
export async function until(what, probe, { within = 5000, every = 20 } = {}) {
  const deadline = Date.now() + within * slowness;
  for (;;) {
    const result = await probe();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`waited ${within * slowness} ms in vain: ${what}`);
    await delay(every);
  }
}

// Rejects when `promise` takes longer than that.
export async function within(ms, what, promise) {
  const abort = new AbortController();
  const late = delay(ms * slowness, null, { signal: abort.signal }).then(
    () => { throw new Error(`took longer than ${ms * slowness} ms: ${what}`); },
    () => {},
  );
  try {
    return await Promise.race([promise, late]);
  } finally {
    abort.abort();
  }
}
