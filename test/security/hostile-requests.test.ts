import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { eventually } from '../../lab/eventually.ts';
import { bodyLimitOf, route } from '../../src/api/http/route.ts';
import { asNode, asNodes, type SchemaNode } from '../../src/api/validation/describe-schema.ts';
import { parseJson } from '../../src/api/validation/json.ts';
import { BadRequest } from '../../src/services/errors.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { makeKey } from '../support/factories.ts';
import { useStage } from '../support/stage.ts';

const kib = 1024;
const upperLimit = 256 * kib;
const writing = allRoutes.filter(({ method }) => method === 'POST' || method === 'PUT');
const pathOf = (path: string) => path.replaceAll(/:\w+/g, 'x_none');
const members = (count: number) => Array.from({ length: count }, (_, n) => `"m${n}":1`).join(',');

/** The error of a body that is refused before it is parsed. */
function parseErrorOf(text: string): string {
  try {
    parseJson(Buffer.from(text));
  } catch (error) {
    assert.ok(error instanceof BadRequest);
    return error.message;
  }
  return 'none';
}

describe('the structure of a body', () => {
  it('is read only up to the member beyond 1,000, on any level', () => {
    const refused = 'The body has more than 1000 members, on all levels together.';
    // What comes after the bound is no JSON: parsing it would be a different error.
    const bodies = [
      `{${members(1_001)} no JSON`,
      `{"a":[${'1,'.repeat(1_001)} no JSON`,
      `{"a":[${'{},'.repeat(1_001)} no JSON`,
      `[${'"x",'.repeat(1_001)} no JSON`,
      `[${'[],'.repeat(1_001)} no JSON`,
      `{"a":{${members(400)}},"b":{${members(400)}},"c":{${members(400)} no JSON`,
      `{${Array.from({ length: 1_001 }, (_, n) => `"\\u0061${n}" : {}`).join(' , ')} no JSON`,
    ];
    for (const body of bodies) assert.equal(parseErrorOf(body), refused, body.slice(0, 60));
  });

  it('may have 1,000 members; commas in texts do not count', () => {
    for (const body of [
      `{${members(1_000)}}`,
      `[${'1,'.repeat(999)}1]`,
      `{"a":[${'[],'.repeat(998)}[]]}`,
      `{"a":"${',{['.repeat(5_000)}"}`,
      `{"a":"${'\\",'.repeat(5_000)}"}`,
    ]) {
      assert.equal(parseErrorOf(body), 'none', body.slice(0, 60));
    }
  });

  it('is read no deeper than 32 levels', () => {
    const refused = 'The body is nested more than 32 levels deep.';
    for (const open of ['[', '{"a":', '[{"a":']) assert.equal(parseErrorOf(`${open.repeat(33)} no JSON`), refused);
  });

  it('is refused as invalid JSON, wherever the scan ends', () => {
    for (const body of [
      '{"a',
      '{"a\\"',
      '"',
      ']]]',
      '{"a":1}}',
      '[1,,2]',
      '{"a":"b":"c"}',
      '{"\\x":1}',
      '{,}',
      '\\',
      '',
    ]) {
      assert.equal(parseErrorOf(body), 'The body is not valid JSON.', body);
    }
  });
});

