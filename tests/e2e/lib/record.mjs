// Notes exchanges for the coverage of the contract when SKYLARK_RECORD names a folder: one line of
// JSON each, as `redocly drift` reads them. Of exchanges that look alike one is enough, and a body of
// great size is about size: it is left out where it was refused, and the whole where it was not.
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env.SKYLARK_RECORD;
if (folder) mkdirSync(folder, { recursive: true });

// The names in a value, and of its words those that an enum may hold.
function looks(value, depth = 0) {
  if (depth > 8) return '…';
  if (Array.isArray(value)) return `[${[...new Set(value.map((item) => looks(item, depth + 1)))].sort()}]`;
  if (value === null || typeof value !== 'object') return /^[a-z_-]{1,40}$/i.test(value) ? value : typeof value;
  return `{${Object.keys(value).sort().map((key) => `${key}:${looks(value[key], depth + 1)}`)}}`;
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return text; }
}

const seen = new Set();

export function record(method, path, { request: { headers: sent, body: sentBytes }, status, headers, text }) {
  if (!folder) return;
  const large = sentBytes?.length > 20_000;
  if (large && status < 400) return;
  const sentBody = large ? undefined : sentBytes?.toString();
  const body = headers['content-type']?.startsWith('application/json') ? parsed(text) : text;
  const [place, query = ''] = path.split('?');
  const parameters = [...new URLSearchParams(query).keys()];
  const look = [method, place.replace(/_[0-9A-Za-z]{11,}|%2B\d+|\+\d+/g, '_'), parameters, Object.keys(sent), status, Object.keys(headers), looks(parsed(sentBody)), looks(body)].join(' ');
  if (seen.has(look)) return;
  seen.add(look);
  const request = { method, url: `https://localhost:8443${path}`, headers: sent, body: sentBody };
  const line = JSON.stringify({ request, response: { status, headers, body } });
  appendFileSync(join(folder, `${process.pid}.ndjson`), `${line}\n`);
}
