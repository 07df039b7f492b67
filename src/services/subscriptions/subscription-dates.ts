import { calendarOf, derive, type Period, type Situation } from '../../domain/subscriptions/course.ts';
import { periodDates } from '../../domain/subscriptions/periods.ts';

/** The stored instants that follow from a situation. */
type StoredDates = Record<(typeof dateNames)[number], Date | null>;
const dateNames = ['next_period_at', 'next_attempt_at', 'notice_at', 'resume_at'] as const;
const inWords: Record<keyof StoredDates, string> = {
  next_period_at: 'its next period or its end',
  next_attempt_at: 'its next retry',
  notice_at: 'the notice of the end of its trial',
  resume_at: 'the end of its pause',
};

/**
 * Less than a day apart: the time zone of the account or the rules of that zone have changed since. In milliseconds.
 */
const toleranceMs = 26 * 3_600_000;

/**
 * Returns what is wrong with the dates of a subscription, each part of a sentence for an operator: an instant that does
 * not follow from its rows, or a period that its calendar does not give.
 * @param begun periods that have begun. Those before the last resume are counted from an anchor that is not stored.
 * @param at the customer's time.
 */
export function wrongSubscriptionDates(
  stored: StoredDates,
  situation: Situation,
  begun: readonly Pick<Period, 'number' | 'kind' | 'status' | 'start_date' | 'end_date'>[],
  at: Date,
): string[] {
  const derived = derive(situation, at);
  const instants = dateNames.flatMap((name) => {
    const [is, shouldBe] = [stored[name], derived[name]];
    const isRight =
      is === null || shouldBe === null ? is === shouldBe : Math.abs(Number(is) - Number(shouldBe)) < toleranceMs;
    return isRight ? [] : [`${inWords[name]} is set to ${iso(is)}, but its periods give ${iso(shouldBe)}`];
  });
  return [...instants, ...begun.flatMap((period) => wrongPeriod(situation, period))];
}

function wrongPeriod(
  { course }: Situation,
  { number, kind, status, start_date: start, end_date: end }: Parameters<typeof wrongSubscriptionDates>[2][number],
): string[] {
  if (kind === 'trial' || status === 'void' || course.anchor_start === null || number < course.anchor_number) return [];
  const dates = periodDates(calendarOf(course), number);
  if (dates.start === start && dates.end === end) return [];
  return [`period ${number} is from ${start} to ${end}, but its calendar gives ${dates.start} to ${dates.end}`];
}

function iso(date: Date | null): string {
  return date?.toISOString() ?? 'none';
}
