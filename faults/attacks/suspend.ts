import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, seconds } from './attack.ts';

/**
 * Longer than the time-outs of claims, heartbeats and workflow tasks; sometimes longer than an attempt of a delivery
 * too.
 */
const usual = [6_000, 12_000] as const;
const long = [30_000, 32_000] as const;

/**
 * The host is suspended, with all that is on it: API, workers, servers and the live processor stop at one moment and go
 * on in the same moment, while clients and receivers wait or give up.
 */
export const suspendHost: Attack = {
  kind: 'host suspended',
  weight: 2,
  isQuick: false,
  draw({ cluster, chance }) {
    const { postgres, temporal, standIn } = cluster;
    if (!postgres.isUp || !temporal.isUp) return null;
    const [least, most] = chance.happens(0.15) ? long : usual;
    const ms = chance.between(least, most);
    const processes = [...cluster.apis, ...cluster.workers, ...cluster.pages, standIn.process];
    return {
      title: `everything suspended for ${seconds(ms)}`,
      // Faults of single processes may go on meanwhile, as on a real host.
      targets: ['postgres', 'temporal'],
      async run() {
        for (const child of processes) child.freeze();
        await Promise.all([postgres.freeze(), temporal.freeze()]);
        await pause(ms);
        await Promise.all([postgres.thaw(), temporal.thaw()]);
        for (const child of processes) child.thaw();
        return true;
      },
    };
  },
};
