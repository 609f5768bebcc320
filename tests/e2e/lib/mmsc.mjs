// A carrier of MMS to test against: an MMSC that speaks MM7 over HTTP and does what the test tells it.
import http from 'node:http';
import https from 'node:https';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SENDERS, liveServer } from './smsc.mjs';
import { child, escaped, multipart, startOf, value, xml } from './mime.mjs';
import { removeFolder } from './server.mjs';
import { until } from './wait.mjs';

export const NAMESPACE = 'http://www.3gpp.org/ftp/Specs/archive/23_series/23.140/schema/REL-6-MM7-1-4';
const SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';

const TEXTS = { 1000: 'Success', 1100: 'Partial success', 2002: 'Address Error', 3000: 'Server Error' };

export const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

// An envelope around elements that are written as they are.
export const envelope = (transaction, inside, namespace = NAMESPACE) => `<?xml version="1.0" encoding="UTF-8"?>
<env:Envelope xmlns:env="${SOAP}"><env:Header><mm7:TransactionID xmlns:mm7="${namespace}" env:mustUnderstand="1">${escaped(transaction)}</mm7:TransactionID></env:Header><env:Body>${inside}</env:Body></env:Envelope>`;

const elements = (fields) => Object.entries(fields).filter(([, v]) => v !== undefined)
  .map(([name, v]) => `<${name}>${typeof v === 'object' ? elements(v) : escaped(String(v))}</${name}>`).join('');

const bodyOf = async (request) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
};

// What a SubmitReq says, checked as it is read.
function readSubmit(kept) {
  const parts = multipart(kept.headers['content-type'], kept.body);
  const soap = startOf(kept.headers['content-type'], parts);
  const root = xml(soap.bytes.toString());
  const submit = child(root, 'Body', 'SubmitReq');
  const href = child(submit, 'Content').attributes.href;
  const content = parts.find((part) => `cid:${part.id}` === href);
  return {
    ...kept,
    parts,
    soap,
    root,
    submit,
    content,
    transaction: value(root, 'Header', 'TransactionID'),
    to: submit.children.find((c) => c.name === 'Recipients')?.children.map((c) => c.children[0].text),
    text: content.parts?.find((p) => p.type === 'text/plain')?.bytes.toString(),
    files: (content.parts ?? [content]).filter((p) => !['application/smil', 'text/plain'].includes(p.type)),
  };
}

let lastId = 0;

export class Mmsc {
  // `submit(request, response, mmsc)` may answer by itself and return true; `authorization` is what must be shown.
  static async start({ port = 0, ...options } = {}) {
    const mmsc = new Mmsc(options);
    await new Promise((done, fail) => { mmsc.server.on('error', fail).listen(port, '127.0.0.1', done); });
    mmsc.port = mmsc.server.address().port;
    return mmsc;
  }

