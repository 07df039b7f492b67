import type { RepeatableRequest } from '../../services/payments/repeatable-request.ts';
import type { CommittedFirstDeps } from './deps.ts';

/** The errors of a route that charges before it responds. */
export const notCharged = {
  503: 'No processor is configured for live mode, or a part of the service is unreachable. Nothing was charged.',
};

/** Returns the request as the services repeat it. `shown` makes the response from the row of its result. */
export function repeatable<Row>(
  { request }: Pick<CommittedFirstDeps, 'request'>,
  shown: (row: Row) => unknown,
): RepeatableRequest<Row> {
  return { ...request, response: (row, how) => request.response(shown(row), how) };
}
