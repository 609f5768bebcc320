// POST /v1/send: what is taken, what is refused, and in which order faults are named.
import { it } from 'node:test';
import assert from 'node:assert/strict';
import { withServer } from './lib/server.mjs';
import { drain, parseResponse } from './lib/client.mjs';

const to = '+15551234567';
const media = (count) => Array.from({ length: count }, (_, i) => `https://media.example.com/${i}.jpg`);

withServer('send: bodies', {}, (context) => {
  const refused = (...args) => context.api.refused(...args);
  const raw = (body, type = 'application/json') => context.api.call('POST', '/v1/send', { raw: body, type });

  it('takes JSON', async () => {
    const message = await context.api.sent({ to, text: 'Hello' });
    assert.equal(message.to, to);
    assert.equal(message.text, 'Hello');
    assert.equal(message.status, 'queued');
    assert.equal(message.type, 'sms');
    assert.equal(message.messageType, 'transactional');
    assert.equal(message.direction, 'outbound');
    assert.equal(message.livemode, false);
    assert.equal(message.retryCount, 0);
    assert.equal('mediaUrls' in message, false);
    for (const field of ['sentAt', 'deliveredAt', 'failedAt', 'errorCode', 'errorMessage']) {
      assert.equal(message[field], null, field);
    }
    assert.equal(message.updatedAt, message.createdAt);
    assert.ok(Math.abs(Date.parse(message.createdAt) - Date.now()) < 10_000);
  });

  it('takes JSON with parameters in the content type, and in any case', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"']) {
      assert.equal((await raw(JSON.stringify({ to, text: 'x' }), type)).status, 201, type);
    }
  });

  it('reads a body without a content type as JSON', async () => {
    assert.equal((await raw(JSON.stringify({ to, text: 'x' }), null)).status, 201);
    await refused(400, 'invalid_json', undefined, raw('to=%2B15551234567&text=x', null));
  });

  it('takes a form', async () => {
    const { status, body } = await context.api.call('POST', '/v1/send', { form: { to, text: 'Grüße & küsse = ü+1 %' } });
    assert.equal(status, 201);
    assert.equal(body.text, 'Grüße & küsse = ü+1 %');
    assert.equal(body.to, to);
  });

  it('takes repeated mediaUrls and the alias media_urls in a form', async () => {
    for (const name of ['mediaUrls', 'media_urls']) {
      const form = [['to', to], ['text', ''], ...media(3).map((url) => [name, url])];
      const { status, body } = await context.api.call('POST', '/v1/send', { form });
      assert.equal(status, 201);
      assert.deepEqual(body.mediaUrls, media(3));
      assert.equal(body.type, 'mms');
    }
  });

  it('reads a form to its last byte', async () => {
    for (const body of ['&&to=%2B15551234567&&text=a+b&', 'text=a%20b&to=%2b15551234567&x', '=&to=%2B15551234567&text=a b']) {
      const response = await raw(body, 'application/x-www-form-urlencoded; charset=utf-8');
      assert.equal(response.status, 201, body);
      assert.equal(response.body.text, 'a b');
    }
  });

  it('refuses a form with broken escapes, NUL or invalid UTF-8', async () => {
    for (const text of ['%00', 'a%00b', '%FF', '%C3', '%ED%A0%80', '%F4%90%80%80', '%C0%AF', '%', '%4', '%zz']) {
      const response = await raw(`to=%2B15551234567&text=${text}`, 'application/x-www-form-urlencoded');
      assert.equal(response.status, 400, text);
      assert.ok(['invalid_json', 'invalid_parameter'].includes(response.body.code), response.text);
    }
  });

  it('refuses other content types', async () => {
    const body = JSON.stringify({ to, text: 'x' });
    for (const type of ['text/plain', 'text/xml', 'multipart/form-data; boundary=x', 'application/jsonp', 'application', 'x']) {
      await refused(400, 'unsupported_content_type', undefined, raw(body, type));
    }
  });

  it('tells those who send JSON as a form which header they forgot', async () => {
    const json = JSON.stringify({ to, text: 'x' });
    for (const body of [json, ` \n${json}`, '{', JSON.stringify({ to, text: 'a=b&c' })]) {
      const response = await raw(body, 'application/x-www-form-urlencoded');
      await refused(400, 'unsupported_content_type', undefined, response);
      assert.match(response.body.message, /-H 'Content-Type: application\/json'/);
    }
  });

  it('refuses what is not one JSON object', async () => {
    const bodies = ['', ' ', '{', '}', '{"to"', '{"to":}', '{"to":"+15551234567","text":"x"',
      '{"to":"+15551234567","text":"x"}}', '{"to":"+15551234567","text":"x"} x', '{"to":"+15551234567","text":"x",}',
      "{'to':'+15551234567'}", '[]', '[{}]', '"text"', '5', 'null', 'true', 'nul', '{"text":"\t"}', '{"text":"\\x"}',
      '{"text":01}', '{"text":NaN}', '{to:"x"}', '\ufeff{', '{"a":"\\ud800"}', '{"a":"\\udc00\\ud800"}', '// x\n{}',
      '{"to":"+15551234567","text":"a","text":"b"}'];
    for (const body of bodies) await refused(400, 'invalid_json', undefined, raw(body));
  });

  it('refuses NUL and invalid UTF-8', async () => {
    const around = (bytes) => Buffer.concat([Buffer.from(`{"to":"${to}","text":"a`), Buffer.from(bytes), Buffer.from('b"}')]);
    const broken = [[0x00], [0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80], [0xe2, 0x82]];
    for (const bytes of broken) await refused(400, 'invalid_json', undefined, raw(around(bytes)));
    await refused(400, 'invalid_json', undefined, raw(Buffer.concat([Buffer.from(`{"to":"${to}","text":"x"}`), Buffer.from([0])])));
    const escaped = await raw(`{"to":"${to}","text":"a\\u0000b"}`);
    assert.equal(escaped.status, 400);
    assert.ok(['invalid_json', 'invalid_parameter'].includes(escaped.body.code), escaped.text);
  });

  it('refuses deep nesting without falling over', async () => {
    for (const depth of [3_000, 100_000]) {
      await refused(400, 'invalid_json', undefined, raw(`{"x":${'['.repeat(depth)}${']'.repeat(depth)}}`));
      await refused(400, 'invalid_json', undefined, raw('{"x":'.repeat(depth / 3)));
    }
  });

  it('takes 256 KiB and no byte more', async () => {
    const filled = (size) => {
      const shell = JSON.stringify({ to, text: 'x', padding: '' });
      return JSON.stringify({ to, text: 'x', padding: 'p'.repeat(size - shell.length) });
    };
    const whole = await raw(filled(262_144));
    assert.equal(whole.status, 201, whole.text);
    await refused(400, 'request_too_large', undefined, raw(filled(262_145)));
    await refused(400, 'request_too_large', undefined, raw(filled(300 * 1024)));
    await refused(400, 'request_too_large', undefined, raw('x'.repeat(300 * 1024)));
    await refused(400, 'request_too_large', undefined, raw(`text=${'x'.repeat(300 * 1024)}`, 'application/x-www-form-urlencoded'));
    assert.equal((await context.api.send({ to, text: 'still there' })).status, 201);
  });

  it('refuses an endless body without reading it to the end', async () => {
    const socket = await context.api.connect();
    const answer = drain(socket);
    socket.write(`POST /v1/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${context.api.key}\r\n`
      + 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
    const piece = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let written = 0;
    while (!socket.destroyed && socket.writable && written < 64 * 1024 * 1024) {
      const room = socket.write(piece) || new Promise((go) => { socket.once('drain', go); });
      await Promise.race([room, answer]);
      written += piece.length;
    }
    assert.ok(written < 64 * 1024 * 1024, 'the server swallowed 64 MiB');
    const response = parseResponse(await answer);
    if (response) assert.equal(response.status, 400);
    assert.equal((await context.api.get('/livez')).status, 200);
  });

  it('takes a chunked body', async () => {
    const socket = await context.api.connect();
    const answer = drain(socket);
    const body = JSON.stringify({ to, text: 'in pieces' });
    socket.write(`POST /v1/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${context.api.key}\r\n`
      + 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n');
    for (const letter of body) socket.write(`1\r\n${letter}\r\n`);
    socket.write('0\r\n\r\n');
    assert.equal(parseResponse(await answer).status, 201);
  });
});

