import type { RepeatableRequest } from '../../services/payments/repeatable-request.ts';
import type { CommittedFirstDeps } from './deps.ts';

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
