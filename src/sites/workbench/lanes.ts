import type { SubjectRow, TimelineEventRow } from '../../db/workbench.ts';
import type { Effect } from '../../resources/clock-effect.ts';
import type { Timeline } from '../../services/workbench/timeline.ts';
import { amountOf, deliveriesInWords, inWords, type Look, lookOf } from './words.ts';

/** Something that happened at an instant of the clock, or would happen. */
export interface Mark {
  at: Date;
  look: Look;
  words: string;
  /** Where it leads. */
  href: string;
  /** Whether it would happen: it is drawn in outline. */
  isAhead: boolean;
  /** Whether a webhook of it is on its way, or was given up. */
  webhooks: 'fine' | 'pending' | 'failed';
}

/** A stretch of time, such as an advance. */
export interface Bar {
  from: Date;
  to: Date;
  words: string;
  look: 'advance' | 'debit' | 'settled' | 'back';
}

/** A row of the axis: the clock, or one of its subjects. */
export interface Lane {
  id: string;
  kind: 'clock' | SubjectRow['kind'] | 'debits';
  name: string;
  status: string;
  href: string | null;
  marks: Mark[];
  bars: Bar[];
}

/** Returns the lanes of a clock: the clock itself, then each customer with what belongs to it. */
export function lanesOf(timeline: Timeline, ahead: readonly Effect[]): Lane[] {
  const { clock, startedAt, advances, subjects } = timeline;
  const clockLane: Lane = {
    id: clock.id,
    kind: 'clock',
    name: 'Clock',
    status: '',
    href: null,
    marks: [
      { at: startedAt, look: 'clock', words: 'Clock created', href: '#happened', isAhead: false, webhooks: 'fine' },
    ],
    bars: advances.map(({ from_time: from, target_time: to, status }) => {
      return { from, to, words: `Advance, ${status}`, look: 'advance' };
    }),
  };
  const lanes = [clockLane, ...inOrder(subjects).flatMap((subject) => laneWithDebits(timeline, subject))];
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const find = (subjectId: string, data: Readonly<Record<string, unknown>>) =>
    [subjectId, ...ownersOf(data)].map((id) => byId.get(id)).find((lane) => lane !== undefined) ?? clockLane;
  for (const event of timeline.events) {
    // The clock's own steps are drawn as bars.
    if (event.event_type.startsWith('test_clock.') || isRepeated(event.event_type)) continue;
    find(event.subject_id, event.data).marks.push(happened(event));
  }
  for (const [index, effect] of ahead.entries()) {
    if (isRepeated(effect.event_type)) continue;
    const data = effect.data as Readonly<Record<string, unknown>>;
    find(effect.subject_id, data).marks.push(wouldHappen(effect, index));
  }
  return lanes;
}

/** Whether its mark would cover another one: the sandbox reconciles a payout when it makes it. */
function isRepeated(eventType: string): boolean {
  return eventType === 'payout.reconciled';
}

/** What an object belongs to, the nearest first. */
function ownersOf(data: Readonly<Record<string, unknown>>): string[] {
  const owners = [data.payment_plan_id, data.subscription_id, data.payment_link_id, data.customer_id];
  return owners.filter((id) => typeof id === 'string');
}

/** Each customer, followed by its plans, subscriptions and links; then links without a customer. */
function inOrder(subjects: readonly SubjectRow[]): SubjectRow[] {
  const customers = subjects.filter(({ kind }) => kind === 'customer');
  const others = subjects.filter(({ kind }) => kind !== 'customer');
  const known = new Set(customers.map(({ id }) => id));
  return [
    ...customers.flatMap((customer) => [customer, ...others.filter(({ customer_id }) => customer_id === customer.id)]),
    ...others.filter(({ customer_id }) => customer_id === null || !known.has(customer_id)),
  ];
}

function laneWithDebits({ debits }: Timeline, subject: SubjectRow): Lane[] {
  const { id, kind, name, status, created_at } = subject;
  const href = kind === 'customer' ? `../customers/${id}` : null;
  const begun: Mark = {
    at: created_at,
    look: 'begun',
    words: `${kind === 'link' ? 'payment link' : kind} created`,
    href: href ?? '#happened',
    isAhead: false,
    webhooks: 'fine',
  };
  const lane: Lane = { id, kind, name, status, href, marks: kind === 'link' ? [] : [begun], bars: [] };
  const ofCustomer = kind === 'customer' ? debits.filter(({ customer_id }) => customer_id === id) : [];
  if (ofCustomer.length === 0) return [lane];
  const bars = ofCustomer.map((debit): Bar => {
    const { hand_over_at: from, result_at, expected_result_at, returned_at } = debit;
    const amount = amountOf(debit.amount, debit.currency);
    if (returned_at !== null) return { from, to: returned_at, words: `${amount} came back`, look: 'back' };
    if (result_at !== null) return { from, to: result_at, words: `${amount}, the bank has reported`, look: 'settled' };
    return { from, to: expected_result_at, words: `${amount} with the bank, from ${debit.charge_date}`, look: 'debit' };
  });
  return [lane, { id: `${id}/debits`, kind: 'debits', name: 'Bank debits', status: '', href: null, marks: [], bars }];
}

function happened(event: TimelineEventRow): Mark {
  const { id, event_type: type, created_at: at, data, pending, delivered, failed } = event;
  const sent = pending + delivered + failed > 0 ? ` (${deliveriesInWords(event)})` : '';
  return {
    at,
    look: lookOf(type),
    words: `${inWords(type, data)}${sent}`,
    href: `../events/${id}`,
    isAhead: false,
    webhooks: failed > 0 ? 'failed' : pending > 0 ? 'pending' : 'fine',
  };
}

function wouldHappen({ event_type: type, at, data }: Effect, index: number): Mark {
  return {
    at,
    look: lookOf(type),
    words: `would happen: ${inWords(type, data as Readonly<Record<string, unknown>>)}`,
    href: `#would-${index + 1}`,
    isAhead: true,
    webhooks: 'fine',
  };
}
