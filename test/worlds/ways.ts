import { chanceOf } from '../../lab/random.ts';
import { nextDue, type Place } from './place.ts';
import { day, startOf, type World } from './world.ts';

/** Where a clock stands, and the furthest that it may go in one advance: its bound, the next action, or the end. */
interface Reach {
  clock: string;
  now: number;
  furthest: number;
}

/** How a story is cut into advances: returns the target of the next one, after `now` and at most `furthest`. */
export interface Way {
  name: string;
  next(place: Place, reach: Reach): Promise<number>;
}

/** The four ways in which each world is moved. A way is used for one telling. */
export function waysOf(world: World): Way[] {
  return [byTheDay(world), inOneAdvance, inStrides(world), toEachInstant];
}

function byTheDay(world: World): Way {
  const start = startOf(world);
  return {
    name: 'by the day',
    next: async (_place, { now, furthest }) => {
      const days = Math.floor((now - start) / day) + 1;
      return Math.min(start + days * day, furthest);
    },
  };
}

/** As far as each advance may go. */
export const inOneAdvance: Way = { name: 'in one advance', next: async (_place, { furthest }) => furthest };

function inStrides({ strides }: World): Way {
  const chance = chanceOf(`strides ${strides}`);
  return {
    name: 'in strides',
    next: async (_place, { now, furthest }) => {
      const length = chance.happens(0.3) ? chance.between(1, day) : chance.between(day, 20 * day);
      return Math.min(now + length, furthest);
    },
  };
}

/** To one millisecond before each instant at which something is due, then exactly to it. */
const toEachInstant: Way = {
  name: 'to each instant',
  next: async (place, { clock, now, furthest }) => {
    const due = await nextDue(place, clock, furthest);
    if (due === null || due <= now) return furthest;
    return due - 1 > now ? due - 1 : due;
  },
};
