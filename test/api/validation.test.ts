import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Type } from 'typebox';
import { route } from '../../src/api/http/route.ts';
import { useApi } from '../support/api.ts';
import { useDatabase } from '../support/database.ts';
import { testRoute } from '../support/test-route.ts';

const strict = { additionalProperties: false };
const Card = Type.Object(
  { type: Type.Literal('card'), data: Type.Object({ month: Type.Integer({ minimum: 1, maximum: 12 }) }, strict) },
  strict,
);
const Debit = Type.Object(
  { type: Type.Literal('au_becs_debit'), data: Type.Object({ bsb: Type.String(), name: Type.String() }, strict) },
  strict,
);
const Thing = Type.Object(
  {
    amount: Type.Integer({ minimum: 200, maximum: 100_000, title: 'an integer in minor units' }),
    currency: Type.Enum(['USD', 'AUD']),
    email: Type.Optional(Type.Union([Type.String({ format: 'email' }), Type.Null()])),
    day: Type.Optional(Type.String({ format: 'date' })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    link: Type.Optional(Type.String({ format: 'uri' })),
    bin: Type.Optional(Type.String({ pattern: '^\\d{8}$', title: 'exactly 8 digits' })),
    label: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
    phones: Type.Optional(
      Type.Array(Type.Object({ raw: Type.String(), kind: Type.Optional(Type.String()) }, strict), { maxItems: 2 }),
    ),
    address: Type.Optional(Type.Object({ line1: Type.Optional(Type.String()) }, strict)),
    metadata: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 5 }), { maxProperties: 3, propertyNames: { maxLength: 4 } }),
    ),
    free: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    method: Type.Optional(Type.Union([Card, Debit])),
  },
  strict,
);
const valid = { amount: 500, currency: 'AUD' };

const routes = [
  route({
    ...testRoute,
    method: 'POST',
    path: '/things',
    operation: 'createThing',
    invalid: 422,
    bodyLimit: { kib: 256, since: 'free is free-form' },
    body: Thing,
    handle: async ({ body }) => ({ amount: body.amount, free: body.free ?? null }),
  }),
  route({
    ...testRoute,
    method: 'POST',
    path: '/payments',
    operation: 'createPayment',
    body: Thing,
    handle: async ({ body }) => body,
  }),
  route({
    ...testRoute,
    method: 'POST',
    path: '/notes',
    operation: 'createNote',
    invalid: 422,
    body: Type.Object({ text: Type.Optional(Type.String()) }, strict),
    handle: async ({ body }) => ({ text: body.text ?? 'none' }),
  }),
  route({
    ...testRoute,
    method: 'POST',
    path: '/things/:thing_id/close',
    operation: 'closeThing',
    invalid: 422,
    handle: async ({ body }) => ({ body: body ?? null }),
  }),
  route({
    ...testRoute,
    path: '/things',
    operation: 'listThings',
    invalid: 422,
    query: Type.Object({
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
      status: Type.Optional(Type.Enum(['open', 'closed'])),
      name: Type.Optional(Type.String()),
      all: Type.Optional(Type.Boolean()),
    }),
    handle: async ({ query }) => query,
  }),
];

