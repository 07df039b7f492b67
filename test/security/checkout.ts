import assert from 'node:assert/strict';
import type { Reply } from '../support/api.ts';
import type { Stage } from '../support/stage.ts';

/** A payment intent as the biller's server passes it to its checkout page. */
export interface Handed {
  id: string;
  client_secret: string;
}

/** The requests of a checkout page, all with the publishable key. */
export function useCheckout(stage: Stage) {
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    stage.api.send(method, `/api/v1${path}`, { key: stage.keys.sandboxPublishable, body, headers });
  const fixture = (token: string) => ({
    type: 'card',
    payment_method_data: { expiry_month: 12, expiry_year: 2099, token_metadata: { type: 'fixture', token, data: '' } },
  });
  return {
    send,
    /** Saves a card, for the customer with this reference if given. */
    save: (more: object = {}, token = 'tok_sandbox_visa_succeed'): Promise<Reply> =>
      send('POST', '/payment_methods', { ...fixture(token), ...more }),
    /** Creates a card without a customer and returns its id. */
    async card(token = 'tok_sandbox_visa_succeed'): Promise<string> {
      const { status, body, text } = await send('POST', '/payment_methods', fixture(token));
      assert.equal(status, 200, text);
      return body.payment_method.id;
    },
    confirm: (intent: Handed, payment_method?: string, headers: Record<string, string> = {}): Promise<Reply> =>
      send(
        'POST',
        `/payment_intents/${intent.id}/confirm`,
        { payment_method, client_secret: intent.client_secret },
        headers,
      ),
    fetch: (intent: Handed): Promise<Reply> =>
      send('GET', `/payment_intents/${intent.id}?client_secret=${intent.client_secret}`),
    /** A new intent of the biller, of 1,000 cents. */
    async intent(terms: object = {}): Promise<Handed> {
      const { id, client_secret } = await stage.merchant.intent({ ...terms });
      assert.ok(client_secret);
      return { id, client_secret };
    },
  };
}

/**
 * Status and code of a refusal, or status and payment status, such as `403 payment_method_not_allowed`, `200
 * succeeded`.
 */
export function outcomeOf({ status, body }: Reply): string {
  return `${status} ${body.error?.details?.[0]?.code ?? body.error?.code ?? body.status}`;
}

/** Status and body of a response, without the id of the request. */
export function bytesOf(reply: Reply): string {
  return `${reply.status} ${reply.text.replace(/"request_id":"req_\w+"/, '')}`;
}
