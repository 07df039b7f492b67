// The same story again without a test clock: instant by instant, in real time that is skipped.
import { realNow } from '../../src/platform/real-time.ts';
import { act } from './actions.ts';
import { build } from './build.ts';
import { calendarFaults } from './calendar-rule.ts';
import { differenceOf } from './compare.ts';
import { firstInstant } from './mandate-lapse.ts';
import { Names } from './names.ts';
import { faultsOf } from './never.ts';
import { Account, type Body, type Place } from './place.ts';
import { openRealTime, type RealTimePlace } from './real-time-place.ts';
import { beginTelling, type Fault, type Happening, readStory, type Telling, tell } from './telling.ts';
import { Timeline } from './timeline.ts';
import { inOneAdvance } from './ways.ts';
import { day, endOf, instantOf, iso, startOf, type World } from './world.ts';

const rule = 'the same story in real time';
/** Clocks that are advanced side by side. */
const clocksAtOnce = 3;
/** After so many years the days of the week are the same again, and so are leap years. */
const sameWeekdays = 28;

/** Time can only be skipped forward: a world whose first instant has passed is moved by 28 years. */
function inTheFuture(world: World, present: number): World {
  if (firstInstant(world) > present + day) return world;
  const text = JSON.stringify(world).replace(/\b(20\d\d)(?=-\d\d-\d\d)/g, (year) => `${Number(year) + sameWeekdays}`);
  return inTheFuture(JSON.parse(text), present);
}

/**
 * Tells each world on a test clock in one advance, and all of them together in real time. Returns the first fault of
 * each, or null. `onClocks` is where clocks are.
 */
export async function tryInRealTime(onClocks: Place, worlds: readonly World[]): Promise<(Fault | null)[]> {
  const present = realNow().getTime();
  const moved = worlds.map((world) => inTheFuture(world, present));
  const opening = openRealTime();
  opening.catch(() => {}); // it is awaited below
  try {
    const expected = await tellOnClocks(onClocks, moved);
    const { place } = await opening;
    const timeline = new Timeline(place, place.present(), moved.length);
    const told = await Promise.all(moved.map((world) => tellInRealTime(place, timeline, world)));
    const violations = await place.violations();
    if (violations.length > 0) throw new Error(`invariants do not hold: ${JSON.stringify(violations)}`);
    return told.map((telling, index) => faultOf(moved[index] as World, expected[index] as Telling, telling));
  } finally {
    await (await opening).close();
  }
}

async function tellOnClocks(place: Place, worlds: readonly World[]): Promise<Telling[]> {
  const tellings: Telling[] = [];
  const next = worlds.entries();
  const work = async (): Promise<void> => {
    for (const [index, world] of next) tellings[index] = await tell(place, world, inOneAdvance);
  };
  await Promise.all(Array.from({ length: clocksAtOnce }, work));
  return tellings;
}

async function tellInRealTime(place: RealTimePlace, timeline: Timeline, world: World): Promise<Telling> {
  try {
    await timeline.reach(firstInstant(world));
    const account = await Account.open(place, world.time_zone);
    place.follow(account.billerId);
    const names = new Names();
    const time = { ofCustomers: {}, passTo: (at: number) => timeline.reach(at), settle: () => place.settle() };
    const built = await build(account, world, names, time);
    const telling = beginTelling('in real time', world, built);
    for (const action of world.actions.toSorted((a, b) => a.at - b.at)) {
      const at = Math.min(instantOf(world, action), endOf(world));
      await timeline.reach(at);
      const done = await act({ account, built, world, names }, action);
      await place.settle();
      telling.answers.push({ at: iso(Math.max(at, startOf(world))), ...done });
    }
    await timeline.reach(endOf(world));
    await readStory(account, built, names, telling);
    await place.abandon(account.billerId);
    return telling;
  } finally {
    timeline.leave();
  }
}

function faultOf(world: World, onClock: Telling, inRealTime: Telling): Fault | null {
  const [own] = [onClock, inRealTime].flatMap((one) => [...faultsOf(one), ...calendarFaults(world, one)]);
  if (own !== undefined) return own;
  const difference = differenceOf(comparable(onClock), comparable(inRealTime));
  return difference === null ? null : { ...difference, rule };
}

/**
 * What of a telling can be compared: without effects, which clocks alone have, and the name of the clock. What happens
 * to two subjects at one instant is done by two workflows in real time, in any order.
 */
function comparable(telling: Telling): Telling {
  const happenings = telling.happenings.toSorted(
    (a, b) => compareText(a.at, b.at) || compareText(ownerOf(a), ownerOf(b)),
  );
  const { answers, resources } = telling;
  return { ...telling, ...withoutClock({ happenings, answers, resources }), effects: [] };
}

/** Such as `customer1/plan2` for an event of a payment of that plan. */
const ownerOf = ({ subject }: Happening): string => subject.split('/').slice(0, 2).join('/');

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function withoutClock(value: Body): Body {
  return JSON.parse(JSON.stringify(value, (name, member) => (name === 'test_clock' ? undefined : member)));
}
