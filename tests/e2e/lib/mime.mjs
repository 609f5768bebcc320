// MIME and XML as a stranger reads them: written after the RFCs, not after our own writer. Strict, so
// that what an MMSC would stumble over fails a test.
import assert from 'node:assert/strict';

// {type, parameters} of a Content-Type.
export function contentType(text) {
  const [type, ...rest] = text.match(/(?:[^;"]|"(?:[^"\\]|\\.)*")+/g).map((s) => s.trim());
  const parameters = Object.fromEntries(rest.map((piece) => {
    const [, name, quoted, plain] = /^([\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"()<>@,;:\\/[\]?=]+))$/.exec(piece) ?? assert.fail(`no parameter: ${piece}`);
    return [name.toLowerCase(), quoted?.replace(/\\(.)/g, '$1') ?? plain];
  }));
  return { type: type.toLowerCase(), parameters };
}

// The header fields and the body of a mail or part.
function entity(bytes) {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end < 0 ? 0 : end + 2).toString('latin1');
  assert.ok(end >= 0 || bytes.subarray(0, 2).toString() === '\r\n', 'a part has a head, an empty line, and a body');
  assert.ok(!/[^\r]\n|\r[^\n]/.test(head), 'lines end in CR LF');
  const headers = {};
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n').filter(Boolean)) {
    const [, name, value] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? assert.fail(`no header field: ${line}`);
    assert.ok(!(name.toLowerCase() in headers), `${name} stands twice`);
    headers[name.toLowerCase()] = value;
  }
  return { headers, body: bytes.subarray(end < 0 ? 2 : end + 4) };
}

function decode({ headers, body }) {
  switch ((headers['content-transfer-encoding'] ?? '7bit').toLowerCase()) {
    case 'base64':
      assert.match(body.toString('latin1'), /^(?:[A-Za-z0-9+/]{1,76}={0,2}(?:\r\n|$))*$/, 'base64 in lines of 76');
      return Buffer.from(body.toString('latin1'), 'base64');
    case '7bit':
      assert.ok(body.every((byte) => byte < 128), '7bit has no byte above 127');
      return body;
    case '8bit': case 'binary': return body;
    default: return assert.fail(`encoding ${headers['content-transfer-encoding']}`);
  }
}

// The parts of a multipart, each {headers, type, parameters, id, bytes} or, when it is one itself, {…, parts}.
export function multipart(type, body) {
  const { parameters } = contentType(type);
  assert.match(parameters.boundary ?? '', /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/, 'a boundary as RFC 2046 has it');
  const text = body.toString('latin1');
  const mark = `--${parameters.boundary}`;
  const pieces = `\r\n${text}`.split(`\r\n${mark}`);
  assert.ok(pieces.length > 2, 'the boundary comes');
  assert.match(pieces.at(-1), /^--[ \t]*(\r\n|$)/, 'the last boundary ends it');
  return pieces.slice(1, -1).map((piece) => {
    assert.match(piece, /^[ \t]*\r\n/, 'a boundary is a line of its own');
    const part = entity(Buffer.from(piece.replace(/^[ \t]*\r\n/, ''), 'latin1'));
    const own = contentType(part.headers['content-type'] ?? 'text/plain');
    const id = part.headers['content-id'];
    if (id !== undefined) assert.match(id, /^<[^<>\s]+>$/, 'a Content-ID is in angle brackets');
    const read = { headers: part.headers, ...own, id: id?.slice(1, -1) };
    return own.type.startsWith('multipart/')
      ? { ...read, parts: multipart(part.headers['content-type'], part.body) } : { ...read, bytes: decode(part) };
  });
}

// The part that `start` names, which must be the first, too.
export function startOf(type, parts) {
  const start = contentType(type).parameters.start?.replace(/^<|>$/g, '');
  assert.ok(start, 'start is named');
  assert.equal(parts[0].id, start, 'the first part is the start');
  return parts[0];
}

const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const plain = (text) => text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));|&/gi, (all, hex, decimal, name) => {
  if (hex || decimal) return String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal));
  return entities[name] ?? assert.fail(`no entity: ${all}`);
});

// A tree of {name (without prefix), space (namespace), attributes, children, text}.
export function xml(text) {
  const tokens = text.matchAll(/<\?xml[^>]*\?>|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy);
  const root = { children: [], text: '', spaces: { '': '' } };
  const open = [root];
  let end = 0;
  for (const [all, close, qualified, list, empty, words] of tokens) {
    end += all.length;
    const top = open.at(-1);
    if (words !== undefined) top.text += plain(words);
    else if (close) {
      assert.equal(open.pop().qualified, qualified, 'what is opened is closed');
      assert.ok(open.length, 'no more is closed than opened');
    } else if (qualified) {
      const attributes = Object.fromEntries([...list.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, k, a, b]) => [k, plain(a ?? b)]));
      const spaces = { ...top.spaces };
      for (const [k, v] of Object.entries(attributes)) if (k === 'xmlns' || k.startsWith('xmlns:')) spaces[k.slice(6)] = v;
      const [prefix, name] = qualified.includes(':') ? qualified.split(':') : ['', qualified];
      assert.ok(prefix in spaces, `the prefix of ${qualified} is declared`);
      const element = { qualified, name, space: spaces[prefix], spaces, attributes, children: [], text: '' };
      top.children.push(element);
      if (!empty) open.push(element);
    }
  }
  assert.equal(end, text.length, `XML that can be read, at: ${text.slice(end, end + 60)}`);
  assert.equal(open.length, 1, 'all is closed');
  assert.equal(root.children.length, 1, 'one element holds all');
  return root.children[0];
}

// Elements below one by their names; the first that is there.
export const child = (element, ...names) => names.reduce((at, name) => at?.children.find((c) => c.name === name), element);
export const value = (element, ...names) => child(element, ...names)?.text.trim();

// What goes into XML and comes out the same.
export const escaped = (text) => text.replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`);
