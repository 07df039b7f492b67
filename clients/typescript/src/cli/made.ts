import type { PaymentsClient } from '../client.ts';
import { ApiError } from '../errors.ts';
import type * as models from '../generated/models.ts';

const day = 86_400_000;
const succeedingCard = 'tok_sandbox_visa_succeed';

/** Makes objects in the sandbox, and deletes them again. */
export class Made {
  readonly payments: PaymentsClient;
  readonly #removals: (() => Promise<unknown>)[] = [];

  constructor(payments: PaymentsClient) {
    this.payments = payments;
  }

  async customer(clock?: models.TestClock): Promise<models.Customer> {
    const customer = await this.payments.customers.create({ name: 'Trigger', test_clock: clock?.id });
    this.#removals.push(() => this.payments.customers.delete(customer.id));
    return customer;
  }

  /** A card of a new customer. Returns the ids of both. */
  async card(clock?: models.TestClock): Promise<{ customer: string; method: string }> {
    const { id } = await this.customer(clock);
    const token_metadata = { type: 'fixture', token: succeedingCard, data: '' };
    const { payment_method } = await this.payments.paymentMethods.create({
      type: 'card',
      customer_reference: id,
      payment_method_data: { expiry_month: 12, expiry_year: new Date().getUTCFullYear() + 5, token_metadata },
    });
    return { customer: id, method: payment_method.id };
  }

  /** A payment by card that was confirmed. `outcome` is that of `_sandbox_outcome`, `payout` of `_sandbox_payout`. */
  async payment(outcome: string, clock?: models.TestClock, payout = 'paid'): Promise<models.PaymentIntent> {
    const { customer: customer_id, method } = await this.card(clock);
    const metadata = { _sandbox_outcome: outcome, _sandbox_payout: payout };
    const body = { amount: 2500, currency: 'AUD', customer_id, metadata } as const;
    const { id } = await this.payments.paymentIntents.create(body);
    return this.payments.paymentIntents.confirm(id, { payment_method: method });
  }

  /** A pending plan that collects nothing before the day after tomorrow; by card, or by debit under this mandate. */
  async plan(mandate?: models.Mandate): Promise<models.PaymentPlan> {
    const customer_id = mandate?.customer_id ?? (await this.card()).customer;
    const payment_instrument_id = mandate?.payment_method_id;
    return this.payments.paymentPlans.create({
      ...{ customer_id, name: 'Trigger', frequency_type: 'monthly', recurring_amount_cents: 2500, currency: 'AUD' },
      start_date: new Date(Date.now() + 2 * day).toISOString().slice(0, 10),
      until_further_notice: true,
      payment_instrument_id,
    });
  }

  /**
   * A weekly subscription that was started, with its first period paid. `terms` adds to its fields; with a clock it
   * renews when the clock is moved.
   */
  async subscription(
    clock?: models.TestClock,
    terms: Partial<models.SubscriptionCreate> = {},
  ): Promise<models.Subscription> {
    const { customer: customer_id } = await this.card(clock);
    const { id } = await this.payments.subscriptions.create({
      ...{ customer_id, name: 'Trigger', currency: 'AUD', frequency_type: 'weekly' },
      items: [{ name: 'Trigger', unit_amount_cents: 2500, quantity: 1 }],
      ...terms,
    });
    return this.payments.subscriptions.start(id);
  }

  /** A link for one payment of a new customer. `terms` adds to its fields. */
  async link(clock?: models.TestClock, terms: Partial<models.PaymentLinkCreate> = {}): Promise<models.PaymentLink> {
    const { id: customer_id } = await this.customer(clock);
    return this.payments.paymentLinks.create({ name: 'Trigger', amount: 2500, currency: 'AUD', customer_id, ...terms });
  }

  /** A mandate of a new bank account of a new customer; with `isAccepted` it is active. */
  async mandate(isAccepted: boolean, clock?: models.TestClock): Promise<models.Mandate> {
    const { id } = await this.customer(clock);
    const { payment_method } = await this.payments.paymentMethods.create({
      type: 'au_becs_debit',
      customer_reference: id,
      payment_method_data: { bsb_number: '000-000', account_name: 'Trigger', account_number: '12345678' },
    });
    const accepted_at = new Date(Date.now() - day).toISOString();
    const acceptance = { type: 'imported', accepted_at, signatory_name: 'Trigger' } as const;
    return this.payments.mandates.create({
      payment_method_id: payment_method.id,
      ...(isAccepted ? { acceptance } : {}),
    });
  }

  /** A bank debit under a new mandate, which the bank has not answered yet. */
  async debit(): Promise<models.PaymentIntent> {
    const { customer_id, payment_method_id } = await this.mandate(true);
    const { id } = await this.payments.paymentIntents.create({ amount: 2500, currency: 'AUD', customer_id });
    return this.payments.paymentIntents.confirm(id, { payment_method: payment_method_id });
  }

  async clock(): Promise<models.TestClock> {
    const clock = await this.payments.testClocks.create({ frozen_time: new Date().toISOString(), name: 'Trigger' });
    this.#removals.push(() => this.payments.testClocks.delete(clock.id));
    return clock;
  }

  /** Moves a clock by so many days. */
  async advance({ id, frozen_time }: models.TestClock, days: number): Promise<models.TestClock> {
    const target = new Date(Date.parse(frozen_time) + days * day).toISOString();
    return this.payments.testClocks.advanceAndWait(id, { frozen_time: target });
  }

  async endpoint(url: string): Promise<models.WebhookEndpoint> {
    const endpoint = await this.payments.webhookEndpoints.create({ url, event_types: ['webhook_endpoint.ping'] });
    this.#removals.push(() => this.payments.webhookEndpoints.delete(endpoint.id));
    return endpoint;
  }

  /** Deletes what was made, the latest first. What is deleted already is passed over. */
  async remove(): Promise<void> {
    for (const removal of this.#removals.reverse()) {
      await removal().catch((error) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
    }
  }
}
