import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, seconds, upProcessesAndProcessor } from './attack.ts';

/**
 * Longer than a claim of the dispatcher, a heartbeat of an advance and a workflow task are waited for (5 s each), so
 * that another process has taken over when it thaws; sometimes longer than an attempt of a delivery (25 s).
 */
const usual = [6_000, 9_000] as const;
const long = [26_000, 28_000] as const;

/** SIGSTOP, and SIGCONT after every time-out. What it then does late must have no effect. */
export const freeze: Attack = {
  kind: 'freeze',
  weight: 8,
  isQuick: false,
  draw(arena) {
    const { cluster, chance, isQuick } = arena;
    const processes = upProcessesAndProcessor(arena).map((child) => ({
      name: child.name,
      freeze: async () => child.freeze(),
      thaw: async () => child.thaw(),
    }));
    const servers = [
      { name: 'postgres', server: cluster.postgres },
      { name: 'temporal', server: cluster.temporal },
    ].flatMap(({ name, server }) =>
      server.isUp ? [{ name, freeze: () => server.freeze(), thaw: () => server.thaw() }] : [],
    );
    const victims = chance.happens(0.8) ? processes : servers;
    if (victims.length === 0) return null;
    const victim = chance.pick(victims);
    const [least, most] = !isQuick && victim.name.startsWith('worker') && chance.happens(0.1) ? long : usual;
    const ms = chance.between(least, most);
    return {
      title: `${victim.name} frozen for ${seconds(ms)}`,
      targets: [victim.name],
      async run() {
        await victim.freeze();
        await pause(ms);
        await victim.thaw();
        return true;
      },
    };
  },
};
