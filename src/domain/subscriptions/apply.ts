import type { CustomerInstant } from '../instants.ts';
import { type Course, type Derived, derive, owedOf, type Period, type Situation } from './course.ts';
import type { Change, Happening } from './steps.ts';

/** A period that begins, with its statement and its payment. */
export type BegunPeriod = Pick<Period, 'status' | 'lines' | 'amount_cents' | 'carried_cents' | 'payment_intent_id'>;

/** A situation after a change, and what follows from it. */
export interface Applied {
  situation: Situation;
  derived: Derived;
  /** The period that begins, or null. */
  begins: Period | null;
  happenings: Happening[];
}

/**
 * Returns what a change makes of a situation. If it begins or ends that the subscription is in effect, that is the last
 * of its happenings.
 * @param begun the period that the change begins.
 * @param before whether the subscription was in effect.
 */
export function applyChange(
  situation: Situation,
  change: Change,
  begun: BegunPeriod | null,
  { before, at }: { before: boolean; at: CustomerInstant },
): Applied {
  const owed = situation.owed && { ...situation.owed, ...change.owed };
  const others = situation.others.map((period) => ({ ...period, ...changeOf(period, change) }));
  const begins = change.begins && begun ? newPeriod(change.begins, begun) : null;
  const course: Course = { ...situation.course, ...change.course };
  if (begins !== null) course.current_number = begins.number;
  const known = [...(owed === null ? [] : [owed]), ...others];
  const sameAsCurrent = known.find(({ number }) => number === situation.current?.number);
  const current = sameAsCurrent ?? (situation.current && { ...situation.current, ...change.current });
  const after: Situation = {
    ...situation,
    course,
    current: begins ?? (current?.number === course.current_number ? current : null),
    ...owedOf(begins === null ? known : [...known, begins]),
  };
  const derived = derive(after, at, before || change.isAccepted === true);
  const happenings =
    before === derived.in_effect ? change.happenings : [...change.happenings, 'in_effect_changed' as const];
  return { situation: after, derived, begins, happenings };
}

/** Returns what a change changes of one of the further periods that are owed. */
export function changeOf({ number }: Period, { others = [] }: Change): Partial<Period> | undefined {
  return others.find((other) => other.number === number)?.change;
}

function newPeriod({ number, start, end, kind }: NonNullable<Change['begins']>, begun: BegunPeriod): Period {
  const series = { failures: 0, first_failed_at: null, next_attempt_at: null, last_result_at: null };
  const untried = { changed_cents: 0, withheld_cents: 0, ...series, retry_asked_at: null, challenge_ends_at: null };
  return { number, start_date: start, end_date: end, kind, ...begun, ...untried };
}
