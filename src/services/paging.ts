import type { Db } from '../db/connection.ts';
import { hasRow, type Page } from '../db/tenant.ts';
import { defaultLimit } from '../resources/common.ts';
import type { Tenant } from './call.ts';
import { BadRequest } from './errors.ts';

/**
 * The page that a list's query asks for.
 * @throws BadRequest when `starting_after` names nothing of this biller and mode.
 */
export async function pageOf(
  db: Db,
  table: Parameters<typeof hasRow>[1],
  tenant: Tenant,
  query: { limit?: number | undefined; starting_after?: string | undefined },
  limitIfNotGiven: number = defaultLimit,
): Promise<Page> {
  const after = query.starting_after;
  if (after !== undefined && !(await hasRow(db, table, tenant, after))) {
    const message = `starting_after names nothing in this list: ${after}.`;
    throw new BadRequest(message, 'validation_failed', [
      { code: 'resource_missing', message, path: 'query/starting_after' },
    ]);
  }
  return { limit: query.limit ?? limitIfNotGiven, after };
}
