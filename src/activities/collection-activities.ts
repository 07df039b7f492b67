import type { OperatorCommand } from '../messages/operator-command.ts';
import type { Pool } from '../platform/postgres/connection.ts';
import { realNow } from '../platform/real-time.ts';
import type { Processors } from '../processors/processor.ts';
import { bankDebitStatus } from '../services/debits/debit-status.ts';
import { linkStatus, sessionStatus } from '../services/links/subject-status.ts';
import { planStatus, scheduledPaymentStatus } from '../services/plans/subject-status.ts';
import { collectSubject, type SubjectKind } from '../services/subjects/collect-subject.ts';
import {
  executeDebitCommand,
  executeLinkCommand,
  executePlanCommand,
  executeScheduledPaymentCommand,
  executeSessionCommand,
} from '../services/subjects/operator-commands.ts';
import { executeSubscriptionCommand } from '../services/subscriptions/operator-commands.ts';
import { subscriptionStatus } from '../services/subscriptions/subscription-status.ts';
import { carryOut } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export interface CollectionDeps {
  sql: Pool;
  processors: Processors;
  /** See `WorkflowTime`. */
  maxAheadMs?: number | undefined;
}

export type CollectionActivities = ReturnType<typeof createCollectionActivities>;

/**
 * The activities of the workflows for plans, scheduled payments, bank debits, subscriptions, payment links and checkout
 * sessions. Each can be repeated at any time. Their names are in histories; the operator commands are called `press…`
 * there. `at` is the workflow's time in epoch ms.
 */
export function createCollectionActivities({ sql, processors, maxAheadMs }: CollectionDeps) {
  const collect = (kind: SubjectKind, id: string, at: number) =>
    withHeartbeat(() =>
      carryOut(sql, () => collectSubject(sql, processors, { kind, id }, { at: new Date(at), maxAheadMs })),
    );
  return {
    readPlan: (id: string) => carryOut(sql, () => planStatus(sql, id)),
    collectPlan: (id: string, at: number) => collect('plan', id, at),
    readScheduledPayment: (id: string) => carryOut(sql, () => scheduledPaymentStatus(sql, id)),
    collectScheduledPayment: (id: string, at: number) => collect('scheduledPayment', id, at),
    readBankDebit: (id: string) => carryOut(sql, () => bankDebitStatus(sql, id)),
    collectBankDebit: (id: string, at: number) => collect('bankDebit', id, at),
    readPaymentLink: (id: string) => carryOut(sql, () => linkStatus(sql, id)),
    expirePaymentLink: (id: string, at: number) => collect('paymentLink', id, at),
    readCheckoutSession: (id: string) => carryOut(sql, () => sessionStatus(sql, id)),
    expireCheckoutSession: (id: string, at: number) => collect('checkoutSession', id, at),
    readSubscription: (id: string) => carryOut(sql, () => subscriptionStatus(sql, id)),
    collectSubscription: (id: string, at: number) => collect('subscription', id, at),
    /** Execute an operator command. Each returns a sentence about the result, or fails as `CommandRefused`. */
    pressPlan: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executePlanCommand(sql, id, command, realNow())),
    pressScheduledPayment: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executeScheduledPaymentCommand(sql, id, command, realNow())),
    pressSubscription: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executeSubscriptionCommand(sql, id, command, realNow())),
    pressBankDebit: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executeDebitCommand(sql, id, command, realNow())),
    pressPaymentLink: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executeLinkCommand(sql, id, command, realNow())),
    pressCheckoutSession: (id: string, command: OperatorCommand) =>
      carryOut(sql, () => executeSessionCommand(sql, id, command, realNow())),
  };
}
