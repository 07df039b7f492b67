import assert from 'node:assert/strict';
import type { Mandate, MandateAccept, MandateCreate } from '@payments-service/client';
import type { Reply } from './api.ts';
import type { Stage } from './stage.ts';

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

/** What tests of mandates do: bank accounts, texts and acceptances of the stage’s biller. */
export function useDebtor(stage: Pick<Stage, 'merchant' | 'request'>) {
  /** The customers of the accounts. */
  const owners = new Map<string, string>();
  const here = {
    /** Saves a bank account, of the customer if one is named, and returns its id. */
    async account(customer?: string, data: Record<string, string> = {}): Promise<string> {
      const { body, text } = await stage.request('POST', '/payment_methods', {
        type: 'au_becs_debit',
        ...(customer === undefined ? {} : { customer_reference: customer }),
        payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432', ...data },
      });
      assert.ok(body.success, text);
      if (customer !== undefined) owners.set(body.payment_method.id, customer);
      return body.payment_method.id;
    },
    /** What a payer has agreed to online, to the present text. */
    async online(more: Partial<MandateAccept> = {}): Promise<MandateAccept> {
      const { version, sha256 } = await stage.merchant.client.mandates.getText();
      return {
        type: 'online',
        ip_address: '203.0.113.7',
        user_agent: userAgent,
        signatory_name: 'Jo Nguyen',
        text_version: version,
        text_sha256: sha256,
        ...more,
      };
    },
    /** A pending mandate, of a new account of a new customer unless the body names an account. */
    async pending(body: Partial<MandateCreate> = {}): Promise<Mandate> {
      const account = body.payment_method_id ?? (await here.account((await stage.merchant.customer()).id));
      return stage.merchant.client.mandates.create({ ...body, payment_method_id: account });
    },
    /** The same, accepted online. */
    active: async (body: Partial<MandateCreate> = {}): Promise<Mandate> =>
      here.pending({ ...body, acceptance: await here.online() }),
    /** Requests whose refusal is a value. */
    create: (body: object): Promise<Reply> => stage.request('POST', '/mandates', body),
    accept: (id: string, body: object): Promise<Reply> => stage.request('POST', `/mandates/${id}/accept`, body),
    cancel: (id: string, body: object = {}): Promise<Reply> => stage.request('POST', `/mandates/${id}/cancel`, body),
    payerCancels: (id: string): Promise<Reply> => stage.request('POST', `/test_helpers/mandates/${id}/payer_cancels`),
    get: (id: string): Promise<Mandate> => stage.merchant.client.mandates.get(id),
    /** The events about mandates, oldest first, as `mandate.created pending`. */
    async told(): Promise<string[]> {
      const events = (await stage.merchant.events()).filter(({ event_type: type }) => type.startsWith('mandate.'));
      return events.map(({ event_type: type, data }) => `${type} ${data.status}`);
    },
    /** A payment of 1,000 cents by this method, for its customer: the response to its confirm. */
    async charge(payment_method: string, terms: object = {}): Promise<Reply> {
      const owner = owners.get(payment_method);
      const payer = owner === undefined ? {} : { customer_id: owner };
      const { id } = await stage.merchant.intent({ amount: 1000, currency: 'AUD', ...payer, ...terms });
      return stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    },
  };
  return here;
}
