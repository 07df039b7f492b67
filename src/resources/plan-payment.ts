import Type, { type Static } from 'typebox';
import type { BankDebitRow } from '../db/bank-debits.ts';
import type { PlanPaymentRow } from '../db/payment-plan-slots.ts';
import { exampleId } from '../domain/ids.ts';
import { instant, ListOf, LocalDate, Nullable, Strict, Timestamp } from './common.ts';
import { dueAt, example } from './examples.ts';

const BankDebit = Strict(
  {
    mandate_id: Type.String({ description: 'The authority to debit the account.' }),
    lodgement_reference: Type.String({ description: 'Shown on the payer’s statement.' }),
    charge_date: LocalDate('The day on which the account is debited. Dates here are those of the scheme.'),
    submitted_at: Nullable(Timestamp, { description: 'When it was handed to the bank; null before.' }),
    expected_result_at: Type.String({ format: 'date-time', description: 'When the bank is expected to report.' }),
    settled_at: Nullable(Timestamp, { description: 'When the bank reported that it was collected.' }),
    returnable_until: Nullable(LocalDate('The last date on which it can come back.')),
    returned_at: Nullable(Timestamp, { description: 'When it came back.' }),
    bank_code: Nullable(Type.String(), { description: 'The bank’s own code for a refusal or a return.' }),
  },
  { title: 'BankDebit', description: 'Present for an attempt that is a bank debit under a mandate.' },
);

const Attempt = Strict(
  {
    number: Type.Integer({ description: 'The number of the attempt, from 1.' }),
    at: Type.String({ format: 'date-time', description: 'When it was made, in the customer’s time.' }),
    outcome: Type.Enum(['succeeded', 'failed', 'accepted', 'submitted', 'returned'], {
      description:
        'The result. Of a bank debit also `accepted`: it goes to the bank at the cut-off; `submitted`: the bank has it; ' +
        '`returned`: it had succeeded and came back.',
    }),
    code: Nullable(Type.String(), {
      description: 'Why it failed: see *Codes of failed payments*. Null if it did not.',
    }),
    message: Nullable(Type.String(), { description: 'For people.' }),
    bank_debit: Type.Optional(BankDebit),
  },
  { title: 'PlanPaymentAttempt' },
);

export const PlanPayment = Strict(
  {
    slot: Type.Integer({ description: 'The number of the due date, from 0.' }),
    due_date: LocalDate('The date in the account’s time zone.'),
    amount: Nullable(Type.Integer(), { description: 'The base amount in minor units; null for a skipped slot.' }),
    status: Type.Enum(['processing', 'paid', 'retrying', 'failed', 'skipped', 'returned'], {
      description:
        '`processing`: the processor was asked, or a bank debit is under way. `paid`: collected. `retrying`: failed ' +
        'or returned, and retried at the plan’s next_attempt_at. `failed`: not retried, unless you resume the plan; ' +
        'never retried if its payment intent is `canceled`. `skipped`: its date passed before the plan was ' +
        'activated, or while it was suspended; it is never charged. `returned`: it was paid and the bank took the ' +
        'money back; not retried, unless you resume the plan.',
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
    attempts: row.attempts.map(presentAttempt),
  };
}

function presentAttempt({ number, at, outcome, code, message, debit }: PlanPaymentRow['attempts'][number]) {
  const shown = { number, at: instant(at), outcome, code, message };
  return debit === null ? shown : { ...shown, bank_debit: presentDebit(debit, outcome) };
}

/** `settled_at` is the column `result_at`, if the bank reported that it had collected the debit. */
function presentDebit(debit: BankDebitRow, outcome: Static<typeof Attempt>['outcome']): Static<typeof BankDebit> {
  const { mandate_id, lodgement_reference, charge_date, returnable_until, bank_code } = debit;
  return {
    mandate_id,
    lodgement_reference,
    charge_date,
    submitted_at: orNull(debit.submitted_at),
    expected_result_at: instant(debit.expected_result_at),
    settled_at: orNull(outcome === 'failed' ? null : debit.result_at),
    returnable_until,
    returned_at: orNull(debit.returned_at),
    bank_code,
  };
}

function orNull(at: Date | null): string | null {
  return at === null ? null : instant(at);
}
