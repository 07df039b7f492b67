import type { PaymentsClient, SubscriptionCreate, WebhookEvent } from '@payments-service/client';

const currency = 'AUD';
/** Per month, in cents. */
export const prices = { standard: 4900, gold: 7900, morning: 2900 };

/** What the gym knows of a member: the service tells it by webhooks. */
interface Member {
  customer: string;
  subscription: string | null;
  mayEnter: boolean;
  /** What was taken in each month, less what went back, in cents. */
  paid: Map<string, number>;
}

/** The billing of a gym: it sells memberships and courses, and opens its door to those who have paid. */
export class Gym {
  readonly #payments: PaymentsClient;
  readonly #members = new Map<string, Member>();
  readonly #handled = new Set<string>();

  constructor(payments: PaymentsClient) {
    this.#payments = payments;
  }

  /** Registers a member who pays by a card. `test_clock` is for tests. */
  async register(name: string, token: string, test_clock?: string): Promise<void> {
    const { id: customer } = await this.#payments.customers.create({ name, test_clock });
    this.#members.set(name, { customer, subscription: null, mayEnter: false, paid: new Map() });
    await this.addCard(name, token);
  }

  /** Adds a card, which pays from now on. */
  async addCard(name: string, token: string): Promise<void> {
    const { customer, subscription } = this.#member(name);
    const { payment_method: card } = await this.#payments.paymentMethods.create({
      type: 'card',
      customer_reference: customer,
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2040,
        token_metadata: { type: 'fixture', token, data: '' },
      },
    });
    if (subscription !== null) {
      await this.#payments.subscriptions.update(subscription, { payment_instrument_id: card.id });
    }
  }

  /** Sells a membership, with a joining fee. */
  async join(name: string, more: Partial<SubscriptionCreate> = {}): Promise<void> {
    const member = this.#member(name);
    const { id } = await this.#payments.subscriptions.create({
      customer_id: member.customer,
      name: 'Membership',
      currency,
      frequency_type: 'monthly',
      items: [{ name: 'Standard', unit_amount_cents: prices.standard }],
      one_off_items: [{ name: 'Joining fee', unit_amount_cents: 2500 }],
      ...more,
    });
    member.subscription = id;
    const { state, last_payment_error: error } = await this.#payments.subscriptions.start(id);
    if (state !== 'active') throw new Error(`${name} has not joined: ${error?.message ?? state}`);
  }

  /** Sells towels, which the next month takes. */
  async sellTowels(name: string, quantity: number): Promise<void> {
    const one_off_items = [{ name: 'Towel', unit_amount_cents: 300, quantity }];
    await this.#payments.subscriptions.update(this.#subscription(name), { one_off_items });
  }

  /** Upgrades a member today. Returns what was shown to the member and then charged, in cents. */
  async upgrade(name: string): Promise<number> {
    const id = this.#subscription(name);
    const items = [{ name: 'Gold', unit_amount_cents: prices.gold }];
    const change = { items, when: 'now', collect: 'now' } as const;
    const quote = await this.#payments.subscriptions.change(id, { ...change, dry_run: true });
    const sure = { expected_amount_cents: quote.amount_cents };
    const { subscription } = await this.#payments.subscriptions.change(id, { ...change, ...sure });
    if (subscription.last_payment_error !== null) throw new Error(subscription.last_payment_error.message);
    return quote.amount_cents;
  }

  /** A member is away. Both dates are ends of months of the membership. */
  async freeze(name: string, from: string, until: string): Promise<void> {
    await this.#payments.subscriptions.pause(this.#subscription(name), { from, resumes_at: until });
  }

  /** A member may train in the mornings only, from today on. What is left of the month goes back: in cents. */
  async downgrade(name: string): Promise<number> {
    const id = this.#subscription(name);
    const items = [{ name: 'Morning', unit_amount_cents: prices.morning }];
    await this.#payments.subscriptions.change(id, { items, when: 'now' });
    const { amount, created_at } = await this.#payments.subscriptions.refundCredit(id);
    this.#adds(this.#member(name), created_at, -amount);
    return amount;
  }

  /** What a member owes for days in the gym that were not paid, in cents. */
  async owes(name: string): Promise<number> {
    const { owed_amount_cents: owed } = await this.#payments.subscriptions.get(this.#subscription(name));
    return owed;
  }

  /** A member comes back after payments have failed, and pays what is owed. */
  async comeBack(name: string): Promise<void> {
    await this.#payments.subscriptions.resume(this.#subscription(name));
  }

  async leave(name: string, at: string): Promise<void> {
    await this.#payments.subscriptions.cancel(this.#subscription(name), { at });
  }

  /** Sells a course in three parts. */
  async sellCourse(name: string, start_date: string): Promise<void> {
    const { id } = await this.#payments.paymentPlans.create({
      customer_id: this.#member(name).customer,
      name: 'Swimming course',
      frequency_type: 'monthly',
      start_date,
      recurring_amount_cents: 12_000,
      total_amount_cents: 36_000,
      currency,
    });
    await this.#payments.paymentPlans.activate(id);
  }

  /** Handles a verified webhook. One that comes twice changes nothing. */
  handle({ id, event_type: type, created_at, data }: WebhookEvent): void {
    if (this.#handled.has(id)) return;
    this.#handled.add(id);
    if (type !== 'payment_intent.succeeded' && type !== 'subscription.in_effect_changed') return;
    const member = [...this.#members.values()].find(({ customer }) => customer === data.customer_id);
    if (member === undefined) return;
    if (type === 'subscription.in_effect_changed') member.mayEnter = data.in_effect;
    else this.#adds(member, created_at, data.amount);
  }

  #adds({ paid }: Member, instant: string, amount: number): void {
    const month = instant.slice(0, 7);
    paid.set(month, (paid.get(month) ?? 0) + amount);
  }

  mayEnter(name: string): boolean {
    return this.#member(name).mayEnter;
  }

  /** What a member has paid in a month such as `2028-01`, less what went back, in cents. */
  paid(name: string, month: string): number {
    return this.#member(name).paid.get(month) ?? 0;
  }

  #subscription(name: string): string {
    const { subscription } = this.#member(name);
    if (subscription === null) throw new Error(`${name} has no membership`);
    return subscription;
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`${name} is no member`);
    return member;
  }
}
