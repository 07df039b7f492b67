import type { Event, PaymentLink, SubscriptionPeriod } from '@payments-service/client';
import type { Arrival } from '../lab/receiver.ts';
import type { LedgerEntry } from '../src/processors/ledger.ts';
import type { ClockHistory } from './load/clocks.ts';
import type { Exchange } from './load/journal.ts';
import type { Claim } from './load/world.ts';
import type { BehaviourName } from './receiver.ts';

/** A promise of the service (docs/reliability.md), or what the run itself has to be. */
export type Promised =
  | 'P1'
  | 'P2'
  | 'P3'
  | 'P4'
  | 'P5'
  | 'P6'
  | 'P7'
  | 'P8'
  | 'P9'
  | 'P10'
  | 'stuck'
  | 'coverage'
  | 'load';

/** A broken promise, and how it shows. */
export interface Finding {
  promise: Promised;
  what: string;
}

/** A row of our own tables, to compare with the ledger. */
export interface TakenRow {
  id: string;
  payment_intent_id: string;
  outcome: string;
  amount: number;
  livemode: boolean;
}

export interface AccountEvidence {
  name: string;
  /** All events by the API, in the order of their sequence. */
  events: Event[];
  /** Names of its endpoints, which subscribe to everything and were there before all events. */
  endpoints: string[];
  /** The attempts that got 429, as far as the sender recorded them; real time, epoch ms. */
  waits: { endpoint: string; eventId: string; at: number }[];
}

/** A request with a key that was sent again after the run, and its response. */
export interface Repetition {
  exchange: Exchange;
  status: number;
  text: string;
}

/**
 * A line of a processor's ledger, whether it was that of live mode, and when the line was read: epoch ms by the fault
 * run's clock, not by the writer's.
 */
export type SeenEntry = LedgerEntry & { livemode: boolean; seenAt?: number };

/** All that the judges see. What our own tables say is only compared with what others have seen. */
export interface Evidence {
  ledger: SeenEntry[];
  claims: Claim[];
  exchanges: Exchange[];
  repetitions: Repetition[];
  /** Ids that a response showed and that cannot be read, with what a GET returned. */
  unreadable: { id: string; response: string }[];
  accounts: AccountEvidence[];
  arrivals: Arrival<BehaviourName>[];
  /** What the receiver got that is no rightly signed webhook. */
  refusedWebhooks: string[];
  attempts: TakenRow[];
  refunds: TakenRow[];
  /** Rows that break an invariant of the database. */
  violations: { invariant: string; id: string; detail: string }[];
  /** What is still under way, or differs between PostgreSQL and Temporal, after the run. */
  stuck: string[];
  histories: ClockHistory[];
  /** Payment links as the API shows them, and in how many sessions a payer was thanked. */
  links: { link: PaymentLink; thanked: number }[];
  /** Subscriptions in real time, with what a period costs and the periods that the API shows. */
  subscriptions: { id: string; amount: number; periods: SubscriptionPeriod[] }[];
  /** Checksums of everything that the load does not touch, before and after. */
  bystander: { before: string; after: string };
  /** From when on billers replayed deliveries, whatever Retry-After said; epoch ms. */
  replayedFrom: number;
}
