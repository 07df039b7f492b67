import { setTimeout as pause } from 'node:timers/promises';
import type { Standby } from '../../lab/servers.ts';
import type { Cluster } from '../cluster.ts';
import { type Arena, type Attack, type Strike, seconds, upProcesses, upProcessesAndProcessor } from './attack.ts';

/** One process of the service, by SIGKILL. Its dispatcher dies with it: all kinds have one. */
export const killProcess: Attack = {
  kind: 'kill',
  weight: 14,
  draw(arena) {
    const processes = upProcesses(arena);
    if (processes.length === 0) return null;
    const victim = arena.chance.pick(processes);
    return strikeAt(arena, [victim.name]);
  },
};

/** Several at the same moment, the servers among them: up to the whole of it. */
export const killTogether: Attack = {
  kind: 'kill together',
  weight: 6,
  draw(arena) {
    const { chance, cluster } = arena;
    const names = upProcessesAndProcessor(arena).map(({ name }) => name);
    if (cluster.postgres.isUp) names.push('postgres');
    if (cluster.temporal.isUp) names.push('temporal');
    if (names.length < 2) return null;
    return strikeAt(arena, chance.shuffled(names).slice(0, chance.between(2, names.length)));
  },
};

/** PostgreSQL, Temporal or the live processor; away for a moment or for some seconds. */
export const killServer: Attack = {
  kind: 'kill a server',
  weight: 10,
  draw: (arena) => {
    const { postgres, temporal, standIn } = arena.cluster;
    const up = { postgres: postgres.isUp, temporal: temporal.isUp, processor: standIn.process.state === 'up' };
    const name = arena.chance.pick(['postgres', 'temporal', 'processor'] as const);
    return up[name] ? strikeAt(arena, [name]) : null;
  },
};

/** The live processor, away for a moment or for some seconds. */
export const killProcessor = (arena: Arena): Strike => strikeAt(arena, ['processor']);

/** The live processor as a server that can be taken away. */
function serverOf({ process: processor }: Cluster['standIn']): Pick<Standby, 'kill' | 'start'> {
  return {
    kill: () => processor.hold(),
    async start() {
      processor.release();
      await processor.untilUp(30_000);
    },
  };
}

function strikeAt({ cluster, chance, isQuick }: Arena, names: string[]): Strike {
  const longest = isQuick ? 2_000 : chance.happens(0.1) ? 15_000 : 5_000;
  const awayMs = chance.between(0, longest);
  const all = { postgres: cluster.postgres, temporal: cluster.temporal, processor: serverOf(cluster.standIn) };
  const servers = Object.entries(all).flatMap(([name, server]) => (names.includes(name) ? [server] : []));
  const processes = [...cluster.apis, ...cluster.workers, ...cluster.pages].filter(({ name }) => names.includes(name));
  return {
    title: `kill -9 of ${names.join(', ')}${servers.length > 0 ? `, away for ${seconds(awayMs)}` : ''}`,
    targets: names,
    async run() {
      for (const child of processes) child.kill();
      await Promise.all(servers.map((server) => server.kill()));
      if (servers.length > 0) await pause(awayMs);
      await Promise.all(servers.map((server) => server.start()));
      await Promise.all(processes.map((child) => child.untilUp(30_000)));
      return true;
    },
  };
}

/** One of the processes in which PostgreSQL serves its connections: it then ends all of them and recovers. */
export const killBackend: Attack = {
  kind: 'kill a backend',
  weight: 3,
  draw: ({ cluster, chance }) =>
    cluster.postgres.isUp
      ? {
          title: 'kill -9 of a backend of postgres',
          targets: ['postgres'],
          run: () => cluster.postgres.killBackend((pids) => pids[chance.below(pids.length)]),
        }
      : null,
};

/** All sessions ended by PostgreSQL itself, as an administrator or a fail-over would. */
export const terminateSessions: Attack = {
  kind: 'terminate sessions',
  weight: 3,
  draw: ({ cluster }) =>
    cluster.postgres.isUp
      ? {
          title: 'all sessions of postgres terminated',
          targets: ['postgres'],
          async run() {
            const rows = await cluster.sql`
              select pg_terminate_backend(pid) from pg_stat_activity
              where pid <> pg_backend_pid() and application_name in ('payments api', 'payments worker')`.catch(
              () => [],
            );
            return rows.length > 0;
          },
        }
      : null,
};