describe('a hostile request', () => {
  const stage = useStage();
  const post = (path: string, body: unknown) => stage.request('POST', path, body);

  it('is refused with 20,000 members by every operation that takes a body', async () => {
    for (const { method, path, bodyLimit } of writing) {
      const body = `{${members(20_000)}}`;
      assert.ok(body.length < upperLimit);
      const reply = await stage.api.send(method, pathOf(path), { key: stage.merchant.key, body });
      const expected = (bodyLimit?.kib ?? 16) === 256 ? '400 invalid_json' : '413 payload_too_large';
      assert.equal(`${reply.status} ${reply.body.error.code}`, expected, path);
    }
  });

  it('gets a hundred field errors at most, in a response that stays small', async () => {
    const nested = `${`{"${'d'.repeat(100)}":`.repeat(29)}[${'"\\u0000",'.repeat(900)}1]${'}'.repeat(29)}`;
    const bodies = [
      `{${Array.from({ length: 990 }, (_, n) => `"additional_atribute${n}":1`).join(',')}}`,
      `{${Array.from({ length: 20 }, (_, n) => `"${'x'.repeat(10_000)}${n}":1`).join(',')}}`,
      `{"name":"x","phones":[${'{},'.repeat(900)}{}]}`,
      `{"name":"x","additional_attributes":${nested}}`,
    ];
    for (const body of bodies) {
      const reply = await stage.api.send('POST', '/api/v1/customers', { key: stage.merchant.key, body });
      assert.equal(`${reply.status} ${reply.body.error.code}`, '422 validation_failed', reply.text.slice(0, 300));
      assert.ok(reply.body.error.details.length <= 100);
      assert.ok(reply.text.length < 30_000, `${reply.text.length} characters`);
    }
  });

  it('gets one error for more than 100 query parameters, not one for each', async () => {
    const query = (count: number) => Array.from({ length: count }, (_, n) => `a${n}`).join('&');
    for (const text of [query(101), query(2_500), 'a&'.repeat(101), '&'.repeat(5_000), 'status=a&'.repeat(1_500)]) {
      const { status, body } = await stage.request('GET', `/customers?${text}`);
      assert.deepEqual([status, body.error.message], [400, 'A query may have at most 100 parameters.']);
      assert.deepEqual(body.error.details.length, 1);
    }
    const { body } = await stage.request('GET', `/customers?${query(100)}`);
    assert.equal(body.error.details.length, 100);
  });

  it('gets short pages of a list of large objects, which together have all of them', async () => {
    const filling = 'x'.repeat(100_000);
    const customers: string[] = [];
    for (let n = 0; n < 9; n++) {
      const body = { name: 'Ada', additional_attributes: n === 4 ? {} : { filling: `${filling}${n}` } };
      customers.unshift((await post('/customers', body)).body.id);
    }
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'é'.repeat(500)]));
    const intents: string[] = [];
    for (let n = 0; n < 9; n++) {
      intents.unshift((await post('/payment_intents', { amount: 500, currency: 'AUD', metadata })).body.id);
    }
    const { merchant } = stage;
    const payer = await merchant.payer();
    const terms = { name: 'Plan', frequency_type: 'weekly', recurring_amount_cents: 500, currency: 'AUD' };
    const plan = { ...terms, customer_id: payer.id, start_date: '2099-01-01', until_further_notice: true, metadata };
    const plans: string[] = [];
    for (let n = 0; n < 9; n++) plans.unshift((await post('/payment_plans', plan)).body.id);
    const paid = (await post('/payment_intents', { amount: 90_000, currency: 'AUD', customer_id: payer.id })).body.id;
    await post(`/payment_intents/${paid}/confirm`, { payment_method: await merchant.card(payer.id) });
    const refunds: string[] = [];
    for (let n = 0; n < 9; n++) {
      refunds.unshift((await post(`/payment_intents/${paid}/refunds`, { amount: 10_000, metadata })).body.id);
    }
    const events = await stage.db.sql<{ id: string }[]>`
      select id from events where biller_id = ${stage.keys.biller.id} order by sequence desc`;
    assert.ok(events.length >= refunds.length);
    for (const [path, ids, most] of [
      ['/customers', [payer.id, ...customers], 5],
      ['/payment_intents', [paid, ...intents], 7],
      ['/payment_plans', plans, 6],
      [`/payment_intents/${paid}/refunds`, refunds, 6],
      ['/events', events.map(({ id }) => id), 6],
    ] as const) {
      const found: string[] = [];
      let pages = 0;
      for (let more = true; more; pages++) {
        const after = found.length > 0 ? `&starting_after=${found.at(-1)}` : '';
        const { body, text } = await stage.request('GET', `${path}?limit=100${after}`);
        assert.ok(body.data.length > 0 && body.data.length <= most, `${body.data.length} on a page`);
        assert.ok(Buffer.byteLength(text) < 2 * upperLimit, String(text.length));
        found.push(...body.data.map(({ id }: { id: string }) => id));
        more = body.has_more;
      }
      assert.deepEqual(found, ids);
      assert.ok(pages > 1);
    }
  });

  it('that sends a body without end is cut off, and one that is refused early leaves its connection usable', async () => {
    const { port } = stage.api.running;
    const open = async (): Promise<Socket> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.on('error', () => {}); // what is sent after the end comes back as one
      return socket;
    };
    const head = (method: string, length: number) =>
      `${method} /api/v1/customers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    for (const method of ['POST', 'GET']) {
      const socket = await open();
      socket.resume();
      socket.write(head(method, 10 ** 10));
      const chunk = Buffer.alloc(64 * kib, 'x');
      let sent = 0;
      // Far more than the sockets buffer.
      while (!socket.destroyed && sent < 512 * kib * kib) {
        sent += chunk.length;
        if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => {});
      }
      assert.ok(socket.destroyed, `${method}: ${sent} bytes were taken`);
    }
    const socket = await open();
    let answers = '';
    socket.setEncoding('utf8').on('data', (text) => {
      answers += text;
    });
    for (let n = 0; n < 3; n++) socket.write(head('POST', 300_000) + 'x'.repeat(300_000));
    await eventually('all three are answered', () => answers.match(/HTTP\/1\.1 401 /g)?.length === 3);
    socket.destroy();
  });
});

/** The size of the largest JSON that a schema allows, each character in its longest spelling. Infinity: no limit. */
function largest(schema: SchemaNode): number {
  const escaped = 12; // a character outside of the BMP, as two escapes
  if ('const' in schema) return JSON.stringify(schema.const).length;
  if (Array.isArray(schema.enum)) return Math.max(...schema.enum.map((one) => JSON.stringify(one).length));
  if (Array.isArray(schema.anyOf)) return Math.max(...asNodes(schema.anyOf).map(largest));
  const number = (value: unknown) => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
  switch (schema.type) {
    case 'string':
      // Dates and digits: nothing of them is long.
      if (schema.format === 'date' || schema.format === 'date-time' || /^\^\[0-9\]/.test(String(schema.pattern)))
        return 40;
      return 2 + escaped * number(schema.maxLength);
    case 'array':
      return 2 + number(schema.maxItems) * (1 + largest(asNode(schema.items) ?? {}));
    case 'object': {
      const own = Object.entries(asNode(schema.properties) ?? {}).map(([name, member]) => {
        return name.length + 4 + largest(asNode(member) ?? {});
      });
      const [pairs] = Object.values(asNode(schema.patternProperties) ?? {});
      const name = escaped * number(asNode(schema.propertyNames)?.maxLength) + 4;
      const free = pairs === undefined ? 0 : number(schema.maxProperties) * (name + largest(asNode(pairs) ?? {}));
      return own.reduce((sum, size) => sum + size, 2 + free);
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return 25;
    default:
      return Number.POSITIVE_INFINITY;
  }
}

describe('the limit of a body', () => {
  const stage = useStage();

  it('depends on the operation, and the error names it', async () => {
    for (const one of writing) {
      const limit = bodyLimitOf(one).kib * kib;
      assert.ok(limit <= upperLimit);
      const send = (bytes: number) =>
        stage.api.send(one.method, pathOf(one.path), { key: stage.merchant.key, body: `"${'x'.repeat(bytes - 2)}"` });
      const within = await send(limit);
      assert.notEqual(within.status, 413, one.operation);
      const beyond = await send(limit + 1);
      assert.equal(`${beyond.status} ${beyond.body.error.code}`, '413 payload_too_large', one.operation);
      assert.equal(beyond.body.error.message, `The body must be at most ${limit} bytes (${limit / kib} KiB).`);
    }
  });

  it('accepts every body that the schema allows, even with twelve bytes per character', () => {
    for (const { operation, body, bodyLimit } of writing) {
      if (body === undefined) continue;
      const needed = largest(asNode(body) ?? {});
      const limit = bodyLimitOf({ bodyLimit }).kib * kib;
      // Event types are our names: their characters take one byte each.
      const isEndpoint = operation.endsWith('WebhookEndpoint');
      const bytes = isEndpoint ? needed - 100 * 100 * 11 : needed;
      assert.ok(bytes <= limit || limit === upperLimit, `${operation}: ${bytes} bytes`);
      if (bodyLimit !== undefined) assert.ok(bytes > 16 * kib, `${operation} needs ${bytes} bytes, and has ${limit}`);
    }
  });

  it('accepts the largest bodies: a token, and metadata, of escapes only', async () => {
    const escapes = (count: number) => '\\ud83d\\udc4d'.repeat(count);
    const token = `{"type":"x","token":"${escapes(4_000)}","data":"${escapes(4_000)}"}`;
    const card = `{"expiry_month":1,"expiry_year":2040,"token_metadata":${token},"fingerprint":"${escapes(500)}"}`;
    const pairs = Array.from({ length: 50 }, (_, n) => `"k${n}":"${escapes(400)}"`).join(',');
    const send = (path: string, body: string) => stage.api.send('POST', path, { key: stage.merchant.key, body });
    const saved = await send('/api/v1/payment_methods', `{"type":"card","payment_method_data":${card}}`);
    assert.equal(saved.status, 200, saved.text.slice(0, 300));
    const made = await send('/api/v1/payment_intents', `{"amount":500,"currency":"AUD","metadata":{${pairs}}}`);
    assert.equal(made.status, 201, made.text.slice(0, 300));
  });
});

describe('the bytes of a body', () => {
  const db = useDatabase();
  // The bucket does not refill during a test.
  const settings = { webhookAllowLoopback: true, rateLimitPerSecond: 0.01, rateLimitBurst: 20 };
  const api = useApi(db, undefined, () => ({ settings }));
  const left = (headers: Headers) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  const sized = (bytes: number) => `{"bogus":"${'x'.repeat(bytes - 12)}"}`;
  const send = (key: string, body: string | ReadableStream, path = '/api/v1/customers') =>
    fetch(api.url + path, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    });
  const chunked = (text: string) => new Blob([text]).stream();

  it('count against the rate limit of the key: one more request for each 16 KiB begun beyond the first', async () => {
    for (const [bytes, tokens] of [
      [100, 1],
      [16 * kib, 1],
      [16 * kib + 1, 2],
      [32 * kib, 2],
      [200_000, 13],
      [256 * kib, 16],
    ] as const) {
      for (const body of [sized(bytes), chunked(sized(bytes))]) {
        const { key } = await makeKey(db.sql);
        const reply = await send(key, body);
        assert.deepEqual([reply.status, left(reply.headers)], [422, String(20 - tokens)], `${bytes} bytes`);
      }
    }
  });

  it('are refused before they are read if the key has too little left, with the time until it has enough', async () => {
    const { key } = await makeKey(db.sql);
    assert.equal((await send(key, sized(200_000))).status, 422);
    // Only the head is awaited; the body is not needed.
    const socket = connect(api.running.port, '127.0.0.1');
    const head = [
      'POST /api/v1/customers HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${key}`,
      'Content-Length: 200000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [answer] = await once(socket.setEncoding('utf8'), 'data');
    socket.destroy();
    assert.match(answer, /^HTTP\/1\.1 429 /);
    // Six are left after the request's own, and seven are missing of its thirteen, at one in a hundred seconds.
    assert.match(answer, /\r\nRetry-After: 700\r\n/);
    assert.match(answer, /\r\nRateLimit: "default";r=6;t=700\r\n/);
    assert.equal((await send(key, sized(100))).status, 422);
    const reply = await send(key, chunked(sized(200_000)));
    assert.equal(reply.status, 429);
  });
});

