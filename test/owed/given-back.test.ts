// The table of what a period took and gives back: each way in which it ends unpaid, against fees, lines that a change
// left to pay, credit and the month of a discount.
import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { fee, item, join, joinByDebit, linesOf, type Member, tokens, useOwedLives } from './member.ts';

const half = { discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] };
const towel = { one_off_items: fee(2500, 'Towel') };
const lived = useOwedLives;

/** What January leaves to February, besides the towel and the discount; and the lines of February. */
const kinds = {
  lines: {
    /** 21 of 31 days cost 20.33. */
    prepare: (member: Member) => member.does('change', { items: item(6000), when: 'now' }),
    took: ['change 2033', 'discount -3000', 'item 6000', 'one_off 2500'],
    amount: 7533,
    credit: 0,
    later: ['item 6000'],
  },
  credit: {
    async prepare(member: Member) {
      await member.does('change', { items: item(1000), when: 'now' });
      await member.does('change', { items: item(3000) });
    },
    took: ['change -1355', 'discount -1500', 'item 3000', 'one_off 2500'],
    amount: 2645,
    credit: 1355,
    later: ['item 3000'],
  },
};
type Kind = (typeof kinds)['lines'] | (typeof kinds)['credit'];

async function prepares(life: Life, member: Member, kind: Kind): Promise<void> {
  await life.to('2027-01-11');
  await kind.prepare(member);
  await member.puts({ ...towel, ...half });
}

/** February has taken everything, and its card is declined. */
async function declined(life: Life, kind: Kind, terms: object = {}): Promise<Member> {
  const member = await join(life, terms);
  await prepares(life, member, kind);
  await member.usesCard(tokens.empty);
  await life.to('2027-02-01T12:00:00Z');
  assert.deepEqual(tookOf(await member.period()), kind.took);
  return member;
}

/** The same by debit, which the bank does not have yet. */
async function debited(life: Life, kind: Kind): Promise<Member> {
  const member = await joinByDebit(life);
  await prepares(life, member, kind);
  await life.to('2027-02-01');
  assert.deepEqual(tookOf(await member.period()), kind.took);
  return member;
}

/**
 * The lines of a period, without what it owes for an earlier one: `change` is the sum of lines that changes left to pay
 * and of credit.
 */
function tookOf(period: Parameters<typeof linesOf>[0]): string[] {
  const sums = new Map<string, number>();
  for (const line of linesOf(period)) {
    const [kind = '', amount] = line.split(' ');
    const name = kind === 'credit' || kind === 'proration' ? 'change' : kind;
    sums.set(name, (sums.get(name) ?? 0) + Number(amount));
  }
  sums.delete('owed');
  return [...sums].map((sum) => sum.join(' ')).toSorted();
}

/** Everything waits again, and a new period has taken it. */
async function tookAgain(member: Member, took: readonly string[]): Promise<void> {
  const period = await member.period();
  assert.deepEqual([period.status, tookOf(period)], ['paid', took]);
  assert.deepEqual(await member.shows('one_off_items', 'next_period_lines', 'credit_balance_cents'), [[], [], 0]);
}

/** Nothing waits, and the credit can be refunded. */
async function isDropped(life: Life, member: Member, kind: Kind): Promise<void> {
  const shown = await member.shows('state', 'one_off_items', 'next_period_lines', 'credit_balance_cents');
  assert.deepEqual(shown, ['canceled', [], [], kind.credit]);
  assert.deepEqual(await member.shows('refundable_credit_cents', 'owed_amount_cents'), [kind.credit, 0]);
  const { data: events } = await life.ask('GET', '/events?limit=100');
  const own = events.filter(({ data }: { data: { id: string } }) => data.id === member.gym);
  const end = own.findIndex((event: { event_type: string }) => event.event_type === 'subscription.canceled');
  assert.match(JSON.stringify(own.slice(0, end + 1)), /Towel/, 'the event says what was dropped');
  if (kind.credit === 0) return;
  const refund = await member.does('refund_credit');
  assert.deepEqual([refund.status, refund.amount], ['succeeded', kind.credit]);
}

