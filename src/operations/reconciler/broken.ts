import type { Db } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { planInconsistent } from '../stuck/kinds/plans.ts';
import { rowsBroken } from '../stuck/kinds/rows.ts';

/**
 * Returns which of these objects have a row that breaks an invariant, as `ops stuck` names it, and how: part of a
 * sentence. The payments of a plan or subscription count as rows of it.
 */
export async function listBroken(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const now = await databaseNow(db);
  const threshold = { before: now, now };
  const rows = await db<{ id: string; reason: string }[]>`
    with named as materialized (
      select subject_id as id, detail || '; but ' || invariant as reason from (${rowsBroken.rows(db, threshold)}) b
      union all
      select subject_id, 'its rows do not agree (plan_inconsistent)' from (${planInconsistent.rows(db, threshold)}) p
    ), owned as (
      select id, reason from named
      union all
      select coalesce(i.payment_plan_id, i.subscription_id), n.id || ': ' || n.reason
      from named n join payment_intents i on i.id = n.id
    )
    select distinct on (id) id, reason from owned where id = any(${[...ids]}) order by id, reason`;
  return new Map(rows.map(({ id, reason }) => [id, reason]));
}
