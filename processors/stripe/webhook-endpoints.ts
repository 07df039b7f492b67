// Whether Stripe sends an account's notices here: its webhook endpoints, looked at and registered.
import type Stripe from 'stripe';
import type { For } from './protocol.ts';
import type { StripeClient } from './stripe-client.ts';
import { typesOfEvents } from './stripe-events.ts';
import { answerOf, type Finding } from './verify.ts';

/** The endpoint as it was found. `secret`: what a new one signs with; Stripe tells it once. */
export interface EndpointFound {
  finding: Finding;
  secret: string | null;
}

const what = 'webhook endpoint';

/** @throws Error that says what is wrong with an address to register. */
export function checkWebhookUrl(url: string, { account }: For): void {
  const end = `/webhooks/stripe/${account}`;
  const { protocol, pathname, username, search, hash } = URL.canParse(url) ? new URL(url) : new URL('http://none');
  if (protocol === 'https:' && pathname.endsWith(end) && username === '' && search === '' && hash === '') return;
  throw new Error(`--webhook-url must be an https address that ends with ${end}.`);
}

/**
 * Looks for the endpoint of an account at Stripe, and registers `register` if there is none. Never throws what Stripe
 * says.
 */
export async function findEndpoint(
  stripe: StripeClient,
  place: For,
  { hasSecret, register }: { hasSecret: boolean; register: string | null },
): Promise<EndpointFound> {
  const listed = await answerOf(() => stripe.webhookEndpoints.list({ limit: 100 }));
  if (listed.is !== 'right') return found('unknown', `its endpoints could not be read: ${listed.says}`);
  const isOurs = ({ url }: Stripe.WebhookEndpoint) =>
    register === null ? url.endsWith(`/webhooks/stripe/${place.account}`) : url === register;
  const endpoint = listed.value.data.find(isOurs);
  if (endpoint !== undefined) return judged(endpoint, hasSecret);
  if (register === null) {
    return found('unknown', 'Stripe has none: what happens there without us is not noticed. Give --webhook-url');
  }
  // In the version of the account: what is read of an event is the same in all of them.
  const made = await answerOf(() =>
    stripe.webhookEndpoints.create({
      url: register,
      enabled_events: [...typesOfEvents] as Stripe.WebhookEndpointCreateParams.EnabledEvent[],
      description: `payments of ${place.account}`,
    }),
  );
  if (made.is !== 'right') return found('wrong', `it could not be registered: ${made.says}`);
  const { secret = null } = made.value;
  if (secret === null) return found('wrong', 'Stripe has registered it without a secret: give that with rotate');
  return { ...found('right', `registered now: ${register}`), secret };
}

function judged({ url, status, enabled_events: events }: Stripe.WebhookEndpoint, hasSecret: boolean): EndpointFound {
  const lacks = events.includes('*') ? [] : typesOfEvents.filter((type) => !events.includes(type));
  if (status !== 'enabled') return found('wrong', `${url} is ${status}: enable it in Stripe’s dashboard`);
  if (lacks.length > 0) return found('wrong', `${url} is not sent ${lacks.join(', ')}`);
  if (!hasSecret) return found('wrong', `${url} is there, its secret is not here: give it with rotate --notice-secret`);
  return found('right', url);
}

function found(is: Finding['is'], says: string): EndpointFound {
  return { finding: { what, is, says }, secret: null };
}
