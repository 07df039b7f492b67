import type { RepeatableRequest } from '../../services/payments/repeatable-request.ts';
import type { CommittedFirstDeps } from './deps.ts';

/** The errors of a route that charges before it responds. */
export const notCharged = {
  503: 'No processor is configured for live mode, or a part of the service is unreachable. Nothing was charged.',
};

/** Returns the request as the services repeat it. `shown` makes the response from the row of its result. */
export function repeatable<Row>(
  deps: Omit<CommittedFirstDeps, 'db' | 'vault' | 'processors'>,
  shown: (row: Row) => unknown,
): RepeatableRequest<Row> {
  return {
    requestKey: deps.idempotencyKey,
    keyExpiresAt: deps.idempotencyExpiresAt,
    claimKey: deps.claimKey,
    subjectOf: deps.subjectOfKey,
    storeResponse: (tx, row) => deps.storeResponse(tx, shown(row)),
    claim: deps.claim,
    withResponse: (row) => deps.withResponse(shown(row)),
  };
}
