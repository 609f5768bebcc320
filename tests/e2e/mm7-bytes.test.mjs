// What we say over MM7, read by others: an independent parser of MIME, and xmllint with a schema. With SKYLARK_MM7_XSD=PATH
// also against the schema of 3GPP, of which the project has no copy.
import { after, before, describe, it } from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { programPath, sourceRoot, withoutLeakCheck } from './lib/program.mjs';
import { removeFolder, temporaryFolder } from './lib/server.mjs';

const folder = temporaryFolder();
after(() => removeFolder(folder));

const say = (...args) => execFileSync(join(dirname(programPath), 'mm7-say'), args, { maxBuffer: 64 << 20, env: { ...process.env, ...withoutLeakCheck() } });
const hash = (bytes) => createHash('sha256').update(Buffer.from(bytes)).digest('hex');

// The head as an object, and the body.
function split(http) {
  const end = http.indexOf('\r\n\r\n');
  const fields = http.subarray(0, end).toString().split('\r\n').map((line) => line.split(/: (.*)/s).slice(0, 2));
  return { head: Object.fromEntries(fields), body: http.subarray(end + 4) };
}

const parse = (http) => PostalMime.parse(Buffer.concat([Buffer.from('MIME-Version: 1.0\r\n'), http]));

const files = [
  ['image/jpeg', '1.jpg', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), randomBytes(100_000)])],
  ['image/png', '2.png', Buffer.from('\r\n--m_0\r\n\r\n--\r\n')],
  ['video/mp4', '3.mp4', randomBytes(5_000_000)],
  ['audio/amr', '4.amr', Buffer.from('#!AMR\n')],
  ['text/vcard', '5.vcf', Buffer.from('BEGIN:VCARD\r\nFN:Grüße\r\nEND:VCARD\r\n')],
  ['image/gif', '6.gif', randomBytes(57 * 128)],
];
const text = 'Grüße 🐦\nzweite Zeile';
let fileArgs;

before(() => {
  fileArgs = files.flatMap(([type, name, bytes]) => {
    writeFileSync(join(folder, name), bytes);
    return [type, join(folder, name)];
  });
});

describe('MIME', () => {
  for (const encoding of ['base64', 'binary']) {
    it(`comes out of another parser as it went in: ${encoding}`, async () => {
      const http = say('submit', encoding, 'full', text, ...fileArgs);
      const { head, body } = split(http);
      assert.equal(Number(head['Content-Length']), body.length);
      const mail = await parse(http);
      const byId = Object.fromEntries(mail.attachments.map((a) => [a.contentId, a]));
      assert.deepEqual(mail.attachments.map((a) => a.contentId), ['<soap>', '<smil>', ...files.map(([, name]) => `<${name}>`)]);
      assert.equal(byId['<soap>'].mimeType, 'text/xml');
      assert.equal(byId['<smil>'].mimeType, 'application/smil');
      assert.equal(mail.text.trim(), text);
      for (const [type, name, bytes] of files) {
        const part = byId[`<${name}>`];
        assert.equal(part.mimeType, type);
        assert.equal(part.filename, name);
        if (encoding === 'base64') assert.equal(hash(part.content), hash(bytes), name);
      }
    });
  }

  it('has binary parts byte for byte', () => {
    const { head, body } = split(say('submit', 'binary', 'full', text, ...fileArgs));
    for (const [, name, bytes] of files) {
      const start = body.indexOf(`Content-Location: ${name}\r\n\r\n`) + `Content-Location: ${name}\r\n\r\n`.length;
      assert.equal(hash(body.subarray(start, start + bytes.length)), hash(bytes), name);
      assert.equal(body.subarray(start + bytes.length, start + bytes.length + 6).toString(), '\r\n--c_', name);
    }
    const boundary = /boundary="(m_[0-9a-f]{32})"/.exec(head['Content-Type'])[1];
    assert.equal(body.toString('latin1').split(boundary).length - 1, 3);
  });

  it('has base64 in lines of 76', () => {
    const { body } = split(say('submit', 'base64', 'least', '', 'image/gif', join(folder, '6.gif')));
    const lines = body.toString('latin1').split('\r\n').filter((line) => /^[A-Za-z0-9+/=]{70,}$/.test(line));
    assert.equal(lines.length, 128);
    assert.ok(lines.every((line) => line.length === 76));
  });

  it('names in SMIL only parts that are there, each once', async () => {
    const mail = await parse(say('submit', 'base64', 'full', text, ...fileArgs));
    const smil = Buffer.from(mail.attachments[1].content).toString();
    const named = [...smil.matchAll(/src="cid:([^"]+)"/g)].map((m) => m[1]);
    assert.deepEqual(named, ['1.jpg', 'text.txt', ...files.slice(1).map(([, name]) => name)]);
    writeFileSync(join(folder, 'smil.xml'), smil);
    execFileSync('xmllint', ['--noout', '--nonet', join(folder, 'smil.xml')]);
  });
});

