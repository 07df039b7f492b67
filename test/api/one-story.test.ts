import assert from 'node:assert/strict';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { useDebtor } from '../support/debtor.ts';
import { useStage } from '../support/stage.ts';

// biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
type Shown = any;

const start = '2027-01-05T00:00:00.000Z';
const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.parse(start) + days * dayMs).toISOString();
const upTo = (days: number) => Array.from({ length: days }, (_, day) => day + 1);

describe('a test clock tells the same story in one advance as in steps of a day:', () => {
  const stage = useStage();
  const debtor = useDebtor(stage);
  const request = async (method: string, path: string, body?: unknown): Promise<Shown> => {
    const reply = await stage.request(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };

  /** A customer on a clock of its own, with a bank account under a mandate. */
  async function payer() {
    const { clock, payer: customer } = await stage.merchant.customerOnClock(start);
    const account = await debtor.account(customer.id);
    await debtor.active({ payment_method_id: account });
    return { clock: clock.id, customer: customer.id, account };
  }
  type Payer = Awaited<ReturnType<typeof payer>>;

  async function subscription({ clock, customer, account }: Payer, terms: object): Promise<string> {
    const { id } = await request('POST', '/subscriptions', {
      customer_id: customer,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4500 }],
      payment_instrument_id: account,
      effective_on: 'submitted',
      ...terms,
    });
    await request('POST', `/subscriptions/${id}/start`);
    const { frozen_time: at } = await stage.merchant.getClock(clock);
    await stage.collectSubscriptionAll(id, at);
    return id;
  }

  /** Moves a clock to these days after its start. Each advance does what its dry run has said. */
  async function move({ clock }: Payer, days: number[]): Promise<void> {
    for (const day of days) {
      const path = `/test_helpers/test_clocks/${clock}/advance`;
      const { effects } = await request('POST', path, { frozen_time: inDays(day), dry_run: true });
      const { length: before } = await told(clock);
      await stage.advance(clock, inDays(day));
      assert.equal((await stage.merchant.getClock(clock)).status, 'ready');
      const happened = (await told(clock)).slice(before);
      const foretold = effects.map((effect: Shown) => `${effect.at} ${effect.event_type}`);
      assert.deepEqual(happened, foretold);
    }
  }

  /** The events of a clock except its own, in their order: instant and type. */
  async function told(clock: string): Promise<string[]> {
    const events = await stage.db.sql<{ line: string }[]>`
      select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || ' ' || event_type as line
      from events where test_clock_id = ${clock} and event_type not like 'test_clock.%' order by sequence`;
    return events.map(({ line }) => line);
  }

  /** Makes the same thing on two clocks, moves them in one advance and by the day, and returns both stories. */
  async function bothWays(days: number, make: (owner: Payer) => Promise<string>, show: (id: string) => Promise<Shown>) {
    const stories = [];
    for (const steps of [[days], upTo(days)]) {
      const owner = await payer();
      const id = await make(owner);
      await move(owner, steps);
      const events = await told(owner.clock);
      const instants = events.map((line) => line.split(' ')[0]);
      assert.deepEqual(instants, instants.toSorted(), 'time runs backwards');
      stories.push({ events, shown: await show(id) });
    }
    assert.deepEqual(await findViolations(stage.db.sql), []);
    const [once, daily] = stories;
    assert.deepEqual(once, daily);
    return once ?? assert.fail();
  }

  const ofSubscription = async (id: string) => {
    const { data } = await request('GET', `/subscriptions/${id}/periods?limit=100`);
    const { state, in_effect, in_effect_until, paid_periods, next_period_start } = await request(
      'GET',
      `/subscriptions/${id}`,
    );
    const periods = data.map((p: Shown) => `${p.number} ${p.start} ${p.status}`).toReversed();
    return { state, in_effect, in_effect_until, paid_periods, next_period_start, periods };
  };

  it('every period of a subscription by bank debit is billed on its day', async () => {
    const weekly = (owner: Payer) => subscription(owner, { frequency_type: 'weekly' });
    const { events, shown } = await bothWays(60, weekly, ofSubscription);
    const accepted = events.filter((line) => line.endsWith('payment_intent.processing'));
    assert.deepEqual(
      accepted.map((line) => line.slice(0, 10)),
      upTo(9).map((nth) => inDays((nth - 1) * 7).slice(0, 10)),
    );
    assert.equal(shown.periods.length, 9);
  });

  it('a debit that is refused at first and collected later leaves the subscription in effect all the time', async () => {
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' };
    const { events, shown } = await bothWays(60, (owner) => subscription(owner, { metadata }), ofSubscription);
    assert.deepEqual([shown.state, shown.in_effect], ['active', true]);
    assert.equal(events.filter((line) => line.endsWith('in_effect_changed')).length, 1);
    assert.equal(events.filter((line) => line.endsWith('recovered')).length, 1);
  });

  it('the debit that start makes is the first step of its series: a refusal is retried by the days of its scheme', async () => {
    const metadata = { _sandbox_outcome_by_period: 'decline,decline,succeed' };
    const { events, shown } = await bothWays(21, (owner) => subscription(owner, { metadata }), ofSubscription);
    assert.deepEqual([shown.state, shown.paid_periods], ['active', 1]);
    const ofDebits = events.filter((line) => /payment_intent.(processing|failed|succeeded)/.test(line));
    assert.deepEqual(
      ofDebits.map((line) => line.replace(/:00.000Z payment_intent./, ' ')),
      [
        '2027-01-05T00:00 processing',
        '2027-01-06T22:00 failed',
        // A day after the first result, and three days after it, on business days.
        '2027-01-07T22:00 processing',
        '2027-01-11T22:00 failed',
        '2027-01-12T22:00 processing',
        '2027-01-14T22:00 succeeded',
      ],
    );
  });

  it('a plan is suspended with one amount if one debit is taken back at the instant at which another settles', async () => {
    const make = async ({ customer, account }: Payer) => {
      const metadata = { _sandbox_bank_outcome: 'disputed' };
      const terms = { customer_id: customer, payment_instrument_id: account, recurring_amount_cents: 800, metadata };
      const { id } = await stage.merchant.plan({ ...terms, frequency_type: 'weekly', start_date: '2027-01-05' });
      await stage.merchant.move(id, 'activate');
      await stage.collectAll(id, start);
      return id;
    };
    const show = async (id: string) => {
      const { state, collected_amount_cents: collected } = await stage.merchant.getPlan(id);
      return { state, collected };
    };
    const stories = [];
    for (const steps of [[14, 28, 42], upTo(42)]) {
      const owner = await payer();
      const id = await make(owner);
      await move(owner, steps);
      const [suspended] = await stage.db.sql<{ data: Shown }[]>`
        select data::jsonb as data from events where subject_id = ${id} and event_type = 'payment_plan.suspended'`;
      stories.push({ ...(await show(id)), suspendedWith: suspended?.data.collected_amount_cents });
    }
    assert.deepEqual(stories[0], stories[1]);
    assert.equal(stories[0]?.state, 'suspended');
  });

  it('a dry run foretells a cut-off at which two debits of one plan go to the bank', async () => {
    const owner = await payer();
    const terms = { customer_id: owner.customer, payment_instrument_id: owner.account, recurring_amount_cents: 800 };
    const { id } = await stage.merchant.plan({ ...terms, frequency_type: 'weekly', start_date: '2027-01-05' });
    await stage.merchant.move(id, 'activate');
    await stage.collectAll(id, start);
    await move(owner, [6]);
    await stage.merchant.move(id, 'suspend');
    await stage.merchant.move(id, 'resume');
    await stage.db.sql`
      update bank_debits set next_at = '2027-01-12T05:00:00Z', hand_over_at = '2027-01-12T05:00:00Z'
      where payment_plan_id = ${id} and submitted_at is null`;
    await move(owner, [14]);
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });
});