describe('what a first payment took that failed', () => {
  const tells = lived({ from: '2027-01-01T00:00:00.000Z' });
  const took = ['discount -1500', 'item 3000', 'one_off 2500'];
  const terms = { ...half, ...towel };

  tells('waits for the next start, if it was declined', async (life) => {
    const member = await join(life, terms, tokens.empty);
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['pending', 0]);
    await member.usesCard();
    await member.does('start');
    await tookAgain(member, took);
  });

  tells('waits for the next start, if its challenge was abandoned', async (life) => {
    const member = await join(life, terms, tokens.challenge);
    await life.to('2027-01-03');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['pending', 0]);
    await member.usesCard();
    await member.does('start');
    await tookAgain(member, took);
  });

  tells('waits for the resume, if it was a debit that had put it into effect', async (life) => {
    const member = await joinByDebit(life, { ...terms, metadata: { _sandbox_bank_outcome: 'dishonoured' } });
    await life.to('2027-03-10');
    assert.deepEqual(await member.shows('state'), ['paused']);
    await member.usesCard();
    await member.does('resume');
    await tookAgain(member, took);
  });

  tells('waits for the resume, if it was due at the end of a trial', async (life) => {
    const member = await join(life, { ...terms, trial_days: 5 }, tokens.empty);
    await life.to('2027-03-10');
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['paused', 0]);
    await member.usesCard();
    await member.does('resume');
    await tookAgain(member, took);
  });
});

for (const [name, kind] of Object.entries(kinds)) {
  describe(`what an unpaid period took, with ${name}`, () => {
    const tells = lived({ from: '2027-01-01T00:00:00.000Z' });

    for (const grace_days of [0, 7]) {
      tells(`is taken by the resume that begins a new period, after ${grace_days} days of grace`, async (life) => {
        const member = await declined(life, kind, { grace_days });
        await life.to('2027-03-10');
        await member.usesCard();
        await member.does('resume');
        await tookAgain(member, kind.took);
        await life.to('2027-04-11');
        assert.deepEqual(await member.lines(), kind.later);
      });
    }

    const cancels = {
      'cancel now': { terms: {}, at: 'now', until: '2027-02-02' },
      'cancel at the end of its period': { terms: {}, at: 'period_end', until: '2027-03-01' },
      'cancel at a date': { terms: {}, at: '2027-04-01', until: '2027-04-01' },
      ends_at: { terms: { ends_at: '2027-04-01' }, at: null, until: '2027-04-01' },
      unpaid_behaviour: { terms: { unpaid_behaviour: 'cancel' }, at: null, until: '2027-02-06' },
    };
    for (const [way, { terms, at, until }] of Object.entries(cancels)) {
      tells(`is dropped and told by ${way}, and credit comes back`, async (life) => {
        const member = await declined(life, kind, terms);
        if (at !== null) await member.does('cancel', { at });
        if (at === 'period_end') assert.deepEqual(await member.shows('credit_balance_cents'), [0]);
        await life.to(until);
        await isDropped(life, member, kind);
      });
    }

    tells('is dropped and told if its debit is withdrawn by the end, and credit comes back', async (life) => {
      const member = await debited(life, kind);
      await member.does('cancel', { at: 'now' });
      await isDropped(life, member, kind);
    });

    for (const result of ['dishonoured', 'returned'] as const) {
      tells(`is dropped and told if its debit is ${result} after the end, and credit comes back`, async (life) => {
        const member = await debited(life, kind);
        await life.to(result === 'returned' ? '2027-02-05' : '2027-02-01T12:00:00Z');
        await member.does('cancel', { at: 'now' });
        assert.deepEqual(await member.shows('credit_balance_cents'), [0]);
        await life.bank((await member.intents()).at(-1) ?? '', result);
        await isDropped(life, member, kind);
      });
    }

    tells('stays taken if it is paid after all', async (life) => {
      const member = await declined(life, kind);
      await life.to('2027-02-03');
      await member.usesCard();
      assert.deepEqual(await member.shows('state', 'credit_balance_cents', 'one_off_items'), ['active', 0, []]);
      assert.equal((await member.period()).amount_cents, kind.amount);
      await life.to('2027-03-02');
      assert.deepEqual(await member.lines(), kind.later);
    });

    tells('stays taken if it was served to its end: only its payment is owed', async (life) => {
      const member = await debited(life, kind);
      await member.does('pause');
      await life.to('2027-03-03');
      await life.bank((await member.intents()).at(-1) ?? '', 'returned');
      assert.deepEqual(await member.shows('credit_balance_cents', 'owed_amount_cents'), [0, kind.amount]);
      await life.to('2027-03-10');
      await member.usesCard();
      await member.does('resume');
      assert.deepEqual(await member.lines(), [...kind.later, `owed ${kind.amount}`]);
    });

    tells('stays taken if it was served to its end, and a cancel lets its payment go', async (life) => {
      const member = await debited(life, kind);
      await member.does('pause');
      await life.to('2027-03-03');
      await life.bank((await member.intents()).at(-1) ?? '', 'returned');
      await member.does('cancel', { at: 'now' });
      assert.deepEqual(await member.shows('credit_balance_cents', 'owed_amount_cents'), [0, 0]);
    });
  });
}
