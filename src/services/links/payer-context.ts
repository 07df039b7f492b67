import type { BillerRow } from '../../db/billers.ts';
import type { RequestContext } from '../request-context.ts';

/** The request of a payer, who has no key. `now` is real time. */
export interface PayerRequest {
  requestId: string;
  now: Date;
}

/** Returns the context of a request that a payer makes: what a publishable key may do, and nothing more. */
export function payerContext(biller: BillerRow, livemode: boolean, { requestId, now }: PayerRequest): RequestContext {
  return {
    billerId: biller.id,
    livemode,
    requestId,
    keyId: '',
    keyKind: 'publishable',
    now,
    timeZone: biller.time_zone,
    feeSchedule: { basisPoints: biller.fee_basis_points, fixed: biller.fee_fixed },
    statementDescriptor: biller.statement_descriptor,
  };
}
