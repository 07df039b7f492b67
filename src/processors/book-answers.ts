// What a processor service says of its own books.

import { isPlainDate, type PlainDate } from '../domain/calendar.ts';
import { currencies } from '../domain/currencies.ts';
import { customerInstant } from '../domain/instants.ts';
import {
  type ProcessorBooks,
  type ProcessorEntry,
  type ProcessorPayout,
  processorEntryKinds,
} from '../domain/ledger/processor-entries.ts';
import type { MinorUnits } from '../domain/units.ts';
import { type Body, isReference } from './http-reading.ts';

/**
 * Returns what a member of a list says of the processor's books; null if it is not of these kinds or cannot be read.
 * What moves no money, or is of a currency that the service does not have, is left out.
 */
export function bookedOf(value: Body): ProcessorBooks | null {
  const { currency } = value;
  const isForeign = /^[A-Z]{3}$/.test(String(currency)) && !currencies.some((each) => each === currency);
  if (isForeign) return { entries: [], payouts: [] };
  if (value.kind === 'payout') {
    const payout = payoutOf(value);
    return payout && { entries: [], payouts: [payout] };
  }
  const entry = entryOf(value);
  if (entry === null) return null;
  const moves = entry.kind === 'settlement' || entry.amount !== 0 || entry.fee !== 0;
  return { entries: moves ? [entry] : [], payouts: [] };
}

function entryOf(value: Body): ProcessorEntry | null {
  const kind = processorEntryKinds.find((each) => each === value.kind);
  const whose = whoseOf(value);
  const { amount, fee = 0, net, available_on: availableOn = null, payout = null } = value;
  const [key, reference, description] = [value.idempotency_key, value.reference, value.description];
  const isRead =
    isAmount(amount) &&
    isAmount(fee) &&
    net === amount - fee &&
    (availableOn === null || isDate(availableOn)) &&
    [key, reference, payout].every((each) => each == null || isName(each)) &&
    (description == null || typeof description === 'string');
  if (kind === undefined || whose === null || !isRead) return null;
  return {
    ...{ kind, ...whose, amount, fee, availableOn },
    idempotencyKey: textOf(key),
    reference: textOf(reference),
    description: wordsOf(description),
    payout: textOf(payout),
  };
}

const mostDescription = 200;

function payoutOf(value: Body): ProcessorPayout | null {
  const whose = whoseOf(value);
  const { amount, arrives_on: arrivesOn, failure_code: failureCode } = value;
  const status = (['in_transit', 'paid', 'failed'] as const).find((each) => each === value.status);
  if (whose === null || status === undefined || !isAmount(amount) || amount < 1 || !isDate(arrivesOn)) return null;
  const code = status === 'failed' ? (wordsOf(failureCode) ?? 'unknown') : null;
  return { ...whose, amount, status, arrivesOn, failureCode: code };
}

/** The id, and for whom, in what and when it is. */
function whoseOf({ id, account, currency, at }: Body) {
  const known = currencies.find((each) => each === currency);
  const instant = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (!isName(id) || typeof account !== 'string' || known === undefined || Number.isNaN(instant)) return null;
  return { id, billerId: account, currency: known, at: customerInstant(instant) };
}

/** PostgreSQL keeps no NUL. */
const isName = (value: unknown): value is string => isReference(value) && !value.includes('\0');
const wordsOf = (value: unknown): string | null => {
  const words = textOf(value)?.replaceAll('\0', '').slice(0, mostDescription);
  return words === undefined || words === '' ? null : words;
};
const isAmount = (value: unknown): value is MinorUnits => Number.isSafeInteger(value);
const isDate = (value: unknown): value is PlainDate => typeof value === 'string' && isPlainDate(value);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
