import { type AuditRow, listPersonsActions } from '../../db/audit-log.ts';
import type { CustomerRow } from '../../db/customers.ts';
import {
  type HistoryCursor,
  type HistoryGroup,
  type HistoryRow,
  listAlikeOfCustomer,
  listHistory,
  listOpenSingles,
} from '../../db/dashboard-customer.ts';
import { purposesOf } from '../../db/dashboard-payment.ts';
import type { PlanPaymentRow } from '../../db/payment-plan-slots.ts';
import type { PaymentPlanRow } from '../../db/payment-plans.ts';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { timeNow } from '../customer-time.ts';
import { getCustomer } from '../customers/customers.ts';
import { listCustomerMethods } from '../customers/payment-methods.ts';
import { listPaymentLinks } from '../links/payment-links.ts';
import { listMandates } from '../mandates/mandates.ts';
import { listPaymentIntents } from '../payments/payment-intents.ts';
import { listPaymentPlans } from '../plans/payment-plans.ts';
import { planPayments, planSchedule } from '../plans/plan-payments.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { subscriptionSchedule } from '../subscriptions/subscription-periods.ts';
import { listSubscriptions } from '../subscriptions/subscriptions.ts';

/** So many of each kind are shown, the newest ones. */
const shownOfEach = 20;
const alikeShown = 5;
const historyShown = 50;

/** A plan with its next payment and what of it is not paid, as the API shows both. */
export interface PlanNow {
  plan: PaymentPlanRow;
  next: { dueDate: string; amount: number } | null;
  unpaid: PlanPaymentRow[];
}

/** A subscription with its next period, as the API shows it. */
export interface SubscriptionNow {
  subscription: ShownSubscriptionRow;
  next: { start: string; amount: number } | null;
}

/** What the dashboard shows of a customer, but for the history. */
export type CustomerNow = Awaited<ReturnType<typeof getCustomerNow>>;

/**
 * Returns a customer with what is coming, what is not paid, what is under way, and what it has.
 * @throws NotFound
 */
export async function getCustomerNow(db: Db, context: RequestContext, customerId: string) {
  const customer = await getCustomer(db, context, customerId);
  const { id, test_clock_id: clock } = customer;
  const most = { limit: shownOfEach };
  const ofClock = clock === null ? {} : { testClock: clock };
  const [now, methods, plans, subscriptions, links, mandates, underWay, singles, alike] = await Promise.all([
    timeNow(db, context, customer),
    listCustomerMethods(db, context, id, most),
    listPaymentPlans(db, context, { customerId: id, ...most }),
    listSubscriptions(db, context, { customerId: id, ...most }),
    listPaymentLinks(db, context, { customerId: id, ...ofClock }, most),
    listMandates(db, context, { customerId: id }, most),
    listPaymentIntents(db, context, { customerId: id, status: 'processing' }, most),
    listOpenSingles(db, context, id, shownOfEach),
    listAlikeOfCustomer(db, id, context.timeZone, alikeShown),
  ]);
  const shown = <Row>({ rows }: { rows: Row[] }) => rows.slice(0, shownOfEach);
  return {
    ...{ customer, now },
    methods: shown(methods),
    plans: await Promise.all(shown(plans).map((plan) => planNow(db, context, plan))),
    subscriptions: await Promise.all(shown(subscriptions).map((each) => subscriptionNow(db, context, each))),
    links: shown(links),
    mandates: shown(mandates),
    underWay: shown(underWay),
    ...{ singles, alike },
    purposesOfAlike: await purposesOf(
      db,
      context,
      alike.flatMap(({ ids }) => ids),
    ),
  };
}

async function planNow(db: Db, context: RequestContext, plan: PaymentPlanRow): Promise<PlanNow> {
  if (plan.state !== 'active' && plan.state !== 'suspended') return { plan, next: null, unpaid: [] };
  const [schedule, payments] = await Promise.all([
    plan.state === 'active' ? planSchedule(db, context, plan.id, 1) : null,
    planPayments(db, context, plan.id, { limit: shownOfEach }),
  ]);
  const unpaid = payments.rows.filter(
    ({ status }) => status === 'retrying' || status === 'failed' || status === 'returned',
  );
  return { plan, next: schedule?.payments[0] ?? null, unpaid };
}

async function subscriptionNow(
  db: Db,
  context: RequestContext,
  subscription: ShownSubscriptionRow,
): Promise<SubscriptionNow> {
  const runs =
    subscription.state === 'active' || subscription.state === 'trialing' || subscription.state === 'past_due';
  if (!runs) return { subscription, next: null };
  const { periods } = await subscriptionSchedule(db, context, subscription.id, 1);
  return { subscription, next: periods[0] ?? null };
}

/** A line of a history, and who has done it on the dashboard, if a person has. */
export interface HistoryLine {
  event: HistoryRow;
  person: string | null;
}

/**
 * Returns a page of what happened to a customer, newest first by the customer's time, and where the next page begins.
 * The caller has found the customer.
 */
export async function customerHistory(
  db: Db,
  tenant: Tenant,
  customer: CustomerRow,
  where: { group: HistoryGroup | null; before: HistoryCursor | null },
): Promise<{ lines: HistoryLine[]; next: HistoryCursor | null }> {
  const rows = await listHistory(db, tenant, customer.id, { ...where, limit: historyShown + 1 });
  const shown = rows.slice(0, historyShown);
  const subjects = shown.flatMap(({ subject_id: subject, payment_intent_id: intent }) => [subject, intent ?? subject]);
  const done = await listPersonsActions(db, tenant, [...new Set(subjects)]);
  const last = shown.at(-1);
  return {
    lines: shown.map((event) => ({ event, person: personOf(event, done) })),
    next: last === undefined || rows.length <= shown.length ? null : { at: last.created_at, sequence: last.sequence },
  };
}

/** The event has the id of the request that the audit log has. */
function personOf({ request_id: requestId }: HistoryRow, done: readonly AuditRow[]): string | null {
  return done.find((row) => row.request_id === requestId && requestId !== null)?.actor_id ?? null;
}
