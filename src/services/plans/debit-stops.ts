import type { StopDebits } from '../mandates/mandate-ends.ts';
import { stopAcceptedDebits } from '../payments/debit-reports.ts';
import { chargeHook } from './charge-hook.ts';

/** Stops debits that the bank does not have, those of plans included. */
export const stopDebits: StopDebits = (tx, of, code, record) => stopAcceptedDebits(tx, of, code, record, chargeHook);
