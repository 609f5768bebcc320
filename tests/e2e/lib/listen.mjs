// Server-sent events, read as the standard says, over a connection of its own.
import https from 'node:https';
import assert from 'node:assert/strict';
import { assertSchema } from './contract.mjs';
import { until } from './wait.mjs';

// What each stream tells: the schema of its data, and which parts of it stand in the block as well.
const kinds = {
  '/v1/events': { schema: 'Event', outside: ({ id, type }) => ({ id, event: type }) },
  '/v1/stats/live': { schema: 'LiveStats', outside: () => ({ event: 'stats' }) },
};

class Stream {
  events = []; // each as it came
  comments = 0;
  lastId = '';
  ended = false; // cleanly, with the last chunk
  lost = false;

  #text = '';
  #block = {};
  #kind;

  constructor(path) {
    this.#kind = kinds[path];
  }

  #line(line) {
    if (line === '') {
      if (this.#block.id !== undefined) this.lastId = this.#block.id;
      if (this.#block.data !== undefined) this.#take(this.#block);
      this.#block = {};
    } else if (line.startsWith(':')) {
      this.comments += 1;
    } else {
      const [, name, value] = /^([a-z]+): (.*)$/s.exec(line) ?? assert.fail(`no line of an event: ${line}`);
      assert.equal(this.#block[name], undefined, `${name} twice`);
      if (name === 'retry') this.retry = Number(value);
      else this.#block[name] = value;
    }
  }

  #take({ data, ...outside }) {
    const parsed = JSON.parse(data);
    assertSchema(`/components/schemas/${this.#kind.schema}`, parsed, 'an event of the stream');
    assert.deepEqual(outside, this.#kind.outside(parsed));
    this.events.push({ ...parsed, heardAt: performance.now() });
  }

  feed(piece) {
    const lines = (this.#text + piece).split('\n');
    this.#text = lines.pop();
    lines.forEach((line) => this.#line(line));
  }

  // So many events, or what `enough` says of them.
  heard(enough, options) {
    const satisfied = typeof enough === 'number' ? () => this.events.length >= enough : () => enough(this.events);
    return until('the events', () => satisfied() && this.events, options);
  }
}

// Opens a stream, and insists on getting one. `lastId`: goes on behind this event.
export function listen(client, { path = '/v1/events', query = '', lastId, key = client.key } = {}) {
  const headers = { Accept: 'text/event-stream', Authorization: `Bearer ${key}`, ...(lastId ? { 'Last-Event-ID': lastId } : {}) };
  const stream = new Stream(path);
  return new Promise((done, fail) => {
    const request = https.request({ host: '127.0.0.1', port: client.port, ca: client.ca, path: `${path}${query}`, headers, agent: false });
    request.on('error', (error) => { stream.lost = true; fail(error); });
    request.on('response', (response) => {
      Object.assign(stream, { status: response.statusCode, headers: response.headers, close: () => request.destroy() });
      response.setEncoding('utf8');
      response.on('data', (piece) => stream.feed(piece));
      response.on('end', () => { stream.ended = true; });
      response.on('error', () => { stream.lost = true; });
      try {
        assert.equal(response.statusCode, 200);
        done(stream);
      } catch (error) {
        request.destroy();
        fail(error);
      }
    });
    request.end();
  });
}
