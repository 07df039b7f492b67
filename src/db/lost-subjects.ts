import type { Fragment } from 'postgres';
import type { SubjectKind } from '../messages/subject-kinds.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { chargingSubjects } from './subject-queries.ts';

/** A plan, a subscription or a scheduled payment whose workflow has found no row. */
export interface LostSubject {
  id: string;
  workflowType: SubjectKind;
  /** Null if it is not known. */
  livemode: boolean | null;
}

/** The kinds of subjects that are noted: those that charge a customer by date. */
export const losableKinds: readonly SubjectKind[] = chargingSubjects.map(({ kind }) => kind);

/** Notes subjects that have a workflow and no row. Leaves out what has one, and what was noted before. */
export async function noteLostSubjects(db: Db, lost: readonly LostSubject[]): Promise<void> {
  for (const { id, workflowType, livemode } of lost) {
    await db`
      insert into lost_subjects (id, workflow_type, livemode)
      select id, ${workflowType}, ${livemode}::boolean from (select ${id}::text as id) l
      where ${hasNoRow(db)} and id ~ '^[a-z]+_([a-z]+_)?[0-9A-Za-z]{32}$'
      on conflict do nothing`;
  }
}

/** Which of these subjects have no row. */
export async function listSubjectsWithoutRow(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select l.id from unnest(${[...ids]}::text[]) as l (id) where ${hasNoRow(db)}`;
  return rows.map(({ id }) => id);
}

/** Forgets those that have a row again, and those that were noted over thirty days ago. */
export async function forgetLostSubjects(db: Db): Promise<void> {
  await db`
    delete from lost_subjects l
    where noted_at < clock_timestamp() - interval '30 days' or not (${hasNoRow(db)})`;
}

/** Condition: nothing of any kind that charges has the id of the row `l`. */
export function hasNoRow(db: Db): Fragment {
  return chargingSubjects
    .map(({ table }) => db`not exists (select from ${db(table)} s where s.id = l.id)`)
    .reduce((all, one) => db`${all} and ${one}`);
}
