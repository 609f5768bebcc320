// Certificates for tests, made by openssl: authorities, what they have signed, and what nobody has.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './program.mjs';

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

async function openssl(...args) {
  const { code, stderr } = await run('openssl', args);
  assert.equal(code, 0, stderr);
}

// {cert, key}: what node's TLS wants; {certFile, keyFile}: the same as files.
const pair = (certFile, keyFile) => ({ certFile, keyFile, cert: readFileSync(certFile), key: readFileSync(keyFile) });

export class Authority {
  static async make(folder, name) {
    const authority = new Authority();
    const at = (ending) => join(folder, `${name}.${ending}`);
    await openssl('req', '-x509', ...key, '-days', '30', '-subj', `/CN=${name}`, '-keyout', at('key'), '-out', at('pem'));
    return Object.assign(authority, { folder }, pair(at('pem'), at('key')));
  }

  // A certificate for `names`, as they stand in subjectAltName ("DNS:a.example,IP:127.0.0.1").
  async sign(name, names, { days = 30 } = {}) {
    const at = (ending) => join(this.folder, `${name}.${ending}`);
    await openssl('req', ...key, '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`, '-keyout', at('key'), '-out', at('csr'));
    await openssl('x509', '-req', '-days', `${days}`, '-in', at('csr'), '-CA', this.certFile, '-CAkey', this.keyFile, '-CAcreateserial', '-copy_extensions', 'copy', '-out', at('pem'));
    return pair(at('pem'), at('key'));
  }
}

// A certificate that vouches for itself.
export async function selfSigned(folder, name, names) {
  const at = (ending) => join(folder, `${name}.${ending}`);
  await openssl('req', '-x509', ...key, '-days', '30', '-subj', `/CN=${name}`, '-addext', `subjectAltName=${names}`, '-keyout', at('key'), '-out', at('pem'));
  return pair(at('pem'), at('key'));
}
