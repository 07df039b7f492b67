import Type from 'typebox';
import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import { dateQuery, ListOf, listQuery, numberedQuery, page, Reference, Strict } from '../../resources/common.ts';
import { madeAt } from '../../resources/examples.ts';
import {
  presentSubscription,
  presentSubscriptionPeriod,
  Subscription,
  SubscriptionPeriod,
  SubscriptionSchedule,
  SubscriptionState,
  subscriptionExample,
  subscriptionsTag,
} from '../../resources/subscription.ts';
import { CanceledSubscription, presentCanceled } from '../../resources/subscription-change.ts';
import {
  SubscriptionCancel,
  SubscriptionCreate,
  SubscriptionPause,
  SubscriptionUpdate,
} from '../../resources/subscription-input.ts';
import { repeatable } from '../../services/payments/repeatable-request.ts';
import { chargeHook } from '../../services/subjects/charge-hook.ts';
import { startSubscription } from '../../services/subscriptions/collecting-requests.ts';
import { subscriptionPeriods, subscriptionSchedule } from '../../services/subscriptions/subscription-periods.ts';
import { cancelSubscription, requestOfSubscription } from '../../services/subscriptions/subscription-requests.ts';
import { updateSubscriptionTerms } from '../../services/subscriptions/subscription-update.ts';
import { createSubscription, getSubscription, listSubscriptions } from '../../services/subscriptions/subscriptions.ts';
import { notCharged } from '../http/charge-errors.ts';
import { metadataLimit, type Route, route } from '../http/route.ts';

const waiting = {
  ...subscriptionExample,
  state: 'pending',
  in_effect: false,
  in_effect_until: null,
  current_period: null,
  next_period_start: null,
  paid_periods: 0,
  latest_payment_intent_id: null,
  updated_at: madeAt,
} as const;
const shown = (row: ShownSubscriptionRow) => presentSubscription(row);
const read = { scope: 'subscriptions:read' } as const;
const write = { scope: 'subscriptions:write' } as const;

const create = route({
  method: 'POST',
  path: '/api/v1/subscriptions',
  operation: 'createSubscription',
  tag: subscriptionsTag,
  summary: 'Create a subscription',
  description:
    'A new subscription is `pending`: nothing is owed until you start it. To see its periods before that, use ' +
    '`GET …/schedule`.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: SubscriptionCreate,
  response: { status: 201, schema: Subscription, example: waiting },
  handle: async ({ context, body, deps }) => presentSubscription(await createSubscription(deps.db, context, body)),
});

const list = route({
  method: 'GET',
  path: '/api/v1/subscriptions',
  operation: 'listSubscriptions',
  tag: subscriptionsTag,
  summary: 'List subscriptions, newest first',
  access: read,
  invalid: 422,
  query: Strict({
    ...listQuery,
    ...dateQuery,
    customer_id: Type.Optional(Reference<'customer'>('Only subscriptions of this customer.')),
    state: Type.Optional(SubscriptionState),
    in_effect: Type.Optional(
      Type.Enum(['true', 'false'], { description: 'Only those that are in effect now, or are not.' }),
    ),
    test_clock: Type.Optional(Reference<'test_clock'>('Only subscriptions of customers on this test clock.')),
  }),
  response: { status: 200, schema: ListOf(Subscription) },
  handle: async ({ context, query, deps }) => {
    const { customer_id: customerId, in_effect: effect, test_clock: testClock, ...rest } = query;
    const inEffect = effect === undefined ? undefined : effect === 'true';
    const filter = { ...rest, customerId, inEffect, testClock };
    return page(await listSubscriptions(deps.db, context, filter), presentSubscription);
  },
});

const fetch = route({
  method: 'GET',
  path: '/api/v1/subscriptions/:subscription_id',
  operation: 'getSubscription',
  tag: subscriptionsTag,
  summary: 'Fetch a subscription',
  access: read,
  invalid: 422,
  response: { status: 200, schema: Subscription },
  handle: async ({ context, params, deps }) =>
    presentSubscription(await getSubscription(deps.db, context, params.subscription_id)),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/subscriptions/:subscription_id',
  operation: 'updateSubscription',
  tag: subscriptionsTag,
  summary: 'Change a subscription',
  description:
    'Until it is canceled, you can change name, payment_instrument_id, failure_behaviour, unpaid_behaviour, grace_days ' +
    'and metadata. Before its start, you can change everything except customer_id.',
  access: write,
  invalid: 422,
  bodyLimit: metadataLimit,
  body: SubscriptionUpdate,
  response: { status: 200, schema: Subscription },
  handle: async ({ context, params, body, deps }) =>
    presentSubscription(await updateSubscriptionTerms(deps.db, context, params.subscription_id, body)),
});

