import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { fee, item, joinByDebit, linesOf, useOwedLives } from './member.ts';

describe('a debit that came back', () => {
  const lived = useOwedLives({ from: '2027-01-01T00:00:00.000Z' });

  lived('is owed whole, if its period was served to its end: by the first payment of a new one', async (life) => {
    const member = await joinByDebit(life);
    await life.to('2027-02-10');
    const [first = ''] = await member.intents();
    await life.bank(first, 'disputed'); // the mandate is canceled
    assert.deepEqual(await member.shows('state', 'in_effect', 'owed_amount_cents'), ['past_due', true, 3000]);
    await life.to('2027-03-10');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 3000]);
    await member.usesCard();
    assert.equal(await member.coming(), '3 2027-03-10 2027-04-10 6000');
    await member.does('resume');
    assert.deepEqual(await member.lines(), ['item 3000', 'owed 3000']);
    assert.deepEqual(await member.periods(), [
      '1 2027-01-01 2027-02-01 void 3000',
      '2 2027-02-01 2027-03-01 paid 3000',
      '3 2027-03-10 2027-04-10 paid 6000',
    ]);
    assert.equal(await member.money(), 'charged 12000 returned 3000 held 9000');
  });

  lived('is charged alone by retry_now in a pause that was asked for, and the pause goes on', async (life) => {
    const member = await joinByDebit(life);
    await member.does('pause');
    await life.to('2027-02-10');
    const [first = ''] = await member.intents();
    await life.bank(first, 'returned');
    assert.deepEqual(await member.shows('state', 'state_reason', 'owed_amount_cents'), ['paused', 'requested', 3000]);
    await member.usesCard();
    await member.does('retry_now');
    assert.deepEqual(await member.shows('state', 'state_reason', 'owed_amount_cents'), ['paused', 'requested', 0]);
    assert.deepEqual(await member.periods(), ['1 2027-01-01 2027-02-01 paid 3000']);
    await life.to('2027-02-20');
    await member.does('resume');
    assert.equal((await member.periods()).at(-1), '2 2027-02-20 2027-03-20 paid 3000');
    assert.equal(await member.money(), 'charged 9000 returned 3000 held 6000');
  });

  /** January was served to its end. February is dishonoured on its first day, and it stops at the first failure. */
  async function owesTwo(life: Life) {
    const member = await joinByDebit(life, { failure_behaviour: 'stop' });
    await life.to('2027-02-01T12:00:00Z');
    const [first = '', second = ''] = await member.intents();
    await life.bank(first, 'returned');
    await life.bank(second, 'dishonoured');
    assert.deepEqual(await member.shows('state'), ['paused']);
    assert.deepEqual(await member.periods(), [
      '1 2027-01-01 2027-02-01 unpaid 3000',
      '2 2027-02-01 2027-03-01 unpaid 3000',
    ]);
    return member;
  }

  lived('keeps its own payment while another unpaid period runs: a resume charges both', async (life) => {
    const member = await owesTwo(life);
    await life.to('2027-02-10');
    assert.deepEqual(await member.shows('owed_amount_cents'), [6000]);
    await member.usesCard();
    await member.does('resume');
    assert.deepEqual(await member.shows('state', 'in_effect_until', 'owed_amount_cents'), [
      'active',
      '2027-03-01T00:00:00.000Z',
      0,
    ]);
    assert.deepEqual(await member.periods(), [
      '1 2027-01-01 2027-02-01 paid 3000',
      '2 2027-02-01 2027-03-01 paid 3000',
    ]);
    assert.equal(await member.money(), 'charged 9000 returned 3000 held 6000');
  });

  lived('is one line, and the other unpaid period another, once neither runs', async (life) => {
    const member = await owesTwo(life);
    await life.to('2027-03-10');
    assert.deepEqual(await member.shows('owed_amount_cents'), [3107]); // one of 28 days: 1.07
    await member.usesCard();
    await member.does('resume');
    assert.deepEqual(await member.lines(), ['item 3000', 'owed 107', 'owed 3000']);
    assert.deepEqual(await member.periods(), [
      '1 2027-01-01 2027-02-01 void 3000',
      '2 2027-02-01 2027-03-01 void 3000',
      '3 2027-03-10 2027-04-10 paid 6107',
    ]);
    assert.equal(await member.money(), 'charged 9107 returned 3000 held 6107');
  });
});

