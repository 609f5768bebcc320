// The store under a server, touched by somebody else.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { until } from './wait.mjs';

// Another process holds the store, so that nothing can be written until `work` is done.
export async function whileStoreIsHeld(server, work) {
  const holder = spawn('sqlite3', [join(server.dataDir, 'skylark.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  holder.stdout.on('data', (piece) => { said += piece; });
  holder.stdin.write('.timeout 5000\nBEGIN IMMEDIATE;\nSELECT \'held\';\n');
  try {
    await until('the store to be held', () => said.includes('held'));
    await work();
  } finally {
    holder.stdin.end('ROLLBACK;\n');
  }
}
