import type { Cadence } from '../../lab/model/calendar.ts';

/**
 * What the service would hold: every object has a name in the place of its id, and points at the others. Instants are
 * epoch ms.
 */
export interface World {
  /** Of the biller, IANA. */
  zone: string;
  /** Real time, which stands still in the model: what happens without a clock happens then. */
  realNow: number;
  clocks: Clock[];
  customers: Customer[];
  methods: Method[];
  plans: Plan[];
  /** In the order of their making. */
  intents: Intent[];
  refunds: number;
  events: Happening[];
}

export interface Clock {
  name: string;
  status: 'created' | 'advancing' | 'ready';
  frozen: number;
  isDeleted: boolean;
  /** The one under way, or the last one that ended. */
  advance: Advance | null;
  hasAdvanced: boolean;
  /** What its advances did, oldest first. */
  effects: object[];
}

interface Advance {
  name: string;
  from: number;
  target: number;
  manifest: Manifest | null;
}

export interface Manifest {
  payment_intents_enqueued: number;
  links_expired: number;
  subscriptions_rolled: number;
  plans_recalculated: number;
}

export interface Customer {
  name: string;
  clock: Clock | null;
  paysFees: boolean;
  defaultMethod: Method | null;
  createdAt: number;
  deletedAt: number | null;
}

/** A fixture card by its token, or an instrument without a fixture, whose outcomes go by the amount. */
export const instruments = [
  'tok_sandbox_visa_succeed',
  'tok_sandbox_visa_decline_insufficient_funds',
  'tok_sandbox_visa_decline_card_lost',
  'tok_sandbox_visa_decline_expired_card',
  'tok_sandbox_visa_3ds_required',
  'tok_sandbox_visa_timeout',
  'tok_sandbox_mastercard_succeed',
  'tok_sandbox_amex_succeed',
  'bank account',
  'plain card',
] as const;
export type Instrument = (typeof instruments)[number];

export interface Method {
  name: string;
  instrument: Instrument;
  customer: Customer | null;
  isDetached: boolean;
}

export type PlanState = 'pending' | 'active' | 'suspended' | 'deactivated' | 'closed';

export interface Plan {
  name: string;
  customer: Customer;
  label: string;
  state: PlanState;
  reason: string | null;
  cadence: Cadence;
  amount: number;
  firstAmount: number | null;
  total: number | null;
  isOpenEnded: boolean;
  method: Method | null;
  behaviour: 'retry' | 'stop';
  metadata: Record<string, string>;
  collected: number;
  nextSlot: number;
  activatedAt: number;
  /** The slots that have come. */
  payments: Payment[];
  createdAt: number;
  updatedAt: number;
}

export interface Payment {
  slot: number;
  dueDate: string;
  status: 'processing' | 'paid' | 'retrying' | 'failed' | 'skipped';
  /** None of a skipped slot. */
  intent: Intent | null;
  /** Failures of the present series of tries, and when the first of them was. */
  failures: number;
  firstFailedAt: number | null;
  nextAttemptAt: number | null;
  /** Until when the payer has time for a challenge that is open. */
  challengeEndsAt: number | null;
}

export interface Intent {
  name: string;
  customer: Customer | null;
  method: Method | null;
  plan: Plan | null;
  amount: number;
  fee: number;
  surcharge: number;
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';
  metadata: Record<string, string>;
  /** Shown only when it lay ahead at creation. */
  scheduledDate: string | null;
  scheduledAt: number | null;
  attempts: Attempt[];
  refunded: number;
  /** When the money was last collected. */
  collectedAt: number | null;
  error: string | null;
  createdAt: number;
  updatedAt: number;
}

export interface Attempt {
  at: number;
  by: 'hand' | 'plan' | 'schedule';
  /** A decline code, or one of the two. */
  outcome: string;
}

/** An event, with the object as it was then. */
export interface Happening {
  type: string;
  at: number;
  clock: Clock | null;
  /** What it belongs to, within which events are in order: a plan with its payments, a payment, a clock. */
  about: string;
  /**
   * How many events of its clock's own came before it: what an advance does is told between its beginning and its end.
   */
  chapter: number;
  subject: string;
  /** Of an attempt at a payment; null of all others. */
  attempt: { intent: Intent; number: number } | null;
  data: Record<string, unknown>;
}

export function newWorld(zone: string, realNow: number): World {
  const none = { clocks: [], customers: [], methods: [], plans: [], intents: [], events: [] };
  return { zone, realNow, refunds: 0, ...none };
}

/** The customer's time; real time without one. */
export function nowOf(world: World, customer: Customer | null): number {
  return customer?.clock ? customer.clock.frozen : world.realNow;
}

/** Whether an object was deleted for good, with the clock that its customer lived on. */
export function isGone({ customer }: { customer: Customer | null }): boolean {
  return customer !== null && customer.clock?.isDeleted === true;
}

/** Records an event. */
export function tell(
  world: World,
  event: Omit<Happening, 'chapter' | 'attempt'> & Partial<Pick<Happening, 'attempt'>>,
): void {
  const own = world.events.filter(({ type, clock }) => type.startsWith('test_clock.') && clock === event.clock);
  world.events.push({ attempt: null, ...event, chapter: event.clock === null ? 0 : own.length });
}

/** An answer that is no success; nothing has changed. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  readonly paths: string[];
  readonly extra: Record<string, unknown>;

  constructor(status: number, code: string, paths: string[] = [], extra: Record<string, unknown> = {}) {
    super(`${status} ${code} ${paths.join(' ')}`);
    this.status = status;
    this.code = code;
    this.paths = [...new Set(paths)].sort();
    this.extra = extra;
  }
}

/** Fields that are wrong, of a resource whose faults have this status. */
export function refuseFaults(status: number, paths: string[]): void {
  if (paths.length > 0) throw new Refused(status, 'validation_failed', paths);
}

export function refuseState(code = 'invalid_state'): never {
  throw new Refused(422, code);
}

export function refuseMissing(): never {
  throw new Refused(404, 'resource_missing');
}

/** Nothing of a clock's customers is written while it advances. */
export function holdStill(customer: Customer | null): void {
  if (customer?.clock?.status === 'advancing') refuseState('test_clock_advancing');
}