describe('days in effect after the end of an unpaid period', () => {
  const lived = useOwedLives();

  lived('are owed at its price for each day, as a line of their own', async (life) => {
    const weekly = { frequency_type: 'weekly', grace_days: 30, items: item(1000) } as const;
    const member = await joinByDebit(life, weekly);
    await life.to('2027-02-04');
    await member.puts({ metadata: { _sandbox_bank_outcome: 'dishonoured' } });
    await life.to('2027-03-01');
    // Debits on 8, 11, 16 and 19 February; the last result is on the 23rd at 09:00 in Sydney.
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 2143]);
    assert.equal((await member.period()).served_until, '2027-02-22T22:00:00.000Z');
    await member.puts({ metadata: {} });
    assert.equal(await member.coming(), '3 2027-03-01 2027-03-08 3143');
    await member.usesCard();
    await member.does('resume');
    assert.deepEqual(await member.lines(), ['item 1000', 'owed 1000', 'owed 1143']); // 8 days of 7
    assert.equal(await member.money(), 'charged 4143 held 4143');
  });
});

describe('an owed part under a mandate with a limit', () => {
  const lived = useOwedLives();

  /** A week of 10.00 that was dishonoured, and a new mandate that allows 10.00. */
  async function limited(life: Life, grace_days: number) {
    const member = await joinByDebit(life, { frequency_type: 'weekly', items: item(1000), grace_days });
    await life.to('2027-02-04');
    await member.puts({ metadata: { _sandbox_bank_outcome: 'dishonoured' } });
    await life.to('2027-03-01');
    assert.deepEqual(await member.shows('state'), ['paused']);
    const customer = member.customer;
    const body = { type: 'au_becs_debit', customer_reference: customer };
    const payment_method_data = { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '12345678' };
    const { payment_method: method } = await life.ask('POST', '/payment_methods', { ...body, payment_method_data });
    const acceptance = { type: 'imported', accepted_at: '2027-02-01T00:00:00Z', signatory_name: 'Jo Nguyen' };
    await life.ask('POST', '/mandates', { payment_method_id: method.id, max_amount_cents: 1000, acceptance });
    await member.puts({ payment_instrument_id: method.id, metadata: {} });
    return member;
  }

  lived('is a payment of its own, collected first, if the sum with the new period is above the limit', async (life) => {
    const member = await limited(life, 3);
    assert.deepEqual(await member.shows('owed_amount_cents'), [714]); // 8 to 12 February
    const quote = await member.does('change', { items: item(1000), dry_run: true });
    assert.equal(quote.next_period_amount_cents, 1714);
    const { data: coming } = await life.ask('GET', `/subscriptions/${member.gym}/schedule?count=3`);
    assert.deepEqual(coming.map(linesOf), [['owed 714'], ['item 1000'], ['item 1000']]);
    await member.does('resume');
    assert.deepEqual(await member.periods(), [
      '1 2027-02-01 2027-02-08 paid 1000',
      '2 2027-02-08 2027-02-15 void 1000',
      '3 2027-02-08 2027-02-15 processing 714',
      '4 2027-03-01 2027-03-08 processing 1000',
    ]);
    assert.deepEqual(await member.shows('state', 'in_effect', 'owed_amount_cents'), ['active', true, 0]);
    await life.to('2027-03-07');
    assert.equal(await member.money(), 'charged 2714 held 2714');
    assert.deepEqual(await member.shows('state', 'in_effect_until', 'owed_amount_cents'), [
      'active',
      '2027-03-08T00:00:00.000Z',
      0,
    ]);
    await life.to('2027-03-09');
    assert.equal((await member.periods()).at(-1), '5 2027-03-08 2027-03-15 processing 1000');
  });

  lived('leaves fees, and lines of changes, to the new period', async (life) => {
    const member = await limited(life, 3);
    await member.does('change', { items: item(800), when: 'period_end' });
    await member.puts({ one_off_items: fee(200) });
    await member.does('resume');
    assert.deepEqual(linesOf(await member.period(1)), ['owed 714']);
    assert.deepEqual(await member.lines(), ['item 800', 'one_off 200']);
  });

  lived('is retried alone if its debit is dishonoured, and in effect for the days of grace', async (life) => {
    const member = await limited(life, 3);
    await member.does('resume');
    const [, , part = ''] = await member.intents();
    await life.bank(part, 'dishonoured');
    assert.deepEqual(await member.shows('state', 'in_effect_until', 'owed_amount_cents'), [
      'past_due',
      '2027-03-04T00:00:00.000Z',
      714,
    ]);
    await life.to('2027-03-20');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['active', 0]);
    assert.deepEqual((await member.periods()).slice(2), [
      '3 2027-02-08 2027-02-15 paid 714',
      '4 2027-03-01 2027-03-08 paid 1000',
      '5 2027-03-08 2027-03-15 paid 1000',
      '6 2027-03-15 2027-03-22 paid 1000',
    ]);
    assert.equal(await member.money(), 'charged 4714 held 4714');
  });

  lived('is owed again if it is never paid: as a line beside that of the period after it', async (life) => {
    const member = await limited(life, 3);
    await member.puts({ metadata: { _sandbox_bank_outcome: 'dishonoured' } });
    await member.does('resume');
    await life.to('2027-03-30');
    // Both debits came back on 2 March at 22:00 UTC, and grace ended three days later: 5 days of 7 were served.
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 714 + 714]);
    assert.equal((await member.period()).served_until, '2027-03-05T22:00:00.000Z');
    assert.equal((await member.period(1)).served_until, '2027-02-12T22:00:00.000Z');
    await member.puts({ metadata: {} });
    const { data: coming } = await life.ask('GET', `/subscriptions/${member.gym}/schedule?count=3`);
    assert.deepEqual(coming.map(linesOf), [['owed 714'], ['owed 714'], ['item 1000']]);
    await member.usesCard();
    assert.equal(await member.coming(), '5 2027-03-30 2027-04-06 2428');
    await member.does('resume');
    assert.deepEqual(await member.lines(), ['item 1000', 'owed 714', 'owed 714']);
    assert.equal(await member.money(), 'charged 3428 held 3428');
  });

  lived('is let go by a cancel, which says so', async (life) => {
    const member = await limited(life, 3);
    await member.puts({ metadata: { _sandbox_bank_outcome: 'dishonoured' } });
    await member.does('resume');
    await life.to('2027-03-30');
    await member.does('cancel', { at: 'now' });
    assert.equal((await member.told('canceled')).waived_amount_cents, 714 + 714);
    assert.deepEqual(await member.shows('state', 'owed_amount_cents', 'credit_balance_cents'), ['canceled', 0, 0]);
  });

  lived('is served: money for it that comes after a cancel is no credit', async (life) => {
    const member = await limited(life, 3);
    await member.does('resume');
    await life.to('2027-03-02'); // the bank has both debits
    await member.does('cancel', { at: 'now' });
    await life.to('2027-03-09');
    assert.equal(await member.money(), 'charged 2714 held 2714');
    assert.deepEqual(await member.shows('state', 'credit_balance_cents'), ['canceled', 1000]);
  });

  lived('is a payment of its own also if a payer names the account on a page', async (life) => {
    const member = await limited(life, 3);
    const [account] = await member.shows('payment_instrument_id');
    await member.usesCard();
    const setup = { mode: 'setup' as const, name: 'page', payment_method_types: ['au_becs_debit' as const] };
    const apply_to = { subscription_id: member.gym };
    const link = await life.link({ ...setup, customer_id: member.customer, apply_to });
    assert.equal(await life.opens(link, life.byAccount(String(account))), 'completed');
    assert.deepEqual((await member.periods()).slice(2), [
      '3 2027-02-08 2027-02-15 processing 714',
      '4 2027-03-01 2027-03-08 processing 1000',
    ]);
    await life.to('2027-03-07');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['active', 0]);
    assert.equal(await member.money(), 'charged 2714 held 2714');
  });

  lived('is refused if a part alone is above it, and the error names the waiver', async (life) => {
    const member = await limited(life, 30);
    assert.deepEqual(await member.shows('owed_amount_cents'), [2143]);
    const refused = await life.request('POST', `/subscriptions/${member.gym}/resume`, {});
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'mandate_limit_exceeded']);
    assert.match(refused.body.error.message, /waive/);
    await member.does('resume', { unpaid: 'waive' });
    await life.to('2027-03-07');
    assert.equal(await member.money(), 'charged 2000 held 2000');
  });

  lived(
    'is refused on a page for an account that allows less than a part, unless the page lets it go',
    async (life) => {
      const member = await limited(life, 30);
      const [account] = await member.shows('payment_instrument_id');
      const setup = { mode: 'setup' as const, name: 'page', payment_method_types: ['au_becs_debit' as const] };
      const opened = async (unpaid: 'collect' | 'waive') => {
        const apply_to = { subscription_id: member.gym, unpaid };
        const link = await life.link({ ...setup, customer_id: member.customer, apply_to });
        return life.opens(link, life.byAccount(String(account)));
      };
      assert.notEqual(await opened('collect'), 'completed');
      assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 2143]);
      assert.equal(await opened('waive'), 'completed');
      await life.to('2027-03-07');
      assert.equal(await member.money(), 'charged 2000 held 2000');
    },
  );
});