describe('a body', () => {
  const db = useDatabase();
  const api = useApi(db, routes);
  const post = (body: unknown, path = '/things') => api.send('POST', path, { body });

  /** The faults of a body that is valid but for these members, as `path code`. */
  async function faultsOf(members: object): Promise<string[]> {
    const { status, body } = await post({ ...valid, ...members });
    assert.equal(status, 422, JSON.stringify(members).slice(0, 200));
    return body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  }

  async function messageOf(members: object): Promise<string> {
    return (await post({ ...valid, ...members })).body.error.message;
  }

  it('that is valid reaches the handler as it is', async () => {
    assert.deepEqual((await post(valid)).body, { amount: 500, free: null });
  });

  it('has all of its faults told at once, one for each field, with JSON pointers', async () => {
    const { status, body } = await post({
      amount: 1.5,
      email: 'x',
      label: 'toolong',
      phones: [1, {}, { raw: 1, extra: 2 }],
      address: { 'a/b': 1 },
      metadata: { ok: 1 },
      bogus: true,
    });
    assert.equal(status, 422);
    assert.deepEqual([body.error.type, body.error.code], ['invalid_request_error', 'validation_failed']);
    const faults = body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort();
    assert.deepEqual(faults, [
      '/address/a~1b unknown_parameter',
      '/amount invalid_type',
      '/bogus unknown_parameter',
      '/currency parameter_missing',
      '/email invalid_format',
      '/label too_long',
      '/metadata/ok invalid_type',
      '/phones too_many',
      '/phones/0 invalid_type',
      '/phones/1/raw parameter_missing',
      '/phones/2/extra unknown_parameter',
      '/phones/2/raw invalid_type',
    ]);
  });

  it('has every one of its faults named, more than eight too', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`unknown_${index}`, 1]));
    assert.equal((await faultsOf(wrong)).length, 40);
    assert.equal((await faultsOf({ free: undefined, phones: Array.from({ length: 60 }, () => ({})) })).length, 61);
  });

  it('has the first hundred of its faults named if they have no end', async () => {
    const wrong = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown_${index}`, 1]));
    assert.equal((await faultsOf(wrong)).length, 100);
  });

  it('is explained in plain words that say what is expected', async () => {
    const messages: [object, string][] = [
      [{ amount: 199 }, 'amount must be an integer in minor units from 200 to 100000.'],
      [{ amount: '200' }, 'amount must be an integer in minor units from 200 to 100000.'],
      [{ currency: 'EUR' }, 'currency must be one of USD, AUD.'],
      [{ email: 5 }, 'email must be an email address, such as jo@example.com or null.'],
      [{ day: '2027-02-30' }, 'day must be a date that exists, as YYYY-MM-DD.'],
      [{ bin: '1234' }, 'bin must be exactly 8 digits.'],
      [{ label: '' }, 'label must be a string of 1 to 5 characters.'],
      [{ phones: [{ raw: true }] }, 'phones[0].raw must be a string.'],
      [{ phones: [{}] }, 'phones[0].raw is required, and must be a string.'],
      [{ address: [] }, 'address must be an object.'],
      [{ metadata: { toolong: 'a' } }, 'The name metadata.toolong must be a string of at most 4 characters.'],
    ];
    for (const [members, message] of messages) assert.equal(await messageOf(members), message);
    assert.equal((await post([])).body.error.message, 'The body must be an object.');
  });

  it('gets a suggestion for a misspelt field, nested ones too', async () => {
    assert.match(await messageOf({ curency: 'AUD' }), /^curency is not a known parameter. Did you mean currency\?$/);
    assert.match(await messageOf({ address: { line2: 'x' } }), /Did you mean address\.line1\?$/);
    assert.match(await messageOf({ zzzzzzzz: 1 }), /^zzzzzzzz is not a known parameter\.$/);
  });

  it('gets a suggestion for a part of the name of a field, or more than that', async () => {
    assert.match(await messageOf({ currency_code: 'AUD' }), /Did you mean currency\?$/);
    assert.match(await messageOf({ amount_cents: 500 }), /Did you mean amount\?$/);
  });

  it('never has its values repeated in the answer', async () => {
    const { text } = await post({
      ...valid,
      label: 'sensitive-value',
      email: 'sensitive-value',
      bin: 'sensitive-value',
    });
    assert.equal(text.includes('sensitive'), false);
  });

  it('is judged by the one of several shapes that it names', async () => {
    assert.deepEqual(await faultsOf({ method: { type: 'card', data: { month: 13 } } }), [
      '/method/data/month out_of_range',
    ]);
    assert.deepEqual((await faultsOf({ method: { type: 'au_becs_debit', data: { month: 1 } } })).sort(), [
      '/method/data/bsb parameter_missing',
      '/method/data/month unknown_parameter',
      '/method/data/name parameter_missing',
    ]);
    assert.deepEqual(await faultsOf({ method: { type: 'klarna', data: {} } }), ['/method/type invalid_value']);
    assert.match(await messageOf({ method: { type: 'klarna' } }), /method\.type must be one of card, au_becs_debit\./);
    assert.deepEqual(await faultsOf({ method: { data: {} } }), ['/method/type parameter_missing']);
    assert.deepEqual(await faultsOf({ method: 'card' }), ['/method invalid_type']);
  });

  it('has real dates, instants with an offset, addresses and URLs in its formats', async () => {
    const good = {
      day: ['2028-02-29', '0001-01-01', '9999-12-31'],
      at: ['2027-01-31T09:30:00Z', '2027-01-31T23:59:59.123456+11:00', '2027-01-31T00:00:00-03:30'],
      email: ['jo@example.com', 'a.b+c@sub.example.co', 'zoë@bücher.example', null],
      link: ['https://example.com/hooks?x=1', 'http://127.0.0.1:8080/'],
    };
    const bad = {
      day: ['2027-02-29', '2027-1-1', '2027-01-01T00:00:00Z', '', '0000-01-01', 20270101],
      at: [
        '2027-01-31',
        '2027-01-31T09:30:00',
        '2027-01-31 09:30:00Z',
        '2027-02-30T00:00:00Z',
        '2027-01-31T24:00:00Z',
        '2027-01-31T23:59:60Z',
        '2027-01-31T00:00:00+24:00',
        '2027-01-31T00:00:00Z[UTC]',
        '9999-12-31T23:59:59-01:00',
        '0001-01-01T00:00:00+01:00',
      ],
      email: [
        '',
        'jo',
        'jo@',
        '@example.com',
        'a b@example.com',
        'a@b..c',
        '.a@b.c',
        'a@b@c',
        `${'a'.repeat(250)}@b.co`,
      ],
      link: ['', 'example.com', '/hooks', 'https://', 'http://exa mple.com', 'javascript'],
    };
    for (const [name, values] of Object.entries(good)) {
      for (const value of values)
        assert.equal((await post({ ...valid, [name]: value })).status, 200, `${name} ${value}`);
    }
    for (const [name, values] of Object.entries(bad)) {
      for (const value of values) {
        const [fault, ...others] = await faultsOf({ [name]: value });
        assert.match(fault ?? '', new RegExp(`^/${name} invalid_(format|type)$`), `${value}`);
        assert.deepEqual(others, []);
      }
    }
  });

  it('has a fault of each field with a NUL or half a surrogate pair', async () => {
    const cases: [object, string][] = [
      [{ label: 'a\0b' }, '/label'],
      [{ label: 'a\ud800' }, '/label'],
      [{ phones: [{ raw: '\udc00' }] }, '/phones/0/raw'],
      [{ free: { deep: [{ er: '\0' }] } }, '/free/deep/0/er'],
      [{ free: { 'a\0': 1 } }, '/free'],
    ];
    for (const [members, path] of cases) assert.deepEqual(await faultsOf(members), [`${path} invalid_value`]);
    assert.deepEqual((await post({ ...valid, free: { ok: '💶 é' } })).body.free, { ok: '💶 é' });
    assert.equal((await post('{"amount":500,"currency":"AUD","label":"\\ud83d\\udcb6"}')).status, 200);
  });

  it('has an error for the field of a number out of range', async () => {
    const { status, body } = await post('{"amount":500,"currency":"AUD","free":{"n":1e999}}');
    assert.equal(status, 422);
    assert.deepEqual(body.error.details[0].path, '/free/n');
    assert.equal((await post('{"amount":1e999,"currency":"AUD"}')).status, 422);
    assert.equal((await post('{"amount":-0,"currency":"AUD"}')).status, 422);
  });

  it('that names a member twice, or __proto__, is refused: readers differ on what that means', async () => {
    for (const text of [
      '{"amount":500,"currency":"AUD","amount":100000}',
      '{"amount":500,"currency":"AUD","\\u0061mount":600}',
      '{"amount":500,"currency":"AUD","free":{"a":{"b":1,"b":2}}}',
      '{"amount":500,"currency":"AUD","__proto__":{"amount":1}}',
      '{"amount":500,"currency":"AUD","free":{"\\u005f_proto__":1}}',
    ]) {
      const { status, body } = await post(text);
      assert.deepEqual([status, body.error.code], [400, 'invalid_json'], text);
    }
    const free = { a: { b: 1 }, c: [{ b: 1 }, { b: 2 }], 'd"': 'e":', 'd\\': '\\', constructor: 1, toString: '{"a":' };
    assert.deepEqual((await post({ ...valid, free })).body.free, free);
  });

  it('that is malformed, of another type, or not UTF-8 is 400 whatever the route says', async () => {
    const cases: [unknown, Record<string, string>, string][] = [
      ['{"amount":', {}, 'invalid_json'],
      ['{"amount":500,}', {}, 'invalid_json'],
      ['undefined', {}, 'invalid_json'],
      [Buffer.from([0x22, 0xff, 0x22]), {}, 'invalid_json'],
      ['{}', { 'Content-Type': 'text/plain' }, 'unsupported_content_type'],
      ['{}', { 'Content-Type': 'application/jsonx' }, 'unsupported_content_type'],
      ['a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'unsupported_content_type'],
      ['{}', { 'Content-Type': 'application/json; charset=utf-16' }, 'unsupported_content_type'],
      ['{}', { 'Content-Encoding': 'gzip' }, 'unsupported_encoding'],
    ];
    for (const [body, headers, code] of cases) {
      const reply = await api.send('POST', '/things', { body, headers });
      assert.deepEqual([reply.status, reply.body.error.code], [400, code], String(body));
    }
    const headers = { 'Content-Type': 'Application/JSON; charset=UTF-8' };
    assert.equal((await api.send('POST', '/things', { body: JSON.stringify(valid), headers })).status, 200);
  });

  it('nested deeper than 32 levels is 400', async () => {
    const nest = (levels: number) =>
      `{"amount":500,"currency":"AUD","free":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    assert.equal((await post(nest(30))).status, 200);
    const { status, body } = await post(nest(31));
    assert.deepEqual([status, body.error.code], [400, 'invalid_json']);
    assert.equal((await post(nest(100_000))).status, 400);
  });

  it('is read up to 256 KiB; one byte more is 413 with the envelope, also when it comes in pieces', async () => {
    const overhead = JSON.stringify({ ...valid, free: { a: '' } }).length;
    const sized = (size: number) => JSON.stringify({ ...valid, free: { a: 'x'.repeat(size - overhead) } });
    assert.equal((await post(sized(262_144))).status, 200);
    const { status, body } = await post(sized(262_145));
    assert.deepEqual([status, body.error.code], [413, 'payload_too_large']);
    const stream = new Blob([sized(600_000)]).stream();
    const chunked = await fetch(`${api.url}/things`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: stream,
      duplex: 'half',
    });
    assert.equal(chunked.status, 413);
    await chunked.text();
  });

  it('has the status of its route when it breaks the schema', async () => {
    assert.equal((await post({}, '/things')).status, 422);
    assert.equal((await post({}, '/payments')).status, 400);
  });

  it('that is empty counts as one without members', async () => {
    const note = await api.send('POST', '/notes');
    assert.deepEqual([note.status, note.body], [200, { text: 'none' }]);
    const thing = await api.send('POST', '/things');
    assert.equal(thing.status, 422);
    assert.deepEqual(
      thing.body.error.details.map((detail: { code: string }) => detail.code),
      ['parameter_missing', 'parameter_missing'],
    );
  });

  it('where none is expected may be empty or {}, and any field of it is unknown', async () => {
    assert.deepEqual((await api.send('POST', '/things/a/close')).body, { body: null });
    assert.deepEqual((await post({}, '/things/a/close')).body, { body: null });
    const { status, body } = await post({ reason: 'x' }, '/things/a/close');
    assert.deepEqual([status, body.error.details[0].code], [422, 'unknown_parameter']);
  });
});

