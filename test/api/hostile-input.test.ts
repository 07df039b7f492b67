import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'mocha';
import { asNode, asNodes, type SchemaNode } from '../../src/api/expectations.ts';
import type { Route } from '../../src/api/route.ts';
import { allRoutes } from '../../src/api/routes.ts';
import { usePayer } from '../support/payer.ts';
import { rowCounts } from '../support/stage.ts';

/** Values that no field of any body takes, each with what it is. */
const poison: Record<string, string> = {
  'a NUL': '"a\\u0000b"',
  'half a surrogate pair': '"a\\ud800"',
  'a number without end': '1e999',
  'nesting without end': '['.repeat(40) + ']'.repeat(40),
  __proto__: '{"__proto__":{"admin":true}}',
  'a text without end': `"${'x'.repeat(20_000)}"`,
};
/** Values that only free-form fields may take. */
const odd: Record<string, string> = {
  null: 'null',
  'a fraction': '1.5',
  'a huge number': '1e300',
  'a negative number': '-7',
  'negative zero': '-0',
  'a number as text': '"12"',
  'an unknown word': '"bogus"',
  'an impossible date': '"2027-02-30"',
  'a date far away': '"9999-12-31"',
  'an instant far away': '"9999-12-31T23:59:59.999999999Z"',
  'an id of another kind': '"evt_00000000000000000000000000000000"',
  'an id with SQL in it': '"cus_\' or 1=1 --"',
  'an empty text': '""',
  'a list': '[]',
  'an object': '{}',
  'an object in an object': '{"constructor":{"prototype":1},"toString":1}',
  true: 'true',
};

const withBody = allRoutes.filter((route) => route.body !== undefined);

/** The members of a body's schema, of every branch, those of nested objects too, as paths. */
function membersOf(schema: SchemaNode | undefined, depth = 0): string[][] {
  if (schema === undefined || depth > 3) return [];
  const branches = asNodes(schema.anyOf).flatMap((branch) => membersOf(branch, depth));
  const own = Object.entries(asNode(schema.properties) ?? {}).flatMap(([name, member]) => [
    [name],
    ...membersOf(asNode(member), depth + 1).map((path) => [name, ...path]),
  ]);
  return [...branches, ...own];
}

