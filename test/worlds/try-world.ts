import { calendarFaults } from './calendar-rule.ts';
import { differenceOf } from './compare.ts';
import { moneyFaults } from './model/model.ts';
import { faultsOf } from './never.ts';
import type { Place } from './place.ts';
import { type Fault, type Telling, tell } from './telling.ts';
import { inOneAdvance, waysOf } from './ways.ts';
import type { World } from './world.ts';

/**
 * Tells a world's story in four ways. Returns the first fault, or null if all tell the same. The way in one advance is
 * that of `place`; the others, which make many advances, are those of `stepwise`.
 */
export async function tryWorld(
  place: Place,
  world: World,
  stepwise = place,
): Promise<{ fault: Fault | null; tellings: Telling[] }> {
  const tellings = await Promise.all(
    waysOf(world).map((way) => tell(way === inOneAdvance ? place : stepwise, world, way)),
  );
  const [first, ...others] = tellings;
  const own = tellings.flatMap((telling) => [
    ...faultsOf(telling),
    ...calendarFaults(world, telling),
    ...moneyFaults(telling.story),
  ])[0];
  const differences = others.flatMap((other) => (first === undefined ? [] : (differenceOf(first, other) ?? [])));
  return { fault: own ?? differences[0] ?? null, tellings };
}
