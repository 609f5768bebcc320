// A server of media files over HTTPS that has good ones, and every way of being a bad one.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Authority } from './certificates.mjs';
import { Receiver } from './receiver.mjs';

const filled = (head, size = 2000) => Buffer.concat([Buffer.from(head, 'latin1'), Buffer.alloc(Math.max(0, size - head.length), 0x55)]);
const box = (brand) => `\0\0\0\x18ftyp${brand}\0\0\0\0isommp42`;

// By name: what it is called, what it is kept as, what it holds.
export const files = {
  jpeg: { type: 'image/jpeg', body: filled('\xff\xd8\xff\xe0\0\x10JFIF\0') },
  png: { type: 'image/png', body: filled('\x89PNG\r\n\x1a\n\0\0\0\rIHDR') },
  gif: { type: 'image/gif', body: filled('GIF89a\x01\0\x01\0') },
  webp: { type: 'image/webp', body: filled('RIFF\x24\0\0\0WEBPVP8 ') },
  mp4: { type: 'video/mp4', body: filled(box('isom')) },
  '3gp': { type: 'video/3gpp', body: filled(box('3gp4')) },
  amr: { type: 'audio/amr', body: filled('#!AMR\n<') },
  mp3: { type: 'audio/mpeg', body: filled('ID3\x03\0\0\0\0\0\x23') },
  vcard: { type: 'text/vcard', kept: 'text/x-vcard', body: Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Lark\r\nEND:VCARD\r\n') },
  text: { type: 'text/plain; charset=utf-8', kept: 'text/plain', body: Buffer.from('Grüße\n'.repeat(100)) },
};

const jpeg = files.jpeg.body;

// Bytes for ever: as fast as they are taken, or one every now and then.
function pour(server, response, { every } = {}) {
  const piece = Buffer.alloc(every ? 1 : 1 << 16, 0x55);
  let timer;
  const source = new Readable({
    read() {
      const push = () => {
        server.poured += piece.length;
        this.push(piece);
      };
      if (every) timer = setTimeout(push, every);
      else push();
    },
  });
  response.write(jpeg);
  source.pipe(response);
  response.on('close', () => {
    clearTimeout(timer);
    source.destroy();
  });
}

// By the first word of the path; what stands behind it is in `rest`.
const ways = {
  file: (server, response, [name]) => {
    const { type, body } = files[name];
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': body.length }).end(body);
  },
  sized: (server, response, [size]) => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(filled('\xff\xd8\xff', Number(size))),
  // Says that it is longer than it is, or shorter.
  short: (server, response) => {
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': jpeg.length + 500 });
    response.write(jpeg, () => response.socket.end());
  },
  long: (server, response) => {
    response.socket.write(`HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: ${jpeg.length - 500}\r\n\r\n`);
    response.socket.write(jpeg);
  },
  called: (server, response, [name, ...type]) => response.writeHead(200, { 'Content-Type': type.join('/') }).end(files[name].body),
  page: (server, response) => response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end('<!DOCTYPE html><title>Log in</title>'),
  pdf: (server, response) => response.writeHead(200, { 'Content-Type': 'application/pdf' }).end('%PDF-1.7\n%\x01\x02'),
  drip: (server, response) => pour(server, response.writeHead(200, { 'Content-Type': 'image/jpeg' }), { every: 20 }),
  endless: (server, response) => pour(server, response.writeHead(200, { 'Content-Type': 'image/jpeg' })),
  gigabyte: (server, response) => pour(server, response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': 1e9 })),
  redirect: (server, response) => response.writeHead(302, { Location: server.elsewhere }).end(),
  status: (server, response, [status]) => response.writeHead(Number(status)).end('sorry'),
  // That status the first time, and the file afterwards.
  once: (server, response, [status, id]) => {
    const again = server.seen.has(id);
    server.seen.add(id);
    ways[again ? 'file' : 'status'](server, response, [again ? 'jpeg' : status]);
  },
  hang: () => {},
  half: (server, response) => {
    response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': jpeg.length });
    response.write(jpeg.subarray(0, 1000), () => response.socket.destroy());
  },
  empty: (server, response) => response.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': 0 }).end(),
};

export class MediaServer extends Receiver {
  // With an authority of its own, whose certificate is `ca`, in this folder. It is called localhost.
  static async start({ folder, ...options }) {
    const at = join(folder, 'media-server');
    mkdirSync(at, { recursive: true });
    const authority = await Authority.make(at, 'authority');
    const tls = await authority.sign('server', 'DNS:localhost,IP:127.0.0.1');
    const server = await Receiver.start({ ...options, tls, answer: (request, response, kept) => server.give(response, kept.path) });
    Object.setPrototypeOf(server, MediaServer.prototype);
    return Object.assign(server, { ca: authority.certFile, seen: new Set(), poured: 0, elsewhere: 'https://127.0.0.1:9/' });
  }

  give(response, path) {
    const [way, ...rest] = path.split('?')[0].slice(1).split('/');
    ways[way](this, response, rest);
  }

  url(path) {
    return `https://localhost:${this.port}/${path}`;
  }

  // How often it was asked for this.
  asked(path) {
    return this.requests.filter((request) => request.path === `/${path}`).length;
  }
}
