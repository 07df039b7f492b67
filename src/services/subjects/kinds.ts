import { selectClockToPayOut } from '../../db/subject-queries.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import type { OperatorCommand } from '../../messages/operator-command.ts';
import { mayRunAhead, type SubjectKind } from '../../messages/subject-kinds.ts';
import type { SubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { WorkflowTime } from '../customer-time.ts';
import { bankDebitStatus } from '../debits/debit-status.ts';
import { takeDebitStep } from '../debits/debit-steps.ts';
import { takePayoutsUntil } from '../ledger/payouts.ts';
import { expireDueLink, expireDueSession } from '../links/expiry.ts';
import { linkStatus, sessionStatus } from '../links/subject-status.ts';
import { collectScheduledPayment, scheduledPaymentStatus } from '../payments/scheduled-payments.ts';
import { collectDuePayment, collectOptimistically } from '../plans/plan-collection.ts';
import { planStatus } from '../plans/plan-status.ts';
import { collectDueSubscription } from '../subscriptions/subscription-collection.ts';
import { subscriptionStatus } from '../subscriptions/subscription-status.ts';
import { chargeHook as hook } from './charge-hook.ts';
import {
  executePlanCommand,
  executeScheduledPaymentCommand,
  executeSubscriptionCommand,
  recheckOnly,
} from './operator-commands.ts';

/** What the service does with a subject, whatever its kind. */
export interface SubjectServices {
  /** Returns its status for its workflow. */
  read(db: Db, id: string): Promise<SubjectStatus>;
  /**
   * Takes a due step in fewer statements, if it is simple. It reads the time of the test clock itself. Returns whether
   * all is done that `collect` would do.
   */
  collectOptimistically?(
    sql: Pool,
    processors: Processors,
    id: string,
    time: WorkflowTime & { now: RealInstant },
  ): Promise<boolean>;
  /** Takes its next step if one is due at `at`. Can be repeated. */
  collect(db: Db, processors: Processors, id: string, time: WorkflowTime & { now: RealInstant }): Promise<void>;
  /** Executes an operator command. @throws CommandRefused if the command does nothing. */
  execute(db: Db, id: string, command: OperatorCommand, now: RealInstant): Promise<string>;
}

/** What each kind of subject does. `subjectKinds` has what is known of a kind. */
export const subjects = {
  paymentPlan: {
    read: planStatus,
    collectOptimistically: (sql, processors, id, time) => collectOptimistically(sql, { processors, hook }, id, time),
    collect: (db, processors, id, time) => collectDuePayment(db, { processors, hook }, id, time),
    execute: executePlanCommand,
  },
  paymentLink: {
    read: linkStatus,
    collect: (db, _, id, time) => expireDueLink(db, hook, id, time),
    execute: recheckOnly('paymentLink', 'a payment link', linkStatus),
  },
  checkoutSession: {
    read: sessionStatus,
    collect: (db, _, id, time) => expireDueSession(db, hook, id, time),
    execute: recheckOnly('checkoutSession', 'a session', sessionStatus),
  },
  scheduledPayment: {
    read: scheduledPaymentStatus,
    collect: collectScheduledPayment,
    execute: executeScheduledPaymentCommand,
  },
  bankDebit: {
    read: bankDebitStatus,
    collect: (db, processors, id, time) => takeDebitStep(db, { processors, hook }, id, time),
    execute: recheckOnly('bankDebit', 'a bank debit', bankDebitStatus),
  },
  subscription: {
    read: subscriptionStatus,
    collect: (db, processors, id, time) => collectDueSubscription(db, { processors, hook }, id, time),
    execute: executeSubscriptionCommand,
  },
} satisfies Record<SubjectKind, SubjectServices>;

/**
 * Takes at most one step of a subject that is due at the workflow's time, such as a payment of a plan. Returns the
 * status afterwards. If the workflow is ahead of the clock in the database, which was restored from a back-up, nothing
 * is collected: the status makes the workflow go back first.
 */
export async function collectSubject(
  sql: Pool,
  processors: Processors,
  { kind, id }: { kind: SubjectKind; id: string },
  { at, maxAheadMs }: WorkflowTime,
): Promise<SubjectStatus> {
  const { read, collect, collectOptimistically }: SubjectServices = subjects[kind];
  await payOutBefore(sql, { kind, id }, at);
  if (await collectOptimistically?.(sql, processors, id, { at, now: realNow(), maxAheadMs })) return read(sql, id);
  const status = await read(sql, id);
  const { clockTime, clockLimit } = status;
  if (clockLimit !== null && at.getTime() > clockLimit) return status;
  const customerTime = customerInstant(Math.max(at.getTime(), clockTime ?? at.getTime()));
  await collect(sql, processors, id, { at: customerTime, now: realNow(), maxAheadMs });
  return read(sql, id);
}

/**
 * Takes the payouts of its test clock that are due, before a subject acts that an advance lets run ahead: what it has
 * collected before may be paid out meanwhile. The advance itself takes them before all others.
 */
async function payOutBefore(
  sql: Pool,
  { kind, id }: { kind: SubjectKind; id: string },
  at: CustomerInstant,
): Promise<void> {
  if (!mayRunAhead(kind)) return;
  const clockId = await selectClockToPayOut(sql, kind, id, at);
  if (clockId !== null) await takePayoutsUntil(sql, clockId, at, realNow());
}
