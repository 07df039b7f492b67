import type { CustomerInstant } from '../instants.ts';
import { type Course, type Derived, derive, owedOf, type Period, type SubscriptionWithPeriods } from './course.ts';
import type { Happening, SubscriptionStepChange } from './steps.ts';

/** A period that begins, with its statement and its payment. */
export type BegunPeriod = Pick<Period, 'status' | 'lines' | 'amount_cents' | 'carried_cents' | 'payment_intent_id'>;

/** A subscription after a change, and what follows from it. */
export interface Applied {
  subscription: SubscriptionWithPeriods;
  derived: Derived;
  /** The period that begins, or null. */
  begins: Period | null;
  happenings: Happening[];
}

/**
 * Returns a subscription after a change, and what happened. If the change begins or ends that it is in effect, that is
 * the last of its happenings.
 * @param begun the period that the change begins.
 * @param before whether the subscription was in effect.
 */
export function applyChange(
  subscription: SubscriptionWithPeriods,
  change: SubscriptionStepChange,
  begun: BegunPeriod | null,
  { before, at }: { before: boolean; at: CustomerInstant },
): Applied {
  const owed = subscription.owed && { ...subscription.owed, ...change.owed };
  const others = subscription.others.map((period) => ({ ...period, ...changeOf(period, change) }));
  const begins = change.begins && begun ? newPeriod(change.begins, begun) : null;
  const course: Course = { ...subscription.course, ...change.course };
  if (begins !== null) course.current_number = begins.number;
  const known = [...(owed === null ? [] : [owed]), ...others];
  const sameAsCurrent = known.find(({ number }) => number === subscription.current?.number);
  const current = sameAsCurrent ?? (subscription.current && { ...subscription.current, ...change.current });
  const after: SubscriptionWithPeriods = {
    ...subscription,
    course,
    current: begins ?? (current?.number === course.current_number ? current : null),
    ...owedOf(begins === null ? known : [...known, begins]),
  };
  const derived = derive(after, at, before || change.isAccepted === true);
  const happenings =
    before === derived.in_effect ? change.happenings : [...change.happenings, 'in_effect_changed' as const];
  return { subscription: after, derived, begins, happenings };
}

/** Returns what a change changes of one of the further periods that are owed. */
export function changeOf({ number }: Period, { others = [] }: SubscriptionStepChange): Partial<Period> | undefined {
  return others.find((other) => other.number === number)?.change;
}

function newPeriod(
  { number, start, end, kind }: NonNullable<SubscriptionStepChange['begins']>,
  begun: BegunPeriod,
): Period {
  const series = { failures: 0, first_failed_at: null, next_attempt_at: null, last_result_at: null };
  const untried = { changed_cents: 0, withheld_cents: 0, ...series, retry_asked_at: null, challenge_ends_at: null };
  return { number, start_date: start, end_date: end, kind, ...begun, ...untried };
}
