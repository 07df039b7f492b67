import Type from 'typebox';
import type { PlanTransition } from '../../domain/plan-state.ts';
import { ListOf, listQuery, page, Reference, Strict } from '../../resources/common.ts';
import {
  PaymentPlan,
  PaymentPlanCreate,
  PaymentPlanState,
  PaymentPlanUpdate,
  PlanPayment,
  PlanSchedule,
  presentPaymentPlan,
  presentPlanPayment,
} from '../../resources/payment-plan.ts';
import { createPaymentPlan, getPaymentPlan, listPaymentPlans } from '../../services/plans/payment-plans.ts';
import { planPayments, planSchedule } from '../../services/plans/plan-payments.ts';
import { transitionPlan } from '../../services/plans/plan-transitions.ts';
import { updatePaymentPlan } from '../../services/plans/plan-update.ts';
import { metadataLimit, type Route, route } from '../http/route.ts';

const tag = 'Payment plans';
const read = { scope: 'payment_plans:read' } as const;
const write = { scope: 'payment_plans:write' } as const;

const create = route({
  method: 'POST',
  path: '/api/v1/payment_plans',
  operation: 'createPaymentPlan',
  tag,
  summary: 'Create a payment plan',
  description:
    'The plan is pending: it collects nothing before it is activated. Each due date is a slot with a payment intent of its ' +
    'own, which is charged at 00:00 of that date in the account’s time zone, on the customer’s test clock if it has one, ' +
    'and sends the `payment_intent.*` events. Look at the calendar with `GET …/schedule` before you activate.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentPlanCreate,
  response: { status: 201, schema: PaymentPlan },
  handle: async ({ context, body, deps }) => presentPaymentPlan(await createPaymentPlan(deps.db, context, body)),
});

const list = route({
  method: 'GET',
  path: '/api/v1/payment_plans',
  operation: 'listPaymentPlans',
  tag,
  summary: 'List payment plans, newest first',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    customer_id: Type.Optional(Reference('The plans of this customer.')),
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
  tag,
  summary: 'Fetch a payment plan',
  access: read,
  invalid: 422,
  response: { status: 200, schema: PaymentPlan },
  handle: async ({ context, params, deps }) =>
    presentPaymentPlan(await getPaymentPlan(deps.db, context, params.plan_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/payment_plans/:plan_id',
  operation: 'updatePaymentPlan',
  tag,
  summary: 'Change a payment plan',
  description:
    'name, recurring_amount_cents, total_amount_cents, until_further_notice, payment_instrument_id and failure_behaviour ' +
    'until the plan has ended; everything but customer_id while it is pending.',
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
  'Start collecting; the first payment at once when its date has come',
  'From `pending` to `active`, with `payment_plan.activated`. When slot 0 has come it is charged at once, on a test clock ' +
    'without an advance, but some milliseconds after this response: wait for its event, or look at `GET …/payments`. Later ' +
    'slots that have passed are skipped.',
);
const suspend = transition(
  'suspend',
  'Stop collecting until the plan is resumed',
  'From `active` to `suspended`, with `payment_plan.suspended`. After this response no charge starts; retries end.',
);
const resume = transition(
  'resume',
  'Go on collecting; what is unpaid is tried again at once',
  'From `suspended` to `active`; no event is sent. A payment that was failed or between retries is tried at once, some ' +
    'milliseconds after this response, with a new series of retries; slots that passed meanwhile are skipped, not charged.',
);
const deactivate = transition(
  'deactivate',
  'End an active plan for good',
  'From `active` to `deactivated`, with `payment_plan.deactivated`. After this response no charge starts.',
);
const close = transition(
  'close',
  'Close a plan for good',
  'From `pending`, `active` or `suspended` to `closed`, with `payment_plan.closed`. After this response no charge starts. ' +
    'A plan closes by itself when its total is collected.',
);

const payments = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/payments',
  operation: 'listPlanPayments',
  tag,
  summary: 'List the due dates of a plan that have come, newest first, with what became of each',
  access: read,
  invalid: 422,
  query: Strict({
    limit: listQuery.limit,
    starting_after: Type.Optional(
      Type.String({ maxLength: 20, description: 'The slot number of the last item.', 'x-cursor': 'slot' }),
    ),
  }),
  response: { status: 200, schema: ListOf(PlanPayment) },
  handle: async ({ context, params, query, deps }) => {
    return page(await planPayments(deps.db, context, params.plan_id, query), presentPlanPayment);
  },
});

const schedule = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/schedule',
  operation: 'getPlanSchedule',
  tag,
  summary: 'Show the calendar ahead of a plan',
  description: 'A pending or suspended plan is shown as if it were activated or resumed now.',
  access: read,
  invalid: 422,
  query: Strict({
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'How many payments, 12 if not given.' }),
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

function transition(name: PlanTransition, summary: string, description: string) {
  return route({
    method: 'POST',
    path: `/api/v1/payment_plans/:plan_id/${name}`,
    operation: `${name}PaymentPlan`,
    tag,
    summary,
    description,
    access: write,
    invalid: 422,
    response: { status: 200, schema: PaymentPlan },
    handle: async ({ context, params, deps }) =>
      presentPaymentPlan(await transitionPlan(deps.db, context, params.plan_id, name)),
  });
}
