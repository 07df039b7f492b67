import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { OutcomeUnknown } from '../../src/processors/processor.ts';
import type { SubscriptionCreate } from '../../src/resources/subscription-input.ts';
import type { Reply } from '../support/api.ts';
import { useDebtor } from '../support/debtor.ts';
import { useSubscriber } from '../support/subscriber.ts';

// biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
type Shown = any;

/** What the collection comes to, and whether the customer has the service then. */
type Outcome = 'succeed' | 'decline' | 'requires_action' | 'debit';
const outcomes: Outcome[] = ['succeed', 'decline', 'requires_action', 'debit'];

describe('no command on a subscription says in effect for time that is neither paid nor granted:', () => {
  const subscriber = useSubscriber();
  const { stage, here } = subscriber;
  const debtor = useDebtor(stage);

  const send = (id: string, command: string, body?: object): Promise<Reply> =>
    stage.request('POST', `/subscriptions/${id}/${command}`, body);

  /** As in real time, where a request can come before the workflow has done what is due. */
  const clockShows = (at: string) =>
    stage.db.sql`update test_clocks set frozen_time = ${at} where id = ${here.clock}`.then(() => undefined);

  /** The terms of a subscription whose periods after the first come to this outcome. */
  const terms = (outcome: Outcome, more: Partial<SubscriptionCreate> = {}): Partial<SubscriptionCreate> => ({
    grace_days: 0,
    metadata: { _sandbox_outcome_by_period: `succeed;${outcome === 'debit' ? 'succeed' : outcome}` },
    ...more,
  });

  async function payBy(id: string, outcome: Outcome): Promise<void> {
    if (outcome !== 'debit') return;
    const account = await debtor.account(here.customer);
    await debtor.active({ payment_method_id: account });
    await stage.request('PUT', `/subscriptions/${id}`, { payment_instrument_id: account });
  }

  /** That what a response says of the service is so at this instant, by what was paid and by what is granted. */
  async function assertTrue({ status, body, text }: Reply, at: string, told = ''): Promise<void> {
    assert.equal(status, 200, text);
    const shown: Shown = body.subscription ?? body;
    const now = Date.parse(at);
    const { state, in_effect: isServed, in_effect_until: until, current_period: period } = shown;
    if (!isServed) return assert.equal(until, null, told);
    if (until !== null) assert.ok(Date.parse(until) > now, `${told} ${state} in effect until ${until} at ${at}`);
    if (state === 'past_due' || state === 'trialing') return assert.notEqual(until, null, told);
    assert.equal(state, 'active', told);
    const contains = Date.parse(period.start) <= now && now < Date.parse(period.end);
    assert.ok(contains, `${told} in effect at ${at}, in the period of ${period.start} to ${period.end}`);
    if (period.status === 'paid') return;
    const { status: payment } = await stage.merchant.getIntent(shown.latest_payment_intent_id);
    assert.deepEqual([period.status, payment], ['processing', 'processing'], `${told} nothing pays this period`);
    const [debit] = await stage.db.sql`
      select from bank_debits where payment_intent_id = ${shown.latest_payment_intent_id} and result_at is null`;
    assert.ok(debit, `${told} a payment that no bank has`);
  }

  /** The response is true, no event has said otherwise, and a moment later nothing is different. */
  async function assertLasts(id: string, reply: Reply, at: string): Promise<Shown> {
    await assertTrue(reply, at);
    await stage.collectSubscriptionAll(id, at);
    const { updated_at: _, ...after } = await subscriber.get(id);
    const { updated_at: __, ...told } = reply.body.subscription ?? reply.body;
    assert.deepEqual(after, told);
    const events = await stage.db.sql<{ data: Shown }[]>`
      select data::jsonb as data from events where subject_id = ${id} and event_type = 'subscription.in_effect_changed'`;
    for (const { data } of events) {
      const said = { status: 200, body: data, text: '' } as unknown as Reply;
      if (data.updated_at === new Date(at).toISOString()) await assertTrue(said, at, 'an event:');
    }
    assert.deepEqual(await findViolations(stage.db.sql), []);
    return after;
  }

  /** The state, whether it is in effect, and how far the payment of its period is. */
  const inShort = ({ state, in_effect: isServed, current_period: period }: Shown) =>
    `${state} ${isServed} ${period.status}`;

  const afterResume = {
    succeed: 'active true paid',
    decline: 'past_due false retrying',
    requires_action: 'active false processing',
    debit: 'active true processing',
  };
  /** The next period of its calendar, or a retry, as its workflow makes them: no payer is there for a challenge. */
  const afterRenewal = { ...afterResume, requires_action: 'past_due false unpaid' };
  /** The unpaid period was served in part and is under way: its own payment is retried, and the pause goes on until
   * that succeeds. */
  const afterHealing = {
    succeed: 'active true paid',
    decline: 'paused false unpaid',
    requires_action: 'paused false processing',
    debit: 'paused false processing',
  };
  for (const outcome of outcomes) {
    it(`a resume of a pause that was asked for, which comes to ${outcome}`, async () => {
      const id = await subscriber.started(terms(outcome));
      await subscriber.ask(id, 'pause');
      await here.advance('2027-03-05T09:00:00Z');
      await payBy(id, outcome);
      const after = await assertLasts(id, await send(id, 'resume'), '2027-03-05T09:00:00Z');
      assert.equal(inShort(after), afterResume[outcome]);
      assert.deepEqual([after.current_period.start, after.current_period.end], ['2027-03-05', '2027-04-05']);
    });

    it(`a resume after a failure with which the service ended at once, which comes to ${outcome}`, async () => {
      const by = outcome === 'debit' ? 'succeed' : outcome;
      const metadata = { _sandbox_outcome_by_period: `succeed;decline;${by}` };
      const id = await subscriber.started({ ...terms(outcome), metadata, failure_behaviour: 'stop' });
      await here.advance('2027-02-20T09:00:00Z');
      assert.equal((await subscriber.get(id)).state, 'paused');
      await stage.request('PUT', `/subscriptions/${id}`, { failure_behaviour: 'retry' });
      await payBy(id, outcome);
      const after = await assertLasts(id, await send(id, 'resume'), '2027-02-20T09:00:00Z');
      assert.equal(inShort(after), afterResume[outcome]);
      assert.deepEqual([after.current_period.start, after.current_period.end], ['2027-02-20', '2027-03-20']);
    });

    it(`a resume after failures within the grace, while the period runs, which comes to ${outcome}`, async () => {
      const by = outcome === 'debit' ? 'succeed' : outcome;
      const metadata = { _sandbox_outcome_by_period: `succeed;decline,decline,decline,decline,${by}` };
      const id = await subscriber.started({ ...terms(outcome), metadata, grace_days: 7 });
      await here.advance('2027-02-20T09:00:00Z');
      assert.equal((await subscriber.get(id)).state, 'paused');
      await payBy(id, outcome);
      const after = await assertLasts(id, await send(id, 'resume'), '2027-02-20T09:00:00Z');
      assert.equal(inShort(after), afterHealing[outcome]);
      assert.deepEqual([after.current_period.start, after.current_period.end], ['2027-02-10', '2027-03-10']);
    });

    it(`a resume before a pause that is late, which comes to ${outcome}`, async () => {
      const id = await subscriber.started(terms(outcome));
      await send(id, 'pause', {});
      await payBy(id, outcome);
      await clockShows('2027-02-10T00:05:00Z');
      const after = await assertLasts(id, await send(id, 'resume'), '2027-02-10T00:05:00Z');
      assert.equal(inShort(after), afterRenewal[outcome]);
    });

    it(`an uncancel of an end that is late, which comes to ${outcome}`, async () => {
      const id = await subscriber.started(terms(outcome));
      await send(id, 'cancel', {});
      await payBy(id, outcome);
      await clockShows('2027-02-10T00:05:00Z');
      const after = await assertLasts(id, await send(id, 'uncancel'), '2027-02-10T00:05:00Z');
      assert.equal(inShort(after), afterRenewal[outcome]);
    });

    it(`a retry of what is unpaid, which comes to ${outcome}`, async () => {
      const by = outcome === 'debit' ? 'succeed' : outcome;
      const metadata = { _sandbox_outcome_by_period: `succeed;decline,${by}` };
      const id = await subscriber.started({ ...terms(outcome), metadata });
      await here.advance('2027-02-10T09:00:00Z');
      await payBy(id, outcome);
      const after = await assertLasts(id, await send(id, 'retry_now'), '2027-02-10T09:00:00Z');
      const expected = { ...afterRenewal, debit: 'past_due false processing' };
      assert.equal(inShort(after), expected[outcome]);
    });

    it(`a start, which comes to ${outcome}`, async () => {
      const by = outcome === 'debit' ? 'succeed' : outcome;
      const { id } = await subscriber.create({ metadata: { _sandbox_outcome: by }, effective_on: 'submitted' });
      await payBy(id, outcome);
      const after = await assertLasts(id, await send(id, 'start'), '2027-01-10T00:00:00Z');
      const isServed = outcome === 'succeed' || outcome === 'debit';
      assert.deepEqual([after.state, after.in_effect], isServed ? ['active', true] : ['pending', false]);
    });

    it(`a change that is paid now, which comes to ${outcome}`, async () => {
      const id = await subscriber.started();
      const by = outcome === 'debit' ? 'succeed' : outcome;
      await stage.request('PUT', `/subscriptions/${id}`, { metadata: { _sandbox_outcome: by } });
      await payBy(id, outcome);
      const upgrade = { items: [{ name: 'Membership', unit_amount_cents: 9800 }], when: 'now', collect: 'now' };
      const after = await assertLasts(id, await send(id, 'change', upgrade), '2027-01-10T00:00:00Z');
      assert.equal(inShort(after), 'active true paid');
    });
  }

  it('a resume that is declined, of a subscription with days of grace', async () => {
    const id = await subscriber.started(terms('decline', { grace_days: 3 }));
    await subscriber.ask(id, 'pause');
    await here.advance('2027-03-05T09:00:00Z');
    const after = await assertLasts(id, await send(id, 'resume'), '2027-03-05T09:00:00Z');
    assert.deepEqual(
      [after.state, after.in_effect, after.in_effect_until, after.next_attempt_at],
      ['past_due', true, '2027-03-08T09:00:00.000Z', '2027-03-06T09:00:00.000Z'],
    );
  });

  it('a resume whose challenge is passed, and one whose challenge is not', async () => {
    const [passed, left] = [
      await subscriber.started(terms('requires_action')),
      await subscriber.started(terms('requires_action')),
    ];
    for (const id of [passed, left]) await subscriber.ask(id, 'pause');
    await here.advance('2027-03-05T09:00:00Z');
    const at = '2027-03-05T09:00:00Z';
    for (const id of [passed, left]) await assertLasts(id, await send(id, 'resume'), at);
    const { latest_payment_intent_id: intent } = await subscriber.get(passed);
    const complete = `/test_helpers/payment_intents/${intent}/complete_action`;
    assert.equal((await stage.request('POST', complete, { result: 'succeed' })).status, 200);
    assert.equal(inShort(await subscriber.get(passed)), 'active true paid');
    await here.advance('2027-03-06T08:59:00Z');
    assert.equal(inShort(await subscriber.get(left)), 'active false processing');
    await here.advance('2027-03-06T09:00:00Z');
    assert.equal(inShort(await subscriber.get(left)), 'past_due false unpaid');
  });

  it('a resume whose processor does not answer', async () => {
    const id = await subscriber.started(terms('succeed'));
    await subscriber.ask(id, 'pause');
    await here.advance('2027-03-05T09:00:00Z');
    stage.ledger.beforeAnswer = async () => {
      throw new OutcomeUnknown('no answer');
    };
    assert.equal((await send(id, 'resume')).status, 503);
    assert.equal(inShort(await subscriber.get(id)), 'active false processing');
  });

  it('the end of a pause on its day, which comes to a decline', async () => {
    const id = await subscriber.started(terms('decline'));
    await subscriber.ask(id, 'pause', { resumes_at: '2027-02-20' });
    await here.advance('2027-02-20T00:00:00Z');
    assert.equal(inShort(await subscriber.get(id)), 'past_due false retrying');
    assert.deepEqual((await subscriber.events(id)).slice(-3), [
      '2027-02-20 resumed',
      '2027-02-20 renewed',
      '2027-02-20 past_due',
    ]);
  });

  it('a retry of a period which has long passed: it is refused, and a resume begins a period of today', async () => {
    const metadata = { _sandbox_outcome_by_period: 'succeed;decline,succeed;succeed' };
    const id = await subscriber.started({ ...terms('decline'), metadata, failure_behaviour: 'stop' });
    await here.advance('2027-03-01T00:00:00Z');
    await here.advance('2027-03-20T09:00:00Z');
    const refused = await send(id, 'retry_now');
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
    assert.match(refused.body.error.message, /Resume it: a new period begins/);
    const after = await assertLasts(id, await send(id, 'resume'), '2027-03-20T09:00:00Z');
    assert.equal(inShort(after), 'active true paid');
    assert.equal(after.current_period.start, '2027-03-20');
    assert.equal((await subscriber.events(id)).filter((line) => line.endsWith('true')).length, 2);
  });

  for (const [command, body] of [
    ['pause', {}],
    ['resume', undefined],
    ['cancel', {}],
    ['cancel', { at: 'now' }],
    ['uncancel', undefined],
    ['retry_now', undefined],
    ['change', { items: [{ name: 'Membership', unit_amount_cents: 100 }], when: 'now' }],
  ] as const) {
    it(`${command} ${JSON.stringify(body ?? {})}, whenever it comes`, async () => {
      const metadata = { _sandbox_outcome_by_period: 'succeed;decline,decline,succeed;succeed;decline' };
      const kinds = ['', 'pause', 'cancel'];
      for (const at of [
        '2027-01-20T00:00:00Z',
        '2027-02-10T00:00:00Z',
        '2027-02-12T00:00:00Z',
        '2027-03-11T00:00:00Z',
      ]) {
        for (const kind of kinds) {
          await clockShows('2027-01-10T00:00:00Z');
          const id = await subscriber.started({ grace_days: 1, metadata });
          if (kind !== '') await send(id, kind, {});
          for (const before of ['2027-02-10T00:00:00Z', '2027-02-11T00:00:00Z'].filter((due) => due < at)) {
            await stage.collectSubscriptionAll(id, before);
          }
          await clockShows(at);
          const reply = await send(id, command, body);
          if (reply.status === 200 && (command !== 'cancel' || reply.body.state !== 'canceled'))
            await assertTrue(reply, at, `${kind} ${at}`);
        }
      }
    });
  }
});
