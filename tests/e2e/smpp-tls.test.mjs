// SMPP over TLS: an authority of one's own, a certificate to show, and whom not to trust.
import { describe, it, before, after } from 'node:test';
import assert from 'node:assert/strict';
import { Authority } from './lib/certificates.mjs';
import { Smsc, STATUS, carrier, liveServer, octets } from './lib/smsc.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';
import { slowness, until } from './lib/wait.mjs';

const to = '+14155550123';

describe('smpp: TLS', { timeout: 120_000 * slowness }, () => {
  let folder, ca, other, theirs, ours;

  // Two authorities; the first has signed a server's and a client's certificate.
  before(async () => {
    folder = temporaryFolder();
    ca = await Authority.make(folder, 'ca');
    other = await Authority.make(folder, 'other');
    theirs = await ca.sign('server', 'DNS:smsc.example,IP:127.0.0.1');
    ours = await ca.sign('client', 'DNS:skylark.example');
  });
  after(() => removeFolder(folder));

  const secure = (more = {}) => Smsc.start({ ...more, tls: { key: theirs.key, cert: theirs.cert, ...more.tls } });

  async function withSecure(smscOptions, settings, body) {
    const smsc = await secure(smscOptions);
    const live = await liveServer({ carrier: { acme: carrier(smsc, { tls: 'on', ...settings() }) } });
    try {
      await body({ smsc, live, client: live.client });
      await live.end();
    } finally {
      await live.server.dispose();
      await smsc.stop();
    }
  }

  it('a message and its receipt', () => withSecure({}, () => ({ tls_ca: ca.certFile }), async ({ smsc, live, client }) => {
    await smsc.bound();
    const { messageId } = await client.sent({ to, text: 'in secret' });
    await live.status(messageId, 'delivered');
  }));

  it('the scripted carrier of the other tests: throttled, refused without a body, cut', () => {
    let step = 0;
    return withSecure({
      submit: (pdu, session, self) => {
        step++;
        if (step === 1) { self.refuse(pdu, STATUS.ESME_RTHROTTLED); return true; }
        if (step === 2) { self.cut(); return true; }
        if (step === 4) { self.refuse(pdu, STATUS.ESME_RINVDSTADR); return true; }
        return false;
      },
    }, () => ({ tls_ca: ca.certFile, window: 1 }), async ({ smsc, live, client }) => {
      await smsc.bound();
      const first = await client.sent({ to, text: 'one' });
      await live.status(first.messageId, 'delivered', { within: 20_000 });
      const second = await client.sent({ to, text: 'two' });
      assert.equal((await live.status(second.messageId, 'failed')).errorCode, 'invalid_destination');
    });
  });

  it('and: it stalls, vendor statuses, early, intermediate, hexadecimal, duplicate and disordered receipts', () => {
    const script = {
      stall: (pdu, self) => self.submits.filter((one) => octets(one).raw === 'stall').length > 1 && self.take(pdu),
      vendor: (pdu, self) => self.refuse(pdu, 0x401),
      early: (pdu, self) => self.receipt(pdu, { id: 'E1' }).then(() => self.take(pdu, { id: 'E1', receipt: false })),
    };
    return withSecure({
      receipts: false,
      submit: (pdu, session, self) => {
        const play = script[octets(pdu).raw];
        play?.(pdu, self);
        return play !== undefined;
      },
    }, () => ({ tls_ca: ca.certFile, stall_timeout: '700ms', statuses: '0x400-0x4ff=permanent:spam' }), async ({ smsc, live, client }) => {
      await smsc.bound();
      const send = async (text) => (await client.sent({ to, text })).messageId;
      const stalled = await send('stall');
      await live.status(stalled, 'sent', { within: 20_000 });
      assert.ok(smsc.binds.length >= 2, 'bound anew');
      assert.equal((await live.status(await send('vendor'), 'failed')).errorCode, 'spam_filtered');
      await live.status(await send('early'), 'delivered');

      smsc.nextId = () => `00${(0xbeef00 + smsc.submits.length).toString(16).toUpperCase()}`;
      const ids = [await send('x1'), await send('x2')];
      for (const id of ids) await live.status(id, 'sent');
      const submits = ['x1', 'x2'].map((text) => smsc.submits.find((pdu) => octets(pdu).raw === text));
      const told = submits.map((pdu) => `${0xbeef00 + smsc.submits.indexOf(pdu) + 1}`);
      await smsc.receipt(submits[1], { id: told[1], esm_class: 0x20, state: 1, stat: 'ENROUTE' });
      assert.equal((await client.message(ids[1])).status, 'sent');
      for (const i of [1, 1, 0]) assert.equal((await smsc.receipt(submits[i], { id: told[i] })).command_status, 0);
      for (const id of ids) await live.status(id, 'delivered');
      assert.equal((await live.events(ids[1])).filter((e) => e.type === 'late_receipt').length, 1);
    });
  });

  it('a certificate of ours is shown when the carrier wants one', () => withSecure(
    { tls: { requestCert: true, rejectUnauthorized: true, ca: [ca.cert] } },
    () => ({ tls_ca: ca.certFile, tls_certificate: ours.certFile, tls_key: ours.keyFile }),
    async ({ smsc, live, client }) => {
      await smsc.bound();
      const { messageId } = await client.sent({ to, text: 'who we are' });
      await live.status(messageId, 'delivered');
    },
  ));

  it('the name in the certificate can be told', () => withSecure({}, () => ({ tls_ca: ca.certFile, tls_name: 'smsc.example' }), ({ smsc }) => smsc.bound()));

  for (const [what, settings, why] of [
    ['another authority', () => ({ tls_ca: other.certFile }), /authority/],
    ['another name', () => ({ tls_ca: ca.certFile, tls_name: 'elsewhere.example' }), /name/],
  ]) {
    it(`a certificate for ${what} is not trusted, and the list says so`, () => withSecure({}, settings, async ({ smsc, live }) => {
      const { acme } = await until('the trouble to be told', async () => {
        const carriers = await live.carriers();
        return carriers.acme?.lastTrouble && carriers;
      }, { within: 10_000 });
      assert.match(acme.lastTrouble, why);
      assert.equal(smsc.binds.length, 0, 'no password went there');
    }));
  }
});
