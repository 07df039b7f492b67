// Refunds of BECS debits, which localstripe does not have: a part of the double in `becs.ts`. Stripe has such a refund
// as pending until the bank has paid it.

import { randomBytes } from 'node:crypto';
import { type Answer, json } from './exchange.ts';

type Json = Record<string, unknown>;

export interface DebitRefunds {
  /** Gives a part of a debit back that was collected. */
  make(
    intent: { id: string; status: string; amount: number; currency: string; charge: unknown },
    form: URLSearchParams,
  ): Answer;
  /** The bank has paid all refunds of a debit that are pending, or has sent them back. */
  end(intent: string, status: 'succeeded' | 'failed'): void;
  /** Of one debit, or of all. */
  listed(intent: string | null): Json[];
}

/** Opens the refunds of debits. */
export function openDebitRefunds(): DebitRefunds {
  const refunds: (Json & { amount: number; status: string; payment_intent: string })[] = [];
  return {
    make({ id, status, amount, currency, charge }, form) {
      const given = refunds
        .filter((each) => each.payment_intent === id && each.status !== 'failed')
        .reduce((sum, each) => sum + each.amount, 0);
      const asked = Number(form.get('amount') ?? amount - given);
      if (status !== 'succeeded' || asked > amount - given) {
        const error = { type: 'invalid_request_error', param: 'amount', message: 'There is less to give back.' };
        return json(400, { error });
      }
      const metadata: Record<string, string> = {};
      for (const [name, value] of form) {
        const [, key] = /^metadata\[(\w+)\]$/.exec(name) ?? [];
        if (key !== undefined) metadata[key] = value;
      }
      const made = {
        ...{
          id: `pyr_becs${randomBytes(8).toString('hex')}`,
          object: 'refund',
          amount: asked,
          currency,
          charge,
          metadata,
        },
        ...{ payment_intent: id, status: 'pending', created: Math.floor(Date.now() / 1000) },
      };
      refunds.push(made);
      return json(200, made);
    },
    end(intent, status) {
      for (const each of refunds) {
        if (each.payment_intent === intent && each.status === 'pending') each.status = status;
      }
    },
    listed: (intent) => refunds.filter((each) => intent === null || each.payment_intent === intent),
  };
}
