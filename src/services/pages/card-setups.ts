// Cards that payers enter in the live processor's fields, on the pages of checkout sessions and in widgets. A setup
// belongs to one browser and not to all that have the URL of its page: they may be strangers, and must not pay with
// each other's card. The browser names it by a handle.
import {
  type CardSetupRow,
  type EnteredCard,
  insertCardSetup,
  noteCardFields,
  noteEnteredCard,
  noteTakesCards,
  type SetupPlace,
  selectCardSetup,
} from '../../db/card-setups.ts';
import { randomBase62 } from '../../domain/base62.ts';
import { isCardNumberInToken } from '../../domain/card-numbers.ts';
import { networkOfBrand } from '../../domain/surcharges/means.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import type { CardDetails, CardSetups, Setup } from '../../processors/card-setups.ts';
import { OutcomeUnknown } from '../../processors/processor.ts';
import { hashOfToken } from '../links/tokens.ts';

/** 190 bits: a handle cannot be guessed. */
const handleLength = 32;
const handlePattern = new RegExp(`^[0-9A-Za-z]{${handleLength}}$`);

/** What a browser gets to go on with. `entered`: it has entered this card already. `missing`: there are no fields. */
export type BegunSetup =
  | { kind: 'open'; handle: string; setup: Setup }
  | { kind: 'entered'; handle: string; card: EnteredCard }
  | { kind: 'missing' }
  | Unclear;

/** The processor gave no answer, or one that cannot be right. `why` is for operators. */
interface Unclear {
  kind: 'unclear';
  why: string;
}

/** Whether tokens of cards may look like card numbers. */
interface TokenRule {
  tokensMayPassLuhn: boolean;
}

/**
 * Returns the setup of a browser: the one that it names by its handle, while that takes a card, or else a
 * new one. Its reference is committed before the browser learns of it. It also stores whether the processor has fields
 * for this biller.
 */
export function beginCardSetup(
  pool: Pool,
  setups: CardSetups,
  place: SetupPlace,
  handle: string,
  rule: TokenRule,
): Promise<BegunSetup> {
  return orUnclear(() => begin(pool, setups, place, handle, rule));
}

async function begin(
  pool: Pool,
  setups: CardSetups,
  place: SetupPlace,
  handle: string,
  rule: TokenRule,
): Promise<BegunSetup> {
  const known = await findCardSetup(pool, place, handle);
  if (known !== null && !known.is_spent) {
    const read = await readCard(pool, setups, place, handle, known, rule);
    if (read.kind === 'entered') return { kind: 'entered', handle, card: read.card };
    if (read.kind === 'open') {
      // A processor may forget a key after a day. What it then gives is another setup.
      const again = await create(setups, place, handle);
      if (again?.reference === known.reference) return { kind: 'open', handle, setup: again };
    }
  }
  const next = randomBase62(handleLength);
  const setup = await create(setups, place, next);
  await noteCardFields(pool, place.biller_id, setup !== null);
  if (place.checkout_session_id !== null) await noteTakesCards(pool, place.checkout_session_id, setup !== null);
  if (setup === null) return { kind: 'missing' };
  if (!(await insertCardSetup(pool, place, hashOfToken(next), setup.reference))) {
    return { kind: 'unclear', why: 'the live processor has given one setup to two payers' };
  }
  return { kind: 'open', handle: next, setup };
}

/** The key is made of place and handle: another browser, session or widget never gets this setup. */
function create(setups: CardSetups, place: SetupPlace, handle: string) {
  const { biller_id: billerId, checkout_session_id: sessionId, api_key_id: keyId } = place;
  const idempotencyKey = `${sessionId ?? keyId}-${hashOfToken(handle).toString('hex').slice(0, 32)}`;
  return setups.create({ idempotencyKey, billerId });
}

/** Returns the setup that a browser has begun there and names, or null. Writes nothing, and asks no processor. */
export async function findCardSetup(db: Db, place: SetupPlace, handle: string): Promise<CardSetupRow | null> {
  return handlePattern.test(handle) ? selectCardSetup(db, place, hashOfToken(handle)) : null;
}

/** What has come of a setup. `refused`: the processor tells too little of the card, or its token is a card number. */
type ReadSetup = { kind: 'entered'; card: EnteredCard } | { kind: 'open' | 'canceled' | 'refused' } | Unclear;

/**
 * Asks the processor for the card of a setup, by the reference that was committed, and stores it. Once
 * it is stored, the processor is not asked again.
 */
export function readEnteredCard(
  db: Db,
  setups: CardSetups,
  place: SetupPlace,
  handle: string,
  found: CardSetupRow,
  rule: TokenRule,
): Promise<ReadSetup> {
  return orUnclear(() => readCard(db, setups, place, handle, found, rule));
}

async function readCard(
  db: Db,
  setups: CardSetups,
  place: SetupPlace,
  handle: string,
  found: CardSetupRow,
  { tokensMayPassLuhn }: TokenRule,
): Promise<ReadSetup> {
  if (found.card !== null) return { kind: 'entered', card: found.card };
  const state = await setups.inquire(place.biller_id, found.reference);
  if (state.kind !== 'succeeded') return { kind: state.kind === 'canceled' ? 'canceled' : 'open' };
  const { token } = state;
  if (!tokensMayPassLuhn && isCardNumberInToken(token)) return { kind: 'refused' };
  const card = cardOf(token, await setups.describe(place.biller_id, token));
  if (card === null) return { kind: 'refused' };
  await noteEnteredCard(db, hashOfToken(handle), card);
  return { kind: 'entered', card };
}

/** The API knows no card that expires later. */
const latestYear = 2100;

/** Returns a card as it is saved; null if the processor does not tell when it expires, since no method is without. */
function cardOf(token: string, details: CardDetails | null): EnteredCard | null {
  if (details === null) return null;
  const { brand, network, funding, lastFour, expiryMonth, expiryYear, country, fingerprint } = details;
  if (expiryMonth === null || expiryYear === null || expiryYear > latestYear) return null;
  const networks = [...new Set([network, brand].flatMap((name) => networkOfBrand(name ?? '') ?? []))];
  return {
    expiry_month: expiryMonth,
    expiry_year: expiryYear,
    token_metadata: { type: 'processor', token, data: '' },
    card_number_token: token,
    ...(lastFour === null ? {} : { card_number_end: lastFour }),
    ...(brand === null ? {} : { card_brand: nameOfBrand(brand) }),
    ...(networks.length === 0 ? {} : { card_networks: networks }),
    ...(funding === null ? {} : { card_funding: funding }),
    ...(country === null ? {} : { card_country: country }),
    ...(fingerprint === null || isCardNumberInToken(fingerprint) ? {} : { fingerprint }),
  };
}

const brandNames: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  diners_club: 'Diners Club',
  discover: 'Discover',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** A brand as people write it. One that is not known stays as the processor names it. */
function nameOfBrand(brand: string): string {
  return brandNames[brand] ?? brand.replaceAll('_', ' ');
}

async function orUnclear<T>(ask: () => Promise<T>): Promise<T | Unclear> {
  return ask().catch((error: unknown) => {
    if (!(error instanceof OutcomeUnknown)) throw error;
    return { kind: 'unclear' as const, why: error.message };
  });
}
