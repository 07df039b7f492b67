import assert from 'node:assert/strict';
import { describe } from 'mocha';
import type { Life } from '../pairs/lives.ts';
import { fee, item, join, joinByDebit, type Member, tokens, useOwedLives } from './member.ts';

const until = (date: string) => `${date}T00:00:00.000Z`;

describe('in_effect_until', () => {
  const lived = useOwedLives({ from: '2027-01-31T00:00:00.000Z' });

  lived('is the end of what is paid, and null once it is paused there', async (life) => {
    const member = await join(life);
    assert.deepEqual(await member.shows('in_effect_until'), [until('2027-02-28')]);
    await member.does('pause', { from: '2027-02-28' });
    assert.deepEqual(await member.shows('in_effect_until'), [until('2027-02-28')]);
    await life.to('2027-02-28');
    assert.deepEqual(await member.shows('state', 'in_effect_until'), ['paused', null]);
  });

  lived('is the last retry by card, if grace would end later, and that ends it', async (life) => {
    const member = await join(life);
    await member.usesCard(tokens.empty);
    await life.to('2027-02-28');
    assert.deepEqual(await member.shows('state', 'in_effect_until'), ['past_due', until('2027-03-05')]);
    await life.to('2027-03-04T23:59:59.999Z');
    assert.deepEqual(await member.shows('in_effect', 'in_effect_until'), [true, until('2027-03-05')]);
    await life.to('2027-03-05');
    assert.deepEqual(await member.shows('state', 'in_effect', 'in_effect_until'), ['paused', false, null]);
  });

  lived('is the end of grace, if the last retry is after it, and null from then on', async (life) => {
    const member = await join(life, { grace_days: 2 });
    await member.usesCard(tokens.empty);
    await life.to('2027-02-28');
    assert.deepEqual(await member.shows('state', 'in_effect_until'), ['past_due', until('2027-03-02')]);
    await life.to('2027-03-02');
    assert.deepEqual(await member.shows('state', 'in_effect', 'in_effect_until'), ['past_due', false, null]);
  });

  lived('is the end, if that comes before the end of grace', async (life) => {
    const member = await joinByDebit(life, { ends_at: '2027-04-30' });
    await life.to('2027-04-28');
    const debit = (await member.intents()).at(-1) ?? '';
    await life.bank(debit, 'returned');
    assert.deepEqual(await member.shows('state', 'in_effect', 'in_effect_until'), [
      'past_due',
      true,
      until('2027-04-30'),
    ]);
    await life.to('2027-04-30');
    assert.deepEqual(await member.shows('state', 'in_effect', 'in_effect_until'), ['canceled', false, null]);
  });

  lived('is null while a renewal by debit is processing, and told once it is paid', async (life) => {
    const member = await joinByDebit(life);
    await life.to('2027-03-01');
    assert.deepEqual(await member.shows('in_effect', 'in_effect_until'), [true, null]);
    await life.to('2027-03-06');
    assert.deepEqual(await member.shows('in_effect_until'), [until('2027-03-31')]);
    assert.equal((await member.told('period_paid')).in_effect_until, until('2027-03-31'));
  });

  lived('is told after each period that is paid', async (life) => {
    const member = await join(life);
    assert.equal((await member.told('period_paid')).in_effect_until, until('2027-02-28'));
    await life.to('2027-03-01');
    const told = await member.told('period_paid');
    assert.deepEqual([told.in_effect_until, told.state, told.paid_periods], [until('2027-03-31'), 'active', 2]);
  });

  /** What webhooks have told last is what the API shows. */
  async function isTold(life: Life, { gym }: Member, when: string): Promise<void> {
    const { data: events } = await life.ask('GET', '/events?limit=100');
    const last = events.find(
      (event: { event_type: string; data: { id: string } }) =>
        event.event_type.startsWith('subscription.') && event.data.id === gym,
    );
    const shown = await life.get('subscriptions', gym);
    for (const field of ['state', 'in_effect', 'in_effect_until', 'owed_amount_cents', 'credit_balance_cents']) {
      assert.deepEqual(last.data[field], shown[field], `${field} ${when}`);
      assert.notEqual(shown[field], undefined, field);
    }
  }

  lived('is known to a database that is fed by webhooks alone, as what is owed is', async (life) => {
    const member = await join(life, { frequency_type: 'weekly', one_off_items: fee(500) });
    const days: Record<string, () => Promise<unknown>> = {
      '2027-02-03': () => member.does('change', { items: item(1000), when: 'now' }),
      '2027-02-09': () => member.usesCard(tokens.empty),
      '2027-02-24': () => member.usesCard(),
      '2027-02-25': async () => {
        const [state] = await member.shows('state');
        if (state === 'paused') await member.does('resume');
      },
      '2027-03-06': () => member.usesCard(tokens.expired),
      '2027-03-15': () => member.does('cancel', { at: 'now' }),
    };
    await isTold(life, member, 'at the start');
    for (let at = Date.parse('2027-02-01'); at <= Date.parse('2027-03-20'); at += 86_400_000) {
      const date = new Date(at).toISOString().slice(0, 10);
      await life.to(date);
      await isTold(life, member, `on ${date}`);
      await days[date]?.();
      await isTold(life, member, `after what was asked on ${date}`);
    }
  });
});

describe('the end of a subscription', () => {
  const lived = useOwedLives({ from: '2027-01-01T00:00:00.000Z' });

  /** Paused on 1 February, resumed on 16 March, to end on 1 April. */
  async function resumed(life: Life): Promise<Member> {
    const member = await join(life, { ends_at: '2027-04-01' });
    await member.does('pause');
    await life.to('2027-03-16');
    assert.equal(await member.coming(), '2 2027-03-16 2027-04-01 1548');
    await member.does('resume');
    assert.deepEqual(await member.shows('ends_at', 'in_effect_until'), ['2027-04-01', until('2027-04-01')]);
    return member;
  }

  lived('does not move at a resume: the last period is short and costs its share', async (life) => {
    const member = await resumed(life);
    await life.to('2027-04-02');
    assert.deepEqual(await member.periods(), [
      '1 2027-01-01 2027-02-01 paid 3000',
      '2 2027-03-16 2027-04-01 paid 1548', // 16 of 31 days
    ]);
    assert.deepEqual(await member.shows('state', 'state_reason'), ['canceled', 'ended']);
  });

  lived('leaves a short period after an uncancel, until the next boundary of the calendar', async (life) => {
    const member = await resumed(life);
    await member.does('uncancel');
    assert.equal(await member.coming(), '3 2027-04-01 2027-04-16 1452');
    await life.to('2027-04-17');
    assert.deepEqual((await member.periods()).slice(1), [
      '2 2027-03-16 2027-04-01 paid 1548',
      '3 2027-04-01 2027-04-16 paid 1452', // 15 of 31 days
      '4 2027-04-16 2027-05-16 paid 3000',
    ]);
  });
});
