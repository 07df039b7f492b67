import type { JSONValue } from 'postgres';
import type { Db } from './connection.ts';

/**
 * Returns a value for a jsonb column. Null and undefined become SQL null. A value that was parsed from JSON reads back
 * unchanged.
 */
export function jsonb(db: Db, value: object | null | undefined) {
  return value === null || value === undefined ? null : db.json(value as JSONValue);
}
