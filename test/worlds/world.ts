// What a world is: a story of up to three customers on a test clock, told without ids. It is plain JSON, so a world
// that failed can be kept as a file. All instants are hours after `from`, and all dates are the API's.

/** What is sent to the API for a subject, as far as the world decides about it. */
export type Terms = Record<string, unknown>;

export type SubjectKind = 'plan' | 'subscription' | 'scheduled' | 'link' | 'session';

/**
 * Something on a customer that is paid or that ends. In its terms, `payment_instrument_id` and `payment_method` are
 * `card` or `account`; `apply_to` is the number of another subject of the customer, from 1.
 */
export interface Subject {
  kind: SubjectKind;
  terms: Terms;
}

export interface WorldCustomer {
  /** The fixture token of the card; null for none. */
  card: string | null;
  /** A bank account with an active mandate, which lapses that many days after `from` if it is not used. */
  account: { lapses_in_days: number | null } | null;
  /** Which of the two is saved first, and so is the default. */
  first: 'card' | 'account';
  subjects: Subject[];
}

/** What a biller or payer does between two advances. */
export interface Action {
  /** Hours after `from`; may have decimals. */
  at: number;
  /** Numbers from 1. `subject` is left out for what is done to the customer. */
  customer: number;
  subject?: number;
  do: string;
  body?: Terms;
}

export interface World {
  /** The rule that the world is about. Only kept worlds have one. */
  title?: string;
  /** The clock's time when the customers get their plans and subscriptions. */
  from: string;
  days: number;
  time_zone: string;
  /** Decides about the random strides. */
  strides: string;
  customers: WorldCustomer[];
  actions: Action[];
}

export const hour = 3_600_000;
export const day = 24 * hour;

export const startOf = (world: World): number => Date.parse(world.from);
export const endOf = (world: World): number => startOf(world) + world.days * day;
export const iso = (at: number): string => new Date(at).toISOString();
export const instantOf = (world: World, { at }: Action): number => Math.round(startOf(world) + at * hour);