  constructor({ submit, authorization, reports = true, tls } = {}) {
    Object.assign(this, { submit, authorization, reports });
    this.submits = []; // every SubmitReq that came with the right credentials
    this.requests = 0;
    this.faults = []; // what could not be read: a test fails on any
    this.sockets = new Set();
    this.listener = null; // where our reports go, with the path
    const take = (request, response) => this.#take(request, response).catch((error) => {
      this.faults.push(error);
      response.destroy();
    });
    this.server = tls ? https.createServer(tls, take) : http.createServer(take);
    this.server.keepAliveTimeout = 60_000;
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  get url() {
    return `http://127.0.0.1:${this.port}/mm7`;
  }

  async #take(request, response) {
    const { method, url: path, headers } = request;
    const body = await bodyOf(request).catch(() => null);
    if (!body) return; // it was cut: as if it had never come
    this.requests++;
    response.on('error', () => {});
    if (this.authorization && headers.authorization !== this.authorization) {
      response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="MMSC"', 'Content-Length': 0 }).end();
      return;
    }
    const submit = readSubmit({ method, path, headers, body, at: performance.now() });
    this.submits.push(submit);
    if (this.submit?.(submit, response, this)) return;
    this.take(submit, response);
  }

  answer(response, text, { status = 200, type = 'text/xml; charset=utf-8' } = {}) {
    response.writeHead(status, { 'Content-Type': type, SOAPAction: '""', 'Content-Length': Buffer.byteLength(text) }).end(text);
  }

  rsp(submit, { code = 1000, text = TEXTS[code] ?? 'Words', id }) {
    return envelope(submit.transaction, `<SubmitRsp xmlns="${NAMESPACE}">${elements({
      MM7Version: '6.8.0', Status: { StatusCode: code, StatusText: text }, MessageID: id,
    })}</SubmitRsp>`);
  }

  // Answers well; a report follows unless the MMSC gives none.
  take(submit, response, { id = `m-${(lastId++).toString(36)}@mmsc`, report = this.reports, code } = {}) {
    this.answer(response, this.rsp(submit, { id, code }));
    if (report && this.listener) this.report(id, 'Retrieved');
    return id;
  }

  refuse(submit, response, code, options) {
    this.answer(response, this.rsp(submit, { code }), options);
    return true;
  }

  // A SOAP Fault with an RSErrorRsp in it, or with nothing.
  fault(submit, response, code, { status = 500 } = {}) {
    const detail = code ? `<detail><RSErrorRsp xmlns="${NAMESPACE}">${elements({ MM7Version: '6.8.0', Status: { StatusCode: code, StatusText: 'Words' } })}</RSErrorRsp></detail>` : '';
    this.answer(response, envelope(submit.transaction, `<env:Fault><faultcode>env:Server</faultcode><faultstring>Server error</faultstring>${detail}</env:Fault>`), { status });
    return true;
  }

  // Half of a good answer, then the end of the connection.
  half(submit, response) {
    const text = this.rsp(submit, { id: 'half' });
    response.writeHead(200, { 'Content-Type': 'text/xml', 'Content-Length': Buffer.byteLength(text) });
    response.write(text.slice(0, text.length / 2), () => response.destroy());
    return true;
  }

  // ---- to our listener ----

  // Posts; resolves with {status, headers, text, root}.
  post(body, { url = this.listener, type = 'text/xml; charset=utf-8', headers = {}, method = 'POST', localAddress } = {}) {
    return new Promise((done, fail) => {
      const client = url.startsWith('https') ? https : http;
      const length = method === 'POST' ? { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) } : {};
      const request = client.request(url, { method, localAddress, ca: this.ca, headers: { ...length, SOAPAction: '""', ...(this.shows ? { Authorization: this.shows } : {}), ...headers } }, (response) => {
        bodyOf(response).then((bytes) => {
          const text = bytes.toString();
          const isXml = /xml/.test(response.headers['content-type'] ?? '');
          done({ status: response.statusCode, headers: response.headers, text, root: isXml ? xml(text) : null });
        }, fail);
      });
      request.on('error', fail);
      request.end(method === 'POST' ? body : undefined);
    });
  }

  // A DeliveryReportReq, or a ReadReplyReq; what the answer says: {status, kind, code, transaction}.
  async report(id, mmStatus, { kind = 'DeliveryReportReq', transaction = `r-${id}`, fields = {}, namespace = NAMESPACE, ...options } = {}) {
    const said = elements({ MM7Version: '6.8.0', MessageID: id, Recipient: { Number: '+14155550123' }, Sender: { Number: '+18005550199' }, Date: '2026-11-16T08:00:00Z', MMStatus: mmStatus, ...fields });
    return this.#heard(this.post(envelope(transaction, `<${kind} xmlns="${namespace}">${said}</${kind}>`, namespace), options));
  }

  // A DeliverReq with these parts: [{type, bytes, headers}].
  async deliver({ from = '+14155550123', to = '+18005550199', cc, subject, parts = [], transaction = 'd-1', ...options } = {}) {
    const soap = envelope(transaction, `<DeliverReq xmlns="${NAMESPACE}">${elements({
      MM7Version: '6.8.0', MMSRelayServerID: 'mmsc', LinkedID: 'l-1', Sender: { Number: from }, Recipients: { To: { Number: to }, ...(cc && { Cc: { Number: cc } }) }, TimeStamp: '2026-11-16T08:00:00Z', Subject: subject,
    })}<Content href="cid:content"/></DeliverReq>`);
    const piece = (boundary, { type, bytes, headers = {} }) => Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Type: ${type}\r\n${Object.entries(headers).map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`), Buffer.from(bytes), Buffer.from('\r\n'),
    ]);
    const inner = Buffer.concat([...parts.map((part) => piece('inner', part)), Buffer.from('--inner--')]);
    const body = Buffer.concat([
      piece('outer', { type: 'text/xml; charset=utf-8', bytes: soap, headers: { 'Content-ID': '<soap>' } }),
      piece('outer', { type: 'multipart/mixed; boundary=inner', bytes: inner, headers: { 'Content-ID': '<content>' } }),
      Buffer.from('--outer--\r\n'),
    ]);
    return this.#heard(this.post(body, { type: 'multipart/related; type="text/xml"; start="<soap>"; boundary=outer', ...options }));
  }

  async #heard(promise) {
    const response = await promise;
    const { root } = response;
    if (!root) return response;
    const inside = child(root, 'Body').children[0];
    const said = inside.name === 'Fault' ? child(inside, 'detail').children[0] : inside;
    return { ...response, kind: said.name, namespace: said.space, code: Number(value(said, 'Status', 'StatusCode')), transaction: value(root, 'Header', 'TransactionID') };
  }

  got(count) {
    return until(`${count} submits, there are ${this.submits.length}`, () => this.submits.length >= count, { within: 15_000 });
  }

  // Cuts every connection, as a network does.
  cut() {
    this.sockets.forEach((socket) => socket.destroy());
  }

  async stop() {
    const closed = new Promise((done) => { this.server.close(done); });
    this.cut();
    await closed;
  }
}

// What a test usually wants of an MMSC: quick to come back.
export const mmsc = (peer, more = {}) => ({
  url: peer.url, vasp_id: 'skylark', vas_id: 'shop', reconnect_min: '50ms', reconnect_max: '200ms', response_timeout: '2s', ...more,
});

export const MMS_SENDERS = Object.fromEntries(Object.entries(SENDERS).map(([name, settings]) => [name, { ...settings, capabilities: 'sms mms' }]));

// Where the server's listener is: the file beside its address.
export const listenerOf = (live) => readFileSync(join(live.folder, 'mm7-address'), 'utf8').trim();

// A server whose MMSC is `peer`, under the name acme, that may fetch media from `media`.
export async function mmsServer(peer, media, { settings = {}, sections = {}, ...options } = {}) {
  const all = (more = {}, others = {}) => ({
    sender: MMS_SENDERS,
    mm7: { listen: '127.0.0.1:0' },
    media: { allow_localhost: 'on', ca: media.ca },
    mmsc: { acme: mmsc(peer, { ...settings, ...more }) },
    ...sections,
    ...others,
  });
  const live = await liveServer(all(), options);
  peer.listener = `${listenerOf(live)}/mm7/acme`;
  return Object.assign(live, { sections: all });
}

// A test body around one MMSC, one server of media and one Skylark; all end with it.
export const withMms = (mediaOf, mmscOptions, options, body) => async (t) => {
  const media = await mediaOf();
  const peer = await Mmsc.start(mmscOptions);
  let live;
  try {
    live = await mmsServer(peer, media, options);
    await body({ peer, media, live, client: live.client, t });
    if (peer.faults.length) throw peer.faults[0];
    await live.end();
    live = null;
  } finally {
    await live?.server.dispose();
    if (live) removeFolder(live.folder);
    await peer.stop();
    await media.stop();
  }
};
