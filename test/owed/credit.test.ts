import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { item, join, joinByDebit, type Member, tokens, useOwedLives } from './member.ts';

const now = { when: 'now' };

/** 30.00 paid, changed to 10.00 on the 11th, back to 30.00 for February: credit 13.55, of which February uses all. */
async function usesCredit(life: Life, member: Member): Promise<void> {
  await life.to('2027-01-11');
  await member.does('change', { items: item(1000), ...now });
  await member.does('change', { items: item(3000) });
  assert.deepEqual(await member.shows('credit_balance_cents'), [1355]);
}

describe('the credit of a subscription', () => {
  const lived = useOwedLives({ from: '2027-01-01T00:00:00.000Z' });

  lived('comes back if the period that used it is declined and the biller cancels, and is refunded', async (life) => {
    const member = await join(life);
    await usesCredit(life, member);
    await member.usesCard(tokens.empty);
    await life.to('2027-02-02');
    assert.deepEqual(await member.shows('state', 'credit_balance_cents'), ['past_due', 0]);
    await member.does('cancel', { at: 'now' });
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [1355, 1355]);
    const refund = await member.does('refund_credit');
    assert.deepEqual([refund.status, refund.amount], ['succeeded', 1355]);
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [0, 0]);
    assert.equal(await member.money(), 'charged 3000 refunded 1355 held 1645');
  });

  lived('comes back if the debit that used it is withdrawn by a cancel', async (life) => {
    const member = await joinByDebit(life);
    await usesCredit(life, member);
    await life.to('2027-02-01');
    assert.deepEqual(await member.shows('credit_balance_cents'), [0]);
    await member.does('cancel', { at: 'now' });
    assert.deepEqual(await member.shows('credit_balance_cents', 'in_flight_amount'), [1355, 0]);
    assert.equal((await member.does('refund_credit')).amount, 1355);
  });

  lived('comes back once the debit that used it is dishonoured, if the bank had it at the cancel', async (life) => {
    const member = await joinByDebit(life);
    await usesCredit(life, member);
    await life.to('2027-02-01T12:00:00Z');
    await member.does('cancel', { at: 'now' });
    assert.deepEqual(await member.shows('credit_balance_cents', 'in_flight_amount'), [0, 1645]);
    const [, debit = ''] = await member.intents();
    await life.bank(debit, 'dishonoured');
    assert.deepEqual(await member.shows('credit_balance_cents', 'in_flight_amount'), [1355, 0]);
  });

  lived('comes back with the money of the debit that used it, if that succeeds after the cancel', async (life) => {
    const member = await joinByDebit(life);
    await usesCredit(life, member);
    await life.to('2027-02-01T12:00:00Z');
    await member.does('cancel', { at: 'now' });
    const [, debit = ''] = await member.intents();
    await life.bank(debit, 'settled');
    assert.deepEqual(await member.shows('credit_balance_cents', 'in_flight_amount'), [3000, 0]);
    assert.equal((await member.does('refund_credit')).amount, 1645);
    assert.deepEqual(await member.shows('credit_balance_cents'), [0]);
    assert.equal(await member.money(), 'charged 4645 refunded 3000 held 1645');
  });

  lived('is the first that an ordinary refund of its payment gives back', async (life) => {
    const member = await join(life, { items: item(3100) });
    await life.to('2027-01-11');
    await member.does('change', { items: item(310), ...now });
    assert.deepEqual(await member.shows('credit_balance_cents'), [1890]);
    const [payment = ''] = await member.intents();
    await life.refunds(payment, 1000);
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [890, 890]);
    await life.refunds(payment, 890);
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [0, 0]);
    const refused = await life.request('POST', `/subscriptions/${member.gym}/refund_credit`, {});
    assert.equal(refused.status, 422);
    assert.equal(await member.coming(), '2 2027-02-01 2027-03-01 310');
  });

  for (const [refunded, credit] of [
    [1000, 1890],
    [1890, 1210],
    [3100, 0],
  ] as const) {
    lived(`is ${credit} for a change after a refund of ${refunded}: what the payment still holds`, async (life) => {
      const member = await join(life, { items: item(3100) });
      await life.to('2027-01-11');
      const [payment = ''] = await member.intents();
      await life.refunds(payment, refunded);
      const quote = await member.does('change', { items: item(310), ...now, dry_run: true });
      await member.does('change', { items: item(310), ...now });
      assert.deepEqual(await member.shows('credit_balance_cents'), [credit]);
      const next = Math.max(0, 310 - credit);
      assert.equal(quote.next_period_amount_cents, next);
      assert.equal(await member.coming(), `2 2027-02-01 2027-03-01 ${next}`);
    });
  }

  lived('is refunded whole over several payments, the newest first', async (life) => {
    const member = await join(life);
    await life.to('2027-01-16');
    const made = await member.does('change', { items: item(3100), ...now, collect: 'now' });
    assert.equal(made.amount_cents, 52);
    await member.does('change', { items: item(100), ...now });
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [1548, 1548]);
    await member.does('cancel', { at: 'now' });
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [1548, 1548]);
    const refund = await member.does('refund_credit');
    assert.equal(refund.amount, 52);
    assert.deepEqual(
      refund.refunds.map(({ amount }: { amount: number }) => amount),
      [52, 1496],
    );
    assert.deepEqual(await member.shows('credit_balance_cents', 'refundable_credit_cents'), [0, 0]);
    assert.equal(await member.money(), 'charged 3052 refunded 1548 held 1504');
  });

  lived('is nothing from the lines of a change whose own payment was refunded', async (life) => {
    const member = await join(life, { items: item(3100) });
    await life.to('2027-01-11');
    await member.does('change', { items: item(6200), ...now, collect: 'now' }); // 21.00
    const [, change = ''] = await member.intents();
    await life.refunds(change, 2100);
    await member.does('change', { items: item(310), ...now });
    assert.deepEqual(await member.shows('credit_balance_cents'), [1890]);
  });
});
