import type { Event, PaymentsClient } from '@payments-service/client';
import type { LedgerEntry } from '../src/processors/ledger.ts';
import type { ClockHistory } from './load/clocks.ts';
import type { Exchange } from './load/journal.ts';
import type { Claim } from './load/world.ts';
import type { Arrival } from './receiver.ts';

/** A promise of the service (docs/reliability.md), or what the run itself has to be. */
export type Promised = 'P1' | 'P2' | 'P3' | 'P4' | 'P5' | 'P6' | 'P7' | 'P8' | 'P9' | 'stuck' | 'coverage' | 'load';

/** A promise that was not kept, and how it shows. */
export interface Finding {
  promise: Promised;
  what: string;
}

/** A row of our own tables, for the comparison with the ledger. */
export interface TakenRow {
  id: string;
  payment_intent_id: string;
  outcome: string;
  amount: number;
}

export interface AccountEvidence {
  name: string;
  /** All events by the API, in the order of their sequence. */
  events: Event[];
  /** Names of its endpoints, which subscribe to everything and were there before all events. */
  endpoints: string[];
  /** The tries that were answered 429, as far as the sender came to write that down; real time, epoch ms. */
  waits: { endpoint: string; eventId: string; at: number }[];
}

/** A request with a key that was sent again when all was over, and what it was answered. */
export interface Repetition {
  exchange: Exchange;
  status: number;
  text: string;
}

/** A line of the ledger, and when it was found there: epoch ms by the fault run's clock, whatever the writer's said. */
export type SeenEntry = LedgerEntry & { seenAt?: number };

/** All that the judges see. What our own tables say is only ever held against what others have seen. */
export interface Evidence {
  ledger: SeenEntry[];
  claims: Claim[];
  exchanges: Exchange[];
  repetitions: Repetition[];
  /** Ids that a client was told of and that cannot be read, with what was answered. */
  unreadable: { id: string; answer: string }[];
  accounts: AccountEvidence[];
  arrivals: Arrival[];
  /** What came to the receiver and was no rightly signed webhook. */
  refusedWebhooks: string[];
  attempts: TakenRow[];
  refunds: TakenRow[];
  /** Rows that break an invariant of the database. */
  violations: { invariant: string; id: string; detail: string }[];
  /** What is still under way, or differs between PostgreSQL and Temporal, when all should be quiet. */
  stuck: string[];
  histories: ClockHistory[];
  /** Everything of the account that nobody touches, before and after. */
  bystander: { before: string; after: string };
  /** From when on billers asked for deliveries again, whatever their receivers had said; epoch ms. */
  replayedFrom: number;
}

/** All pages of the events, oldest first. */
export async function allEvents(client: PaymentsClient): Promise<Event[]> {
  const events = await client.events.list({ limit: 100 }).toArray();
  return events.sort((a, b) => a.sequence - b.sequence);
}
