import { type LastFailure, lastFailuresOf, type Payer, payersOf } from '../../db/dashboard-payments.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { AgingReportRow } from '../../resources/reports/subject-rows.ts';
import { listPaymentIntents } from '../payments/payment-intents.ts';
import type { ReportSlots } from '../reports/report-slots.ts';
import { readReport } from '../reports/reports.ts';
import type { RequestContext } from '../request-context.ts';

const debtsShown = 500;
const newestFailures = 100;

/** Something that is owed, as the aging report has it, with the last payment of it that failed or came back. */
export interface OpenDebt {
  debt: AgingReportRow;
  failure: LastFailure | null;
}

export interface OpenFailures {
  /** The earliest next attempt first. */
  retried: OpenDebt[];
  /** Nothing tries them again. The longest owed first. */
  waiting: OpenDebt[];
  /** Owed of a plan or subscription that is suspended or paused. The longest owed first. */
  halted: OpenDebt[];
  /** Payments by themselves that failed, of the newest failures. */
  single: { payment: PaymentIntentRow; customer: Payer | null }[];
  /** Whether more is owed than is shown. */
  isCut: boolean;
}

/**
 * Returns what has failed or come back and is still owed, by what becomes of it: the rows of the aging report, without
 * what is on test clocks.
 * @throws TooManyReports
 */
export async function openFailures(db: Db, context: RequestContext, slots: ReportSlots): Promise<OpenFailures> {
  const debts = await readDebts(db, context, slots);
  const shown = debts.slice(0, debtsShown);
  const [failures, single] = await Promise.all([
    lastFailuresOf(
      db,
      context,
      shown.map(({ id }) => id),
    ),
    failedAlone(db, context),
  ]);
  const open = shown
    .map((debt) => ({ debt, failure: failures.get(debt.id) ?? null }))
    .toSorted((a, b) => b.debt.days_late - a.debt.days_late);
  const halted = open.filter(({ debt }) => debt.state === 'suspended' || debt.state === 'paused');
  const others = open.filter((each) => !halted.includes(each));
  const retried = others
    .filter(({ debt }) => debt.next_attempt_at !== null)
    .toSorted((a, b) => (a.debt.next_attempt_at ?? '').localeCompare(b.debt.next_attempt_at ?? ''));
  const waiting = others.filter(({ debt }) => debt.next_attempt_at === null);
  return { retried, waiting, halted, single, isCut: debts.length > debtsShown };
}

async function readDebts(db: Db, context: RequestContext, slots: ReportSlots): Promise<AgingReportRow[]> {
  const { batches } = await readReport(db, context, slots, 'aging', {});
  const rows: AgingReportRow[] = [];
  for await (const batch of batches) {
    rows.push(...(batch as readonly AgingReportRow[]));
    if (rows.length > debtsShown) break;
  }
  return rows;
}

async function failedAlone(db: Db, context: RequestContext) {
  const filter = { status: 'failed', testClock: 'none' } as const;
  const { rows } = await listPaymentIntents(db, context, filter, { limit: newestFailures });
  const alone = rows.filter((row) => row.payment_plan_id === null && row.subscription_id === null);
  const customers = await payersOf(
    db,
    context,
    alone.flatMap(({ customer_id: id }) => id ?? []),
  );
  return alone.map((payment) => ({ payment, customer: customers.get(payment.customer_id ?? '') ?? null }));
}
