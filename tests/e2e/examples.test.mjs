// The programs in examples/ do what they say, against a real server.
import { after, before, it } from 'node:test';
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { run, sourceRoot } from './lib/program.mjs';
import { removeFolder, temporaryFolder, withServer } from './lib/server.mjs';
import { slowness } from './lib/wait.mjs';

const folder = temporaryFolder();
const examples = {
  'send.sh': ['sh', ['examples/send.sh']],
  'send.mjs': ['node', ['examples/send.mjs']],
  'send.py': ['python3', ['examples/send.py']],
  'send.php': ['php', ['examples/send.php']],
  'send.c': [join(folder, 'send'), []],
};

before(async () => {
  const command = 'cc -Wall -Wextra -Werror -o "$0" examples/send.c $(pkg-config --cflags --libs libcurl jansson)';
  const { code, stderr } = await run('sh', ['-c', command, join(folder, 'send')], { cwd: sourceRoot });
  assert.equal(code, 0, stderr);
});
after(() => removeFolder(folder));

withServer('examples', {}, (context) => {
  const start = (name, args, env = {}) => {
    const [command, first] = examples[name];
    const settings = { SKYLARK_URL: `https://127.0.0.1:${context.server.port}`, SKYLARK_CA: join(context.server.dataDir, 'ca.pem'), SKYLARK_API_KEY: context.api.key };
    return run(command, [...first, ...args], { cwd: sourceRoot, env: { ...settings, ...env }, timeout: 60_000 * slowness });
  };

  for (const name of Object.keys(examples)) {
    it(`${name}: sends, follows and lists`, async () => {
      const text = `"Grüße" & 100 % from ${name}, it's \\o/`;
      const { code, stdout, stderr } = await start(name, ['+15550001234', text]);
      assert.equal(code, 0, stderr);
      const lines = stdout.trimEnd().split('\n');
      const [, id] = /^accepted (msg_[0-9A-Za-z]+): queued$/.exec(lines[0]) ?? assert.fail(stdout);
      assert.ok(lines.includes('now delivered'), stdout);
      assert.equal(lines[lines.indexOf('newest messages:') + 1], `  ${id}  delivered  +15550001234`, stdout);
      const message = await context.api.message(id);
      assert.equal(message.text, text);
    });

    it(`${name}: is one message for one order`, async () => {
      const runs = [];
      for (let i = 0; i < 2; i++) runs.push(await start(name, ['+15550001234', 'once', `order ${name}`]));
      const [first, second] = runs.map(({ stdout }) => /msg_[0-9A-Za-z]+/.exec(stdout)?.[0]);
      assert.ok(first, runs[0].stderr);
      assert.equal(second, first);
    });

    it(`${name}: explains an error by code, message and field`, async () => {
      const { code, stdout, stderr } = await start(name, ['hello', 'x']);
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, /^invalid_phone_number: \S.*\. \(field to\)\n$/);
      const refused = await start(name, [], { SKYLARK_API_KEY: 'sl_test_wrong' });
      assert.match(refused.stderr, /^invalid_api_key: \S.*\.\n$/);
      assert.equal(refused.code, 1);
      const keyless = await start(name, [], { SKYLARK_API_KEY: undefined });
      assert.match(keyless.stderr, /^invalid_authorization_header: \S.*\.\n$/);
      assert.equal(keyless.code, 1);
    });

    it(`${name}: a message that fails is a failure`, async () => {
      const { code, stdout, stderr } = await start(name, ['+15005550002', 'no way']);
      assert.equal(code, 1, stderr);
      assert.match(stdout, /^now failed$/m);
    });

    it(`${name}: trusts nobody but the authority it was given`, async () => {
      const { code, stdout } = await start(name, [], { SKYLARK_CA: '/etc/ssl/certs/ca-certificates.crt' });
      assert.notEqual(code, 0);
      assert.equal(stdout, '');
    });
  }
});
