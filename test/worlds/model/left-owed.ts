import { startOf } from '../../../lab/model/calendar.ts';
import type { Body } from '../place.ts';
import { day, hour, iso } from '../world.ts';
import { eventsOf, type Payment, type Story } from './story.ts';

/**
 * What is owed, or under way, at the end without a next date, and without a reason that a biller can act on. These
 * reasons count, because the guide says what to do about each: the `state_reason` of a plan that is suspended and of a
 * subscription that is paused; `pending` without a payment under way, since `start` can be asked again. A date counts
 * if it is still to come. A challenge of a plan or subscription counts for a day, one of a link or session for an hour.
 * Returns a sentence for each.
 */
export function leftOwed(story: Story): string[] {
  return [
    ...story.payments.flatMap((payment) => stuckPayment(story, payment)),
    ...Object.entries(story.resources).flatMap(([name, shown]) => stuckSubject(story, name, shown)),
  ];
}

/** Three retries of a debit, with the days that a bank takes for each over holidays. */
const longestSeries = 24 * day;

const isToCome = ({ now }: Story, instant: string | null | undefined) => instant != null && Date.parse(instant) > now;
const isDayToCome = ({ now, timeZone }: Story, date: string | null | undefined) =>
  date != null && startOf(date, timeZone) > now;
/** The bank reports at 09:00 of its day. */
const isResultToCome = ({ now }: Story, date: string | null | undefined) =>
  date != null && startOf(date, 'Australia/Sydney') + 9 * hour > now;

/** A payment that is under way, and nothing says until when; or that was to be made automatically, and was not. */
function stuckPayment(story: Story, { name, status, subject }: Payment): string[] {
  const shown: Body = story.resources.payments?.find(({ id }: Body) => id === name) ?? {};
  if (status === 'processing' && !isResultToCome(story, shown.expected_result_date)) {
    return [`${name}: is processing, and its result was expected on ${shown.expected_result_date ?? 'no date'}`];
  }
  const isScheduled = status === 'requires_payment_method' && shown.scheduled_payment_date !== undefined;
  if (isScheduled && !isDayToCome(story, shown.scheduled_payment_date)) {
    return [`${name}: was scheduled for ${shown.scheduled_payment_date}, and nothing was charged`];
  }
  if (status !== 'requires_action' || subject === null) return [];
  const opened = eventsOf(story, 'payment_intent.requires_action').findLast((event) => event.subject === name);
  const begun = opened === undefined ? 0 : Date.parse(opened.at);
  const isOnPage = /\/(link|session)\d/.test(subject);
  if (story.now - begun <= (isOnPage ? hour : day)) return [];
  return [`${name}: a challenge of ${subject} is open since ${iso(begun)}`];
}

function stuckSubject(story: Story, name: string, shown: Body): string[] {
  const kind = /^customer\d\/(plan|subscription|link|session)\d$/.exec(name)?.[1];
  const say = kind === undefined ? null : rules[kind]?.(story, name, shown);
  return say == null ? [] : [`${name} is ${shown.state ?? shown.status}: ${say}`];
}

/** What is stuck about each kind of subject, or null. */
const rules: Record<string, (story: Story, name: string, shown: Body) => string | null> = {
  plan: stuckPlan,
  subscription: stuckSubscription,
  link: stuckPage,
  session: stuckPage,
};

/** Whether a payment of a subject is at the bank or with a payer. Whether that ends is asked of the payment. */
const isUnderWay = ({ payments }: Story, name: string) =>
  payments.some(({ subject, status }) => subject === name && ['processing', 'requires_action'].includes(status));

function stuckPlan(story: Story, name: string, shown: Body): string | null {
  const { state, state_reason: reason, next_payment_date: next, next_attempt_at: retry } = shown;
  if (state === 'suspended') return reason === null ? 'no reason says why' : null;
  if (state !== 'active') return null;
  if (next !== null && !isDayToCome(story, next)) return `its payment of ${next} was not made`;
  if (retry !== null && !isToCome(story, retry)) return `its retry at ${retry} was not made`;
  const slots: Body[] = story.resources[`${name} payments`]?.data ?? [];
  const statusOf = (slot: Body) => story.payments.find((payment) => payment.name === slot.payment_intent_id)?.status;
  const left = slots.find((slot) => ['failed', 'returned'].includes(slot.status) && statusOf(slot) !== 'canceled');
  if (left !== undefined) return `slot ${left.slot} is ${left.status}, and nothing tries it again`;
  if (retry === null && slots.some(({ status }) => status === 'retrying')) return 'a slot is retrying at no time';
  return next === null && retry === null && !isUnderWay(story, name) ? 'nothing is to come' : null;
}

function stuckSubscription(story: Story, name: string, shown: Body): string | null {
  const {
    state,
    state_reason: reason,
    next_attempt_at: retry,
    next_period_start: next,
    current_period: period,
  } = shown;
  if (state === 'paused' && reason === 'payment_failed' && shown.resumes_at !== null) {
    return `it resumes on its own on ${shown.resumes_at}, and gives up what is owed`;
  }
  if (state === 'paused') return reason === null ? 'no reason says why' : null;
  if (state === 'canceled') return null;
  if (retry !== null && !isToCome(story, retry)) return `its retry at ${retry} was not made`;
  if (isUnderWay(story, name)) return null;
  if (state === 'pending') return isDayToCome(story, next) || next === null ? null : `it was to begin on ${next}`;
  const stops = [shown.ends_at, shown.pauses_at].filter((date) => date !== null);
  if (stops.some((date) => !isDayToCome(story, date))) return `it was to end or pause on ${stops.join(' or ')}`;
  if (state === 'past_due') {
    const isLeft = retry === null && stops.length === 0 && !mayHaveGivenUpLately(story, name);
    return isLeft ? `period ${period?.number} is owed, and nothing is retried` : null;
  }
  if (next === null) return stops.length === 0 ? 'no period is to come' : null;
  return isDayToCome(story, next) ? null : `no period has begun on ${next}`;
}

/** After a final decline a subscription stays past due for as long as its retries would have lasted. */
function mayHaveGivenUpLately(story: Story, name: string): boolean {
  const own = new Set(story.payments.filter(({ subject }) => subject === name).map((payment) => payment.name));
  const failures = ['payment_intent.failed', 'payment_intent.returned'].flatMap((type) => eventsOf(story, type));
  const last = Math.max(0, ...failures.filter(({ subject }) => own.has(subject)).map(({ at }) => Date.parse(at)));
  return story.now - last <= longestSeries;
}

function stuckPage(story: Story, name: string, shown: Body): string | null {
  const isOpen = shown.status === 'open' || shown.status === 'processing';
  if (!isOpen || shown.expires_at === null || isToCome(story, shown.expires_at) || isUnderWay(story, name)) return null;
  return `it was to expire at ${shown.expires_at}`;
}
