import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { fee, item, join, type Member, tokens, useOwedLives } from './member.ts';

/** The card works again, and the biller resumes. */
async function comesBack(member: Member): Promise<void> {
  await member.usesCard();
  const [state] = await member.shows('state');
  if (state === 'paused') await member.does('resume');
}

/** February is declined; the last retry is on the 6th. `more` is done in January. */
async function declined(life: Life, more: (member: Member) => Promise<unknown>): Promise<Member> {
  const member = await join(life);
  await more(member);
  await member.usesCard(tokens.empty);
  await life.to('2027-02-10');
  return member;
}

describe('the fees of a period that is unpaid', () => {
  const lived = useOwedLives({ from: '2027-01-01T00:00:00.000Z' });
  const mistaken = (life: Life) => declined(life, (member) => member.puts({ one_off_items: fee(999_900) }));

  lived('are replaced by PUT, and the resume takes what the schedule says', async (life) => {
    const member = await mistaken(life);
    assert.deepEqual(await member.shows('owed_amount_cents'), [1_002_900]);
    await member.puts({ one_off_items: fee(9999) });
    const [[shown]] = (await member.shows('one_off_items')) as [[{ unit_amount_cents: number }]];
    assert.equal(shown.unit_amount_cents, 9999);
    assert.deepEqual(await member.shows('owed_amount_cents'), [12_999]);
    assert.equal(await member.coming(), '2 2027-02-01 2027-03-01 12999');
    await comesBack(member);
    assert.deepEqual(await member.lines(), ['item 3000', 'one_off 9999']);
    assert.equal(await member.money(), 'charged 15999 held 15999');
    await life.to('2027-03-02');
    assert.equal((await member.periods()).at(-1), '3 2027-03-01 2027-04-01 paid 3000');
  });

  lived('are replaced by PUT while it is retried, and the next retry takes the new ones', async (life) => {
    const member = await join(life);
    await member.puts({ one_off_items: fee(999_900) });
    await member.usesCard(tokens.empty);
    await life.to('2027-02-01T12:00:00Z');
    await member.puts({ one_off_items: fee(500) });
    assert.deepEqual(await member.shows('state', 'owed_amount_cents'), ['past_due', 3500]);
    await member.usesCard();
    assert.equal(await member.money(), 'charged 6500 held 6500');
  });

  lived('are withdrawn by PUT with an empty list', async (life) => {
    const member = await mistaken(life);
    await member.puts({ one_off_items: [] });
    assert.equal(await member.coming(), '2 2027-02-01 2027-03-01 3000');
    await comesBack(member);
    assert.equal(await member.money(), 'charged 6000 held 6000');
  });

  lived('are replaced by PUT after it is over too', async (life) => {
    const member = await mistaken(life);
    await life.to('2027-03-10');
    await member.puts({ one_off_items: fee(9999) });
    assert.equal(await member.coming(), '3 2027-03-10 2027-04-10 13535'); // 5 of 28 days: 5.36
    await comesBack(member);
    assert.deepEqual(await member.lines(), ['item 3000', 'one_off 9999', 'owed 536']);
    assert.equal(await member.money(), 'charged 16535 held 16535');
  });
});

describe('what a resume will take', () => {
  const lived = useOwedLives({ from: '2027-01-01T00:00:00.000Z' });

  const ways: Record<string, { more: (member: Member) => Promise<unknown>; running: number; over: number }> = {
    'a fee': { more: (member) => member.puts({ one_off_items: fee(2500) }), running: 5500, over: 6036 },
    credit: {
      async more(member) {
        await member.does('change', { items: item(2000), when: 'now' }); // the whole month: 10.00
        await member.does('change', { items: item(3000) });
      },
      running: 2000,
      over: 2536,
    },
    'half the price': {
      more: (member) => member.puts({ discounts: [{ name: 'Half', percent_off: 50, periods: 1 }] }),
      running: 1500,
      over: 1768,
    },
  };
  for (const [what, { more, running, over }] of Object.entries(ways)) {
    lived(`is what the schedule says while the unpaid period with ${what} runs`, async (life) => {
      const member = await declined(life, more);
      assert.equal(await member.coming(), `2 2027-02-01 2027-03-01 ${running}`);
      assert.deepEqual(await member.shows('owed_amount_cents'), [running]);
      await comesBack(member);
      assert.equal(await member.money(), `charged ${3000 + running} held ${3000 + running}`);
    });

    lived(`is what the schedule and a quote say once the unpaid period with ${what} is over`, async (life) => {
      const member = await declined(life, more);
      await life.to('2027-03-10');
      assert.equal(await member.coming(), `3 2027-03-10 2027-04-10 ${over}`);
      const quote = await member.does('change', { items: item(3000), dry_run: true });
      assert.equal(quote.next_period_amount_cents, over);
      await comesBack(member);
      assert.equal(await member.money(), `charged ${3000 + over} held ${3000 + over}`);
    });
  }

  lived('is what the schedule says if nothing was served: the fee and the credit again', async (life) => {
    const member = await join(life, { grace_days: 0 });
    await member.does('change', { items: item(2000), when: 'now' });
    await member.does('change', { items: item(3000) });
    await member.puts({ one_off_items: fee(2500) });
    await member.usesCard(tokens.empty);
    await life.to('2027-02-10');
    assert.equal(await member.coming(), '3 2027-02-10 2027-03-10 4500');
    await comesBack(member);
    assert.equal(await member.money(), 'charged 7500 held 7500');
  });
});
