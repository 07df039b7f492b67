// What a browser asks of Stripe: localstripe's own script, and what that asks. It goes past the layers of the rig,
// which are for the requests of an adapter: stripe-mock would refuse the JSON of localstripe's script.

import { type LoopbackServer, serveOnLoopback } from '../loopback-server.ts';
import { ask } from './exchange.ts';
import type { StripeRig } from './rig.ts';

/** Opens Stripe for an adapter and for browsers, to be given as STRIPE_API_URL. */
export function openBrowserDoor(rig: Pick<StripeRig, 'url' | 'localstripe'>): Promise<LoopbackServer> {
  return serveOnLoopback(async (received, response) => {
    const isOfBrowser = received.path.startsWith('/js.stripe.com/') || received.headers.origin !== undefined;
    const { 'accept-encoding': _, ...headers } = received.headers;
    const target = isOfBrowser ? rig.localstripe().url : rig.url;
    const answer = await ask(target, { ...received, headers });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
}
