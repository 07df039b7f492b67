import type { Db } from '../platform/postgres/connection.ts';

/** What only the process itself can see. */
export type ProcessProblem = 'clock' | 'files' | 'keys' | 'login';

/** Reports older than this are of processes that have ended. A process repeats its own every ten seconds. */
export const reportLastsSeconds = 30;

/** Records, or repeats, what is wrong with a process. `detail` is a clause for an operator. */
export async function reportProblem(
  db: Db,
  process: string,
  { problem, detail }: { problem: ProcessProblem; detail: string },
): Promise<void> {
  await db`
    insert into process_reports as r (process, problem, detail) values (${process}, ${problem}, ${detail})
    on conflict (process, problem) do update set
      detail = excluded.detail,
      since = case when r.reported_at < clock_timestamp() - make_interval(secs => ${reportLastsSeconds})
        then excluded.since else r.since end,
      reported_at = excluded.reported_at`;
}

/** Takes back what a process has reported, and removes reports of processes that have ended. */
export async function withdrawProblem(db: Db, process: string, problem: ProcessProblem): Promise<void> {
  await db`
    delete from process_reports
    where process = ${process} and problem = ${problem} or reported_at < clock_timestamp() - interval '1 day'`;
}
