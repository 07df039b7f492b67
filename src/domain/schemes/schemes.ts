import type { Currency } from '../currencies.ts';
import type { MethodType } from '../surcharges/means.ts';
import { auBecs } from './au-becs.ts';
import type { SchemeProfile } from './scheme-profile.ts';

/** The debit schemes by the name that a mandate carries. */
export const schemes = { au_becs: auBecs } as const satisfies Record<string, SchemeProfile>;

export type Scheme = keyof typeof schemes;

/** Whether a method can pay in a currency. A bank account is debited in that of its scheme only. */
export function fitsCurrency({ instrument }: { instrument: { type: MethodType } }, currency: Currency): boolean {
  return instrument.type !== 'au_becs_debit' || currency === schemes.au_becs.currency;
}
