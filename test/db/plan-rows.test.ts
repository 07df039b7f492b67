import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { addDays, type Cadence, isNearSlot, slotDate, slotDueAt } from '../../src/domain/calendar.ts';
import { addMs } from '../../src/domain/instants.ts';
import { useStage } from '../support/stage.ts';

const day = 86_400_000;

/** Cadences that the API accepts, and a slot of each that has a date. */
const slots = fc
  .record({
    frequencyType: fc.constantFrom('weekly' as const, 'monthly' as const),
    frequencyPeriod: fc.integer({ min: 1, max: 520 }),
    start: fc.integer({ min: 0, max: 63_000 }),
    firstAfter: fc.option(fc.integer({ min: 0, max: 6 })),
    slot: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 150 })),
    zone: fc.constantFrom(
      'UTC',
      'Australia/Sydney',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
      'America/New_York',
      'Pacific/Apia',
    ),
  })
  .map(({ start, firstAfter, frequencyType, frequencyPeriod, ...rest }) => {
    const startDate = addDays('2026-01-01', start);
    const cadence: Cadence = {
      frequencyType,
      frequencyPeriod,
      startDate,
      firstDate: firstAfter === null ? null : addDays(startDate, firstAfter),
    };
    return { cadence, ...rest };
  });

describe('the rows of a plan', () => {
  const stage = useStage();

  /** Why the database refuses a statement. */
  const refused = (statement: PromiseLike<unknown>): Promise<string> =>
    Promise.resolve(statement).then(
      () => assert.fail('it was accepted'),
      (error: { constraint_name?: string; message: string }) => error.constraint_name ?? error.message,
    );

  async function activePlan(terms: { total_amount_cents?: number } = {}) {
    const { plan, clock } = await stage.merchant.planOnClock('2027-01-10T00:00:00Z', {
      start_date: '2027-01-10',
      ...(terms.total_amount_cents === undefined ? {} : { total_amount_cents: terms.total_amount_cents }),
    });
    return { id: plan.id, clock };
  }

  it('have the dates of slots by the rule of the calendar, in PostgreSQL as in the code, in every time zone', async () => {
    const cases = fc.sample(slots, 2_000).filter(({ cadence, slot }) => {
      try {
        return slotDate(cadence, slot + 1) <= '9999-12-31';
      } catch {
        return false;
      }
    });
    assert.ok(cases.length > 500);
    for (const shift of [0, -2.9 * day, -7 * day, 7 * day, 30 * day]) {
      const rows = cases.map(({ cadence, slot, zone }) => {
        const at = addMs(slotDueAt(cadence, slot, zone), shift);
        const { frequencyType: type, frequencyPeriod: period, startDate: start, firstDate: first } = cadence;
        return { type, period, start, first, slot, at: at.toISOString(), isNear: isNearSlot(cadence, slot, at) };
      });
      const wrong = await stage.db.sql`
        select * from jsonb_to_recordset(${stage.db.sql.json(rows)})
          as r (type text, period integer, start date, first date, slot integer, at timestamptz, "isNear" boolean)
        where is_near_slot(type, period, start, first, slot, at) <> "isNear"`;
      assert.deepEqual([...wrong], []);
      assert.ok(
        rows.every(({ isNear }) => isNear === (shift === 0)),
        `shifted by ${shift / day} days`,
      );
    }
  });

  it('are refused for an active plan without a next date, unless what remains of its total is under way', async () => {
    const { sql } = stage.db;
    for (const terms of [{}, { total_amount_cents: 2000 }]) {
      const { id } = await activePlan(terms);
      const withoutDate = sql`update payment_plans set next_due_at = null where id = ${id}`;
      assert.equal(await refused(withoutDate), 'payment_plans_has_next_date');
    }
    const { id } = await activePlan({ total_amount_cents: 1000 });
    stage.ledger.beforeAnswer = () => Promise.reject(new Error('the processor is down'));
    await assert.rejects(stage.collect(id, '2027-01-10T00:00:00Z'));
    const { state, next_payment_date } = await stage.merchant.getPlan(id);
    assert.deepEqual([state, next_payment_date], ['active', null]);
    stage.ledger.reset();
    await stage.collect(id, '2027-01-10T00:00:00Z');
  });

  it('are refused with a next date that is not near the slot’s date, a week, a month or a century off', async () => {
    const { sql } = stage.db;
    const { id } = await activePlan();
    await stage.collect(id, '2027-01-10T00:00:00Z');
    for (const date of ['2027-01-10', '2027-01-13', '2027-01-24', '2026-12-17', '2127-01-17']) {
      const moved = sql`update payment_plans set next_due_at = ${date} where id = ${id}`;
      assert.equal(await refused(moved), 'payment_plans_next_date_of_calendar', date);
    }
    const slotBack = sql`update payment_plans set next_slot = 0 where id = ${id}`;
    assert.equal(await refused(slotBack), 'payment_plans_next_date_of_calendar');
    // An hour off, as after a change of a zone's rules.
    await sql`update payment_plans set next_due_at = '2027-01-16T23:00:00Z' where id = ${id}`;
  });

  it('keep the row of a slot that has a payment, until its customer’s clock is deleted', async () => {
    const { sql } = stage.db;
    const { id, clock } = await activePlan();
    await stage.collect(id, '2027-01-10T00:00:00Z');
    const deleted = sql`delete from payment_plan_slots where payment_plan_id = ${id}`;
    assert.equal(await refused(deleted), 'payment_intents_slot_fkey');
    await stage.merchant.deleteClock(clock.id);
    assert.equal((await sql`select 1 from payment_plan_slots where payment_plan_id = ${id}`).length, 0);
  });
});
