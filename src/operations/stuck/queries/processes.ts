import { type ProcessProblem, reportLastsSeconds } from '../../../db/process-reports.ts';
import type { StuckQuery } from './query.ts';

/** What a process has reported about itself. */
export interface ReportedProblem {
  process: string;
  detail: string;
}

/** The processes that report this problem. Their reports are timed by PostgreSQL's clock, not by their own. */
export function processesWith(problem: ProcessProblem): StuckQuery<ReportedProblem> {
  return {
    rows: (db) => db`
      select null as subject_id, null as biller_id, null::boolean as livemode, since, process
      from process_reports
      where problem = ${problem} and reported_at > clock_timestamp() - make_interval(secs => ${reportLastsSeconds})`,
    facts: (db) => db`
      select process, detail from process_reports where problem = ${problem} and process = f.process`,
  };
}
