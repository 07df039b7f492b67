// The stand-in's own books: what a charge and a refund by card come to and cost, and payouts.

import type { Booked, KeptCall, Reserved } from './ledger-file.ts';

/** What a charge costs: 1.4 % and 30, in minor units. */
const fee = { share: 0.014, fixed: 30 };
const availableAfterMs = 2 * 86_400_000;

/**
 * Returns the books of the stand-in. Called with each charge or refund that has moved money, in the order of its file,
 * it returns what the list has after it: always the same for the same file. `metadata._stand_in_payout` of a payment
 * pays out all that its account has in that currency: `paid`, or `fail`.
 */
export function openBooks(): (line: KeptCall, reserved: Reserved | null) => Booked[] {
  const unpaid = new Map<string, Booked[]>();
  return (line, reserved) => {
    if (reserved === null || line.outcome !== 'succeeded') return [];
    const { account, metadata, opened_at: at } = reserved.body;
    const of = { account, currency: line.currency };
    const name = JSON.stringify(of);
    const settled = settlementOf(line, { ...of, at });
    const waiting = [...(unpaid.get(name) ?? []), settled];
    unpaid.set(name, waiting);
    const end = line.kind === 'charge' ? metadata._stand_in_payout : undefined;
    const amount = waiting.reduce((sum, { net = 0 }) => sum + net, 0);
    if (end === undefined || amount <= 0) return [settled];
    const payout = { kind: 'payout', id: `po_${line.idempotency_key}`, ...of, amount, at };
    const made = { ...payout, status: 'in_transit', arrives_on: dateAfter(at) };
    const items = waiting.map((each) => ({ ...each, payout: payout.id }));
    const back = {
      ...{ kind: 'payout_failure', id: `back_${line.idempotency_key}`, ...of, reference: payout.id },
      ...{ amount, fee: 0, net: amount, available_on: made.arrives_on, at },
    };
    unpaid.set(name, end === 'fail' ? [back] : []);
    const result =
      end === 'fail' ? [{ ...made, status: 'failed', failure_code: 'declined' }, back] : [{ ...made, status: 'paid' }];
    return [settled, made, ...items, ...result];
  };
}

function settlementOf(line: KeptCall, of: { account: string; currency: string; at: string }): Booked & { net: number } {
  const { kind, idempotency_key, reference } = line;
  const isCharge = kind === 'charge';
  const amount = isCharge ? line.amount : 0 - line.amount;
  const cost = isCharge ? Math.round(line.amount * fee.share) + fee.fixed : 0;
  return {
    ...{ kind: 'settlement', id: `bt_${idempotency_key}`, ...of, idempotency_key, reference, amount, fee: cost },
    ...{ net: amount - cost, available_on: dateAfter(of.at) },
  };
}

function dateAfter(instant: string): string {
  return new Date(Date.parse(instant) + availableAfterMs).toISOString().slice(0, 10);
}
