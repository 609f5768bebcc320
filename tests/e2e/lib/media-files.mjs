// A well-behaved server of media files, over HTTPS with an authority of its own.
import { createHash } from 'node:crypto';
import { Authority } from './certificates.mjs';
import { Receiver } from './receiver.mjs';
import { removeFolder, temporaryFolder } from './server.mjs';

// Bytes that begin like a file of their type and are different for each `seed`.
const filler = (size, seed) => {
  const piece = createHash('sha256').update(String(seed)).digest();
  return Buffer.alloc(size, piece);
};
export const jpeg = (size = 1000, seed = 0) => Buffer.concat([Buffer.from('ffd8ffe000104a46494600010101', 'hex'), filler(size - 14, seed)]);
export const png = (size = 1000, seed = 0) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), filler(size - 8, seed)]);
export const mp4 = (size = 1000, seed = 0) => Buffer.concat([Buffer.from('000000186674797069736f6d', 'hex'), filler(size - 12, seed)]);

// `files`: {'cat.jpg': {type, bytes}}; more may be put into `server.files` later.
export async function mediaFiles(files = { 'cat.jpg': { type: 'image/jpeg', bytes: jpeg() } }) {
  const folder = temporaryFolder();
  const authority = await Authority.make(folder, 'media');
  const receiver = await Receiver.start({
    tls: await authority.sign('localhost', 'DNS:localhost,IP:127.0.0.1'),
    answer: (request, response) => {
      const file = media.files[request.url.slice(1)];
      if (!file) return response.writeHead(404).end();
      response.writeHead(file.status ?? 200, { 'Content-Type': file.type, 'Content-Length': file.bytes.length }).end(file.bytes);
    },
  });
  const media = {
    files,
    ca: authority.certFile,
    receiver,
    url: (name) => receiver.url(`/${name}`),
    stop: async () => {
      await receiver.stop();
      removeFolder(folder);
    },
  };
  return media;
}
