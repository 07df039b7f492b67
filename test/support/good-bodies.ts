import type { Route } from '../../src/api/http/route.ts';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { exampleId } from '../../src/domain/ids.ts';
import { examplesOfRequest } from '../../src/resources/examples.ts';
import { exampleText } from '../../src/resources/mandate.ts';
import { useDebtor } from './debtor.ts';
import { frozen, type usePayer } from './payer.ts';

type Here = ReturnType<typeof usePayer>;

/** A request that the service accepts: an example of the documentation, with the ids of objects that exist. */
export interface GoodRequest {
  readonly route: Route;
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * For each route with a body the examples of its documentation, addressed to objects of the payer that are in the state
 * that they need. An advance comes last, since nothing of the clock's customers can be written after it.
 */
export async function goodRequests(here: Here, routes: readonly Route[]): Promise<GoodRequest[]> {
  const objects = await objectsOf(here);
  const requests: GoodRequest[] = [];
  for (const route of routes) {
    for (const [name, { value }] of Object.entries((route.body && examplesOfRequest(route.body)) ?? {})) {
      const { operation } = route;
      const ids: Record<string, string> = {
        ...objects.ids,
        payment_intent_id: await intentFor(here, operation, name),
        ...(/Mandate(Notice)?$/.test(operation) ? { mandate_id: await mandateFor(here, operation) } : {}),
        ...(await linkFor(here, operation)),
        ...(/Subscription(Credit)?$/.test(operation)
          ? { subscription_id: await subscriptionFor(here, operation) }
          : {}),
      };
      const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => ids[parameter] ?? 'none');
      // Each account has one mandate.
      const real =
        operation === 'createMandate'
          ? { ...objects.real, [exampleId('payment_method')]: await accountOf(here) }
          : {
              ...objects.real,
              [exampleId('payment_plan')]: objects.ids.plan_id,
              // An intent has one open session.
              [exampleId('payment_intent')]: ids.payment_intent_id ?? 'none',
            };
      requests.push({ route, name, path, body: withReal(real, value) });
    }
  }
  const isAdvance = ({ route, body }: GoodRequest) => route.operation === 'advanceTestClock' && !asNode(body)?.dry_run;
  return [...requests.filter((request) => !isAdvance(request)), ...requests.filter(isAdvance)];
}

/** A new bank account of the payer. */
const accountOf = ({ stage, customer }: Here): Promise<string> => useDebtor(stage).account(customer);

/** A link in the state that this operation is for. */
async function linkFor({ stage }: Here, operation: string): Promise<Record<string, string>> {
  if (!/PaymentLink$/.test(operation)) return {};
  const { id } = await stage.merchant.client.paymentLinks.create({ name: 'Invoice', amount: 2500, currency: 'AUD' });
  if (operation === 'renewPaymentLink') await stage.merchant.client.paymentLinks.deactivate(id);
  return { payment_link_id: id };
}

/** A mandate that was not accepted. */
async function mandateFor(here: Here, operation: string): Promise<string> {
  if (operation === 'createMandate') return 'none';
  return (await here.stage.merchant.client.mandates.create({ payment_method_id: await accountOf(here) })).id;
}

