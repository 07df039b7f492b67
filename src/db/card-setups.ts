import type { Id } from '../domain/ids.ts';
import type { Funding, Network } from '../domain/surcharges/means.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { jsonb } from '../platform/postgres/types.ts';
import type { RealInstant } from '../platform/real-time.ts';
import type { CheckoutSessionRow } from './checkout-sessions.ts';

/** A card that a payer has entered in the processor's fields, as `payment_method_data` of a card has it. */
export interface EnteredCard {
  expiry_month: number;
  expiry_year: number;
  token_metadata: { type: 'processor'; token: string; data: string };
  card_number_token: string;
  card_number_end?: string;
  card_brand?: string;
  card_networks?: Network[];
  card_funding?: Funding;
  card_country?: string;
  fingerprint?: string;
}

/** Where a payer enters a card: on the page of a checkout session, or in a widget with this publishable key. */
export interface SetupPlace {
  biller_id: Id<'biller'>;
  livemode: boolean;
  checkout_session_id: Id<'checkout_session'> | null;
  api_key_id: string | null;
}

/** A setup of the live processor, in which a payer enters a card. */
export interface CardSetupRow {
  /** The processor's own id. */
  reference: string;
  /** The card that was entered, as the processor has told it. Null: it has told none yet. */
  card: EnteredCard | null;
  /** The method that was saved from it. */
  payment_method_id: Id<'payment_method'> | null;
  /** That method was detached, as after a payment that failed: the setup leads to no other. */
  is_spent: boolean;
}

/** Where a payer enters a card for a checkout session. */
export function setupPlaceOf({
  id,
  biller_id,
  livemode,
}: Pick<CheckoutSessionRow, 'id' | 'biller_id' | 'livemode'>): SetupPlace {
  return { biller_id, livemode, checkout_session_id: id, api_key_id: null };
}

const columns = (db: Db) => db`
  reference, card, payment_method_id,
  exists (select from payment_methods where id = payment_method_id and detached_at is not null) as is_spent`;

const isBegunIn = (db: Db, place: SetupPlace, handle: Buffer) => db`
  handle_hash = ${handle} and biller_id = ${place.biller_id} and livemode = ${place.livemode}
    and (checkout_session_id, api_key_id) is not distinct from (${place.checkout_session_id}, ${place.api_key_id})`;

/** Stores a new setup. Returns false if the processor has given this reference before: it leads to one payer. */
export async function insertCardSetup(db: Db, place: SetupPlace, handle: Buffer, reference: string): Promise<boolean> {
  const row = { handle_hash: handle, ...place, reference };
  const stored = await db`insert into card_setups ${db(row)} on conflict do nothing returning true`;
  return stored.length === 1;
}

/** The setup that a browser has begun there and names by this handle, or null. */
export async function selectCardSetup(db: Db, place: SetupPlace, handle: Buffer): Promise<CardSetupRow | null> {
  const [row] = await db<CardSetupRow[]>`
    select ${columns(db)} from card_setups where ${isBegunIn(db, place, handle)}`;
  return row ?? null;
}

/** The same, locked for update. */
export async function lockCardSetup(tx: Tx, place: SetupPlace, handle: Buffer): Promise<CardSetupRow | null> {
  const [row] = await tx<CardSetupRow[]>`
    select ${columns(tx)} from card_setups where ${isBegunIn(tx, place, handle)} for no key update`;
  return row ?? null;
}

/** Stores the card of a setup. The first one stays. */
export async function noteEnteredCard(db: Db, handle: Buffer, card: EnteredCard): Promise<void> {
  await db`update card_setups set card = ${jsonb(db, card)} where handle_hash = ${handle} and card is null`;
}

/** Stores which method was saved from a locked setup. */
export async function noteMethodOfSetup(tx: Tx, handle: Buffer, methodId: Id<'payment_method'>): Promise<void> {
  await tx`update card_setups set payment_method_id = ${methodId} where handle_hash = ${handle}`;
}

/** Stores whether the live processor has fields for cards of a biller. */
export async function noteCardFields(db: Db, billerId: string, areThere: boolean): Promise<void> {
  if (areThere) await db`delete from missing_card_fields where biller_id = ${billerId}`;
  else await db`insert into missing_card_fields (biller_id) values (${billerId}) on conflict do nothing`;
}

/** Stores whether the page of a session takes cards, and with it its link. */
export async function noteTakesCards(db: Db, sessionId: Id<'checkout_session'>, takesCards: boolean): Promise<void> {
  await db`
    update payment_links l set takes_cards = ${takesCards} from checkout_sessions s
    where s.id = ${sessionId} and l.id = s.payment_link_id and l.takes_cards = ${!takesCards}`;
  await db`
    update checkout_sessions set takes_cards = ${takesCards}
    where id = ${sessionId} and takes_cards = ${!takesCards}`;
}

/** Whether the live processor has said last that it has no fields for cards of this biller. */
export async function selectLacksCardFields(db: Db, billerId: string): Promise<boolean> {
  const rows = await db`select true from missing_card_fields where biller_id = ${billerId}`;
  return rows.length === 1;
}

/** Removes old setups: no session is open for longer than 31 days. */
export async function sweepCardSetups(db: Db, now: RealInstant): Promise<void> {
  await db`delete from card_setups where created_at < ${new Date(now.getTime() - 32 * 86_400_000)}`;
}
