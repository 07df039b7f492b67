import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { ApiError, apiVersion, type ClientOptions, PaymentsClient, PaymentsError } from '@payments-service/client';
import { checkedClient, checkedFetch } from '../support/client.ts';
import { useStage } from '../support/stage.ts';
import { useFront } from './front.ts';
import { encryptedOrHere, plainElsewhere } from './languages/addresses.ts';

describe('the client', () => {
  const stage = useStage();
  const front = useFront(stage.api);
  const client = (options: Partial<ClientOptions> = {}) => checkedClient(front.url, stage.keys.sandboxSecret, options);

  it('takes a customer through payment and refund', async () => {
    const { customers, paymentMethods, paymentIntents, refunds } = client();
    const { id: customer_id } = await customers.create({
      name: 'Ada',
      phones: [{ kind: 'mobile', raw: '0400 000 000' }],
    });
    const { payment_method: method } = await paymentMethods.create({
      type: 'card',
      customer_reference: customer_id,
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2034,
        token_metadata: { type: 'fixture', token: 'tok_sandbox_visa_succeed', data: '' },
      },
    });
    const { id } = await paymentIntents.create({ amount: 5000, currency: 'AUD', customer_id });
    const paid = await paymentIntents.confirm(id, { payment_method: method.id });
    const refund = await refunds.create(id, { amount: 2000 });
    assert.deepEqual([paid.status, refund.status], ['succeeded', 'succeeded']);
    assert.equal((await paymentIntents.get(id)).total_refunded_amount, 2000);
    assert.deepEqual(await refunds.list(id).toArray(), [refund]);
    assert.deepEqual((await customers.listPaymentMethods(customer_id)).payment_methods.length, 1);
  });

  it('sends no body and no content type if there is no body', async () => {
    const { id: customer_id } = await stage.merchant.payer();
    const plan = await stage.merchant.plan({ customer_id, start_date: '2090-01-01' });
    await client().paymentPlans.activate(plan.id);
    const intent = await stage.merchant.intent({ amount: 5000, customer_id });
    await client().paymentIntents.cancel(intent.id);
    assert.deepEqual(
      front.seen.map(({ body, headers }) => [body, headers['content-type']]),
      [
        ['', undefined],
        ['', undefined],
      ],
    );
  });

  it('leaves out undefined members, in queries and bodies', async () => {
    await client().customers.list({ limit: 5, email: undefined });
    await client().customers.create({ name: 'A', email: undefined });
    assert.equal(front.seen[0]?.path, '/api/v1/customers?limit=5');
    assert.equal(front.seen[1]?.body, '{"name":"A"}');
  });

  it('sends User-Agent and Accept with each request', async () => {
    await client().customers.list();
    const { authorization, accept, 'user-agent': agent } = front.seen[0]?.headers ?? {};
    assert.equal(authorization, `Bearer ${stage.keys.sandboxSecret}`);
    assert.deepEqual([accept, agent], ['application/json', `payments-client-typescript/${apiVersion}`]);
  });

  it('works with a base path, with and without a trailing slash', async () => {
    const paths: string[] = [];
    for (const baseUrl of ['https://pay.example/eu', 'https://pay.example/eu/', 'https://pay.example']) {
      const elsewhere = client({
        baseUrl,
        fetch: async (input) => {
          paths.push(String(input));
          return Response.json({ data: [], has_more: false });
        },
      });
      await elsewhere.events.list();
    }
    assert.deepEqual(paths, [
      'https://pay.example/eu/api/v1/events',
      'https://pay.example/eu/api/v1/events',
      'https://pay.example/api/v1/events',
    ]);
  });

  it('returns the reference page as text, and everything else as JSON', async () => {
    assert.match(await client().reference.getPage(), /^<!doctype html>/i);
    assert.equal((await client().reference.getOpenApiDocument()).openapi, '3.1.0');
    assert.equal((await client().health.get()).status, 'ok');
  });

  it('refuses ids that would change the path, and sends any other as a single segment', async () => {
    for (const id of ['', '.', '..', undefined as unknown as string]) {
      assert.throws(() => client().customers.get(id), TypeError, inspect(id));
      assert.throws(() => client().customers.delete(id), TypeError, inspect(id));
    }
    assert.equal(front.seen.length, 0);
    for (const id of ['../events', 'cus_1?x=1#y', 'cus 1/%2e']) {
      await assert.rejects(client({ fetch }).customers.get(id), { name: 'ApiError', code: 'resource_missing' });
    }
    assert.ok(front.seen.every(({ path }) => /^\/api\/v1\/customers\/[^/?#]+$/.test(path)));
  });

  it('is not created without a key, or without a valid address', () => {
    const make = (options: object) => new PaymentsClient({ baseUrl: front.url, apiKey: 'sk_1', ...options });
    assert.throws(() => make({ apiKey: '' }), /apiKey is missing/);
    assert.throws(() => make({ apiKey: undefined }), /apiKey is missing/);
    assert.throws(() => make({ baseUrl: 'payments' }), TypeError);
  });

  it('takes an address without https only on this machine, or if that is asked for by name', () => {
    const make = (baseUrl: string, allowPlainHttp?: boolean) =>
      new PaymentsClient({ baseUrl, apiKey: 'sk_1', ...(allowPlainHttp === undefined ? {} : { allowPlainHttp }) });
    for (const address of encryptedOrHere) assert.ok(make(address), address);
    for (const address of plainElsewhere) {
      assert.throws(() => make(address), /must begin with https:/, address);
      assert.throws(() => make(address, false), /must begin with https:/, address);
      assert.ok(make(address, true), address);
    }
    assert.throws(() => make('ftp://127.0.0.1', true), /must begin with https:/);
  });

  it('never shows its key when it is logged or fails', async () => {
    const impostor = new PaymentsClient({ baseUrl: front.url, apiKey: 'sk_sandbox_secret', fetch: checkedFetch });
    const failure = await impostor.customers.list().catch((error: unknown) => error);
    assert.ok(failure instanceof ApiError && failure.status === 401);
    const shown = [inspect(impostor, { depth: 9 }), inspect(failure, { depth: 9 }), JSON.stringify(impostor)].join();
    assert.ok(!shown.includes('sk_sandbox_secret'), shown);
  });
});

describe('an error of the client', () => {
  const stage = useStage();
  const front = useFront(stage.api);

  async function failure(asked: Promise<unknown>): Promise<ApiError> {
    const error = await asked.catch((reason: unknown) => reason);
    assert.ok(error instanceof ApiError && error instanceof PaymentsError && error instanceof Error);
    return error;
  }
  const client = () => new PaymentsClient({ baseUrl: front.url, apiKey: stage.keys.sandboxSecret, maxRetries: 0 });

  it('has everything that the service returns: every field error, and the request id', async () => {
    const error = await failure(client().customers.create({ name: '', email: 'nobody' }));
    assert.deepEqual([error.status, error.type, error.code], [422, 'invalid_request_error', 'validation_failed']);
    assert.deepEqual(error.details.map(({ path }) => path).sort(), ['/email', '/name']);
    assert.match(error.requestId ?? '', /^req_/);
    assert.deepEqual([error.method, error.path], ['POST', '/api/v1/customers']);
    assert.equal(error.name, 'ApiError');
    assert.match(error.message, /name/);
  });

  it('has the latest possible target if an advance goes too far', async () => {
    const { id } = await client().testClocks.create({ frozen_time: '2027-01-10T00:00:00Z' });
    const error = await failure(client().testClocks.advance(id, { frozen_time: '2029-01-01T00:00:00Z' }));
    assert.deepEqual([error.code, error.maxFrozenTime], ['advance_bound_exceeded', '2027-03-13T00:00:00.000Z']);
  });

  it('has the mandate that an account has already', async () => {
    const { mandates, customers, paymentMethods } = client();
    const { id: customer_reference } = await customers.create({ name: 'Jo' });
    const payment_method_data = { bsb_number: '000-000', account_name: 'Jo', account_number: '98765432' };
    const account = { type: 'au_becs_debit', customer_reference, payment_method_data } as const;
    const { id: payment_method_id } = (await paymentMethods.create(account)).payment_method;
    const { id } = await mandates.create({ payment_method_id });
    const error = await failure(mandates.create({ payment_method_id }));
    assert.deepEqual([error.status, error.code, error.mandateId], [422, 'mandate_exists', id]);
  });

  const strange: [string, { status: number; headers: Record<string, string>; body: string }][] = [
    ['a page in HTML', { status: 502, headers: { 'Content-Type': 'text/html' }, body: '<h1>502</h1>' }],
    ['broken JSON', { status: 500, headers: { 'Content-Type': 'application/json' }, body: '{"error":' }],
    ['JSON of another kind', { status: 400, headers: { 'Content-Type': 'application/json' }, body: '{"error":"no"}' }],
    ['a redirect', { status: 302, headers: { Location: 'https://example.com/' }, body: '' }],
    ['a success that is no JSON', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>Log in</h1>' }],
  ];
  for (const [what, answer] of strange) {
    it(`reports ${what}, which does not come from the service`, async () => {
      front.fates.push({ ...answer, headers: { ...answer.headers, 'Request-Id': 'req_7' } });
      const error = await failure(client().customers.list());
      assert.deepEqual(
        [error.status, error.type, error.code, error.details, error.requestId],
        [answer.status, 'api_error', undefined, [], 'req_7'],
      );
      assert.match(error.message, new RegExp(`has the status ${answer.status} and does not come from the service`));
    });
  }
});
