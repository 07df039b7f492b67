import Type, { type Static } from 'typebox';
import type { PlanPaymentRow } from '../db/payment-plan-slots.ts';
import { exampleId } from '../domain/ids.ts';
import { instant, ListOf, LocalDate, Nullable, Strict } from './common.ts';
import { dueAt, example } from './examples.ts';

const Attempt = Strict(
  {
    number: Type.Integer({ description: 'The number of the attempt, from 1.' }),
    at: Type.String({ format: 'date-time', description: 'When it was made, in the customer’s time.' }),
    outcome: Type.Enum(['succeeded', 'failed'], { description: 'The result.' }),
    code: Nullable(Type.String(), {
      description: 'Why it failed: see *Codes of failed payments*. Null if it did not.',
    }),
    message: Nullable(Type.String(), { description: 'For people.' }),
  },
  { title: 'PlanPaymentAttempt' },
);

export const PlanPayment = Strict(
  {
    slot: Type.Integer({ description: 'The number of the due date, from 0.' }),
    due_date: LocalDate('The date in the account’s time zone.'),
    amount: Nullable(Type.Integer(), { description: 'The base amount in minor units; null for a skipped slot.' }),
    status: Type.Enum(['processing', 'paid', 'retrying', 'failed', 'skipped'], {
      description:
        '`processing`: the processor was asked. `paid`: collected. `retrying`: failed, and retried at the plan’s ' +
        'next_attempt_at. `failed`: not retried, unless you resume the plan; never retried if its payment intent ' +
        'is `canceled`. `skipped`: its date passed before the plan was activated, or while it was suspended; it ' +
        'is never charged.',
    }),
    payment_intent_id: Nullable(Type.String(), {
      description: 'The single payment intent of this slot, whatever the number of attempts; null for a skipped slot.',
    }),
    attempts: Type.Array(Attempt, { description: 'Oldest first.' }),
  },
  { title: 'PlanPayment' },
);
export type PlanPayment = Static<typeof PlanPayment>;

example(PlanPayment, {
  slot: 0,
  due_date: '2027-01-11',
  amount: 2500,
  status: 'paid',
  payment_intent_id: exampleId('payment_intent'),
  attempts: [{ number: 1, at: dueAt, outcome: 'succeeded', code: null, message: null }],
});

const ScheduledSlot = Strict(
  {
    slot: Type.Integer({ description: 'The number of the due date, from 0.' }),
    due_date: LocalDate('The date in the account’s time zone.'),
    amount: Type.Integer({ description: 'The base amount in minor units.' }),
  },
  { title: 'ScheduledPayment' },
);
example(ScheduledSlot, { slot: 1, due_date: '2027-01-18', amount: 2500 });
export const PlanSchedule = ListOf(ScheduledSlot);

/** A slot as the list of a plan's payments shows it. `given_up` in the database is `failed` in the API. */
export function presentPlanPayment(row: PlanPaymentRow): PlanPayment {
  return {
    slot: row.slot,
    due_date: row.due_date,
    amount: row.amount,
    status: row.status === 'given_up' ? 'failed' : row.status,
    payment_intent_id: row.payment_intent_id,
    attempts: row.attempts.map(({ number, at, outcome, code, message }) => ({
      number,
      at: instant(at),
      outcome: outcome === 'succeeded' ? 'succeeded' : 'failed',
      code,
      message,
    })),
  };
}
