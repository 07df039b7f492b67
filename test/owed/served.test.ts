import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { item, join, type Member, tokens, useOwedLives } from './member.ts';

/** Weekly, 10.00, from 1 February. The second period is declined on the 8th, the last retry is on the 13th. */
async function declined(
  life: Life,
  { token = tokens.empty, ...terms }: { token?: string; [term: string]: unknown } = {},
) {
  const member = await join(life, { frequency_type: 'weekly', items: item(1000), ...terms });
  await life.to('2027-02-02');
  await member.usesCard(token);
  return member;
}

/** The card works again, and the biller resumes. */
async function comesBack(member: Member, body: object = {}): Promise<void> {
  await member.usesCard();
  const [state] = await member.shows('state');
  if (state === 'paused') await member.does('resume', body);
}

describe('what was served and not paid', () => {
  const lived = useOwedLives();

  lived('is paid by a resume while its period runs: that period in full, and the calendar stays', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-14');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 1000]);
    assert.equal(await member.coming(), '2 2027-02-08 2027-02-15 1000');
    await comesBack(member);
    assert.deepEqual(await member.shows('state', 'in_effect', 'in_effect_until', 'owed_amount_cents'), [
      'active',
      true,
      '2027-02-15T00:00:00.000Z',
      0,
    ]);
    await life.to('2027-02-16');
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-02-08 paid 1000',
      '2 2027-02-08 2027-02-15 paid 1000',
      '3 2027-02-15 2027-02-22 paid 1000',
    ]);
    assert.equal(await member.money(), 'charged 3000 held 3000');
  });

  lived('is a line of the new period once its own is over: served days, half up, in one payment', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-21');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 714]);
    assert.equal((await member.period()).served_until, '2027-02-13T00:00:00.000Z');
    assert.equal(await member.coming(), '3 2027-02-21 2027-02-28 1714');
    await comesBack(member);
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-02-08 paid 1000',
      '2 2027-02-08 2027-02-15 void 1000',
      '3 2027-02-21 2027-02-28 paid 1714',
    ]);
    assert.deepEqual(await member.lines(), ['item 1000', 'owed 714']);
    assert.deepEqual(await member.shows('owed_amount_cents'), [0]);
    assert.equal((await member.told('resumed')).waived_amount_cents, 0);
    assert.equal(await member.money(), 'charged 2714 held 2714');
    await life.to('2027-03-01');
    assert.equal((await member.periods()).at(-1), '4 2027-02-28 2027-03-07 paid 1000');
  });

  lived('is let go by a resume that says so, and the event says how much', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-21');
    await comesBack(member, { unpaid: 'waive' });
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-02-08 paid 1000',
      '2 2027-02-08 2027-02-15 void 1000',
      '3 2027-02-21 2027-02-28 paid 1000',
    ]);
    assert.equal((await member.told('resumed')).waived_amount_cents, 714);
    assert.deepEqual(await member.shows('owed_amount_cents'), [0]);
    assert.equal(await member.money(), 'charged 2000 held 2000');
  });

  lived('is let go while its period runs too, and a new period begins today', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-14');
    await comesBack(member, { unpaid: 'waive' });
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-02-08 paid 1000',
      '2 2027-02-08 2027-02-15 void 1000',
      '3 2027-02-14 2027-02-21 paid 1000',
    ]);
    assert.equal((await member.told('resumed')).waived_amount_cents, 714);
    assert.equal(await member.money(), 'charged 2000 held 2000');
  });

  lived('costs the discounted price, and the month of the discount comes back', async (life) => {
    const member = await declined(life);
    await member.puts({ discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] });
    await life.to('2027-02-21');
    assert.equal((await member.periods()).at(-1), '2 2027-02-08 2027-02-15 unpaid 500');
    assert.equal(await member.coming(), '3 2027-02-21 2027-02-28 857');
    await comesBack(member);
    assert.deepEqual(await member.lines(), ['discount -500', 'item 1000', 'owed 357']);
    await life.to('2027-03-01');
    assert.deepEqual((await member.periods()).slice(-2), [
      '3 2027-02-21 2027-02-28 paid 857',
      '4 2027-02-28 2027-03-07 paid 1000',
    ]);
  });

  for (const terms of [{ grace_days: 0 }, { failure_behaviour: 'stop' }] as const) {
    lived(`is nothing with ${Object.keys(terms)}, and a new period begins on the day of the resume`, async (life) => {
      const member = await declined(life, terms);
      await life.to('2027-02-14');
      assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 0]);
      await comesBack(member);
      assert.deepEqual(await member.periods(), [
        '1 2027-02-01 2027-02-08 paid 1000',
        '2 2027-02-08 2027-02-15 void 1000',
        '3 2027-02-14 2027-02-21 paid 1000',
      ]);
      assert.deepEqual(await member.lines(), ['item 1000']);
      assert.equal(await member.money(), 'charged 2000 held 2000');
    });
  }

  lived('ends with a cancel, which takes nothing', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-21');
    await member.does('cancel', { at: 'now' });
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['canceled', 0]);
    assert.equal(await member.money(), 'charged 1000 held 1000');
  });

  lived('waits with the new period if that is declined too, each at most once', async (life) => {
    const member = await declined(life);
    await life.to('2027-02-21');
    await member.does('resume');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['past_due', 1714]);
    await life.to('2027-03-05');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 714 + 714]);
    await comesBack(member);
    assert.deepEqual(await member.lines(), ['item 1000', 'owed 714', 'owed 714']);
    assert.equal(await member.money(), 'charged 3428 held 3428');
  });
});

