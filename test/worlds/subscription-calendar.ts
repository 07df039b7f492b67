// The calendar of a subscription, whatever was done to it: its events say when it was resumed, and when money came.
import { dateAt, dateOfCount, type Every, firstOnDay, startOf } from '../../lab/model/calendar.ts';
import type { Body } from './place.ts';
import type { Happening } from './telling.ts';
import { iso } from './world.ts';

export interface SubscriptionCourse {
  /** Such as `customer1/subscription1`. */
  name: string;
  terms: Body;
  timeZone: string;
  /** When the story ends. */
  end: number;
  /** As the API shows it at the end. */
  shown: Body;
  /** The first begins first. */
  periods: Body[];
  /** Its events and those of its payments, in their order. */
  happenings: Happening[];
}

/** The periods between two pauses: they are counted from one day. */
interface Stretch {
  boundary(count: number): string;
  /** When it was resumed; null if this is the first. */
  resumedAt: number | null;
  begun: Begun[];
}

interface Begun {
  number: number;
  start: string;
  end: string;
  at: number;
}

/** What of a course its calendar does not give, in words. */
export function wrongPeriods(course: SubscriptionCourse): string[] {
  const { name, timeZone } = course;
  const wrong: string[] = [];
  const stretches = stretchesOf(course);
  for (const { boundary, resumedAt, begun } of stretches) {
    const first = begun[0]?.number ?? 0;
    for (const [index, { number, start, end, at }] of begun.entries()) {
      const what = `${name}: period ${number}`;
      const wanted = [boundary(number - first), boundary(number - first + 1)];
      if (start !== wanted[0] || end !== wanted[1])
        wrong.push(`${what} is from ${start} to ${end}, and the calendar says from ${wanted.join(' to ')}`);
      const midnight = startOf(start, timeZone);
      if (at < midnight) wrong.push(`${what} of ${start} began at ${iso(at)}`);
      const before = begun[index - 1];
      if (before === undefined) {
        const wantedAt = resumedAt === null ? midnight : Math.max(resumedAt, midnight);
        const isStart = resumedAt === null && number === 1;
        if (!isStart && at !== wantedAt) wrong.push(`${what} began at ${iso(at)}, and not at ${iso(wantedAt)}`);
        continue;
      }
      // Only money that was owed holds a period up. The one that contains the day on which it came is then begun.
      const isHeldUp = at > startOf(before.end, timeZone);
      if (isHeldUp && !wasPaidAt(course, at))
        wrong.push(`${what} of ${start} began at ${iso(at)}, and nothing was owed`);
      if (isHeldUp && dateAt(at, timeZone) >= end) wrong.push(`${what} was over on ${end}, and began at ${iso(at)}`);
      if (!isHeldUp && start !== before.end)
        wrong.push(`${what} begins on ${start}, and the one before it ends on ${before.end}`);
    }
  }
  return [...wrong, ...missing(course, stretches)];
}

/** The period that should have begun last, and has not. */
function missing({ name, timeZone, end, shown, periods }: SubscriptionCourse, stretches: Stretch[]): string[] {
  const stretch = stretches.at(-1);
  if (shown.state !== 'active' || stretch === undefined) return [];
  if (periods.some(({ status }) => status !== 'paid' && status !== 'void')) return [];
  const next = stretch.begun.at(-1)?.end ?? stretch.boundary(0);
  return startOf(next, timeZone) <= end ? [`${name}: no period begins on ${next}`] : [];
}

function stretchesOf({ name, terms, timeZone, periods, happenings }: SubscriptionCourse): Stretch[] {
  const every: Every = terms.frequency_type;
  const count = terms.frequency_period ?? 1;
  const paid = periods.filter(({ kind }) => kind === 'paid');
  const trial = periods.find(({ kind }) => kind === 'trial');
  const firstStart: string | undefined = trial?.end ?? paid[0]?.start;
  if (firstStart === undefined) return [];
  const first: Stretch = {
    boundary: boundariesFrom(firstStart, every, count, terms.anchor_day ?? null),
    resumedAt: null,
    begun: [],
  };
  const stretches = [first];
  const own = happenings.filter(({ subject, type }) => subject === name && type.startsWith('subscription.'));
  for (const { type, at, data } of own) {
    const stretch = stretches.at(-1) ?? first;
    const period = data.current_period;
    if (type === 'subscription.resumed') {
      const today = dateAt(Date.parse(at), timeZone);
      const hasDaysLeft = period?.status === 'paid' && period.end > today;
      const start = hasDaysLeft ? period.end : today;
      const boundary = boundariesFrom(start, every, count, null);
      stretches.push({ boundary, resumedAt: Date.parse(at), begun: [] });
    }
    const isNew =
      period != null && !stretches.some(({ begun }) => begun.some(({ number }) => number === period.number));
    const listed = paid.find(({ number }) => number === period?.number);
    if (!isNew || listed === undefined || type === 'subscription.resumed') continue;
    stretch.begun.push({ number: period.number, start: period.start, end: period.end, at: Date.parse(at) });
  }
  return stretches;
}

/** The days on which periods begin. With a day of the month, the first of them may be short. */
function boundariesFrom(start: string, every: Every, count: number, day: number | null): (count: number) => string {
  if (day === null) return (index) => dateOfCount(start, every, count, index);
  const onDay = firstOnDay(start, day);
  const isShort = onDay !== start;
  return (index) => (index === 0 ? start : dateOfCount(onDay, every, count, index - (isShort ? 1 : 0), day));
}

/** Whether a payment of it was collected, or given up, at that instant. */
function wasPaidAt({ name, happenings }: SubscriptionCourse, at: number): boolean {
  const frees = ['payment_intent.succeeded', 'payment_intent.canceled', 'subscription.recovered'];
  return happenings.some(
    ({ subject, type, at: when }) => subject.startsWith(name) && frees.includes(type) && Date.parse(when) === at,
  );
}
