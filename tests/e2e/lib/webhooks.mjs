// The other side of webhooks: signatures made by node's own crypto, from what docs/WEBHOOKS.md says.
import { createHmac, randomBytes } from 'node:crypto';

export const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

// X-Service-Signature.
export const signature = (secret, body) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

// webhook-signature, after the Standard Webhooks specification.
export function standardSignature(secret, id, time, body) {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
}

// The header fields of a delivery, as far as receivers look at them.
export function signedHeaders(secret, body, { id = JSON.parse(body).id, time = Math.floor(Date.now() / 1000) } = {}) {
  return {
    'Content-Type': 'application/json',
    'X-Service-Signature': signature(secret, body),
    'webhook-id': id,
    'webhook-timestamp': String(time),
    'webhook-signature': standardSignature(secret, id, time, body),
  };
}