describe('a month that began on 28 February and was declined', () => {
  const lived = useOwedLives({ from: '2027-01-31T00:00:00.000Z' });

  async function lapsed(life: Life) {
    const member = await join(life);
    await member.usesCard(tokens.empty);
    await life.to('2027-03-09');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 3000]);
    return member;
  }
  const whole = [
    '1 2027-01-31 2027-02-28 paid 3000',
    '2 2027-02-28 2027-03-31 paid 3000',
    '3 2027-03-31 2027-04-30 paid 3000',
  ];

  lived('is paid by a link that heals it, and the day of payment stays the 31st', async (life) => {
    const member = await lapsed(life);
    assert.equal(await member.heals(), 'completed');
    assert.deepEqual(await member.shows('state', 'in_effect_until'), ['active', '2027-03-31T00:00:00.000Z']);
    await life.to('2027-04-01');
    assert.deepEqual(await member.periods(), whole);
    assert.equal(await member.money(), 'charged 9000 held 9000');
  });

  lived('is paid by retry_now, and the day of payment stays the 31st', async (life) => {
    const member = await lapsed(life);
    await member.usesCard();
    const [state] = await member.shows('state');
    if (state === 'paused') await member.does('retry_now');
    await life.to('2027-04-01');
    assert.deepEqual(await member.periods(), whole);
  });

  lived('is let go by a link that says so, and a new month begins on that day', async (life) => {
    const member = await lapsed(life);
    assert.equal(await member.heals({ unpaid: 'waive' }), 'completed');
    assert.deepEqual((await member.periods()).slice(1), [
      '2 2027-02-28 2027-03-31 void 3000',
      '3 2027-03-09 2027-04-09 paid 3000',
    ]);
    assert.equal((await member.told('resumed')).waived_amount_cents, 484); // 5 of 31 days
  });

  for (const kind of ['payment', 'membership']) {
    lived(`is paid on a page for the ${kind} while it runs`, async (life) => {
      const member = await lapsed(life);
      const [, unpaid = ''] = await member.intents();
      const body = kind === 'payment' ? { payment_intent_id: unpaid } : { subscription_id: member.gym };
      const session = await life.ask('POST', '/checkout_sessions', body);
      assert.equal(await life.visits(session.id), 'completed');
      assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['active', 0]);
      assert.equal(await member.money(), 'charged 6000 held 6000');
      await life.to('2027-03-30');
      assert.deepEqual(await member.periods(), whole.slice(0, 2));
    });
  }

  lived(
    'is not paid on a page for its payment once it is over, and the page for the membership takes it',
    async (life) => {
      const member = await lapsed(life);
      await life.to('2027-04-10');
      const [, unpaid = ''] = await member.intents();
      const refused = await life.request('POST', '/checkout_sessions', { payment_intent_id: unpaid });
      assert.deepEqual([refused.status, refused.body.error.code], [422, 'invalid_state']);
      assert.equal((await life.get('payment_intents', unpaid)).status, 'canceled');
      const session = await life.ask('POST', '/checkout_sessions', { subscription_id: member.gym });
      assert.equal(await life.visits(session.id), 'completed');
      assert.equal((await member.periods()).at(-1), '3 2027-04-10 2027-05-10 paid 3484'); // 5 of 31 days
      assert.equal(await member.money(), 'charged 6484 held 6484');
    },
  );
});
