import { isOutage } from '../../platform/postgres/transaction.ts';

const start = 'Under npm start: start it again with npm start; elsewhere start PostgreSQL. Or correct DATABASE_URL.';

/** SQLSTATEs of a refused login. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'PostgreSQL refuses the password of DATABASE_URL. Correct DATABASE_URL',
  '28000': 'PostgreSQL refuses the user of DATABASE_URL. Correct DATABASE_URL',
  '3D000': 'PostgreSQL has no database of the name in DATABASE_URL. Correct DATABASE_URL',
};

/** Why a command got no work done by PostgreSQL, and what to do; null if the error means something else. */
export function describeDatabaseAway(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? String(error.code) : '';
  const refusal = refusals[code];
  if (refusal !== undefined) {
    return `${refusal}; under npm start, the file DATA_DIR/postgres/password has the password (${error.message}).`;
  }
  if (!isOutage(error)) return null;
  if (code === 'CONNECT_TIMEOUT') {
    return (
      'The database does not respond: PostgreSQL hangs or is stopped, or its host cannot be reached. If ps shows its ' +
      'processes in state T, continue them: kill -CONT. Otherwise restart it; its log says what it did last.'
    );
  }
  if (code === '53300') {
    return (
      `PostgreSQL has no connection left (${error.message}). Do not restart it: find out who has them. A superuser may have ` +
      'one of the reserved ones: select pid, application_name, state, backend_start from pg_stat_activity order by backend_start; ' +
      'then select pg_terminate_backend(PID). On its own host, ps shows a process for each.'
    );
  }
  if (code === '57014') {
    return `The database was too slow (${error.message}). Something holds a lock, or it is overloaded; repeat the command.`;
  }
  return `The database cannot be reached (${error.message}). ${start}`;
}