describe('the quota of a key that is smaller than a body', () => {
  const db = useDatabase();
  const settings = { webhookAllowLoopback: true, rateLimitPerSecond: 0.01, rateLimitBurst: 3 };
  const api = useApi(db, undefined, () => ({ settings }));

  it('is used up, and the request is served', async () => {
    const { key } = await makeKey(db.sql);
    const body = { name: 'Ada', additional_attributes: { filling: 'x'.repeat(250_000) } };
    const reply = await api.send('POST', '/api/v1/customers', { key, body });
    assert.deepEqual([reply.status, reply.headers.get('ratelimit')], [201, '"default";r=0;t=300']);
    assert.equal((await api.send('GET', '/api/v1/customers', { key })).status, 429);
  });
});

describe('a body while its key is at its concurrency limit', () => {
  const held: (() => void)[] = [];
  const hold = route({
    method: 'POST',
    path: '/held',
    operation: 'held',
    tag: { name: 'Test', description: 'For tests.' },
    summary: 'For tests',
    access: { scope: 'customers:write' },
    invalid: 400,
    body: Type.Object({}),
    response: { status: 200, schema: Type.Unknown() },
    handle: async () => {
      await new Promise<void>((go) => held.push(go));
      return {};
    },
  });
  const db = useDatabase();
  const api = useApi(db, [hold]);

  it('is not parsed before its request may run', async () => {
    const turns = 16;
    const { key } = await makeKey(db.sql);
    const sent = Array.from({ length: turns }, () => api.send('POST', '/held', { key, body: {} }));
    await eventually('all turns are taken', () => held.length === turns);
    let isAnswered = false;
    const late = api.send('POST', '/held', { key, body: 'no JSON' }).finally(() => {
      isAnswered = true;
    });
    // Of another key, and so not behind them: when it is answered, the one before it could have been.
    const other = await makeKey(db.sql);
    assert.equal((await api.send('POST', '/held', { key: other.key, body: 'no JSON' })).status, 400);
    assert.equal(isAnswered, false);
    for (const go of held) go();
    assert.equal((await late).body.error.code, 'invalid_json');
    for (const reply of await Promise.all(sent)) assert.equal(reply.status, 200);
  });
});
