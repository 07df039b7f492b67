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
import { createPaymentPlan, fetchPaymentPlan, listPaymentPlans } from '../../services/plans/payment-plans.ts';
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
    'A new plan is `pending`: it collects nothing until you activate it. Each due date is a slot with its own ' +
    'payment intent. The service charges it at 00:00 of that date in the account’s time zone, on the customer’s ' +
    'test clock if it has one. `payment_intent.*` events report the results. To see the calendar before you ' +
    'activate, use `GET …/schedule`.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentPlanCreate,
  response: { status: 201, schema: PaymentPlan },
  handle: async ({ call, body, deps }) => presentPaymentPlan(await createPaymentPlan(deps.sql, call, body)),
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
    customer_id: Type.Optional(Reference('Only plans of this customer.')),
    state: Type.Optional(PaymentPlanState),
  }),
  response: { status: 200, schema: ListOf(PaymentPlan) },
  handle: async ({ call, query, deps }) => {
    const { customer_id: customerId, ...rest } = query;
    const { rows, limit } = await listPaymentPlans(deps.sql, call, { ...rest, customerId });
    return page(rows, limit, presentPaymentPlan);
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
  handle: async ({ call, params, deps }) => presentPaymentPlan(await fetchPaymentPlan(deps.sql, call, params.plan_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/payment_plans/:plan_id',
  operation: 'updatePaymentPlan',
  tag,
  summary: 'Change a payment plan',
  description:
    'Until the plan has ended, you can change name, recurring_amount_cents, total_amount_cents, ' +
    'until_further_notice, payment_instrument_id and failure_behaviour. While it is pending, you can change ' +
    'everything except customer_id.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: PaymentPlanUpdate,
  response: { status: 200, schema: PaymentPlan },
  handle: async ({ call, params, body, deps }) =>
    presentPaymentPlan(await updatePaymentPlan(deps.sql, call, params.plan_id, body)),
});

const activate = transition(
  'activate',
  'Activate a plan: start collecting',
  'Moves the plan from `pending` to `active` and sends `payment_plan.activated`. If the date of slot 0 has come, ' +
    'the service charges it at once, some milliseconds after this response. A test clock need not advance for ' +
    'that. To see the result, wait for the event or use `GET …/payments`. Later slots whose date has passed are ' +
    'skipped.',
);
const suspend = transition(
  'suspend',
  'Suspend a plan: stop collecting until it is resumed',
  'Moves the plan from `active` to `suspended` and sends `payment_plan.suspended`. After this response no charge ' +
    'starts, and retries end.',
);
const resume = transition(
  'resume',
  'Resume a plan: collect again, and retry unpaid payments',
  'Moves the plan from `suspended` to `active`. No event is sent. A payment that failed or waits for a retry is ' +
    'tried at once, some milliseconds after this response, with new retries. Slots whose date passed in the ' +
    'meantime are skipped and never charged.',
);
const deactivate = transition(
  'deactivate',
  'Deactivate an active plan for good',
  'Moves the plan from `active` to `deactivated` and sends `payment_plan.deactivated`. After this response no ' +
    'charge starts.',
);
const close = transition(
  'close',
  'Close a plan for good',
  'Moves the plan from `pending`, `active` or `suspended` to `closed` and sends `payment_plan.closed`. After ' +
    'this response no charge starts. The service also closes a plan when its total is collected.',
);

const payments = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/payments',
  operation: 'listPlanPayments',
  tag,
  summary: 'List the past due dates of a plan with their results, newest first',
  access: read,
  invalid: 422,
  query: Strict({
    limit: listQuery.limit,
    starting_after: Type.Optional(
      Type.String({
        maxLength: 20,
        description: 'The slot number of the last item of the previous page.',
        'x-cursor': 'slot',
      }),
    ),
  }),
  response: { status: 200, schema: ListOf(PlanPayment) },
  handle: async ({ call, params, query, deps }) => {
    const { rows, limit } = await planPayments(deps.sql, call, params.plan_id, query);
    return page(rows, limit, presentPlanPayment);
  },
});

const schedule = route({
  method: 'GET',
  path: '/api/v1/payment_plans/:plan_id/schedule',
  operation: 'getPlanSchedule',
  tag,
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
  handle: async ({ call, params, query, deps }) => {
    const { payments, hasMore } = await planSchedule(deps.sql, call, params.plan_id, query.count ?? 12);
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
    handle: async ({ call, params, deps }) =>
      presentPaymentPlan(await transitionPlan(deps.sql, call, params.plan_id, name)),
  });
}
