import Type from 'typebox';
import type { PlanTransition } from '../../domain/plan-state.ts';
import { dateQuery, ListOf, listQuery, numberedQuery, page, Reference, Strict } from '../../resources/common.ts';
import { madeAt } from '../../resources/examples.ts';
import {
  PaymentPlan,
  PaymentPlanState,
  paymentPlanExample,
  paymentPlans,
  presentPaymentPlan,
} from '../../resources/payment-plan.ts';
import { PaymentPlanCreate, PaymentPlanUpdate } from '../../resources/payment-plan-input.ts';
import { PlanPayment, PlanSchedule, presentPlanPayment } from '../../resources/plan-payment.ts';
import {
  createPaymentPlan,
  getPaymentPlan,
  listPaymentPlans,
  planWaiting,
} from '../../services/plans/payment-plans.ts';
import { planPayments, planSchedule } from '../../services/plans/plan-payments.ts';
import { transitionPlan } from '../../services/plans/plan-transitions.ts';
import { updatePaymentPlan } from '../../services/plans/plan-update.ts';
import { metadataLimit, type Route, route } from '../http/route.ts';

const waiting = {
  ...paymentPlanExample,
  collected_amount_cents: 0,
  next_payment_date: '2027-01-11',
  updated_at: madeAt,
};
const stopped = { ...paymentPlanExample, state_reason: 'requested', next_payment_date: null };
const read = { scope: 'payment_plans:read' } as const;
const write = { scope: 'payment_plans:write' } as const;

