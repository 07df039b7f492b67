import type { ShownSubscriptionRow } from '../../db/subscriptions.ts';
import {
  presentSubscription,
  Subscription,
  subscriptionExample,
  subscriptionsTag,
} from '../../resources/subscription.ts';
import { SubscriptionResume } from '../../resources/subscription-input.ts';
import { repeatable } from '../../services/payments/repeatable-request.ts';
import type { RequestContext } from '../../services/request-context.ts';
import { chargeHook } from '../../services/subjects/charge-hook.ts';
import { type ContinuingRequest, continueSubscription } from '../../services/subscriptions/collecting-requests.ts';
import { notCharged } from '../http/charge-errors.ts';
import type { CommittedFirstDeps } from '../http/deps.ts';
import { type Route, route } from '../http/route.ts';

/** What the routes after which a subscription continues have in common: they charge what is due before they respond. */
const common = {
  method: 'POST',
  tag: subscriptionsTag,
  access: { scope: 'subscriptions:write' },
  invalid: 422,
  errors: notCharged,
  idempotency: 'committed-first',
  response: { status: 200, schema: Subscription, example: subscriptionExample },
} as const;

const resume = route({
  ...common,
  path: '/api/v1/subscriptions/:subscription_id/resume',
  operation: 'resumeSubscription',
  summary: 'Resume a subscription: begin a new period today, and charge it',
  description:
    'A new period begins today. Returns `active` if it was paid. A decline is not an error: the subscription is `past_due` ' +
    'with `last_payment_error`, or what `unpaid_behaviour` says, and retries continue. While a challenge is under way, it is ' +
    '`active` and not yet in effect, with `current_period.status: processing`; a bank debit that is under way is enough. ' +
    'Later periods are counted from today, or begin on `anchor_day`. A period that was unpaid becomes `void`. A pause that ' +
    'has not begun is taken back.',
  body: SubscriptionResume,
  handle: async ({ context, params, body, deps }) =>
    continueBy({ context, deps }, params.subscription_id, {
      name: 'resume',
      anchorDay: body.anchor_day ?? null,
      unpaid: body.unpaid ?? 'collect',
    }),
});

const uncancel = route({
  ...common,
  path: '/api/v1/subscriptions/:subscription_id/uncancel',
  operation: 'uncancelSubscription',
  summary: 'Withdraw the end of a subscription',
  description:
    'Withdraws a cancellation that has not taken effect: `ends_at` is what it was, and the retries and pause that it ended ' +
    'continue. Without a cancellation it removes `ends_at`.',
  handle: async ({ context, params, deps }) =>
    continueBy({ context, deps }, params.subscription_id, { name: 'uncancel' }),
});

const retryNow = route({
  ...common,
  path: '/api/v1/subscriptions/:subscription_id/retry_now',
  operation: 'retrySubscription',
  summary: 'Charge the unpaid period of a subscription now',
  description:
    'Allowed while it is `past_due`, or `paused` because a payment failed. Returns `active` if the attempt has succeeded. A ' +
    'decline is not an error: the retries continue, or end. The attempt counts as the next one of its series.',
  handle: async ({ context, params, deps }) =>
    continueBy({ context, deps }, params.subscription_id, { name: 'retry_now' }),
});

export const subscriptionContinuationRoutes: Route[] = [resume, uncancel, retryNow];

const shown = (row: ShownSubscriptionRow) => presentSubscription(row);

async function continueBy(
  { context, deps }: { context: RequestContext; deps: CommittedFirstDeps },
  id: string,
  asked: ContinuingRequest,
): Promise<Subscription> {
  const charging = { processors: deps.processors, hook: chargeHook };
  return shown(await continueSubscription(deps.db, charging, context, id, asked, repeatable(deps, shown)));
}