// ---- SOAP ----

const soapOf = (http) => /<\?xml[^]*<\/env:Envelope>/.exec(split(http).body.toString('latin1'))[0];
const latin = (soap) => Buffer.from(soap, 'latin1');

// The element inside the Body (or inside the Fault) as a document of its own.
const saidIn = (soap) => /<(SubmitReq|\w+Rsp) [^]*<\/\1>/.exec(soap)[0];

function validate(schema, xml) {
  return spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], { input: latin(xml) });
}

// The schema of 3GPP imports that of SOAP from the network: three attributes of it are enough.
function localCopy(path) {
  const attributes = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://schemas.xmlsoap.org/soap/envelope/">
    <xs:attribute name="mustUnderstand" type="xs:boolean"/><xs:attribute name="encodingStyle" type="xs:anyURI"/><xs:attribute name="actor" type="xs:anyURI"/></xs:schema>`;
  writeFileSync(join(folder, 'soap.xsd'), attributes);
  const text = readFileSync(path, 'utf8').replace(/schemaLocation="[^"]*"/, 'schemaLocation="soap.xsd"');
  writeFileSync(join(folder, 'mm7.xsd'), text);
  return join(folder, 'mm7.xsd');
}

const schemas = { 'our schema': () => join(sourceRoot, 'tests/data/mm7/said.xsd') };
if (process.env.SKYLARK_MM7_XSD) schemas['the schema of 3GPP'] = () => localCopy(process.env.SKYLARK_MM7_XSD);

for (const [name, schema] of Object.entries(schemas)) {
  describe(`SOAP by ${name}`, () => {
    const good = (xml) => {
      const { status, stderr } = validate(schema(), xml);
      assert.equal(status, 0, `${stderr}`);
    };

    it('takes what we submit', () => {
      for (const extent of ['full', 'least']) good(saidIn(soapOf(say('submit', 'base64', extent, text))));
    });

    it('takes what we answer', () => {
      for (const answer of ['SubmitRsp', 'DeliverRsp', 'DeliveryReportRsp', 'ReadReplyRsp', 'RSErrorRsp', 'VASPErrorRsp']) {
        for (const details of ['', 'a & b']) good(saidIn(say('answer', answer, '2007', details).toString('latin1')));
      }
    });

    it('refuses another order', () => {
      const said = saidIn(soapOf(say('submit', 'base64', 'full', text)));
      const elements = ['MM7Version', 'SenderIdentification', 'Recipients', 'ServiceCode', 'LinkedID', 'MessageClass', 'TimeStamp',
        'EarliestDeliveryTime', 'ExpiryDate', 'DeliveryReport', 'ReadReply', 'Priority', 'Subject'];
      for (const element of elements) {
        const one = new RegExp(`<${element}>[^]*</${element}>`).exec(said)[0];
        const moved = said.replace(one, '').replace('</SubmitReq>', `${one}</SubmitReq>`);
        assert.notEqual(validate(schema(), moved).status, 0, element);
      }
    });
  });
}

describe('SOAP envelopes', () => {
  it('hold a TransactionID that must be understood, and one thing said', () => {
    const soap = soapOf(say('submit', 'base64', 'full', text));
    const ask = (xpath) => execFileSync('xmllint', ['--xpath', `string(${xpath})`, '-'], { input: latin(soap) }).toString().trim();
    assert.equal(ask("count(/*[local-name()='Envelope']/*[local-name()='Body']/*)"), '1');
    assert.equal(ask("//*[local-name()='Header']/*[local-name()='TransactionID']"), 'msg_1-1');
    assert.equal(ask("//*[local-name()='TransactionID']/@*[local-name()='mustUnderstand']"), '1');
    assert.equal(ask("//*[local-name()='Content']/@href"), 'cid:mms');
    assert.equal(ask("//*[local-name()='Subject']"), '<Hello> & "Grüße"');
    assert.equal(ask("//*[local-name()='VASPID']"), 'acme & sons');
    assert.equal(ask("count(//*[local-name()='To']/*)"), '2');
  });
});
