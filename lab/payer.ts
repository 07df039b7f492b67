// What most runs need first, made by the API alone: a customer with a card, and a plan that charges it.
import type { CustomerCreate, PaymentPlanCreate, PaymentsClient } from '@payments-service/client';

/** Fixture cards of the sandbox, each with its outcome. */
export const tokens = {
  good: 'tok_sandbox_visa_succeed',
  declining: 'tok_sandbox_visa_decline_insufficient_funds',
} as const;

export type Mode = 'sandbox' | 'live';

/**
 * Saves a card with the customer; the first one becomes the default. Returns its id. In live mode, where no fixture
 * exists, the token is that of the card number: the stand-in for a live processor knows the same cards by it.
 */
export async function saveCard(
  { paymentMethods }: PaymentsClient,
  customerId: string,
  token: string = tokens.good,
  mode: Mode = 'sandbox',
): Promise<string> {
  const tokenised =
    mode === 'sandbox'
      ? { token_metadata: { type: 'fixture', token, data: '' } }
      : { token_metadata: { type: 'vault', token, data: '' }, card_number_token: token };
  const { payment_method: method } = await paymentMethods.create({
    type: 'card',
    customer_reference: customerId,
    payment_method_data: { expiry_month: 12, expiry_year: 2099, ...tokenised },
  });
  return method.id;
}

/** A customer with a card that is never declined. */
export interface Payer {
  customerId: string;
  methodId: string;
}

export async function makePayer(
  client: PaymentsClient,
  input: Partial<CustomerCreate> = {},
  mode: Mode = 'sandbox',
): Promise<Payer> {
  const { id: customerId } = await client.customers.create({ name: 'Ada Example', ...input });
  return { customerId, methodId: await saveCard(client, customerId, tokens.good, mode) };
}

/** A customer with a bank account under an active mandate. The account is the default method. */
export interface Debtor extends Payer {
  mandateId: string;
}

/** A payer who is debited: the sandbox’s bank collects everything, unless metadata say otherwise. */
export async function makeDebtor(client: PaymentsClient, input: Partial<CustomerCreate> = {}): Promise<Debtor> {
  const name = 'Jo Example';
  const { id: customerId } = await client.customers.create({ name, ...input });
  const { payment_method: method } = await client.paymentMethods.create({
    type: 'au_becs_debit',
    customer_reference: customerId,
    payment_method_data: { bsb_number: '000-000', account_name: name, account_number: '98765432' },
  });
  const { version, sha256 } = await client.mandates.getText();
  const { id: mandateId } = await client.mandates.create({
    payment_method_id: method.id,
    acceptance: {
      type: 'online',
      ip_address: '203.0.113.7',
      user_agent: 'a browser',
      signatory_name: name,
      text_version: version,
      text_sha256: sha256,
    },
  });
  return { customerId, methodId: method.id, mandateId };
}

export type PlanTerms = Partial<PaymentPlanCreate> & Pick<PaymentPlanCreate, 'customer_id' | 'start_date'>;

/** A pending plan: weekly, 1000 AUD cents, until further notice, unless its terms say otherwise. */
export function makePlan({ paymentPlans }: PaymentsClient, terms: PlanTerms) {
  return paymentPlans.create({
    name: 'Membership',
    frequency_type: 'weekly',
    recurring_amount_cents: 1000,
    currency: 'AUD',
    ...(terms.total_amount_cents === undefined ? { until_further_notice: true } : {}),
    ...terms,
  });
}

/** The same, activated. Returns its id. */
export async function makeActivePlan(client: PaymentsClient, terms: PlanTerms): Promise<string> {
  const { id } = await makePlan(client, terms);
  await client.paymentPlans.activate(id);
  return id;
}
