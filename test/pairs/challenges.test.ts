import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { type Life, useLives } from './lives.ts';

const challenge = 'tok_sandbox_visa_3ds_required';
const declines = 'tok_sandbox_visa_decline_insufficient_funds';

describe('the end of a payer’s challenge', () => {
  const lived = useLives();

  /** A payer begins the payment of a subject that has failed, and goes away. Returns the payment and its customer. */
  async function leaves(life: Life, subject: string, customer: string): Promise<string> {
    const [intent = ''] = await life.intentsOf(subject);
    const { status } = await life.confirms(intent, await life.card(customer, challenge));
    assert.equal(status, 'requires_action');
    return intent;
  }
  const refusal = async (life: Life, intent: string, what: string, body: object): Promise<string> => {
    const { status, body: reply } = await life.request('POST', `/payment_intents/${intent}/${what}`, body);
    return `${status} ${reply.error?.code ?? reply.status}`;
  };
  const passes = (life: Life, intent: string) =>
    life.request('POST', `/test_helpers/payment_intents/${intent}/complete_action`, { result: 'succeed' });

  lived('subscription: one that a payer leaves ends after 15 minutes, and dunning goes on', async (life) => {
    const customer = await life.payer('payer');
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,requires_action,succeed' },
    });
    await life.to('2027-03-01');
    const intent = (await life.intentsOf(gym)).at(-1) ?? '';
    await life.confirms(intent, await life.card(customer));
    assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['requires_action']);
    await life.to('2027-03-15');
    assert.deepEqual(await life.story('2027-02-28'), [
      '2027-03-01 00:00 subscription.renewed gym active in effect',
      '2027-03-01 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-02 00:00',
      '2027-03-01 00:00 subscription.past_due gym past_due in effect',
      '2027-03-01 00:00 payment_intent.requires_action gym 3000',
      '2027-03-01 00:15 payment_intent.failed gym 3000 authentication_required again 2027-03-02 00:00',
      '2027-03-02 00:00 payment_intent.succeeded gym 3000',
      '2027-03-02 00:00 subscription.recovered gym active in effect',
    ]);
  });

  lived('plan: one that a payer leaves ends after 15 minutes, and the retry is made at its date', async (life) => {
    const customer = await life.payer('payer', declines);
    const lessons = await life.plan({ name: 'lessons', customer_id: customer, total_amount_cents: 2000 });
    await life.to('2027-02-01T06:00:00Z');
    const intent = await leaves(life, lessons, customer);
    await life.to('2027-02-01T06:14:00Z');
    assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['requires_action']);
    await life.to('2027-02-03');
    assert.deepEqual(await life.story('2027-02-01 06'), [
      '2027-02-01 06:00 payment_intent.requires_action lessons 1000',
      '2027-02-01 06:15 payment_intent.failed lessons 1000 authentication_required again 2027-02-02 00:00',
      '2027-02-02 00:00 payment_intent.failed lessons 1000 insufficient_funds again 2027-02-04 00:00',
    ]);
    assert.equal((await passes(life, intent)).status, 422);
  });

  lived('subscription: the challenge of a start ends after a day, and it can be started again', async (life) => {
    const customer = await life.payer('payer', challenge);
    const gym = await life.started({ name: 'gym', customer_id: customer });
    const [intent = ''] = await life.intentsOf(gym);
    await life.to('2027-02-01T23:00:00Z');
    assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['requires_action']);
    await life.to('2027-04-20');
    assert.equal((await passes(life, intent)).status, 422);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.requires_action gym 3000',
      '2027-02-02 00:00 payment_intent.failed gym 3000 authentication_required',
    ]);
    assert.deepEqual(await life.shows('subscriptions', gym, 'state', 'in_effect'), ['pending', false]);
  });

  lived('subscription: a cancel ends the challenge of its first period', async (life) => {
    const customer = await life.payer('payer', challenge);
    const gym = await life.started({ name: 'gym', customer_id: customer });
    const [intent = ''] = await life.intentsOf(gym);
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    assert.equal((await passes(life, intent)).status, 422);
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_intent.requires_action gym 3000',
      '2027-02-01 00:00 payment_intent.canceled gym 3000',
      '2027-02-01 00:00 subscription.canceled gym canceled not in effect',
    ]);
    assert.deepEqual(await life.periods(gym), ['1 2027-02-01 2027-03-01 void 3000']);
    assert.equal(await life.money(customer), 'charged 0 held 0');
  });

  for (const [end, ended] of [
    ['close', 'closed'],
    ['deactivate', 'deactivated'],
  ] as const) {
    lived(`plan: ${end} ends the challenge of a payer, and its payment`, async (life) => {
      const customer = await life.payer('payer', declines);
      const lessons = await life.plan({ name: 'lessons', customer_id: customer });
      const intent = await leaves(life, lessons, customer);
      await life.does('payment_plans', lessons, end);
      assert.equal((await passes(life, intent)).status, 422);
      assert.equal(await refusal(life, intent, 'confirm', {}), '422 invalid_state');
      await life.to('2027-03-15');
      assert.deepEqual((await life.story()).slice(2), [
        '2027-02-01 00:00 payment_intent.requires_action lessons 1000',
        '2027-02-01 00:00 payment_intent.canceled lessons 1000',
        `2027-02-01 00:00 payment_plan.${ended} lessons requested 0`,
      ]);
      assert.equal(await life.money(customer), 'charged 0 held 0');
    });
  }

  lived(
    'plan: suspend ends the challenge of a payer, and its payment is tried again when it is resumed',
    async (life) => {
      const customer = await life.payer('payer', declines);
      const lessons = await life.plan({ name: 'lessons', customer_id: customer });
      const intent = await leaves(life, lessons, customer);
      await life.does('payment_plans', lessons, 'suspend');
      assert.equal((await passes(life, intent)).status, 422);
      const good = await life.card(customer);
      assert.equal(await refusal(life, intent, 'confirm', { payment_method: good }), '422 invalid_state');
      await life.to('2027-02-02');
      await life.ask('PUT', `/payment_plans/${lessons}`, { payment_instrument_id: good });
      await life.does('payment_plans', lessons, 'resume');
      assert.deepEqual((await life.story()).slice(2), [
        '2027-02-01 00:00 payment_intent.requires_action lessons 1000',
        '2027-02-01 00:00 payment_intent.failed lessons 1000 authentication_required',
        '2027-02-01 00:00 payment_plan.suspended lessons requested 0',
        '2027-02-02 00:00 payment_intent.succeeded lessons 1000',
      ]);
    },
  );

  for (const end of ['close', 'deactivate']) {
    lived(`plan: after ${end} a failed payment is canceled and cannot be paid`, async (life) => {
      const customer = await life.payer('payer', declines);
      const lessons = await life.plan({ name: 'lessons', customer_id: customer });
      const [intent = ''] = await life.intentsOf(lessons);
      await life.does('payment_plans', lessons, end);
      const good = await life.card(customer);
      assert.equal(await refusal(life, intent, 'confirm', { payment_method: good }), '422 invalid_state');
      assert.deepEqual(await life.shows('payment_intents', intent, 'status'), ['canceled']);
      assert.deepEqual(await life.slots(lessons), ['0 2027-02-01 failed failed']);
      assert.equal(await life.money(customer), 'charged 0 held 0');
    });
  }

  lived('subscription: a cancel cancels its failed payment, which cannot be paid', async (life) => {
    const customer = await life.payer('payer');
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer },
      metadata: { _sandbox_outcome_by_period: 'succeed;decline,decline,succeed' },
    });
    await life.to('2027-03-02T14:00:00Z');
    const intent = (await life.intentsOf(gym)).at(-1) ?? '';
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    const good = await life.card(customer);
    assert.equal(await refusal(life, intent, 'confirm', { payment_method: good }), '422 invalid_state');
    await life.to('2027-04-15');
    assert.deepEqual(await life.story('2027-03-02'), [
      '2027-03-02 00:00 payment_intent.failed gym 3000 insufficient_funds again 2027-03-04 00:00',
      '2027-03-02 14:00 payment_intent.canceled gym 3000',
      '2027-03-02 14:00 subscription.canceled gym canceled not in effect',
      '2027-03-02 14:00 subscription.in_effect_changed gym canceled not in effect',
    ]);
    assert.deepEqual((await life.periods(gym)).slice(1), ['2 2027-03-01 2027-04-01 unpaid 3000']);
    assert.equal(await life.money(customer), 'charged 3000 held 3000');
  });

  lived(
    'subscription: its end by its terms cancels a failed payment, and ends the challenge of its payer',
    async (life) => {
      const customer = await life.payer('payer');
      const gym = await life.started({
        ...{ name: 'gym', customer_id: customer, frequency_type: 'weekly', ends_at: '2027-02-15' },
        metadata: { _sandbox_outcome_by_period: 'succeed;decline,decline,decline,decline,requires_action' },
      });
      await life.to('2027-02-14T23:50:00Z');
      const intent = (await life.intentsOf(gym)).at(-1) ?? '';
      await life.confirms(intent, await life.card(customer));
      await life.to('2027-03-15');
      assert.deepEqual(await life.story('2027-02-13'), [
        '2027-02-13 00:00 payment_intent.failed gym 3000 insufficient_funds',
        '2027-02-13 00:00 subscription.paused gym paused not in effect',
        '2027-02-13 00:00 subscription.in_effect_changed gym paused not in effect',
        '2027-02-14 23:50 payment_intent.requires_action gym 3000',
        '2027-02-15 00:00 payment_intent.failed gym 3000 authentication_required',
        '2027-02-15 00:00 payment_intent.canceled gym 3000',
        '2027-02-15 00:00 subscription.canceled gym canceled not in effect',
      ]);
      assert.equal(await life.money(customer), 'charged 3000 held 3000');
    },
  );

  lived('subscription: what the bank settles after a cancel becomes credit, which is paid out', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted' });
    await life.to('2027-02-01T06:00:00Z');
    const canceled = await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    assert.equal(canceled.in_flight_amount, 3000);
    await life.to('2027-02-03');
    assert.deepEqual(await life.shows('subscriptions', gym, 'credit_balance_cents', 'in_flight_amount'), [3000, 0]);
    await life.does('subscriptions', gym, 'refund_credit');
    assert.deepEqual(await life.shows('subscriptions', gym, 'credit_balance_cents'), [0]);
    await life.to('2027-03-15');
    assert.equal(await life.money(customer), 'charged 3000 refunded 3000 held 0');
  });

  lived('subscription: credit of what came back after a cancel is taken off', async (life) => {
    const { customer } = await life.debtor();
    const gym = await life.started({
      ...{ name: 'gym', customer_id: customer, effective_on: 'submitted' },
      metadata: { _sandbox_bank_outcome: 'late_dishonour' },
    });
    await life.to('2027-02-01T06:00:00Z');
    await life.does('subscriptions', gym, 'cancel', { at: 'now' });
    await life.to('2027-02-03');
    assert.deepEqual(await life.shows('subscriptions', gym, 'credit_balance_cents'), [3000]);
    await life.to('2027-03-15');
    assert.deepEqual(await life.shows('subscriptions', gym, 'credit_balance_cents'), [0]);
    assert.equal((await life.request('POST', `/subscriptions/${gym}/refund_credit`, {})).status, 422);
  });
});
