import { numberedQuery, page } from '../../resources/common.ts';
import { subscriptionsTag } from '../../resources/subscription.ts';
import {
  CreditRefund,
  CreditRefunds,
  presentChange,
  presentCreditRefunds,
  presentSubscriptionChange,
  SubscriptionChange,
  SubscriptionChangeResult,
  SubscriptionChanges,
} from '../../resources/subscription-change.ts';
import { repeatable } from '../../services/payments/repeatable-request.ts';
import { chargeHook } from '../../services/subjects/charge-hook.ts';
import { refundCredit } from '../../services/subscriptions/credit-refund.ts';
import { type ChangeResult, changeSubscription } from '../../services/subscriptions/subscription-change.ts';
import { subscriptionChanges } from '../../services/subscriptions/subscription-periods.ts';
import { notCharged } from '../http/charge-errors.ts';
import { metadataLimit, type Route, route } from '../http/route.ts';

const change = route({
  method: 'POST',
  path: '/api/v1/subscriptions/:subscription_id/change',
  operation: 'changeSubscription',
  tag: subscriptionsTag,
  summary: 'Change what a subscription sells, or ask what that costs',
  description:
    'Allowed while it is `trialing` or `active`, and for the next period while it is `paused`. A change now costs the ' +
    'days that are left; if that is negative, it goes to `credit_balance_cents`, which later periods use before money is ' +
    'taken. With `collect: now` it is charged at once, and made when that has succeeded: a decline is not an error, ' +
    '`last_payment_error` says why, and nothing has changed. While a challenge or a bank debit is under way, ' +
    '`change_payment_intent_id` names the payment intent. With `dry_run` nothing changes: the response says what would ' +
    'be charged.',
  access: { scope: 'subscriptions:write' },
  invalid: 422,
  errors: notCharged,
  idempotency: 'committed-first',
  bodyLimit: { kib: 64, since: '20 items have names of up to 255 characters, each of up to 12 bytes' },
  body: SubscriptionChange,
  response: { status: 200, schema: SubscriptionChangeResult },
  handle: async ({ context, params, body, deps }) => {
    const charging = { processors: deps.processors, hook: chargeHook };
    const shown = ({ quote, subscription }: ChangeResult) => presentChange(quote, subscription);
    const id = params.subscription_id;
    return shown(await changeSubscription(deps.db, charging, context, id, body, repeatable(deps, shown)));
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/subscriptions/:subscription_id/changes',
  operation: 'listSubscriptionChanges',
  tag: subscriptionsTag,
  summary: 'List the changes of a subscription that were requested with `when: now`, newest first',
  access: { scope: 'subscriptions:read' },
  invalid: 422,
  query: numberedQuery('number', 'The number'),
  response: { status: 200, schema: SubscriptionChanges },
  handle: async ({ context, params, query, deps }) =>
    page(await subscriptionChanges(deps.db, context, params.subscription_id, query), presentSubscriptionChange),
});

const refund = route({
  method: 'POST',
  path: '/api/v1/subscriptions/:subscription_id/refund_credit',
  operation: 'refundSubscriptionCredit',
  tag: subscriptionsTag,
  summary: 'Pay out the credit of a subscription',
  description:
    'Refunds the payments of the subscription that succeeded, the newest first, each by at most what remains of it. The ' +
    'response is the refund of the newest; `refunds` are all. The credit is taken at once, and the part of a refund ' +
    'that fails comes back. Allowed in every state, also after it was canceled.',
  access: { scope: 'subscriptions:write' },
  invalid: 422,
  errors: {
    503: 'No processor is configured for live mode, or a part of the service is unreachable. Nothing was refunded.',
  },
  idempotency: 'committed-first',
  bodyLimit: metadataLimit,
  body: CreditRefund,
  response: { status: 201, schema: CreditRefunds },
  handle: async ({ context, params, body, deps }) => {
    const request = repeatable(deps, presentCreditRefunds);
    const id = params.subscription_id;
    return presentCreditRefunds(await refundCredit(deps.db, deps.processors, context, id, body, request));
  },
});

export const subscriptionChangeRoutes: Route[] = [change, list, refund];
