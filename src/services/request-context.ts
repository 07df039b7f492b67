import type { ApiKeyKind } from '../db/api-keys.ts';
import type { FeeSchedule } from '../domain/fees.ts';

/** Whose data: every query carries both. */
export interface Tenant {
  billerId: string;
  livemode: boolean;
}

/** One request as the services see it: who asks, for which biller and mode, and the real instant of asking. */
export interface RequestContext extends Tenant {
  requestId: string;
  /** The id of the API key that asks. */
  keyId: string;
  /** `publishable`: the request comes from a payer, who may be a stranger to the biller. */
  keyKind: ApiKeyKind;
  /** Real time. A clock-bound customer's time is read from the clock. */
  now: Date;
  /** IANA name; payments fall due at 00:00 in it. */
  timeZone: string;
  feeSchedule: FeeSchedule;
  /** The biller's default statement descriptor. */
  statementDescriptor: string | null;
}
