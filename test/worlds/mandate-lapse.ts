import { startOf, type World } from './world.ts';

/** Months after which an unused mandate lapses. */
const lapseMonths = 15;

/**
 * When the customers of a world are made, and with them the mandates: at the world's beginning, or so long before it
 * that the first mandate lapses on its day.
 */
export function firstInstant(world: World): number {
  const days = world.customers.flatMap(({ account }) => account?.lapses_in_days ?? []);
  if (days.length === 0) return startOf(world);
  const lapse = new Date(startOf(world));
  lapse.setUTCDate(lapse.getUTCDate() + Math.min(...days));
  lapse.setUTCMonth(lapse.getUTCMonth() - lapseMonths);
  return lapse.getTime();
}