const start = route({
  method: 'POST',
  path: '/api/v1/subscriptions/:subscription_id/start',
  operation: 'startSubscription',
  tag: subscriptionsTag,
  summary: 'Start a subscription: charge its first period, or begin its trial',
  description:
    'Returns `active` if the first period was paid, or `trialing`. A decline is not an error: the subscription stays ' +
    '`pending` with `last_payment_error`, nothing is owed, and you can start it again. While a challenge or a bank debit is ' +
    'under way, it is `pending` with `current_period.status: processing`; `latest_payment_intent_id` names the payment ' +
    'intent. With a start date to come, it starts automatically on that day.',
  access: write,
  invalid: 422,
  errors: notCharged,
  idempotency: 'committed-first',
  response: { status: 200, schema: Subscription },
  handle: async ({ context, params, deps }) => {
    const charging = { processors: deps.processors, hook: chargeHook };
    const id = params.subscription_id;
    return shown(await startSubscription(deps.db, charging, context, id, repeatable(deps, shown)));
  },
});

const pause = route({
  method: 'POST',
  path: '/api/v1/subscriptions/:subscription_id/pause',
  operation: 'pauseSubscription',
  tag: subscriptionsTag,
  summary: 'Pause a subscription at the end of its period, or of a later one',
  description:
    'Until `pauses_at` it continues as before. Then no period begins and nothing is charged until you resume it, or until ' +
    '`resumes_at`. Paused time is never billed. To withdraw the pause before then, resume the subscription. If `from` is no ' +
    'end of a period to come, the error names the two that are nearest.',
  access: write,
  invalid: 422,
  body: SubscriptionPause,
  response: { status: 200, schema: Subscription, example: { ...subscriptionExample, pauses_at: '2027-02-11' } },
  handle: async ({ context, params, body, deps }) => {
    const { from = null, resumes_at: resumesAt = null, anchor_day: anchorDay = null } = body;
    const request = { name: 'pause', from, resumesAt, anchorDay } as const;
    return presentSubscription(await requestOfSubscription(deps.db, context, params.subscription_id, request));
  },
});

const cancel = route({
  method: 'POST',
  path: '/api/v1/subscriptions/:subscription_id/cancel',
  operation: 'cancelSubscription',
  tag: subscriptionsTag,
  summary: 'Cancel a subscription at the end of its period or of a later one, or now',
  description:
    'After this response no period begins that it excludes. At the end of the period, the service that is paid for ' +
    'continues until `ends_at`, and retries end. With a later date it continues as before until then, with renewals and ' +
    'retries; if that is no end of a period to come, the error names the two that are nearest. A subscription that is ' +
    'pending or paused is canceled at once, and not at a date. Nothing is refunded; with `at: now` and `unused: credit` the ' +
    'days that are left become credit, which you can refund.',
  access: write,
  invalid: 422,
  body: SubscriptionCancel,
  response: {
    status: 200,
    schema: CanceledSubscription,
    example: { ...subscriptionExample, ends_at: '2027-02-11', next_period_start: null, quote: null },
  },
  handle: async ({ context, params, body, deps }) => {
    const { quote, subscription } = await cancelSubscription(deps.db, context, params.subscription_id, body);
    return presentCanceled(quote, subscription);
  },
});

const periods = route({
  method: 'GET',
  path: '/api/v1/subscriptions/:subscription_id/periods',
  operation: 'listSubscriptionPeriods',
  tag: subscriptionsTag,
  summary: 'List the periods of a subscription that have begun, newest first',
  access: read,
  invalid: 422,
  query: numberedQuery('number', 'The number'),
  response: { status: 200, schema: ListOf(SubscriptionPeriod) },
  handle: async ({ context, params, query, deps }) =>
    page(await subscriptionPeriods(deps.db, context, params.subscription_id, query), presentSubscriptionPeriod),
});

const schedule = route({
  method: 'GET',
  path: '/api/v1/subscriptions/:subscription_id/schedule',
  operation: 'getSubscriptionSchedule',
  tag: subscriptionsTag,
  summary: 'Show the coming periods of a subscription',
  description: 'A subscription that is pending or paused is shown as if you started or resumed it now.',
  access: read,
  invalid: 422,
  query: Strict({
    count: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of periods, by default 12.' }),
    ),
  }),
  response: { status: 200, schema: SubscriptionSchedule },
  handle: async ({ context, params, query, deps }) => {
    const shown = await subscriptionSchedule(deps.db, context, params.subscription_id, query.count ?? 12);
    const data = shown.periods.map(({ amount, ...dates }) => ({ ...dates, amount_cents: amount }));
    return { data, has_more: shown.hasMore };
  },
});

export const subscriptionRoutes: Route[] = [create, list, fetch, update, start, pause, cancel, periods, schedule];
