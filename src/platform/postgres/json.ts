import type { JSONValue } from 'postgres';
import type { Db } from './connection.ts';

/** A value for a jsonb column; null and undefined become SQL null. What came in as JSON goes out as JSON. */
export function jsonb(db: Db, value: object | null | undefined) {
  return value === null || value === undefined ? null : db.json(value as JSONValue);
}