describe('a subscription that is canceled and then not', () => {
  const stage = useStage();
  const request = async (method: string, path: string, body?: unknown): Promise<Shown> => {
    const reply = await stage.request(method, path, body);
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  async function started(terms: object = {}) {
    const { clock, payer } = await stage.merchant.payerOnClock(start);
    const { id } = await request('POST', '/subscriptions', {
      customer_id: payer.id,
      name: 'Membership',
      currency: 'AUD',
      frequency_type: 'monthly',
      items: [{ name: 'Membership', unit_amount_cents: 4500 }],
      ...terms,
    });
    await request('POST', `/subscriptions/${id}/start`);
    return { id, clock: clock.id };
  }

  it('gets back the pause that was planned before, and shows none meanwhile', async () => {
    const { id, clock } = await started();
    await request('POST', `/subscriptions/${id}/pause`, { resumes_at: '2027-03-01' });
    const canceled = await request('POST', `/subscriptions/${id}/cancel`, {});
    assert.deepEqual([canceled.ends_at, canceled.pauses_at, canceled.resumes_at], ['2027-02-05', null, null]);
    const reply = await stage.request('POST', `/subscriptions/${id}/resume`);
    assert.match(reply.text, /no pause is planned/);
    const back = await request('POST', `/subscriptions/${id}/uncancel`);
    assert.deepEqual([back.ends_at, back.pauses_at, back.resumes_at], [null, '2027-02-05', '2027-03-01']);
    await stage.advance(clock, '2027-02-06T00:00:00Z');
    assert.equal((await request('GET', `/subscriptions/${id}`)).state, 'paused');
    assert.deepEqual(await findViolations(stage.db.sql), []);
  });

  it('gets back the end that its terms had set', async () => {
    const { id } = await started({ ends_at: '2027-04-05' });
    await request('POST', `/subscriptions/${id}/cancel`, {});
    await request('POST', `/subscriptions/${id}/cancel`, {});
    const back = await request('POST', `/subscriptions/${id}/uncancel`);
    assert.equal(back.ends_at, '2027-04-05');
    assert.equal((await request('POST', `/subscriptions/${id}/uncancel`)).ends_at, null);
  });
});
