import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import type { Route } from '../../src/api/http/route.ts';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { compileChecker } from '../../src/api/validation/validation.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import type { Reply } from '../support/api.ts';
import { contentsOf } from '../support/contents.ts';
import { type GoodRequest, goodRequests } from '../support/good-bodies.ts';
import { usePayer } from '../support/payer.ts';
import { type ChangedBody, scatter, spoil, type Values } from '../support/spoiling.ts';

const withBody = allRoutes.filter((route) => route.body !== undefined);
const writing = allRoutes.filter(({ method }) => method === 'POST' || method === 'PUT');

/** Values that some members take, and others do not. */
const odd: Values = {
  null: 'null',
  'negative zero': '-0',
  'the largest integer': '9007199254740991',
  'a date': '"2027-01-31"',
  'the last instant': '"9999-12-31T23:59:59.999999999Z"',
  'the first instant': '"0001-01-01T00:00:00Z"',
  'an id with SQL in it': '"cus_\' or 1=1 --"',
  'an address of this machine': '"http://[::ffff:127.0.0.1]:1/../../x?%00#"',
  'an empty text': '""',
  'a text of marks': '"\u202e\ufeff\u2028\ud83d\udc4d\ud83c\udffd%s{{7*7}}<x>"',
  'an empty list': '[]',
  'a list of everything': '[null,1,"x",[],{}]',
  'an empty object': '{}',
  'what every object has': '{"constructor":{"prototype":1},"toString":1}',
};

/** Bodies that are no JSON object, or no JSON. */
const noObjects = ['null', '[]', '[{}]', '"x"', '1', 'true', '{', '{"a":1}}', "{'a':1}", '{"a":1,}', '\u0000', ' '];

/** By a member what is told instead, where the member is of no use without another that was not given. */
const needs: Readonly<Record<string, string>> = { '/scheduled_payment_date': '/payment_method' };

/**
 * Returns which of the changes of a body have not been returned before: several examples of an operation have the same
 * members. Where a type or mode differs, so does what they may be.
 */
function useNewOnes() {
  const known = new Set<string>();
  return ({ route, body }: GoodRequest, changed: readonly ChangedBody[]): ChangedBody[] => {
    const types = [...JSON.stringify(body).matchAll(/"(?:type|mode)":"\w*"/g)].join();
    return changed.filter(({ what }) => {
      const { size } = known;
      return known.add(`${route.operation} ${types} ${what}`).size > size;
    });
  };
}

/** Asserts that this is a refusal: 4xx with the envelope of the contract, which shows nothing of the inside. */
function assertRefused({ status, text, body }: Reply, told: string): void {
  const about = `${told}: ${status} ${text.slice(0, 400)}`;
  assert.ok(status >= 400 && status < 500, about);
  assert.deepEqual(Object.keys(body), ['error'], about);
  const { message, type, code, request_id, details = [] } = body.error;
  assert.ok(message && code && request_id && type === 'invalid_request_error', about);
  for (const detail of details) assert.ok(detail.code && detail.message, about);
  assert.ok(text.length < 30_000, about);
  assert.doesNotMatch(text, /syntax error|postgres|violates|constraint|stack|node_modules/i, about);
}

describe('a body that is right but for one thing', () => {
  const here = usePayer({ isAlone: true });
  const { stage } = here;
  let good: GoodRequest[] = [];

  beforeEach('make what the bodies name', async () => {
    good = await goodRequests(here, withBody);
  });

  const send = ({ route, path }: GoodRequest, body: unknown): Promise<Reply> =>
    stage.api.send(route.method, path, { key: stage.merchant.key, body });

  /** The paths that the faults of a refusal name. */
  const namedBy = ({ body }: Reply): string[] =>
    (body.error.details ?? []).map((detail: { path?: string }) => detail.path ?? '');

  it('was accepted before: each example of the documentation does what it says', async () => {
    assert.deepEqual(new Set(good.map(({ route }) => route)), new Set(withBody));
    for (const request of good) {
      const { status, text } = await send(request, request.body);
      assert.ok(status < 300, `${request.route.operation} ${request.name}: ${status} ${text}`);
    }
  });

  it('is refused with a fault that names the place, and changes nothing, in every member of every body', async function () {
    this.timeout(300_000);
    const before = await contentsOf(stage.db.sql);
    const newOnes = useNewOnes();
    let sent = 0;
    for (const request of good) {
      for (const { what, path, json } of newOnes(request, spoil(asNode(request.route.body) ?? {}, request.body))) {
        const reply = await send(request, json);
        const told = `${request.route.operation} (${request.name}) with ${what}`;
        assertRefused(reply, told);
        const isUnreadable = reply.body.error.code === 'invalid_json';
        assert.equal(reply.status, isUnreadable ? 400 : request.route.invalid, told);
        const isNamed = namedBy(reply).some((place) => place.startsWith(path) || place === needs[path]);
        assert.ok(isUnreadable || isNamed, `${told}: ${reply.text.slice(0, 400)}`);
        sent += 1;
      }
    }
    assert.ok(sent > 4_000, String(sent));
    assert.deepEqual(await contentsOf(stage.db.sql), before);
  });

  it('is refused where an id is of another kind, unknown, or of another biller', async () => {
    const stranger = await stage.stranger();
    const theirs = await stranger.merchant.customer();
    const others = {
      customer: here.customer,
      method: here.card,
      clock: here.clock,
      biller: stage.keys.biller.id,
      'customer of another biller': theirs.id,
      'method of another biller': await stranger.merchant.card(theirs.id),
      'unknown customer': 'cus_00000000000000000000000000000000',
      'unknown method': 'pm_00000000000000000000000000000000',
      'customer without its prefix': here.customer.slice('cus_'.length),
    };
    const before = await contentsOf(stage.db.sql);
    let sent = 0;
    for (const request of good) {
      for (const [name, value] of Object.entries(asNode(request.body) ?? {})) {
        if (!Object.values(others).some((id) => id === value)) continue;
        for (const [what, id] of Object.entries(others).filter(([, other]) => other !== value)) {
          const reply = await send(request, { ...asNode(request.body), [name]: id });
          const told = `${request.route.operation} (${request.name}) with the id of a ${what} in /${name}`;
          assertRefused(reply, told);
          assert.deepEqual(namedBy(reply), [`/${name}`], told);
          sent += 1;
        }
      }
    }
    assert.ok(sent > 90, String(sent));
    assert.deepEqual(await contentsOf(stage.db.sql), before);
  });

  it('is an answer below 500, and a refusal with the envelope, where the thing is odd', async function () {
    this.timeout(120_000);
    const newOnes = useNewOnes();
    let sent = 0;
    for (const request of good) {
      for (const { what, json } of newOnes(request, scatter(asNode(request.route.body) ?? {}, request.body, odd))) {
        const reply = await send(request, json);
        if (reply.status >= 300) assertRefused(reply, `${request.route.operation} (${request.name}) with ${what}`);
        sent += 1;
      }
    }
    assert.ok(sent > 2_000, String(sent));
  });

  it('is stored and comes back as it went in when it is at the limits of what is taken', async () => {
    const name = '👍🏽'.repeat(127);
    const additional_attributes = {
      big: 1e308,
      small: 5e-324,
      precise: 0.1 + 0.2,
      deep: { a: [[[[1]]]] },
      '': '',
      ' ': null,
      constructor: 1,
    };
    const phones = Array.from({ length: 20 }, () => ({ raw: '\u2028\ufeff\ufffd' }));
    const reply = await stage.request('POST', '/customers', {
      name,
      additional_attributes,
      phones,
      reference: "'; drop table customers; --",
    });
    assert.equal(reply.status, 201, reply.text);
    const { body } = await stage.request('GET', `/customers/${reply.body.id}`);
    assert.deepEqual(body, reply.body);
    assert.deepEqual([body.name, body.additional_attributes, body.phones], [name, additional_attributes, phones]);
    const [found] = (await stage.request('GET', `/customers?reference=${encodeURIComponent(body.reference)}`)).body
      .data;
    assert.equal(found.id, body.id);
  });
});

