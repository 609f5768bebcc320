// Input made to break things. Each is answered with an error that the description knows, and the
// server goes on.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { drain, parseResponse } from './lib/client.mjs';
import { checkResponse } from './lib/contract.mjs';
import { withServer } from './lib/server.mjs';
import { within } from './lib/wait.mjs';
import { permissions } from './lib/world.mjs';

const to = '+15551234567';

withServer('hostile', {}, (context) => {
  let api;
  // A client that may do everything.
  const client = async () => { api ??= await context.server.keyedClient({ permissions }); return api; };

  // A request as it stands, written by hand: each header is a line.
  async function bare(method, target, lines = [], body = '') {
    const socket = await (await client()).connect();
    const answer = drain(socket);
    const head = [`${method} ${target} HTTP/1.1`, 'Host: x', 'Connection: close', ...lines].join('\r\n');
    socket.write(Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), Buffer.from(body)]));
    try {
      const text = await within(10_000, `an answer to ${target.slice(0, 100)}`, answer);
      assert.equal([...text.matchAll(/^HTTP\/1\.1 \d/gm)].length, 1, 'one answer');
      const response = parseResponse(text);
      response.text = Buffer.from(response.text, 'latin1').toString();
      return response;
    } finally {
      socket.destroy();
    }
  }

  // The same with the key, held against the description.
  async function call(method, target, lines = [], body = '') {
    const response = await bare(method, target, [`Authorization: Bearer ${(await client()).key}`, ...lines], body);
    checkResponse(method, target.split('?')[0], response);
    return response;
  }

  const post = (path, body, lines = ['Content-Type: application/json']) => (
    call('POST', path, [...lines, `Content-Length: ${Buffer.byteLength(body)}`], body));
  const send = (body) => post('/v1/send', body);

  function assertRefused({ status, body }, [wanted, code, field], what) {
    assert.deepEqual({ status, code: body.code, field: body.field }, { status: wanted, code, field }, what);
  }

  async function alive() {
    assert.equal((await (await client()).get('/livez')).status, 200);
    assert.equal((await (await client()).send({ to, text: 'alive' })).status, 201);
  }

  it('headers cannot be smuggled in', async () => {
    const smuggled = 'x%0d%0aX-Smuggled:%20yes%0d%0a%0d%0aHTTP/1.1%20200%20OK';
    for (const target of [`/v1/messages/${smuggled}`, `/v1/messages?cursor=${smuggled}`, `/v1/messages?${smuggled}=1`, `/v1/opt-outs/${smuggled}`, `/v1/keys/${smuggled}`, `/${smuggled}`]) {
      const response = await call('GET', target);
      assert.ok([400, 404].includes(response.status), target);
      assert.equal(response.headers['x-smuggled'], undefined);
    }
    for (const line of ['X: a\nX-Smuggled: yes', 'X: a\rX-Smuggled: yes', 'X: a\0b', 'X\0: a', 'X : a', ' X: a', 'X']) {
      const { status, headers, text } = await bare('GET', '/livez', [line]);
      assert.deepEqual([status, JSON.parse(text).code], [400, 'invalid_parameter'], JSON.stringify(line));
      assert.equal(headers['x-smuggled'], undefined);
    }
    await alive();
  });

  it('headers that come twice', async () => {
    const body = JSON.stringify({ to, text: 'x' });
    const sized = `Content-Length: ${body.length}`;
    const json = 'Content-Type: application/json';
    const key = `Authorization: Bearer ${(await client()).key}`;
    const twice = [
      [[json, sized, key], 401, 'invalid_authorization_header'],
      [[json, sized, `authorization: Bearer sl_test_${'0'.repeat(32)}`], 401, 'invalid_authorization_header'],
      [[json, json, sized], 400, 'unsupported_content_type'],
      [[json, 'content-type: text/xml', sized], 400, 'unsupported_content_type'],
      [[json, sized, 'Idempotency-Key: a', 'idempotency-key: a'], 400, 'invalid_idempotency_key'],
      [[json, sized, 'Idempotency-Key: a', 'Idempotency-Key:'], 400, 'invalid_idempotency_key'],
    ];
    for (const [lines, status, code] of twice) assertRefused(await call('POST', '/v1/send', lines, body), [status, code], lines.join());
    for (const lines of [[json, sized, 'Content-Length: 1'], [json, sized, sized], [json, sized, 'Transfer-Encoding: chunked'], [json, sized, 'Host: y']]) {
      const { status, text } = await bare('POST', '/v1/send', [key, ...lines], body);
      assert.deepEqual([status, JSON.parse(text).code], [400, 'invalid_parameter'], lines.join());
    }
    await alive();
  });

  it('parameters that come twice, or by another name', async () => {
    const bad = [
      ['limit=1&limit=1', 'limit'], ['limit=1&limit=2', 'limit'], ['limit=1&%6cimit=2', 'limit'], ['tag=a&tag=b', 'tag'],
      ['status=queued&status=sent', 'status'], ['Limit=1', 'Limit'], ['limit[]=1', 'limit[]'], ['limits=1', 'limits'],
    ];
    for (const [query, field] of bad) assertRefused(await call('GET', `/v1/messages?${query}`), [400, 'invalid_parameter', field], query);
    await alive();
  });

  it('percent signs', async () => {
    const broken = ['%', '%4', '%zz', '%%', '%u0041', '%00', '%FF', '%C0%AF', '%E0%80%AF', '%ED%A0%80', '%F4%90%80%80', '%C3'];
    for (const value of broken) {
      const response = await call('GET', `/v1/messages?tag=${value}`);
      assert.deepEqual([response.status, response.body.code], [400, 'invalid_parameter'], value);
      const named = await call('GET', `/v1/messages?${value}=x`);
      assert.deepEqual([named.status, named.body.code], [400, 'invalid_parameter'], value);
      assertRefused(await call('GET', `/v1/messages/msg_${value}`), [404, 'message_not_found'], value);
      assertRefused(await call('GET', `/v1/keys/key_${value}`), [404, 'key_not_found'], value);
      assertRefused(await call('GET', `/v1/opt-outs/${value}`), [400, 'invalid_phone_number', 'number'], value);
      const form = await post('/v1/send', `to=%2B15551234567&text=${value}`, ['Content-Type: application/x-www-form-urlencoded']);
      assert.equal(form.status, 400, value);
      assert.ok(['invalid_json', 'invalid_parameter'].includes(form.body.code), form.text);
    }
    for (const [query, field] of [['limit=5%00', 'limit'], ['cursor=%00', 'cursor'], ['to=%2B1555%001234567', 'to']]) {
      assertRefused(await call('GET', `/v1/messages?${query}`), [400, 'invalid_parameter', field], query);
    }
    // An encoded slash or dot does not lead anywhere else.
    for (const path of ['/v1%2Fmessages', '/v1/messages%2F', '/v1/%6dessages', '/v1/messages/..%2f..%2flivez', '/v1/../livez', '//livez', '/v1//messages', '/v1/messages/.']) {
      const { status, text } = await bare('GET', path, [`Authorization: Bearer ${(await client()).key}`]);
      assert.equal(status, 404, path);
      assert.ok(['not_found', 'message_not_found'].includes(JSON.parse(text).code), path);
    }
    await alive();
  });

  it('a plus sign and %2B are both a plus in a phone number', async () => {
    const { status } = await post('/v1/opt-outs', JSON.stringify({ number: '+15559990000' }));
    assert.equal(status, 201);
    for (const number of ['+15559990000', '%2B15559990000', '%2b15559990000', '%2B1555%39990000']) {
      assert.equal((await call('GET', `/v1/opt-outs/${number}`)).status, 200, number);
    }
    for (const number of ['%20+15559990000', '%252B15559990000', '15559990000', '%2B%2B15559990000']) {
      assertRefused(await call('GET', `/v1/opt-outs/${number}`), [400, 'invalid_phone_number', 'number'], number);
    }
    for (const number of ['+15559990000', '%2B15559990000', '%2b15559990000']) {
      assert.equal((await call('GET', `/v1/messages?to=${number}`)).status, 200, number);
      assert.equal((await call('GET', `/v1/test/inbox?to=${number}`)).status, 200, number);
    }
    assertRefused(await call('GET', '/v1/messages?to=++15559990000'), [400, 'invalid_parameter', 'to']);
    assertRefused(await call('GET', '/v1/messages?to=%2B+15559990000'), [400, 'invalid_parameter', 'to']);
  });

  it('over-long values', async () => {
    const long = 'x'.repeat(10_000);
    const cases = [
      [`/v1/messages?limit=${'9'.repeat(10_000)}`, [400, 'invalid_limit', 'limit']],
      [`/v1/messages?cursor=msg_${long}`, [400, 'invalid_cursor', 'cursor']],
      [`/v1/messages?tag=${long}`, [400, 'invalid_parameter', 'tag']],
      [`/v1/messages?to=%2B${'1'.repeat(10_000)}`, [400, 'invalid_parameter', 'to']],
      [`/v1/messages?createdAfter=${long}`, [400, 'invalid_date_range', 'createdAfter']],
      [`/v1/messages/msg_${long}`, [404, 'message_not_found']],
      [`/v1/opt-outs/%2B${'1'.repeat(10_000)}`, [400, 'invalid_phone_number', 'number']],
    ];
    for (const [target, expected] of cases) {
      const response = await call('GET', target);
      assertRefused(response, expected, target.slice(0, 60));
      assert.ok(response.text.length < 1000, 'the answer does not repeat it all');
    }
    const many = Array.from({ length: 2_000 }, (_, i) => `p${i}=`).join('&');
    assert.equal((await call('GET', `/v1/messages?${many}`)).body.code, 'invalid_parameter');
    const unknown = await call('GET', `/v1/messages?${long}=1`);
    assert.deepEqual([unknown.status, unknown.body.code], [400, 'invalid_parameter']);
    assert.ok(unknown.text.length < 1000);
    const { status, text } = await bare('GET', '/livez', Array.from({ length: 65 }, (_, i) => `X-${i}: x`));
    assert.deepEqual([status, JSON.parse(text).code], [400, 'invalid_parameter']);
    await alive();
  });

  it('text that is no text', async () => {
    const around = (bytes) => Buffer.concat([Buffer.from(`{"to":"${to}","text":"a`), Buffer.from(bytes, 'latin1'), Buffer.from('b"}')]);
    const broken = ['\\ud800', '\\udc00', '\\ud800\\ud800', '\\udfff\\ud800', '\\ud83d', '\\ud83dx', '\\uD83D\\n', '\\u12', '\\u12g4', '\\x41',
      '\xc0\xaf', '\xc1\xbf', '\xe0\x80\xaf', '\xf0\x80\x80\xaf', '\xed\xa0\x80', '\xed\xbf\xbf', '\xf4\x90\x80\x80', '\xf8\x88\x80\x80\x80', '\xfe', '\xff', '\x80', '\xc3', '\xe2\x82', '\x00', '\x1f', '\n'];
    for (const bytes of broken) assertRefused(await send(around(bytes)), [400, 'invalid_json', undefined], JSON.stringify(bytes));
    const zero = await send(around('\\u0000'));
    assert.equal(zero.status, 400);
    assert.ok(['invalid_json', 'invalid_parameter'].includes(zero.body.code), zero.text);
    await alive();
  });

  it('text that is strange but text is kept as it is', async () => {
    const strange = ['\ufffe\uffff', '\u{1fffe}\u{10ffff}', '\ufdd0', '\u202egnp.exe', '\u2066\u2069\u200b\ufeff', 'e\u0301', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', '\u0085\u2028\u2029', '\u007f\u0001'];
    for (const text of strange) {
      const message = await (await client()).sent({ to, text, tags: [`t${text.replace(/[\u0001\u007f\u0085]/g, '')}`], metadata: { [text]: text } });
      assert.equal(message.text, text);
      assert.deepEqual(message.metadata, { [text]: text });
      assert.equal((await (await client()).message(message.messageId)).text, text);
    }
    const escaped = await send(`{"to":"${to}","text":"\\uD83D\\uDC26 \\u00e9 \\/ \\ufffe"}`);
    assert.equal(escaped.body.text, '\u{1f426} é / \ufffe');
  });

  it('numbers past all bounds', async () => {
    const numbers = ['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809', '18446744073709551616', '99999999999999999999999999',
      '1e400', '-1e400', '1e999999999', '60.5', '6e1.5', '-60', '0', '-0', '1e-400', '0.6e2x', '172800.00001', '1e19'];
    for (const number of numbers) {
      const response = await send(`{"to":"${to}","text":"x","validityPeriod":${number}}`);
      assert.equal(response.status, 400, number);
      assert.ok(['invalid_parameter', 'invalid_json'].includes(response.body.code), response.text);
      if (response.body.code === 'invalid_parameter') assert.equal(response.body.field, 'validityPeriod', number);
    }
    for (const number of ['01', '+60', '.5', '60.', '0x3c', '1_000', 'NaN', 'Infinity', '-', '1e', '٦٠']) {
      assertRefused(await send(`{"to":"${to}","text":"x","validityPeriod":${number}}`), [400, 'invalid_json', undefined], number);
    }
    for (const field of ['perMinute', 'perHour']) {
      for (const number of ['9007199254740993', '1e400', '4294967297', '-1', '1.5', '-0']) {
        const response = await post('/v1/keys', `{"name":"x","${field}":${number}}`);
        assert.equal(response.status, 400, number);
        assert.ok(['invalid_parameter', 'invalid_json'].includes(response.body.code), response.text);
      }
    }
    // A number of any size may stand where nobody computes with it.
    const kept = await send(`{"to":"${to}","text":"x","metadata":{"n":9007199254740993,"m":-0,"l":1e2}}`);
    assert.equal(kept.status, 201);
    assert.match(kept.text, /"n":9007199254740993/);
    await alive();
  });

  it('times that do not exist', async () => {
    const times = ['2026-02-30T09:00:00Z', '2027-02-29T09:00:00Z', '2100-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-00-10T00:00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z',
      '2026-01-32T00:00:00Z', '2026-11-30T24:00:00Z', '2026-11-30T23:60:00Z', '2026-11-30T23:59:61Z', '2026-11-30T09:00:00', '2026-11-30T09:00:00+24:00', '2026-11-30T09:00:00+01:60',
      '2026-11-30T09:00:00+0100', '2026-11-30 09:00:00 Z', '2026-11-30T09:00Z', '2026-11-30', '20261130T090000Z', '2026-W48-1T09:00:00Z', '2026-11-30T09:00:00.Z', '2026-11-30T09:00:00,5Z',
      '-2026-11-30T09:00:00Z', '+2026-11-30T09:00:00Z', '0000-00-00T00:00:00Z', '99999-01-01T00:00:00Z', '2026-11-30T09:00:00Zx', ' 2026-11-30T09:00:00Z', '1794704460', 'now', '２０２６-11-30T09:00:00Z'];
    for (const time of times) {
      assertRefused(await send(JSON.stringify({ to, text: 'x', scheduledAt: time })), [400, 'invalid_scheduled_time', 'scheduledAt'], time);
      assertRefused(await post('/v1/keys', JSON.stringify({ name: 'x', expiresAt: time })), [400, 'invalid_parameter', 'expiresAt'], time);
      for (const field of ['createdAfter', 'createdBefore']) {
        assertRefused(await call('GET', `/v1/messages?${field}=${encodeURIComponent(time)}`), [400, 'invalid_date_range', field], time);
      }
    }
    // A leap second is one of the times that RFC 3339 knows, on the days that have one.
    assertRefused(await send(JSON.stringify({ to, text: 'x', scheduledAt: '2026-11-30T23:59:60Z' })), [400, 'invalid_scheduled_time', 'scheduledAt']);
    await alive();
  });

  it('depth', async () => {
    assert.equal((await send(`{"to":"${to}","text":"x","metadata":{"deep":${'['.repeat(60)}${']'.repeat(60)}}}`)).status, 201);
    for (const depth of [64, 1_000, 30_000]) {
      for (const nested of [`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`]) {
        const response = await send(`{"to":"${to}","text":"x","metadata":{"deep":${nested}}}`);
        assert.equal(response.status, 400, `${depth}`);
        assert.ok(['invalid_json', 'invalid_metadata'].includes(response.body.code), response.text);
        assertRefused(await send(`{"to":"${to}","text":"x","unknown":${nested}}`), [400, 'invalid_json', undefined], `${depth}`);
        assertRefused(await post('/v1/messages/batch', `{"messages":[${nested}]}`), [400, 'invalid_json', undefined], `${depth}`);
      }
    }
    await alive();
  });

  it('names that come twice', async () => {
    const twice = [`{"to":"${to}","to":"${to}","text":"x"}`, `{"to":"${to}","text":"x","text":"x"}`, `{"to":"${to}","text":"x","t\\u006f":"${to}"}`,
      `{"to":"${to}","text":"x","unknown":1,"unknown":1}`, `{"to":"${to}","text":"x","metadata":{"a":1,"a":1}}`];
    for (const body of twice) assertRefused(await send(body), [400, 'invalid_json', undefined], body);
    // Of two names for one field the chief one counts, wherever it stands.
    const one = '["https://example.com/1.jpg"]';
    const two = '["https://example.com/2.jpg"]';
    for (const both of [`"mediaUrls":${one},"media_urls":${two}`, `"media_urls":${two},"mediaUrls":${one}`]) {
      assert.deepEqual((await send(`{"to":"${to}","text":"x",${both}}`)).body.mediaUrls, JSON.parse(one));
    }
    const form = await post('/v1/send', 'to=%2B15551234567&to=%2B15551234568&text=x', ['Content-Type: application/x-www-form-urlencoded']);
    assertRefused(form, [400, 'invalid_parameter', 'to'], 'a form');
    await alive();
  });
});
