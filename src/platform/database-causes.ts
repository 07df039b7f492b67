/** Why PostgreSQL did not do its work, in words for an operator. */
export interface Cause {
  /**
   * `login`, `schema`, `right`, `read_only`, `sequence`: PostgreSQL responds and refuses, until an operator changes
   * something. `connections`, `space`, `slow`, `silent`, `away`: it is overloaded or away.
   */
  kind: 'login' | 'schema' | 'right' | 'read_only' | 'sequence' | 'connections' | 'space' | 'slow' | 'silent' | 'away';
  /** A clause that names nothing of the database. */
  what: string;
  /** The same with the words of PostgreSQL, which name roles and tables: for operators alone. */
  why: string;
  /** What mends it, with the exact command where there is one. */
  remedy: string;
}

type Words = Omit<Cause, 'why'>;

const stuckNamesIt = 'npm run --silent ops -- stuck names it, and the statement that mends it.';

/** What mends a login that is refused for its password. */
export const remedyOfLogin =
  'Correct DATABASE_URL (under npm start, the file DATA_DIR/postgres/password has the password) and restart the ' +
  "processes. Or give the role the password that they have: alter role ROLE password 'PASSWORD'.";
const schema: Words = {
  kind: 'schema',
  what: 'the tables are not those of this version',
  remedy:
    'If the database is new or of a former version: npm run migrate, with --grant-to for the role of the service. ' +
    `Otherwise a table or column was renamed or dropped: ${stuckNamesIt}`,
};

/** By SQLSTATE, or the code of the client. */
const known: Readonly<Record<string, Words>> = {
  '28P01': { kind: 'login', what: 'PostgreSQL refuses the password of DATABASE_URL', remedy: remedyOfLogin },
  '28000': { kind: 'login', what: 'PostgreSQL refuses the user of DATABASE_URL', remedy: 'Correct DATABASE_URL.' },
  '3D000': {
    kind: 'login',
    what: 'PostgreSQL has no database of the name in DATABASE_URL',
    remedy: 'Correct DATABASE_URL. If the database was renamed: alter database NEW rename to its former name.',
  },
  '42P01': schema,
  '42703': schema,
  '3F000': schema,
  '42501': {
    kind: 'right',
    what: 'a right was revoked from the role of the service',
    remedy: `If the database is new or was upgraded: npm run migrate -- --grant-to ROLE, as the owner of the tables. Otherwise: ${stuckNamesIt}`,
  },
  '25006': {
    kind: 'read_only',
    what: 'PostgreSQL is read-only',
    remedy: `Let DATABASE_URL lead to the primary server, or make it take writes: ${stuckNamesIt}`,
  },
  '2200H': { kind: 'sequence', what: 'a sequence has no number left', remedy: `Enlarge it: ${stuckNamesIt}` },
  '53100': {
    kind: 'space',
    what: 'PostgreSQL has no space left',
    remedy: 'Free space on its disk (under npm start: DATA_DIR), or enlarge it.',
  },
  '53300': {
    kind: 'connections',
    what: 'PostgreSQL has no connection left',
    remedy:
      'Do not restart it: find out who has them. A superuser may have one of the reserved ones: select pid, ' +
      'application_name, state, backend_start from pg_stat_activity order by backend_start; then select ' +
      'pg_terminate_backend(PID). On its own host, ps shows a process for each.',
  },
  '57014': {
    kind: 'slow',
    what: 'The database was too slow',
    remedy: 'Something holds a lock, or it is overloaded; repeat the command.',
  },
  CONNECT_TIMEOUT: {
    kind: 'silent',
    what: 'The database does not respond: PostgreSQL hangs or is stopped, or its host cannot be reached',
    remedy:
      'If ps shows its processes in state T, continue them: kill -CONT. Otherwise restart it; its log says what it did ' +
      'last.',
  },
};

/**
 * Returns why PostgreSQL did not do its work, and what to do, by SQLSTATE or the code of the client. Null for any other
 * code: `causeOf` also knows outages without a code of their own.
 */
export function knownCauseOf(error: unknown): Cause | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  const words = known[String(error.code)];
  return words === undefined ? null : { ...words, why: `${words.what} (${error.message})` };
}

/** Returns the cause as one message. */
export function inWords({ why, remedy }: Cause): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}. ${remedy}`;
}

/** Kinds that only an operator ends, while PostgreSQL responds. */
const lasting: readonly Cause['kind'][] = ['login', 'schema', 'right', 'read_only', 'sequence'];

/** Returns why PostgreSQL, which responds, refuses. Null for any other error, and while it is away or overloaded. */
export function refusalOf(error: unknown): Cause | null {
  const cause = knownCauseOf(error);
  return cause !== null && lasting.includes(cause.kind) ? cause : null;
}
