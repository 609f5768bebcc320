// Live traffic under every kind of trouble, for a given number of seconds; see script/soak.
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../e2e/lib/server.mjs';
import { skylark } from '../e2e/lib/program.mjs';
import { slowness, sleep } from '../e2e/lib/wait.mjs';
import { Chance } from './chance.mjs';
import { Peer } from './peer.mjs';
import { WildPeer } from './wild_peer.mjs';
import { Traffic } from './traffic.mjs';
import { Troubles } from './troubles.mjs';
import { audit, count, look } from './audit.mjs';

const seconds = Number(process.argv[2] ?? 60);
const seed = Number(process.env.SKYLARK_SOAK_SEED ?? Date.now() % 1_000_000);
const chance = new Chance(seed);
const folder = temporaryFolder();
const CREDIT = 100_000;
const say = (text) => console.log(text);

const peers = [
  Object.assign(new Peer('north', join(folder, 'north.log'), []), { unanswered: 'resend' }),
  Object.assign(new Peer('south', join(folder, 'south.log'), ['--fail', '5', '--throttle', '400']), { unanswered: 'resend' }),
  Object.assign(new Peer('west', join(folder, 'west.log'), []), { unanswered: 'fail' }),
  Object.assign(new WildPeer('east', chance), { unanswered: 'resend' }),
];
const traffic = new Traffic(chance);
let troubles;

async function prepare() {
  for (const peer of peers) await peer.start();
  troubles = new Troubles({ chance, folder, peers, traffic });
  await troubles.startServer();
  const command = async (...args) => {
    const { code, stderr } = await skylark([...args, '--data-dir', folder]);
    if (code) throw new Error(stderr);
  };
  await command('accounts', 'create', 'prepaid');
  await command('accounts', 'credit', 'prepaid', String(CREDIT));
  for (const account of ['default', 'default', 'prepaid'])
    traffic.keys.push({ account, key: (await troubles.server.createKey({ type: 'live', account })).key });
}

// Final states stay.
async function watchFinal(end) {
  while (Date.now() < end) {
    const { server } = traffic;
    const some = traffic.acknowledged.slice(-500).filter((e) => !e.was);
    if (server && some.length) {
      await look(server, some, { parallel: 2 }).catch(() => {});
      for (const e of some) if (['delivered', 'failed', 'cancelled'].includes(e.message?.status)) e.was = e.message.status;
    }
    await sleep(1000);
  }
}

// As long as it gets less. A carrier may have asked for two minutes.
async function settle() {
  const patience = 150_000 * slowness;
  let open = traffic.acknowledged;
  for (let deadline = Date.now() + patience; open.length && Date.now() < deadline;) {
    await sleep(500);
    await look(troubles.server, open);
    const still = open.filter((e) => ['queued', 'scheduled'].includes(e.message?.status));
    if (still.length < open.length) deadline = Date.now() + patience;
    open = still;
  }
  await sleep(3000); // for receipts
}

async function main() {
  say(`${seconds} s, seed ${seed}`);
  await prepare();
  traffic.run({ clients: 4, restMs: 60 * slowness });
  const end = Date.now() + seconds * 1000;
  await Promise.all([troubles.run(end), watchFinal(end)]);
  await traffic.end();
  peers.at(-1).calm = true;
  await troubles.end();
  await look(troubles.server, traffic.acknowledged);
  say(`troubles: ${JSON.stringify(troubles.counts)}; then ${JSON.stringify(count(traffic.acknowledged))}`);
  await settle();
  for (const peer of peers) await peer.stop(); // their logs are whole
  const { counts, twice, strays, findings } = await audit({ server: troubles.server, traffic, peers, credit: CREDIT });
  say(`${traffic.acknowledged.length} acknowledged: ${JSON.stringify(counts)}; ${twice} twice, ${strays} strays`);
  await troubles.server.stop();
  findings.slice(0, 40).forEach((finding) => say(`  ${finding}`));
  return findings.length;
}

let failures = 1;
try {
  failures = await main();
  say(failures ? `${failures} findings; the data is in ${folder}` : 'All is well.');
} catch (error) {
  say(error.stack);
  say(troubles?.server?.stderr.slice(-3000) ?? '');
} finally {
  for (const peer of peers) await (peer.smsc?.dispose ? peer.smsc.dispose() : peer.smsc?.stop());
  await troubles?.server?.dispose();
  if (!failures) removeFolder(folder);
}
process.exitCode = failures ? 1 : 0;