withServer('send: fields', {}, (context) => {
  const refused = (code, field, json) => context.api.refused(400, code, field, context.api.send(json));

  it('names missing fields before anything else', async () => {
    await refused('missing_required_field', 'to', {});
    await refused('missing_required_field', 'to', { text: 'x' });
    await refused('missing_required_field', 'text', { to });
    await refused('missing_required_field', 'to', { to: null, text: 'x' });
    await refused('missing_required_field', 'text', { to, text: null });
    await refused('missing_required_field', 'text', { to: 'nonsense' });
    await refused('missing_required_field', 'to', { text: 5 });
    await refused('missing_required_field', 'text', { to: 5 });
    await refused('missing_required_field', 'text', { to, mediaUrls: media(1) });
    await refused('missing_required_field', 'to', { To: to, TEXT: 'x' });
  });

  it('names missing fields of a form', async () => {
    const form = (fields) => context.api.call('POST', '/v1/send', { form: fields });
    await context.api.refused(400, 'missing_required_field', 'to', form({}));
    await context.api.refused(400, 'missing_required_field', 'to', form({ text: 'x' }));
    await context.api.refused(400, 'missing_required_field', 'text', form({ to }));
    await context.api.refused(400, 'text_required', 'text', form({ to, text: '' }));
  });

  it('names wrong types before wrong values', async () => {
    for (const wrong of [5, 1.5, true, [], {}, ['x']]) {
      await refused('invalid_parameter', 'to', { to: wrong, text: 'x' });
      await refused('invalid_parameter', 'text', { to, text: wrong });
    }
    await refused('invalid_parameter', 'text', { to: 'nonsense', text: 5 });
    await refused('invalid_parameter', 'to', { to: 5, text: 5 });
    for (const wrong of ['https://media.example.com/0.jpg', 5, true, {}, [5], [null], [['x']], [...media(2), 7]]) {
      await refused('invalid_parameter', 'mediaUrls', { to, text: 'x', mediaUrls: wrong });
    }
    await refused('invalid_parameter', 'mediaUrls', { to: 'nonsense', text: '', mediaUrls: 5 });
  });

  it('wants an international number, and nothing stricter', async () => {
    const good = ['+1234567890', '+15551234567', '+1234567', '+123456789012345', '+447700900456', '+999999999', '+2101234567'];
    for (const number of good) assert.equal((await context.api.sent({ to: number, text: 'x' })).to, number);
    const bad = ['', '+', '15551234567', '+05551234567', '+123456', '+1234567890123456', '+1 555 123 4567', '+1-555-1234567',
      '+1555123456a', ' +15551234567', '+15551234567 ', '+15551234567\n', '++15551234567', '0015551234567', '+١٢٣٤٥٦٧٨',
      '+１５５５１２３４５６７', 'tel:+15551234567', '+'.repeat(1000), `+${'1'.repeat(5000)}`];
    for (const number of bad) await refused('invalid_phone_number', 'to', { to: number, text: 'x' });
    await refused('invalid_phone_number', 'to', { to: 'x', text: '' });
    await refused('invalid_phone_number', 'to', { to: 'x', text: 'y'.repeat(2000), mediaUrls: media(11) });
  });

  it('allows an empty text only with media', async () => {
    await refused('text_required', 'text', { to, text: '' });
    await refused('text_required', 'text', { to, text: '', mediaUrls: [] });
    await refused('text_required', 'text', { to, text: '', mediaUrls: null });
    const message = await context.api.sent({ to, text: '', mediaUrls: media(1) });
    assert.equal(message.text, '');
    assert.equal(message.type, 'mms');
    assert.equal((await context.api.sent({ to, text: ' ' })).text, ' ');
  });

  it('counts 1600 code points, whatever they are made of', async () => {
    for (const letter of ['a', 'é', '€', '漢', '😀']) {
      const message = await context.api.sent({ to, text: letter.repeat(1600) });
      assert.equal(message.text, letter.repeat(1600));
      await refused('text_too_long', 'text', { to, text: letter.repeat(1601) });
    }
    const escaped = `{"to":"${to}","text":"${'\\ud83d\\ude00'.repeat(1600)}"}`;
    assert.equal((await context.api.call('POST', '/v1/send', { raw: escaped, type: 'application/json' })).status, 201);
  });

  it('keeps every character of a text', async () => {
    const texts = ['"quoted" \\ / back', 'tab\tline\nreturn\r', '\u0001\u001f\u007f', '\u2028\u2029', 'e\u0301 \u200d 👩‍👩‍👧', '\uffff\ufffe',
      '</script>', '𝄞𐍈', '@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞ^{}[~]|€'];
    for (const text of texts) {
      const { messageId, text: echoed } = await context.api.sent({ to, text });
      assert.equal(echoed, text);
      assert.equal((await context.api.message(messageId)).text, text);
    }
  });

  it('takes up to ten https media addresses', async () => {
    for (const urls of [media(1), media(10), ['https://h/'], [`https://media.example.com/${'x'.repeat(2048 - 26)}`], ['https://example.com:8443/a?b=c#d']]) {
      const message = await context.api.sent({ to, text: 'x', mediaUrls: urls });
      assert.deepEqual(message.mediaUrls, urls);
      assert.equal(message.type, 'mms');
      assert.equal(message.segments, 1);
      assert.deepEqual((await context.api.message(message.messageId)).mediaUrls, urls);
    }
    await refused('too_many_media', 'mediaUrls', { to, text: 'x', mediaUrls: media(11) });
    const bad = ['', 'http://example.com/a.jpg', 'ftp://example.com/a', '//example.com/a', 'example.com/a.jpg', 'https://', 'https:///a.jpg',
      'https:/example.com', 'https://exa mple.com/', 'https://example.com/a b', 'https://example.com/\n', 'javascript:alert(1)',
      'file:///etc/passwd', ' https://example.com/', `https://media.example.com/${'x'.repeat(2049 - 26)}`];
    for (const url of bad) await refused('invalid_media_url', 'mediaUrls', { to, text: 'x', mediaUrls: [url] });
    await refused('invalid_media_url', 'mediaUrls', { to, text: 'x', mediaUrls: [...media(9), 'http://example.com/'] });
  });

  it('knows the alias media_urls, and takes null and [] as no media', async () => {
    const message = await context.api.sent({ to, text: 'x', media_urls: media(2) });
    assert.deepEqual(message.mediaUrls, media(2));
    for (const none of [null, []]) {
      const plain = await context.api.sent({ to, text: 'x', mediaUrls: none });
      assert.equal(plain.type, 'sms');
      assert.equal('mediaUrls' in plain, false);
    }
  });

  it('ignores unknown fields', async () => {
    const message = await context.api.sent({ to, text: 'x', colour: 'blue', nested: { to: 5, deep: [[[]]] }, messageId: 'msg_mine', status: 'delivered' });
    assert.notEqual(message.messageId, 'msg_mine');
    assert.equal(message.status, 'queued');
  });

  it('names authentication first, then the body', async () => {
    const api = context.api;
    await api.refused(401, 'missing_api_key', undefined, api.call('POST', '/v1/send', { key: null, raw: '{', type: 'text/xml' }));
    await api.refused(401, 'missing_api_key', undefined, api.call('POST', '/v1/send', { key: null, raw: 'x'.repeat(300 * 1024), type: 'application/json' }));
    await api.refused(400, 'unsupported_content_type', undefined, api.call('POST', '/v1/send', { raw: '{', type: 'text/xml' }));
  });

  it('gives every message its own id', async () => {
    const messages = await Promise.all(Array.from({ length: 200 }, (_, i) => context.api.sent({ to, text: `${i}` })));
    assert.equal(new Set(messages.map((m) => m.messageId)).size, 200);
    messages.forEach((m, i) => assert.equal(m.text, `${i}`));
  });

  it('refuses a live message while no carrier is connected', async () => {
    const live = await context.server.keyedClient({ type: 'live' });
    for (const number of [to, '+447700900456', '+4915112345678', '+15550001234', '+15550001004']) {
      await live.refused(400, 'unsupported_destination', 'to', live.send({ to: number, text: 'x' }));
    }
    await live.refused(400, 'invalid_phone_number', 'to', live.send({ to: '123', text: 'x' }));
    assert.equal((await live.get('/v1/messages')).body.pagination.totalCount, 0);
  });
});
