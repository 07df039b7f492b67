import { calendarFaults } from './calendar-rule.ts';
import { differenceOf } from './compare.ts';
import { moneyFaults } from './model/model.ts';
import { faultsOf } from './never.ts';
import type { Place } from './place.ts';
import { type Fault, type Telling, tell } from './telling.ts';
import { waysOf } from './ways.ts';
import type { World } from './world.ts';

/** Tells a world's story in four ways. Returns the first fault, or null if all tell the same. */
export async function tryWorld(place: Place, world: World): Promise<{ fault: Fault | null; tellings: Telling[] }> {
  const tellings = await Promise.all(waysOf(world).map((way) => tell(place, world, way)));
  const [first, ...others] = tellings;
  const own = tellings.flatMap((telling) => [
    ...faultsOf(telling),
    ...calendarFaults(world, telling),
    ...moneyFaults(telling.story),
  ])[0];
  const differences = others.flatMap((other) => (first === undefined ? [] : (differenceOf(first, other) ?? [])));
  return { fault: own ?? differences[0] ?? null, tellings };
}