describe('whatever is put into a body', () => {
  const here = usePayer();
  const { stage } = here;

  let good: Record<string, { path: string; body: object }> = {};

  beforeEach('make what the bodies name', async () => {
    good = await goodBodies();
  });

  /** Good bodies, to be spoilt in one place. */
  async function goodBodies(): Promise<Record<string, { path: string; body: object }>> {
    const { merchant } = stage;
    const { id: intent } = await merchant.intent({ amount: 500, currency: 'AUD', customer_id: here.customer });
    const { id: plan } = await here.plan();
    const endpoint = await merchant.endpoint('http://127.0.0.1:9/hooks');
    const token_metadata = { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' };
    const api = '/api/v1';
    const clocks = `${api}/test_helpers/test_clocks`;
    return {
      createCustomer: { path: `${api}/customers`, body: { name: 'Jo' } },
      createPaymentMethod: {
        path: `${api}/payment_methods`,
        body: { type: 'card', payment_method_data: { expiry_month: 1, expiry_year: 2040, token_metadata } },
      },
      createPaymentIntent: { path: `${api}/payment_intents`, body: { amount: 500, currency: 'AUD' } },
      confirmPaymentIntent: { path: `${api}/payment_intents/${intent}/confirm`, body: { payment_method: 'pm_none' } },
      createPaymentPlan: {
        path: `${api}/payment_plans`,
        body: {
          customer_id: here.customer,
          name: 'P',
          frequency_type: 'weekly',
          recurring_amount_cents: 100,
          until_further_notice: true,
          currency: 'AUD',
          start_date: '2027-02-01',
        },
      },
      updatePaymentPlan: { path: `${api}/payment_plans/${plan}`, body: {} },
      createTestClock: { path: clocks, body: { frozen_time: 'x' } },
      advanceTestClock: { path: `${clocks}/${here.clock}/advance`, body: {} },
      createWebhookEndpoint: { path: `${api}/webhook_endpoints`, body: {} },
      updateWebhookEndpoint: { path: `${api}/webhook_endpoints/${endpoint.id}`, body: {} },
    };
  }

  const pathOf = (route: Route, good: { path: string } | undefined) =>
    good?.path ?? route.path.replaceAll(/:\w+/g, 'x_none');

  /** The body with this JSON in the place of the member at `path`. */
  function spoilt(body: object, [name = '', ...rest]: string[], json: string): string {
    const members = Object.entries(body)
      .filter(([key]) => key !== name)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const inner: unknown = Reflect.get(body, name);
    const value =
      rest.length === 0 ? json : spoilt(typeof inner === 'object' && inner !== null ? inner : {}, rest, json);
    return `{${[...members, `${JSON.stringify(name)}:${value}`].join(',')}}`;
  }

  /** Puts each of the values into each member of each body in turn; answers how many requests that were. */
  async function bombard(
    values: Record<string, string>,
    isFine: (status: number) => boolean,
    isMeant: (member: string[], what: string) => boolean = () => true,
  ): Promise<number> {
    let sent = 0;
    for (const route of withBody) {
      const target = good[route.operation];
      for (const member of membersOf(asNode(route.body))) {
        for (const [what, json] of Object.entries(values).filter(([name]) => isMeant(member, name))) {
          const body = spoilt(target?.body ?? {}, member, json);
          const reply = await stage.api.send(route.method, pathOf(route, target), { key: stage.merchant.key, body });
          const told = `${route.operation} /${member.join('/')} with ${what}: ${reply.status} ${reply.text.slice(0, 500)}`;
          assert.ok(isFine(reply.status), told);
          if (reply.status >= 400)
            assert.ok(reply.body.error.message && reply.body.error.type && reply.body.error.request_id, told);
          assert.ok(reply.status < 400 || reply.text.length < 10_000, told);
          assert.ok(!/syntax|postgres|invalid input|constraint|stack|node_modules/i.test(reply.text), told);
          sent += 1;
        }
      }
    }
    return sent;
  }

  it('is 4xx with the envelope and changes nothing where no field can take it', async () => {
    const before = await rowCounts(stage);
    const longFields = ['additional_attributes', 'payment_method_data'];
    const isMeant = ([head = '']: string[], what: string) =>
      what !== 'a text without end' || !longFields.includes(head);
    const sent = await bombard(poison, (status) => status >= 400 && status < 500, isMeant);
    assert.ok(sent > 400, String(sent));
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is an answer below 500 with the envelope, in every member of every body', async function () {
    this.timeout(120_000);
    const sent = await bombard(odd, (status) => status < 500);
    assert.ok(sent > 1_000, String(sent));
  });

  it('is 4xx where the body is no object, or empty where something is required', async () => {
    for (const route of withBody) {
      for (const body of ['null', '[]', '"x"', '1', 'true', '', '{', '[{}]', '\u0000', '{"a":1}']) {
        const path = pathOf(route, good[route.operation]);
        const { status, body: answer } = await stage.api.send(route.method, path, { key: stage.merchant.key, body });
        if (body === '') assert.ok(status < 500);
        else assert.ok(status >= 400 && status < 500 && answer.error.message, `${route.operation} ${body}: ${status}`);
      }
    }
  });

  it('at the limits of what is taken is stored and comes back as it went in', async () => {
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

describe('whatever is put into a path or a query', () => {
  const here = usePayer();
  const { stage } = here;

  it('is an answer below 500 with the envelope', async () => {
    const before = await rowCounts(stage);
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
    assert.deepEqual(await rowCounts(stage), before);
  });
});
