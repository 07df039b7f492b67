import { stopAcceptedDebits } from '../debits/debit-reports.ts';
import type { StopDebits } from '../mandates/mandate-ends.ts';
import { chargeHook } from './charge-hook.ts';

/** Stops debits that the bank does not have, those of plans included. */
export const stopDebits: StopDebits = (tx, of, code, record) => stopAcceptedDebits(tx, of, code, record, chargeHook);
