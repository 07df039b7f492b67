import { type Cause, knownCauseOf } from '../database-causes.ts';
import { isOutage } from './transaction.ts';

const away = {
  kind: 'away' as const,
  what: 'The database cannot be reached',
  remedy: 'Under npm start: start it again with npm start; elsewhere start PostgreSQL. Or correct DATABASE_URL.',
};

/**
 * Returns why PostgreSQL did not do its work, and what to do. Null if the error means something else. With
 * `database-causes.ts` it is the one place that puts the errors of a failing PostgreSQL into words.
 */
export function causeOf(error: unknown): Cause | null {
  const known = knownCauseOf(error);
  if (known !== null || !isOutage(error)) return known;
  return { ...away, why: `${away.what} (${error instanceof Error ? error.message : String(error)})` };
}
