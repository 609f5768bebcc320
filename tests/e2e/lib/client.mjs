// An HTTPS client of the API that trusts the server's own CA and nothing else, and that holds every
// response against the contract.
import https from 'node:https';
import tls from 'node:tls';
import assert from 'node:assert/strict';
import { checkResponse } from './contract.mjs';
import { record } from './record.mjs';

export class Client {
  // `key` is sent with every call that does not name another; undefined sends none.
  // `localAddress` is the address that the calls come from.
  constructor({ port, ca, key, connections = 64, localAddress }) {
    Object.assign(this, { port, ca, key });
    this.agent = new https.Agent({ keepAlive: true, maxSockets: connections, ca, localAddress });
  }

  // One request and its answer, unchecked: {request, status, headers, text, bytes}.
  exchange(method, path, { key = this.key, json, form, raw, type, headers = {} } = {}) {
    const fields = { ...headers };
    let body = raw;
    if (json !== undefined) {
      body = JSON.stringify(json);
      type ??= 'application/json';
    } else if (form !== undefined) {
      body = new URLSearchParams(form).toString();
      type ??= 'application/x-www-form-urlencoded';
    }
    if (key) fields.Authorization ??= `Bearer ${key}`;
    if (type) fields['Content-Type'] = type;
    if (body !== undefined) fields['Content-Length'] = Buffer.byteLength(body);
    return new Promise((done, fail) => {
      const request = https.request(
        { host: '127.0.0.1', port: this.port, agent: this.agent, method, path, headers: fields },
        (response) => {
          const pieces = [];
          response.on('data', (piece) => pieces.push(piece));
          response.on('error', fail);
          response.on('end', () => {
            const bytes = Buffer.concat(pieces);
            done({ request: { headers: fields, body }, status: response.statusCode, headers: response.headers, bytes, text: bytes.toString() });
          });
        },
      );
      request.setTimeout(60_000, () => request.destroy(new Error(`${method} ${path}: no answer`)));
      request.on('error', fail);
      request.end(body);
    });
  }

  // The same, checked against the contract; `body` is the parsed JSON.
  async call(method, path, options = {}) {
    const response = await this.exchange(method, path, options);
    record(method, path, response);
    checkResponse(method, path.split('?')[0], response);
    return response;
  }

  get(path, options) {
    return this.call('GET', path, options);
  }

  send(json, options) {
    return this.call('POST', '/v1/send', { json, ...options });
  }

  // Sends and insists on 201; returns the message.
  async sent(json, options) {
    const response = await this.send(json, options);
    assert.equal(response.status, 201, response.text);
    return response.body;
  }

  async message(id, options) {
    const response = await this.get(`/v1/messages/${id}`, options);
    assert.equal(response.status, 200, response.text);
    return response.body;
  }

  // Insists on this error, and on `field` being exactly that (undefined: no field).
  async refused(status, code, field, promise) {
    const response = await promise;
    assert.deepEqual(
      { status: response.status, code: response.body?.code, field: response.body?.field },
      { status, code, field },
      response.text,
    );
    return response;
  }

  close() {
    this.agent.destroy();
  }

  // A bare TLS connection, for what a well-behaved client would never send.
  connect(options = {}) {
    return new Promise((done, fail) => {
      const socket = tls.connect({ host: '127.0.0.1', port: this.port, ca: this.ca, ...options });
      socket.once('secureConnect', () => {
        socket.off('error', fail);
        socket.on('error', () => {});
        done(socket);
      });
      socket.once('error', fail);
    });
  }
}

// Everything the other side sends until it closes; an error of the connection counts as its end.
export function drain(socket) {
  return new Promise((done) => {
    const pieces = [];
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', () => {});
    socket.on('close', () => done(Buffer.concat(pieces).toString('latin1')));
  });
}

// Status, headers and body of the first response in what a bare connection received.
export function parseResponse(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [line, ...fields] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
  }));
  return { status: Number(line.split(' ')[1]), headers, text: text.slice(end + 4) };
}
