import { type ChargeOutcome, declined, unattended } from '../../domain/charge-outcome.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { traced } from '../../platform/tracing.ts';
import { OutcomeUnknown, type PaymentProcessor, type Processors, type Submitted } from '../../processors/processor.ts';
import { pass } from '../crash-points.ts';
import { ProcessorNotConfigured, ProcessorUnavailable } from '../errors.ts';
import type { Charge } from './charge-records.ts';
import { chargeReserved, type RequestedCharge, type ReservingProcessor, reservePayment } from './reserved-charge.ts';

/**
 * Returns the processor of a mode.
 * @throws ProcessorNotConfigured in live mode when no live processor is configured.
 */
export function processorFor(processors: Processors, livemode: boolean): PaymentProcessor {
  const processor = livemode ? processors.live : processors.sandbox;
  if (processor === null) throw new ProcessorNotConfigured();
  return processor;
}

/**
 * Asks the processor. If this throws, the outcome is unknown. The attempt stays open and the processor is asked again.
 * A processor that reserves is first asked for a reference, which is committed before the charge.
 * @throws ProcessorUnavailable when the processor gave no outcome.
 * @throws ProcessorNotConfigured
 */
export async function askProcessor(db: Db, processors: Processors, charge: Charge): Promise<ChargeOutcome> {
  if (charge.request === null) return declined('payment_method_unavailable');
  const { request } = charge;
  const attributes = {
    payment_intent_id: charge.paymentIntentId,
    payment_plan_id: charge.paymentPlanId ?? undefined,
    attempt_id: charge.attemptId,
  };
  const processor = processorFor(processors, charge.livemode);
  const outcome = await traced('charge', { kind: 'client', attributes }, () =>
    orUnavailable('payment', take(db, processor, { ...charge, request })),
  );
  if (outcome.kind === 'submitted') {
    throw new ProcessorUnavailable('payment', new OutcomeUnknown('the processor has not decided yet'));
  }
  return charge.unattended ? unattended(outcome) : outcome;
}

/**
 * Takes the two last steps of a charge that is opened and committed: asks the processor, and has the outcome recorded.
 * Returns what `record` returns. If the process dies before that, the attempt stays open, and is asked about again.
 * @param what names the crash points between the steps.
 * @throws as `askProcessor`.
 */
export async function askAndRecord<Recorded>(
  db: Db,
  processors: Processors,
  charge: Charge,
  what: 'collection' | 'confirm' | 'scheduled payment',
  record: (outcome: ChargeOutcome) => Promise<Recorded>,
): Promise<Recorded> {
  pass(`${what} opened`);
  const outcome = await askProcessor(db, processors, charge);
  pass(`${what} charged`);
  const recorded = await record(outcome);
  pass(`${what} completed`);
  return recorded;
}

/** Takes the money. Without a reservation, the same key always gets the same outcome: it is asked again. */
async function take(db: Db, processor: PaymentProcessor, charge: RequestedCharge): Promise<ChargeOutcome | Submitted> {
  const { request } = charge;
  if (!reserves(processor)) return processor.charge(request, request.idempotencyKey);
  const reserved = await reservePayment(db, processor, charge);
  return reserved.kind === 'failed' ? reserved : chargeReserved(db, processor, charge, reserved);
}

/** Whether a processor reserves a payment before it takes money. */
export function reserves(processor: PaymentProcessor): processor is ReservingProcessor {
  return processor.prepare !== null;
}

/**
 * Returns the outcome that the processor gives.
 * @throws ProcessorUnavailable when it gives none. `what` stays processing then.
 */
export async function orUnavailable<T>(what: 'payment' | 'refund', asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof OutcomeUnknown ? new ProcessorUnavailable(what, error) : error;
  }
}

/**
 * Waits until all of these abandoned charges or refunds were tried.
 * @throws AggregateError with every failure. Its message has the reason of the first.
 */
export async function allFinished(what: 'charges' | 'refunds', tried: Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(tried);
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length === 0) return;
  const [first] = failures;
  const error = first instanceof ProcessorUnavailable ? first.cause : first;
  const reason = error instanceof Error ? error.message : String(error);
  throw new AggregateError(failures, `${failures.length} abandoned ${what} could not be finished: ${reason}`);
}
