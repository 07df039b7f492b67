import { type Html, html } from '../../platform/html.ts';
import { getPlanDetails, getSubscriptionDetails, takenByResume } from '../../services/dashboard/subject.ts';
import { InvalidState } from '../../services/errors.ts';
import { getPaymentPlan } from '../../services/plans/payment-plans.ts';
import type { ComingPayments } from '../../services/subjects/coming-payments.ts';
import { getSubscription } from '../../services/subscriptions/subscriptions.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import type { Question, SimpleAction } from './simple-action.ts';
import { amount, date } from './words.ts';

const ofPlan = {
  of: 'plans',
  prefix: 'pp',
  needs: 'change_plan',
  parameter: 'plan_id',
  updatedAt: async (db, tenant, id) => (await getPaymentPlan(db, tenant, id)).updated_at,
} as const satisfies Partial<SimpleAction>;

const ofSubscription = {
  of: 'subscriptions',
  prefix: 'sub',
  needs: 'change_subscription',
  parameter: 'subscription_id',
  updatedAt: async (db, tenant, id) => (await getSubscription(db, tenant, id)).updated_at,
} as const satisfies Partial<SimpleAction>;

/** What people of the role can do with plans and subscriptions, each by one request to the API. */
export const subjectActions: readonly SimpleAction[] = [
  {
    ...ofPlan,
    ...{ name: 'suspend', operation: 'suspendPaymentPlan', audit: 'payment_plan.suspended', button: 'Suspend it' },
    ask: askSuspend,
  },
  {
    ...ofPlan,
    ...{ name: 'resume', operation: 'resumePaymentPlan', audit: 'payment_plan.resumed', button: 'Resume it' },
    ask: askResumePlan,
  },
  {
    ...ofSubscription,
    ...{ name: 'pause', operation: 'pauseSubscription', audit: 'subscription.paused', button: 'Pause it', body: {} },
    ask: askPause,
  },
  {
    ...ofSubscription,
    ...{
      name: 'resume',
      operation: 'resumeSubscription',
      audit: 'subscription.resumed',
      button: 'Resume it',
      body: {},
    },
    ask: askResumeSubscription,
  },
  {
    ...ofSubscription,
    ...{ name: 'cancel', operation: 'cancelSubscription', audit: 'subscription.canceled', button: 'Cancel it' },
    body: { at: 'period_end' },
    ask: askCancel,
  },
];

/** The actions that a plan or subscription in this state has, by their names. */
export function offeredFor(state: string): readonly string[] {
  const offers: Readonly<Record<string, readonly string[]>> = {
    suspended: ['resume'],
    paused: ['resume', 'cancel'],
    active: ['suspend', 'pause', 'cancel'],
    trialing: ['pause', 'cancel'],
    past_due: ['cancel'],
  };
  return offers[state] ?? [];
}

function assertOffered(action: string, state: string): void {
  if (offeredFor(state).includes(action)) return;
  throw new InvalidState(`It is ${state.replace('_', ' ')}, so this cannot be done.`);
}

async function askSuspend({ sql, context, id }: DashboardRequest): Promise<Question> {
  const { plan, coming } = await getPlanDetails(sql, context, id);
  assertOffered('suspend', plan.state);
  const [next] = coming;
  return {
    title: `Suspend ${plan.name}?`,
    words: html`<p>Nothing is taken until somebody resumes it${
      next === undefined
        ? null
        : html`: not the ${amount(next.amount, plan.currency)} of ${date(next.dueDate)}, nor what follows`
    }. Dates that pass meanwhile are skipped and never charged. What the bank has already may still be collected.</p>`,
    updatedAt: plan.updated_at,
  };
}

async function askResumePlan({ sql, context, id }: DashboardRequest): Promise<Question> {
  const { plan, customer } = await getPlanDetails(sql, context, id);
  assertOffered('resume', plan.state);
  const coming = await takenByResume(sql, context, { planId: plan.id }, customer, plan.payment_instrument_id);
  return {
    title: `Resume ${plan.name}?`,
    words: html`${takenInWords(coming)}<p>Dates that passed while it was suspended are skipped.</p>`,
    updatedAt: plan.updated_at,
  };
}

async function askPause({ sql, context, id }: DashboardRequest): Promise<Question> {
  const { subscription } = await getSubscriptionDetails(sql, context, id);
  assertOffered('pause', subscription.state);
  const end = subscription.current_period?.end_date;
  return {
    title: `Pause ${subscription.name}?`,
    words: html`<p>It goes on until ${end === undefined ? 'the end of its period' : date(end)}. From then on no period begins and
nothing is charged until somebody resumes it.</p>`,
    updatedAt: subscription.updated_at,
  };
}

async function askResumeSubscription({ sql, context, id }: DashboardRequest): Promise<Question> {
  const { subscription, customer } = await getSubscriptionDetails(sql, context, id);
  assertOffered('resume', subscription.state);
  const named = { subscriptionId: subscription.id };
  const coming = await takenByResume(sql, context, named, customer, subscription.payment_instrument_id);
  return {
    title: `Resume ${subscription.name}?`,
    words: takenInWords(coming),
    updatedAt: subscription.updated_at,
  };
}

async function askCancel({ sql, context, id }: DashboardRequest): Promise<Question> {
  const { subscription } = await getSubscriptionDetails(sql, context, id);
  const { state, name, current_period: period } = subscription;
  assertOffered('cancel', state);
  const runs = state !== 'paused' && period !== null;
  return {
    title: `Cancel ${name}?`,
    words: runs
      ? html`<p>It ends on ${date(period.end_date)}, and no later period begins. What was paid stays paid, and what failed is not
tried again.</p>`
      : html`<p>It is paused, so it ends at once. Nothing is charged, and nothing is refunded.</p>`,
    updatedAt: subscription.updated_at,
  };
}

/** What a resume takes at once, payment by payment, and what follows. */
export function takenInWords(coming: ComingPayments | null): Html {
  if (coming === null) return html`<p>Nothing is taken.</p>`;
  const { currency, atOnce, takenNow, next, hasMore } = coming;
  const now =
    atOnce === 0
      ? html`<p>Nothing is taken at once.</p>`
      : html`<p>${amount(atOnce, currency)} are taken at once:</p>
<ul>${takenNow.map(
          ({ total, from, to }) =>
            html`<li>${amount(total, currency)} for ${date(from)}${to === null ? null : html` to ${date(to)}`}</li>
`,
        )}</ul>`;
  const [first] = next;
  return html`${now}${first === undefined ? null : html`<p>Then ${amount(first.total, currency)} on ${date(first.date)}, ${hasMore || next.length > 1 ? 'and so on' : 'and nothing after that'}.</p>`}`;
}
