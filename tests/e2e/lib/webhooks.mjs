// Webhooks from the client's side: the calls that manage them, and signatures made by node's own crypto from what
// docs/WEBHOOKS.md says.
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { until } from './wait.mjs';

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

// This machine can be told, as in development.
export const localhostAllowed = { SKYLARK_WEBHOOKS_ALLOW_LOCALHOST: 'on' };

async function answered(status, promise) {
  const response = await promise;
  assert.equal(response.status, status, response.text);
  return response.body;
}

// The API of webhooks, for one client; each call insists on success.
export class Hooks {
  constructor(api) {
    this.api = api;
  }

  create(json) {
    return answered(201, this.api.call('POST', '/v1/webhooks', { json }));
  }

  get(id) {
    return answered(200, this.api.get(`/v1/webhooks/${id}`));
  }

  change(id, json) {
    return answered(200, this.api.call('PATCH', `/v1/webhooks/${id}`, { json }));
  }

  rotate(id, json = {}) {
    return answered(200, this.api.call('POST', `/v1/webhooks/${id}/rotate-secret`, { json }));
  }

  rotateMessageSecret(json = {}) {
    return answered(200, this.api.call('POST', '/v1/webhooks/message-secret/rotate', { json }));
  }

  test(id) {
    return answered(201, this.api.call('POST', `/v1/webhooks/${id}/test`));
  }

  async deliveries(id, query = '') {
    return (await answered(200, this.api.get(`/v1/webhooks/${id}/deliveries${query}`))).data;
  }

  delivery({ webhookId, deliveryId }) {
    return answered(200, this.api.get(`/v1/webhooks/${webhookId}/deliveries/${deliveryId}`));
  }

  retry({ webhookId, deliveryId }) {
    return answered(200, this.api.call('POST', `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/retry`));
  }

  // The delivery after so many attempts.
  async tried(delivery, attempts = 1, options = { within: 10_000 }) {
    return until(`${attempts} attempts`, async () => {
      const now = await this.delivery(delivery);
      return now.attempts >= attempts && now;
    }, options);
  }
}
