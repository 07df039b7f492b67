// A member of a gym whose card fails and works again, and what is read of the membership.
import type { SubscriptionCreate } from '../../src/resources/subscription-input.ts';
import { type Life, useLives } from '../pairs/lives.ts';

// biome-ignore lint/suspicious/noExplicitAny: a response is checked against its schema when it is received.
type Shown = any;

/**
 * Lives of members who owe something, each lived once. That the sums do not depend on how the clock is moved, the rules
 * of worlds say too: `test/worlds/model`.
 */
export const useOwedLives = (options: { from?: string } = {}) => useLives({ ...options, inTurn: true });

/** Fixture cards. Their outcome does not depend on the amount. */
export const tokens = {
  empty: 'tok_sandbox_visa_decline_insufficient_funds',
  expired: 'tok_sandbox_visa_decline_expired_card',
  challenge: 'tok_sandbox_visa_3ds_required',
} as const;

export type Member = Awaited<ReturnType<typeof join>>;

export const item = (unit_amount_cents: number) => [{ name: 'Membership', unit_amount_cents }];
export const fee = (unit_amount_cents: number, name = 'Fee') => [{ name, unit_amount_cents }];

/** A customer with a card that works, and a started membership: monthly, 3000 cents, from the day of the clock on. */
export async function join(life: Life, terms: Partial<SubscriptionCreate> = {}, token?: string) {
  const customer = await life.payer('payer', token);
  return memberOf(life, customer, await life.started({ name: 'gym', customer_id: customer, ...terms }));
}

/** The same of a customer who is debited. */
export async function joinByDebit(life: Life, terms: Partial<SubscriptionCreate> = {}) {
  const { customer, account, mandate } = await life.debtor();
  const gym = await life.started({ name: 'gym', customer_id: customer, effective_on: 'submitted', ...terms });
  return { ...memberOf(life, customer, gym), account, mandate };
}

function memberOf(life: Life, customer: string, gym: string) {
  const path = `/subscriptions/${gym}`;
  const member = {
    customer,
    gym,
    does: (what: string, body: object = {}): Promise<Shown> => life.does('subscriptions', gym, what, body),
    puts: (body: object): Promise<Shown> => life.puts('subscriptions', gym, body),
    /** From now on it is charged to a new card: one that works, unless a token says otherwise. */
    async usesCard(token?: string): Promise<void> {
      await member.puts({ payment_instrument_id: await life.card(customer, token) });
    },
    /** A payer saves a working card on the page of a setup link that heals the membership. */
    async heals(more: object = {}): Promise<string> {
      const body = { mode: 'setup', name: 'Your card', customer_id: customer };
      const link = await life.ask('POST', '/payment_links', { ...body, apply_to: { subscription_id: gym, ...more } });
      return life.opens(link.id);
    },
    shows: (...fields: string[]): Promise<unknown[]> => life.shows('subscriptions', gym, ...fields),
    periods: (): Promise<string[]> => life.periods(gym),
    /** The newest period as the API has it; `back` counts back from it. */
    async period(back = 0): Promise<Shown> {
      return (await life.ask('GET', `${path}/periods?limit=10`)).data[back];
    },
    /** The lines of the newest period, such as `item 3000`, in the order of their kinds. */
    async lines(): Promise<string[]> {
      return linesOf(await member.period());
    },
    /** The next row of the schedule, such as `2 2027-02-01 2027-03-01 3000`; empty if there is none. */
    async coming(): Promise<string> {
      const { data } = await life.ask('GET', `${path}/schedule?count=1`);
      return data.map((row: Shown) => [row.number, row.start, row.end, row.amount_cents].join(' ')).join();
    },
    /** The subscription in the data of its latest event of a type. */
    async told(type: string): Promise<Shown> {
      const { data } = await life.ask('GET', `/events?limit=100&event_type=subscription.${type}`);
      return data.find((event: Shown) => event.data.id === gym)?.data;
    },
    /** What was taken, given back and held, such as `charged 3000 held 3000`. */
    money: (): Promise<string> => life.money(customer),
    /** The payments, oldest first. */
    intents: (): Promise<string[]> => life.intentsOf(gym),
  };
  return member;
}

export function linesOf({ lines }: Shown): string[] {
  return lines.map(({ kind, amount_cents: amount }: Shown) => `${kind} ${amount}`).toSorted();
}