const create = route({
  method: 'POST',
  path: '/api/v1/payment_plans',
  operation: 'createPaymentPlan',
  tag: paymentPlans,
  summary: 'Create a payment plan',
  description:
    'A new plan is `pending`: it collects nothing until you activate it. Each due date is a slot with its own ' +
    'payment intent. The service charges it at 00:00 of that date in the account’s time zone, on the customer’s ' +
    'test clock if it has one. `payment_intent.*` events report the results. To see the calendar before you ' +
    'activate, use `GET …/schedule`.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentPlanCreate,
  response: { status: 201, schema: PaymentPlan, example: { ...waiting, state: 'pending' } },
  handle: async ({ context, body, deps }) => presentPaymentPlan(await createPaymentPlan(deps.db, context, body)),
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_plans',
  operation: 'listPaymentPlans',
  tag: paymentPlans,
  summary: 'List payment plans, newest first',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    customer_id: Type.Optional(Reference<'customer'>('Only plans of this customer.')),
    state: Type.Optional(PaymentPlanState),
  }),
  response: { status: 200, schema: ListOf(PaymentPlan) },
  handle: async ({ context, query, deps }) => {
    const { customer_id: customerId, ...rest } = query;
    return page(await listPaymentPlans(deps.db, context, { ...rest, customerId }), presentPaymentPlan);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id',
  operation: 'getPaymentPlan',
  tag: paymentPlans,
  summary: 'Fetch a payment plan',
  description:
    'With `Prefer: wait=N` the response comes once nothing of the plan is due and no charge is under way, or after N ' +
    'seconds (at most 60): send it after `activate` or `resume` to see the result of what is charged at once.',
  access: read,
  invalid: 422,
  waits: (sql) => {
    const awaitPlan = planWaiting(sql);
    return (context, { plan_id: id = '' }, signal) => awaitPlan(context, id, signal);
  },
  response: { status: 200, schema: PaymentPlan },
  handle: async ({ context, params, deps }) =>
    presentPaymentPlan(await getPaymentPlan(deps.db, context, params.plan_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/payment_plans/:plan_id',
  operation: 'updatePaymentPlan',
  tag: paymentPlans,
  summary: 'Change a payment plan',
  description:
    'Until the plan has ended, you can change name, recurring_amount_cents, total_amount_cents, ' +
    'until_further_notice, payment_instrument_id, failure_behaviour and tax_included. While it is pending, you can change ' +
    'everything except customer_id. You can replace metadata in every state, also after the end. Payment intents that ' +
    'exist keep theirs.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentPlanUpdate,
  response: { status: 200, schema: PaymentPlan },
  handle: async ({ context, params, body, deps }) =>
    presentPaymentPlan(await updatePaymentPlan(deps.db, context, params.plan_id, body)),
});

const activate = transition(
  'activate',
  waiting,
  'Activate a plan: start collecting',
  'Moves the plan from `pending` to `active` and sends `payment_plan.activated`. If the date of slot 0 has come, ' +
    'the service charges it at once, some milliseconds after this response. A test clock need not advance for ' +
    'that. To see the result, fetch the plan with `Prefer: wait=N`, or wait for the event. Later slots whose date ' +
    'has passed are skipped.',
);
const suspend = transition(
  'suspend',
  { ...stopped, state: 'suspended' },
  'Suspend a plan: stop collecting until it is resumed',
  'Moves the plan from `active` to `suspended` and sends `payment_plan.suspended`. After this response no charge ' +
    'starts, and retries end.',
);
const resume = transition(
  'resume',
  paymentPlanExample,
  'Resume a plan: collect again, and retry unpaid payments',
  'Moves the plan from `suspended` to `active`. No event is sent. A payment that failed or waits for a retry is ' +
    'tried at once, some milliseconds after this response, with new retries: fetch the plan with `Prefer: wait=N` ' +
    'to see the result. Slots whose date passed in the meantime are skipped and never charged.',
);
const deactivate = transition(
  'deactivate',
  { ...stopped, state: 'deactivated' },
  'Deactivate an active plan for good',
  'Moves the plan from `active` to `deactivated` and sends `payment_plan.deactivated`. After this response no ' +
    'charge starts.',
);
const close = transition(
  'close',
  { ...stopped, state: 'closed' },
  'Close a plan for good',
  'Moves the plan from `pending`, `active` or `suspended` to `closed` and sends `payment_plan.closed`. After ' +
    'this response no charge starts. The service also closes a plan when its total is collected.',
);

const payments = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/payments',
  operation: 'listPlanPayments',
  tag: paymentPlans,
  summary: 'List the past due dates of a plan with their results, newest first',
  access: read,
  invalid: 422,
  query: numberedQuery('slot', 'The slot number'),
  response: { status: 200, schema: ListOf(PlanPayment) },
  handle: async ({ context, params, query, deps }) => {
    return page(await planPayments(deps.db, context, params.plan_id, query), presentPlanPayment);
  },
});

const schedule = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/schedule',
  operation: 'getPlanSchedule',
  tag: paymentPlans,
  summary: 'Show the coming payments of a plan',
  description: 'A pending or suspended plan is shown as if you activated or resumed it now.',
  access: read,
  invalid: 422,
  query: Strict({
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of payments, by default 12.' }),
    ),
  }),
  response: { status: 200, schema: PlanSchedule },
  handle: async ({ context, params, query, deps }) => {
    const { payments, hasMore } = await planSchedule(deps.db, context, params.plan_id, query.count ?? 12);
    const data = payments.map(({ slot, dueDate, amount }) => ({ slot, due_date: dueDate, amount }));
    return { data, has_more: hasMore };
  },
});

export const paymentPlanRoutes: Route[] = [
  create,
  list,
  fetch,
  update,
  activate,
  suspend,
  resume,
  deactivate,
  close,
  payments,
  schedule,
];

function transition(name: PlanTransition, example: PaymentPlan, summary: string, description: string) {
  return route({
    method: 'POST',
    path: `/api/v1/payment_plans/:plan_id/${name}`,
    operation: `${name}PaymentPlan`,
    tag: paymentPlans,
    summary,
    description,
    access: write,
    invalid: 422,
    response: { status: 200, schema: PaymentPlan, example },
    handle: async ({ context, params, deps }) =>
      presentPaymentPlan(await transitionPlan(deps.db, context, params.plan_id, name)),
  });
}
