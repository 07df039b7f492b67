import { listExistingIds } from '../../db/clock-effects.ts';
import { dueOnClock } from '../../db/due-on-clock.ts';
import { laterInstant } from '../../domain/calendar.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Db, Tx, Writer } from '../../platform/postgres/connection.ts';
import { dryRun } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { ChargeRequest, PaymentProcessor, Processors } from '../../processors/processor.ts';
import { sandboxProcessor } from '../../processors/sandbox.ts';
import type { DryRunResult, Effect } from '../../resources/clock-effect.ts';
import { type NewEvent, recordedEvents } from '../events.ts';
import { postInDryRun, postRecorded } from '../ledger/follower.ts';
import type { RequestContext } from '../request-context.ts';
import { countedManifest } from './clock-advance.ts';
import { withFacts } from './clock-effects.ts';
import { collectOnClock } from './expiry.ts';
import { admitAdvance } from './test-clocks.ts';

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
    const { clock, target } = admitted;
    const from = clock.frozen_time;
    await postInDryRun(tx, clock);
    await collectAll(tx, processors, { clockId, from, target }, context.now);
    const manifest = await countedManifest(tx, clockId, from, target);
    // An effect at the frozen time itself was left open by a request. It does not belong to the advance.
    const events = recordedEvents(tx).filter(({ at }) => at > from);
    return { ...admitted, manifest, effects: await withFacts(tx, events.map(asEffect)) };
  });
  return { ...result, effects: await withRolledBack(db, result.effects) };
}

/** How often the same step may be due, such as the hand-over of a debit to the bank. Beyond that it would never end. */
const mostRepeated = 1000;

/**
 * Does all that is due on a clock up to `target`, in the order of an advance from `from`, without workflows, in the
 * caller's transaction. `now` is the real time.
 * @throws Error if a step stays due however often it is taken.
 */
async function collectAll(
  tx: Tx,
  processors: Processors,
  { clockId, from, target }: { clockId: string; from: CustomerInstant; target: CustomerInstant },
  now: RealInstant,
): Promise<void> {
  const taken = new Map<string, number>();
  const posted = new Set<string>();
  let reached = from;
  for (;;) {
    const events = recordedEvents(tx).filter(({ id }) => !posted.has(id));
    await postRecorded(tx, events);
    for (const { id } of events) posted.add(id);
    const [due] = await dueOnClock(tx, clockId, target, { limit: 1 });
    if (due === undefined) return;
    const step = `${due.id} ${due.at?.getTime()}`;
    const times = (taken.get(step) ?? 0) + 1;
    if (times > mostRepeated) throw new Error(`${due.id} is due and was not collected`);
    taken.set(step, times);
    reached = laterInstant(due.at ?? reached, reached);
    await collectOnClock(tx, processors, due, { at: reached, now });
  }
}

function asEffect({ type, subjectId, at, data }: NewEvent) {
  return { advance_id: null, event_id: null, event_type: type, subject_id: subjectId, at, data };
}

/** Marks the payments and the payouts that only the dry run created. */
async function withRolledBack(db: Db, effects: Effect[]): Promise<Effect[]> {
  const isMade = ({ facts, event_type: type }: Effect) => facts !== null || type.startsWith('payout.');
  const existing = await listExistingIds(
    db,
    effects.filter(isMade).map(({ subject_id }) => subject_id),
  );
  return effects.map((effect) => ({
    ...effect,
    isRolledBack: isMade(effect) && !existing.has(effect.subject_id),
  }));
}
