import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { CustomerCreate } from '../../src/resources/customer.ts';
import { instantPattern, refusal, rowCounts, useStage } from '../support/stage.ts';

const path = '/customers';
const full = {
  name: 'Zoë Müller',
  email: 'zoe@example.com',
  reference: 'ref-1',
  status: 'inactive',
  business_name: 'Müller & Co',
  billing_address: {
    line1: '1 High St',
    line2: 'Unit 2',
    city_or_suburb: 'Perth',
    state_or_region: 'WA',
    postal_code: '6000',
    country: 'AU',
  },
  shipping_address: { line1: '2 Low St' },
  notification_preferences: { send_payment_emails: true, send_sms_reminders: false, send_sms_failures: true },
  fee_preferences: { customer_pays_transaction_fees: true },
  additional_attributes: { tier: 'gold', nested: { list: [1, null, 'x'] }, 'line\nbreak': 1 },
  phones: [{ raw: '0400 000 000', kind: 'mobile', country_code: 'AU' }, { raw: '555' }],
  metadata: { crm: '7-1042', 'line\nbreak': '\u2028' },
};

describe('creating a customer', () => {
  const stage = useStage();
  const post = (body: unknown) => stage.request('POST', path, body);

  it('needs a name alone, and answers 201 with every field, null where nothing was given', async () => {
    const before = realNow();
    const { status, body } = await post({ name: 'Jo' });
    assert.equal(status, 201);
    const { id, created_at, ...rest } = body;
    assert.match(id, /^cus_[0-9A-Za-z]{32}$/);
    assert.match(created_at, instantPattern);
    assert.ok(new Date(created_at) >= before && new Date(created_at) <= realNow());
    assert.deepEqual(rest, {
      name: 'Jo',
      email: null,
      reference: null,
      status: 'active',
      business_name: null,
      billing_address: null,
      shipping_address: null,
      notification_preferences: null,
      fee_preferences: null,
      additional_attributes: null,
      phones: null,
      metadata: {},
      default_payment_method: null,
      test_clock: null,
      biller_id: stage.keys.biller.id,
      livemode: false,
      updated_at: created_at,
      deleted_at: null,
    });
  });

  it('is tried with every field that can be given', () => {
    const { test_clock: _, ...fields } = CustomerCreate.properties;
    assert.deepEqual(Object.keys(full).sort(), Object.keys(fields).sort());
  });

  it('keeps every field as it was given, in the answer, in a fetch and in the list', async () => {
    const { body } = await post(full);
    for (const [name, value] of Object.entries(full)) assert.deepEqual(body[name], value, name);
    assert.deepEqual((await stage.request('GET', `${path}/${body.id}`)).body, body);
    assert.deepEqual((await stage.request('GET', path)).body, { data: [body], has_more: false });
  });

  it('makes a live customer in live mode', async () => {
    const { status, body } = await stage.api.send('POST', `/api/v1${path}`, {
      key: stage.keys.liveSecret,
      body: { name: 'Jo' },
    });
    assert.deepEqual([status, body.livemode, body.biller_id], [201, true, stage.keys.biller.id]);
  });

  it('is one row and no event', async () => {
    const before = await rowCounts(stage);
    await post({ name: 'Jo' });
    const after = await rowCounts(stage);
    assert.deepEqual(after, { ...before, customers: (before.customers ?? 0) + 1 });
  });

  it('is 422 resource_missing on a clock that does not exist, on another biller’s, and in live mode', async () => {
    const { merchant } = await stage.stranger();
    const foreign = await merchant.clock('2027-01-01T00:00:00Z');
    const own = await stage.merchant.clock('2027-01-01T00:00:00Z');
    const expected = ['/test_clock resource_missing'];
    for (const test_clock of ['clk_none', foreign.id]) {
      assert.deepEqual(refusal(await post({ name: 'Jo', test_clock }), 422), expected);
    }
    const key = stage.keys.liveSecret;
    const live = await stage.api.send('POST', `/api/v1${path}`, { key, body: { name: 'Jo', test_clock: own.id } });
    assert.deepEqual(refusal(live, 422), expected);
    assert.deepEqual(refusal(await post({ name: 'Jo', test_clock: null }), 422), ['/test_clock invalid_type']);
  });

  it('gives it the clock’s time on a clock', async () => {
    const clock = await stage.merchant.clock('2031-02-03T04:05:06.789Z');
    const { status, body } = await post({ name: 'Jo', test_clock: clock.id });
    assert.equal(status, 201);
    assert.deepEqual(
      [body.test_clock, body.created_at, body.updated_at],
      [clock.id, '2031-02-03T04:05:06.789Z', '2031-02-03T04:05:06.789Z'],
    );
  });
});

describe('fetching a customer', () => {
  const stage = useStage();

  it('that is deleted shows its deleted_at', async () => {
    const { id } = await stage.merchant.customer();
    await stage.db.sql`update customers set deleted_at = '2027-01-01T00:00:00Z' where id = ${id}`;
    const { status, body } = await stage.request('GET', `${path}/${id}`);
    assert.deepEqual([status, body.deleted_at], [200, '2027-01-01T00:00:00.000Z']);
  });
});

describe('the list of customers', () => {
  const stage = useStage();
  const list = async (query = '') => (await stage.request('GET', `${path}?${query}`)).body;
  const names = async (query = '') => (await list(query)).data.map((customer: { name: string }) => customer.name);

  it('pages without loss or repetition while customers are created', async () => {
    for (let n = 1; n <= 7; n++) await stage.merchant.customer({ name: `C${n}` });
    const seen: string[] = [];
    let cursor = '';
    for (let more = true; more; ) {
      const { data, has_more } = await list(`limit=2${cursor}`);
      seen.push(...data.map((customer: { name: string }) => customer.name));
      cursor = `&starting_after=${data.at(-1).id}`;
      more = has_more;
      await stage.merchant.customer({ name: 'late' });
    }
    assert.deepEqual(seen, ['C7', 'C6', 'C5', 'C4', 'C3', 'C2', 'C1']);
  });

  it('is filtered by email and name whatever the case, by reference and status exactly', async () => {
    await stage.merchant.customer({ name: 'Zoë A', email: 'Zoe@Example.com', reference: 'R1' });
    await stage.merchant.customer({ name: 'Bo', email: 'bo@example.com', reference: 'r1', status: 'inactive' });
    assert.deepEqual(await names('email=zOE@example.COM'), ['Zoë A']);
    assert.deepEqual(await names(`name=${encodeURIComponent('ZOË a')}`), ['Zoë A']);
    assert.deepEqual([await names('name=Zo'), await names('email=%25'), await names('name=b_')], [[], [], []]);
    assert.deepEqual([await names('reference=R1'), await names('reference=r1')], [['Zoë A'], ['Bo']]);
    assert.deepEqual([await names('status=inactive'), await names('status=Inactive')], [['Bo'], []]);
    assert.deepEqual(await names('status=active&reference=r1'), []);
  });
});
