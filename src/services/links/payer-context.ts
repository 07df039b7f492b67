import type { BillerRow } from '../../db/billers.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Connection, RequestContext } from '../request-context.ts';

/** The request of a payer, who has no key. */
export interface PayerRequest {
  requestId: string;
  now: RealInstant;
  connection?: Connection;
}

/** Returns the context of a request that a payer makes: what a publishable key may do, and nothing more. */
export function payerContext(biller: BillerRow, livemode: boolean, payer: PayerRequest): RequestContext {
  const { requestId, now, connection = null } = payer;
  return {
    billerId: biller.id,
    livemode,
    requestId,
    keyId: '',
    keyKind: 'publishable',
    connection,
    now,
    timeZone: biller.time_zone,
    feeSchedule: { basisPoints: biller.fee_basis_points, fixed: biller.fee_fixed },
    country: biller.country,
    costs: biller.cost_of_acceptance,
    statementDescriptor: biller.statement_descriptor,
  };
}