describe('a body that is none', () => {
  const here = usePayer({ isAlone: true });
  const { stage } = here;

  const pathOf = (route: Route) => route.path.replaceAll(/:\w+/g, 'x_none');
  const requiresSomething = ({ body }: Route) => body !== undefined && compileChecker(body)({}).length > 0;

  it('is refused by every operation that writes, and changes nothing', async () => {
    const before = await contentsOf(stage.db.sql);
    assert.ok(writing.length > withBody.length);
    for (const route of writing) {
      const path = pathOf(route);
      const send = async (code: string, status: number, body: unknown, headers: Record<string, string> = {}) => {
        const reply = await stage.api.send(route.method, path, { key: stage.merchant.key, body, headers });
        assertRefused(reply, `${route.operation} ${String(body).slice(0, 40)} ${JSON.stringify(headers)}`);
        assert.deepEqual([reply.status, reply.body.error.code], [status, code], reply.text);
      };
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/xml',
        'application/json; charset=utf-16',
        '',
      ])
        await send('unsupported_content_type', 400, '{}', { 'Content-Type': type });
      for (const encoding of ['gzip', 'br'])
        await send('unsupported_encoding', 400, '{}', { 'Content-Encoding': encoding });
      await send('payload_too_large', 413, JSON.stringify({ name: 'x'.repeat(256 * 1024) }));
      await send('invalid_json', 400, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
      await send('invalid_json', 400, '['.repeat(10_000));
      await send('validation_failed', route.invalid, { bogus: 1 });
      if (requiresSomething(route)) await send('validation_failed', route.invalid, '');
      for (const body of noObjects) {
        const reply = await stage.api.send(route.method, path, { key: stage.merchant.key, body });
        assertRefused(reply, `${route.operation} ${body}`);
        assert.ok(['validation_failed', 'invalid_json'].includes(reply.body.error.code), reply.text);
      }
    }
    assert.deepEqual(await contentsOf(stage.db.sql), before);
  });
});

describe('whatever is put into a path or a query', () => {
  const here = usePayer({ isAlone: true });
  const { stage } = here;

  it('is an answer below 500 with the envelope', async () => {
    const before = await contentsOf(stage.db.sql);
    const texts = [
      '%00',
      '%ED%A0%80',
      "'--",
      '%25',
      '..',
      '%2e%2e%2f',
      'a'.repeat(3_000),
      '0',
      '-1',
      '1e9',
      '%F0%9F%98%80',
      'null',
    ];
    for (const route of allRoutes.filter(({ access }) => access !== 'public')) {
      const names = Object.keys(route.query?.properties ?? {});
      for (const text of texts) {
        const paths = route.path.includes(':') ? [route.path.replaceAll(/:\w+/g, text)] : [];
        for (const name of names) paths.push(`${route.path.replaceAll(/:\w+/g, 'x')}?${name}=${text}`);
        for (const path of paths) {
          const { status, body } = await stage.api.send(route.method, path, { key: stage.merchant.key });
          assert.ok(
            status < 500 && (status < 400 || body.error.message),
            `${route.method} ${path.slice(0, 120)}: ${status}`,
          );
        }
      }
    }
    assert.deepEqual(await contentsOf(stage.db.sql), before);
  });
});
