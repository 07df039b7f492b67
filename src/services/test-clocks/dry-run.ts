import { listExistingIntentIds } from '../../db/clock-effects.ts';
import type { TestClockRow } from '../../db/test-clocks.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { dryRun } from '../../platform/postgres/transaction.ts';
import type { ChargeRequest, PaymentProcessor, Processors } from '../../processors/processor.ts';
import { sandboxProcessor } from '../../processors/sandbox.ts';
import type { DryRunResult, Effect } from '../../resources/clock-effect.ts';
import { gatherEvents, type NewEvent } from '../events.ts';
import { expireMandatesOnClock } from '../mandates/expiry.ts';
import { collectScheduledPayment } from '../payments/scheduled-payments.ts';
import { collectDuePayment } from '../plans/plan-collection.ts';
import type { RequestContext } from '../request-context.ts';
import { collectDebit, collectLink, collectSession } from '../subjects/collect-subject.ts';
import { collectDueSubscription } from '../subscriptions/subscription-collection.ts';
import { countedManifest } from './clock-advance.ts';
import { withFacts } from './clock-effects.ts';
import { type DueSubject, dueOnClock, firstDue } from './due-subjects.ts';
import { admitAdvance } from './test-clocks.ts';

const collect = {
  paymentPlan: collectDuePayment,
  scheduledPayment: collectScheduledPayment,
  bankDebit: collectDebit,
  paymentLink: collectLink,
  checkoutSession: collectSession,
  subscription: collectDueSubscription,
};

/**
 * Returns the sandbox's processor, with the outcomes that a dry run supposes. It returns an outcome from the request
 * alone and stores nothing. So it can be asked about payments that are rolled back.
 */
function supposing({ outcomes, bankOutcomes, paymentMethodId }: Supposition): PaymentProcessor {
  const changed = (request: ChargeRequest): ChargeRequest => {
    const word = request.debit === null ? outcomes : (bankOutcomes ?? outcomes);
    if (word === undefined || (paymentMethodId ?? request.paymentMethodId) !== request.paymentMethodId) return request;
    const { _sandbox_outcome: _, _sandbox_bank_outcome: __, ...metadata } = request.metadata;
    const isOfBank = request.debit !== null && bankOutcomes !== undefined;
    return { ...request, metadata: { ...metadata, [isOfBank ? '_sandbox_bank_outcome' : '_sandbox_outcome']: word } };
  };
  return {
    ...sandboxProcessor,
    charge: (request, reference) => sandboxProcessor.charge(changed(request), reference),
    inquire: (request, reference, at) => sandboxProcessor.inquire(changed(request), reference, at),
  };
}

/** What a dry run supposes about charges, in the words of `_sandbox_outcome` and `_sandbox_bank_outcome`. */
export interface Supposition {
  /** For cards, and for bank accounts without `bankOutcomes`. */
  outcomes?: string | undefined;
  /** For bank accounts under a mandate. */
  bankOutcomes?: string | undefined;
  /** Charges of this payment method only; of every method if not given. */
  paymentMethodId?: string | undefined;
}

/**
 * Returns what an advance to `targetText` would do. The dry run executes the same code as an advance, in one
 * transaction that is rolled back: nothing changes, and no event is sent. Until then the clock is locked, as by an
 * advance.
 * @param suppose an outcome of the charges other than the sandbox's own.
 * @throws the same errors as `advanceTestClock`; RangeError for an unknown word in `suppose`.
 */
export async function dryRunAdvance(
  db: Writer,
  context: RequestContext,
  clockId: string,
  targetText: string,
  suppose: Supposition = {},
): Promise<DryRunResult> {
  const processors: Processors = { sandbox: supposing(suppose), live: null };
  const result = await dryRun(db, async (tx): Promise<DryRunResult> => {
    const admitted = await admitAdvance(tx, context, clockId, targetText);
    const events = await collectAll(tx, processors, admitted, context);
    const manifest = await countedManifest(tx, clockId, admitted.clock.frozen_time, admitted.target);
    return { ...admitted, manifest, effects: await withFacts(tx, events) };
  });
  return { ...result, effects: await withRolledBack(db, result.effects) };
}

/** Collects all that is due up to the target, the oldest first. Returns the events that this would record. */
async function collectAll(
  tx: Tx,
  processors: Processors,
  { clock, target }: { clock: TestClockRow; target: Date },
  context: RequestContext,
) {
  const events = gatherEvents(tx);
  for (;;) {
    const due = firstDue(await dueOnClock(tx, clock.id, target));
    if (due === null) break;
    const before = events.length;
    const at = due.at !== null && due.at > clock.frozen_time ? due.at : clock.frozen_time;
    await collect[due.workflowType](tx, processors, due.id, { at, now: context.now });
    if (events.length === before && !(await hasMoved(tx, clock.id, due))) {
      throw new Error(`${due.id} is due and was not collected`);
    }
  }
  await expireMandatesOnClock(tx, clock.id, target, context);
  // An effect at the frozen time itself was left open by a request. It does not belong to the advance.
  const ofAdvance = events.filter(({ at }) => at > clock.frozen_time);
  return ofAdvance.toSorted((a, b) => Number(a.at) - Number(b.at)).map(asEffect);
}

/** Whether something else is due now: the hand-over of a debit to the bank has no event. */
async function hasMoved(tx: Tx, clockId: string, { id, at }: DueSubject): Promise<boolean> {
  const due = await dueOnClock(tx, clockId, at ?? new Date(0));
  return !due.some((other) => other.id === id && Number(other.at) === Number(at));
}

function asEffect({ type, subjectId, at, data }: NewEvent) {
  return { advance_id: null, event_id: null, event_type: type, subject_id: subjectId, at, data };
}

/** Marks the payments that only the dry run created. */
async function withRolledBack(db: Db, effects: Effect[]): Promise<Effect[]> {
  const intents = effects.filter(({ facts }) => facts !== null).map(({ subject_id }) => subject_id);
  const existing = await listExistingIntentIds(db, intents);
  return effects.map((effect) => ({
    ...effect,
    isRolledBack: effect.facts !== null && !existing.has(effect.subject_id),
  }));
}
