import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { join, type Member, tokens, useOwedLives } from './member.ts';

const until = (date: string) => `${date}T00:00:00.000Z`;
const fields = ['state', 'in_effect', 'in_effect_until', 'next_attempt_at'];

describe('a card that has expired', () => {
  const lived = useOwedLives();

  async function expired(life: Life, terms: object = {}): Promise<Member> {
    const member = await join(life, terms);
    await member.usesCard(tokens.expired);
    await life.to('2027-03-01');
    return member;
  }

  lived('ends the retries and not the service, until the series would have ended', async (life) => {
    const member = await expired(life);
    assert.deepEqual(await member.shows(...fields), ['past_due', true, until('2027-03-06'), null]);
    await life.to('2027-03-05T23:59:59.999Z');
    assert.deepEqual(await member.shows(...fields), ['past_due', true, until('2027-03-06'), null]);
    await life.to('2027-03-06');
    assert.deepEqual(await member.shows(...fields, 'state_reason'), ['paused', false, null, null, 'payment_failed']);
    const [, unpaid = ''] = await member.intents();
    assert.equal((await life.get('payment_intents', unpaid)).status, 'failed');
    assert.equal((await member.period()).served_until, until('2027-03-06'));
  });

  lived('ends the service with grace, if that ends before the series', async (life) => {
    const member = await expired(life, { grace_days: 2 });
    assert.deepEqual(await member.shows(...fields), ['past_due', true, until('2027-03-03'), null]);
    await life.to('2027-03-04');
    assert.deepEqual(await member.shows(...fields), ['past_due', false, null, null]);
    await life.to('2027-03-06');
    assert.deepEqual(await member.shows('state'), ['paused']);
  });

  lived('ends the service at once if it stops at the first failure', async (life) => {
    const member = await expired(life, { failure_behaviour: 'stop' });
    assert.deepEqual(await member.shows(...fields), ['paused', false, null, null]);
  });

  lived('cancels it once the series would have ended, if unpaid_behaviour says so', async (life) => {
    const member = await expired(life, { unpaid_behaviour: 'cancel' });
    assert.deepEqual(await member.shows('state'), ['past_due']);
    await life.to('2027-03-06');
    assert.deepEqual(await member.shows('state', 'state_reason'), ['canceled', 'payment_failed']);
  });

  lived('is replaced by a card that is charged at once, and the calendar stays', async (life) => {
    const member = await expired(life);
    await life.to('2027-03-03');
    await member.usesCard();
    assert.deepEqual(await member.shows(...fields), ['active', true, until('2027-04-01'), null]);
    await life.to('2027-04-02');
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-03-01 paid 3000',
      '2 2027-03-01 2027-04-01 paid 3000',
      '3 2027-04-01 2027-05-01 paid 3000',
    ]);
  });

  lived('is replaced by the card of a link, which is charged at once', async (life) => {
    const member = await expired(life);
    await life.to('2027-03-03');
    assert.equal(await member.heals(), 'completed');
    assert.deepEqual(await member.shows('state', 'in_effect_until'), ['active', until('2027-04-01')]);
    assert.equal(await member.money(), 'charged 6000 held 6000');
  });

  lived('is replaced by a default that changed, where the membership names no card', async (life) => {
    const customer = await life.payer('payer', tokens.expired);
    const good = await life.card(customer);
    const pool = await life.started({ name: 'pool', customer_id: customer, trial_days: 5 });
    await life.to('2027-02-07');
    assert.deepEqual(await life.shows('subscriptions', pool, 'state', 'next_attempt_at'), ['past_due', null]);
    await life.puts('customers', customer, { default_payment_method: good });
    assert.deepEqual(await life.shows('subscriptions', pool, 'state', 'in_effect'), ['active', true]);
  });
});

describe('a discount for one period', () => {
  const lived = useOwedLives();
  const half = { trial_days: 5, discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] };

  lived(
    'is not used up by the first payment of a trial that failed for good: a link takes half',
    async (life) => {
      const member = await join(life, half);
      await member.usesCard(tokens.expired);
      await life.to('2027-02-07');
      assert.deepEqual(await member.shows('state', 'in_effect', 'owed_amount_cents'), ['past_due', false, 1500]);
      assert.equal(await member.heals(), 'completed');
      assert.deepEqual(await member.shows('state', 'in_effect'), ['active', true]);
      assert.equal(await member.money(), 'charged 1500 held 1500');
    },
    { isDaily: true },
  );

  lived('is not used up by a first payment that was given up: the resume takes half', async (life) => {
    const member = await join(life, half);
    await member.usesCard(tokens.expired);
    await life.to('2027-02-20');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 0]);
    assert.equal(await member.coming(), '3 2027-02-20 2027-03-20 1500');
    assert.equal(await member.heals(), 'completed');
    await life.to('2027-03-21');
    assert.deepEqual((await member.periods()).slice(1), [
      '2 2027-02-06 2027-03-06 void 1500',
      '3 2027-02-20 2027-03-20 paid 1500',
      '4 2027-03-20 2027-04-20 paid 3000',
    ]);
  });
});
