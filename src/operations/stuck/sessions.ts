import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { define, type StuckDefinition, type StuckReport } from './find-stuck.ts';
import { hangingProcesses, holdingSessions, takenConnections } from './queries/sessions.ts';

/**
 * The kinds that PostgreSQL knows of its own sessions. They are read first and on a connection of their own: they say
 * why the others cannot be read.
 */
export const sessionDefinitions: readonly StuckDefinition[] = [
  define({
    kind: 'database_locked',
    meaning: 'A session in PostgreSQL holds a lock that others wait for.',
    afterSeconds: 5,
    query: holdingSessions,
    describe: ({ pid, name, state, tables, waiting }) => ({
      why:
        `session ${pid} (${name || 'its program has no name'}${state === null ? '' : `, ${state}`}) holds a lock${tables === null ? '' : ` on ${tables}`}; ` +
        `${waiting} wait for it or for each other`,
      remedy:
        'Find out whose session it is. Then end it, in PostgreSQL: ' +
        `select pg_terminate_backend(${pid}). What it has not committed is undone; the service then continues.`,
    }),
  }),
  define({
    kind: 'connections_used_up',
    meaning: 'Nearly all connections that PostgreSQL allows are taken.',
    afterSeconds: 0,
    query: takenConnections,
    describe: ({ taken, allowed, users, name, pid }) => ({
      why: `${taken} of ${allowed} are taken: ${users}`,
      remedy:
        `Find out what opens them. Sessions that are not needed are ended in PostgreSQL: select pg_terminate_backend(${pid}), ` +
        `or all that ${name || 'programs without a name'} has: select pg_terminate_backend(pid) from pg_stat_activity where ` +
        `application_name = ${literal(name)}. If the service itself needs more, raise max_connections.`,
    }),
  }),
  define({
    kind: 'process_hangs',
    meaning: 'A worker, an API or the pages are there and do nothing: the event loop of the process stands still.',
    afterSeconds: 10, // five signs of life
    query: hangingProcesses,
    describe: ({ process, process_id: id }) => ({
      why: `${process} shows no sign of life: it was stopped (ps says T), or its code never comes to an end`,
      remedy:
        `On its host: kill -9 ${id}. Then start another one (npm start does so automatically). Nothing is lost: others take ` +
        'over what it had begun, within seconds. Its log says what it did last.',
    }),
  }),
];

/**
 * Reads them one after the other, so that one connection is enough.
 * @throws when PostgreSQL is not reachable.
 */
export async function findSessions(sql: Pool, now: RealInstant): Promise<StuckReport[]> {
  const reports: StuckReport[] = [];
  for (const definition of sessionDefinitions) reports.push(await definition.find(sql, now, sessionsShown));
  return reports;
}

const sessionsShown = 100;

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
