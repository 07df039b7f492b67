import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../../src/platform/real-time.ts';
import { type Attack, seconds, upProcesses } from './attack.ts';

const hourSeconds = 3_600;
/** A process reads its clock's file once a second. */
const lasting = [3_000, 9_000] as const;
/**
 * Before and after midnight (UTC) an hour makes another date of today, and what the load then asks for is another
 * thing.
 */
const hoursOfOneDate = { first: 1, last: 22 };

/** The time of day of one process, or of all, an hour ahead or behind for a while, and then right again. */
export const jumpClock: Attack = {
  kind: 'clock jump',
  weight: 4,
  isQuick: false,
  draw(arena) {
    const { cluster, chance } = arena;
    const all = upProcesses(arena).map(({ name }) => name);
    const hour = realNow().getUTCHours();
    const isOneDate = hour >= hoursOfOneDate.first && hour < hoursOfOneDate.last;
    if (cluster.clocks === null || all.length === 0 || !isOneDate) return null;
    const { clocks } = cluster;
    const names = chance.happens(0.25) ? all : [chance.pick(all)];
    const isAhead = chance.happens(0.5);
    const ms = chance.between(...lasting);
    const setAll = (offset: number) => Promise.all(names.map((name) => clocks.get(name)?.setOff(offset)));
    return {
      title: `the clock of ${names.join(', ')} an hour ${isAhead ? 'ahead' : 'behind'} for ${seconds(ms)}`,
      targets: names.map((name) => `clock of ${name}`),
      async run() {
        await setAll(isAhead ? hourSeconds : -hourSeconds);
        await pause(ms);
        await setAll(0);
        return true;
      },
    };
  },
};