/** A subscription of the payer, started unless it is to be changed. */
async function subscriptionFor(here: Here, operation: string): Promise<string> {
  if (operation === 'createSubscription') return 'none';
  if (operation === 'resumeSubscription') return pausedSubscription(here);
  const { stage, customer } = here;
  const { body } = await stage.request('POST', '/subscriptions', {
    ...{ customer_id: customer, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
    items: [{ name: 'Membership', unit_amount_cents: 4900 }],
  });
  if (operation !== 'updateSubscription') await stage.request('POST', `/subscriptions/${body.id}/start`);
  if (operation === 'refundSubscriptionCredit') {
    const items = [{ name: 'Membership', unit_amount_cents: 900 }];
    await stage.request('POST', `/subscriptions/${body.id}/change`, { items, when: 'now' });
  }
  return body.id;
}

/** A paused subscription of another payer, on a second clock: an account has three at most. */
async function pausedSubscription(here: Here): Promise<string> {
  const { stage } = here;
  const { data: clocks } = await stage.merchant.client.testClocks.list();
  const clock = clocks.find(({ id }) => id !== here.clock) ?? (await stage.merchant.clock(frozen));
  const { id: customer_id } = await stage.merchant.customer({ test_clock: clock.id });
  await stage.merchant.card(customer_id);
  const { body } = await stage.request('POST', '/subscriptions', {
    ...{ customer_id, name: 'Membership', currency: 'AUD', frequency_type: 'monthly' },
    items: [{ name: 'Membership', unit_amount_cents: 4900 }],
  });
  await stage.request('POST', `/subscriptions/${body.id}/start`);
  await stage.request('POST', `/subscriptions/${body.id}/pause`);
  await stage.advance(clock.id, new Date(Date.parse(clock.frozen_time) + 32 * 86_400_000).toISOString());
  return body.id;
}

/** What the paths name, by their parameters, and what stands for the made-up values of the examples. */
async function objectsOf({ stage, customer, clock, card, plan }: Here) {
  await stage.request('PUT', `/customers/${customer}`, { reference: 'member-1042' });
  const token_metadata = { type: 'vault', token: 'x', data: '' };
  const payment_method_data = { expiry_month: 1, expiry_year: 2040, token_metadata };
  const unattached = await stage.request('POST', '/payment_methods', { type: 'card', payment_method_data });
  const url = 'http://127.0.0.1:9/hooks';
  return {
    ids: {
      customer_id: customer,
      payment_method_id: unattached.body.payment_method.id,
      plan_id: (await plan()).id,
      id: clock,
      webhook_endpoint_id: (await stage.merchant.endpoint(url)).id,
    },
    real: {
      [exampleId('biller')]: stage.keys.biller.id,
      [exampleId('customer')]: customer,
      [exampleId('payment_method')]: card,
      [exampleId('test_clock')]: clock,
      [exampleText.sha256]: (await stage.merchant.client.mandates.getText()).sha256,
      // The host of the examples cannot be looked up.
      'https://hooks.example.com/payments': url,
    },
  };
}

/** A payment intent in the state that this example of the operation is for. */
async function intentFor(here: Here, operation: string, name: string): Promise<string> {
  if (operation === 'reportBankResult') return debitFor(here, name === 'disputed');
  const { stage, customer, card } = here;
  const terms = { amount: 2500, currency: 'AUD', customer_id: customer, payment_method: card } as const;
  const isChallenged = operation === 'completePaymentIntentAction';
  const metadata: Record<string, string> = isChallenged ? { _sandbox_outcome: 'requires_action' } : {};
  const { id } = await stage.merchant.intent({ ...terms, metadata });
  const isPaid = operation === 'createRefund' || operation === 'disputePaymentIntent';
  if (isChallenged || isPaid) await stage.request('POST', `/payment_intents/${id}/confirm`);
  return id;
}

/** A payment intent whose bank debit is under way or, for a claim, has settled. */
async function debitFor({ stage, customer }: Here, isSettled: boolean): Promise<string> {
  const { payment_method_id: payment_method } = await useDebtor(stage).active({
    payment_method_id: await useDebtor(stage).account(customer),
  });
  const { id } = await stage.merchant.intent({ customer_id: customer });
  await stage.merchant.client.paymentIntents.confirm(id, { payment_method });
  if (isSettled) await stage.request('POST', `/test_helpers/payment_intents/${id}/bank_result`, { result: 'settled' });
  return id;
}

/** The value with everything in it that has a real counterpart replaced by it. */
function withReal(real: Record<string, string>, value: unknown): unknown {
  if (typeof value === 'string') return real[value] ?? value;
  if (Array.isArray(value)) return value.map((item) => withReal(real, item));
  const members = Object.entries(asNode(value) ?? {});
  return asNode(value) ? Object.fromEntries(members.map(([name, member]) => [name, withReal(real, member)])) : value;
}
