import { type DueSubject, dueOnClock } from '../../db/due-on-clock.ts';
import { listMethodsOfCustomer, type PaymentMethodRow } from '../../db/payment-methods.ts';
import type { ClockAdvanceRow } from '../../db/test-clocks.ts';
import {
  listAdvances,
  listDeliveriesOfEvent,
  listSubjectsOfCustomer,
  listSubjectsOnClock,
  listTimelineDebits,
  listTimelineEvents,
  type SubjectRow,
  selectTimelineEvent,
  type TimelineDebitRow,
  type TimelineEventRow,
} from '../../db/workbench.ts';
import { subjectKinds } from '../../messages/subject-kinds.ts';
import { all } from '../../platform/all-settled.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { getCustomer } from '../customers/customers.ts';
import { orNotFound } from '../errors.ts';
import type { Tenant } from '../request-context.ts';
import { getTestClockDetails, type TestClockDetails } from '../test-clocks/test-clocks.ts';

/** So many events are drawn: more would be one on top of another. */
const eventsDrawn = 90;
const debitsDrawn = 12;
const eventsOfStory = 100;
const methodsShown = 10;

/** Everything that the page of a clock shows, except what an advance would do. */
export interface Timeline {
  clock: TestClockDetails;
  /** When the clock was made, in its own time. */
  startedAt: Date;
  advances: Pick<ClockAdvanceRow, 'id' | 'from_time' | 'target_time' | 'status'>[];
  subjects: SubjectRow[];
  /** The newest ones, the oldest of them first. */
  events: TimelineEventRow[];
  hasMoreEvents: boolean;
  debits: TimelineDebitRow[];
  /** What is due up to the latest time that one advance can reach. */
  due: DueSubject[];
  /** Of the clock's customers. */
  methods: PaymentMethodRow[];
}

/** What is due, for a label. */
export function dueInWords(kind: DueSubject['kind']): string {
  switch (kind) {
    case 'mandate':
      return 'a mandate lapses';
    case 'dispute':
      return 'a dispute closes';
    case 'payout':
      return 'a payout';
    case 'payoutArrival':
      return 'a payout arrives';
    default:
      return subjectKinds[kind].due;
  }
}

/**
 * Returns a clock with what has happened on it.
 * @throws NotFound
 */
export async function getTimeline(db: Db, tenant: Tenant, clockId: string): Promise<Timeline> {
  const clock = await getTestClockDetails(db, tenant, clockId);
  const [advances, subjects, newest, debits, due] = await all([
    listAdvances(db, clock.id),
    listSubjectsOnClock(db, clock.id),
    listTimelineEvents(db, tenant, { testClock: clock.id }, eventsDrawn + 1),
    listTimelineDebits(db, clock.id, debitsDrawn),
    clock.maxFrozenTime === null ? [] : dueOnClock(db, clock.id, clock.maxFrozenTime),
  ]);
  const customers = subjects.filter(({ kind }) => kind === 'customer');
  const methods = await all(
    customers.map(({ id }) => listMethodsOfCustomer(db, id, { limit: methodsShown, after: undefined })),
  );
  return {
    clock,
    startedAt: advances[0]?.from_time ?? clock.frozen_time,
    advances,
    subjects,
    events: newest.slice(0, eventsDrawn).reverse(),
    hasMoreEvents: newest.length > eventsDrawn,
    debits,
    due,
    methods: methods.flat(),
  };
}

/**
 * Returns an event with its deliveries, their attempts, and what the receiver responded.
 * @throws NotFound
 */
export async function getEventWithDeliveries(db: Db, tenant: Tenant, id: string) {
  const event = orNotFound(await selectTimelineEvent(db, tenant, id), 'event', id);
  return { event, deliveries: await listDeliveriesOfEvent(db, tenant, id) };
}

/**
 * Returns a customer with what belongs to it and its newest events, the oldest of them first.
 * @throws NotFound
 */
export async function getStory(db: Db, tenant: Tenant, customerId: string) {
  const customer = await getCustomer(db, tenant, customerId);
  const [methods, subjects, newest] = await all([
    listMethodsOfCustomer(db, customer.id, { limit: methodsShown, after: undefined }),
    listSubjectsOfCustomer(db, customer.id),
    listTimelineEvents(db, tenant, { customer: customer.id }, eventsOfStory + 1),
  ]);
  const events = newest.slice(0, eventsOfStory).reverse();
  return { customer, methods, subjects, events, hasMoreEvents: newest.length > eventsOfStory };
}