describe('a query', () => {
  const db = useDatabase();
  const api = useApi(db, routes);

  it('is parsed to its types, and takes defaults', async () => {
    assert.deepEqual((await api.send('GET', '/things')).body, { limit: 20 });
    const { body } = await api.send('GET', '/things?limit=100&status=open&name=Jo%20%2B+Co&all=true');
    assert.deepEqual(body, { limit: 100, status: 'open', name: 'Jo + Co', all: true });
  });

  it('is 400 with a limit that is no integer from 1 to 100, however it is written', async () => {
    for (const limit of [
      '0',
      '101',
      '-1',
      '1.5',
      '1e1',
      '%205',
      '5%20',
      '%2B5',
      '05',
      '',
      'ten',
      '0x10',
      '9'.repeat(30),
      'null',
    ]) {
      const { status, body } = await api.send('GET', `/things?limit=${limit}`);
      assert.deepEqual([status, body.error.code], [400, 'validation_failed'], limit);
      assert.deepEqual([body.error.details.length, body.error.details[0].path], [1, 'query/limit'], limit);
      assert.equal(body.error.message, 'limit must be an integer from 1 to 100.');
    }
  });

  it('is 400 with unknown or repeated parameters, and names all of them', async () => {
    const { status, body } = await api.send('GET', '/things?limt=5&status=gone&name=a&name=b&__proto__=1');
    assert.equal(status, 400);
    const faults = body.error.details.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`).sort();
    assert.deepEqual(faults, [
      'query/__proto__ unknown_parameter',
      'query/limt unknown_parameter',
      'query/name invalid_value',
      'query/status invalid_value',
    ]);
    assert.match(body.error.message, /Did you mean limit\?/);
  });

  it('is refused on a route that has none', async () => {
    assert.equal((await api.send('POST', '/notes?x=1')).status, 400);
  });

  it('is 400 with a NUL in it', async () => {
    assert.equal((await api.send('GET', '/things?name=%00')).status, 400);
  });
});
