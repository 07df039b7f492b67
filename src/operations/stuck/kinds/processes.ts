import { type ProcessProblem, reportLastsSeconds } from '../../../db/process-reports.ts';
import type { StuckKind } from '../reading/find-stuck.ts';

/** What a process has reported about itself. */
interface ReportedProblem {
  process: string;
  detail: string;
}

export const clockWrong: StuckKind<ReportedProblem> = {
  kind: 'clock_wrong',
  meaning: 'The clock of a process is not that of PostgreSQL.',
  after: 0,
  ...reportedBy('clock'),
  say: ({ process, detail }) => ({
    why: `${process}: ${detail}. What it opens is dated wrongly`,
    remedy:
      'Correct the clock of its host (its time server, timedatectl), or end the process until that is done. Nothing is ' +
      'charged early: dates count by the clock of PostgreSQL. If that one is wrong, correct it instead.',
  }),
};

export const filesUsedUp: StuckKind<ReportedProblem> = {
  kind: 'files_used_up',
  meaning: 'A process cannot open another file or connection.',
  after: 0,
  ...reportedBy('files'),
  say: ({ process, detail }) => ({
    why: `${process}: ${detail}`,
    remedy:
      'Raise its limit of open files (ulimit -n, LimitNOFILE in systemd), then start it again; its log says so too. If many ' +
      'clients keep connections open, let the proxy close them.',
  }),
};

export const encryptionKeysOld: StuckKind<ReportedProblem> = {
  kind: 'encryption_keys_old',
  meaning: 'A process has an older list of encryption keys than another one.',
  after: 0,
  ...reportedBy('keys'),
  say: ({ process, detail }) => ({
    why: `${process}: ${detail}. What others seal with it does not open there: webhooks, bank accounts and links fail`,
    remedy:
      'Start this process again with the ENCRYPTION_KEYS of the others (docs/operations.md, "A process has old encryption ' +
      'keys"). If the key was given up before anything was sealed with it, start one process once with its id in ' +
      'ENCRYPTION_KEYS_LOST: it is then forgotten.',
  }),
};

/** The processes that report this problem. Their reports are timed by PostgreSQL's clock, not by their own. */
function reportedBy(problem: ProcessProblem): Pick<StuckKind<ReportedProblem>, 'rows' | 'facts'> {
  return {
    rows: (db) => db`
      select null as subject_id, null as biller_id, null::boolean as livemode, since, process
      from process_reports
      where problem = ${problem} and reported_at > clock_timestamp() - make_interval(secs => ${reportLastsSeconds})`,
    facts: (db) => db`
      select process, detail from process_reports where problem = ${problem} and process = f.process`,
  };
}
