import { act } from './actions.ts';
import { advance, type Built, build, makeClock } from './build.ts';
import { readBooks } from './model/read-story.ts';
import { type Deed, emptyStory, type Story } from './model/story.ts';
import { Names } from './names.ts';
import { Account, type Body, nextDue, type Place } from './place.ts';
import { readResources } from './resources.ts';
import type { Way } from './ways.ts';
import { endOf, instantOf, iso, startOf, type World } from './world.ts';

/** An event about the customers of a world. */
export interface Happening {
  at: string;
  type: string;
  /** Such as `customer1/plan2`. */
  subject: string;
  customer: string;
  data: Body;
  /** Its place among all events of the account. */
  sequence: number;
}

/** Something that must never be, in words. */
export interface Fault {
  rule: string;
  words: string[];
}

/** A world's story as one way has told it. */
export interface Telling {
  way: string;
  happenings: Happening[];
  /** What requests have returned: those that made the subjects, and the actions. */
  answers: Body[];
  /** What each subject and payment is like at the end, by name. */
  resources: Record<string, Body>;
  effects: Body[];
  faults: Fault[];
  advances: number;
  /** What the model judges. */
  story: Story;
}

/** Tells a world's story on a clock of its own, in an account of its own. */
export async function tell(place: Place, world: World, way: Way): Promise<Telling> {
  const account = await Account.open(place, world.time_zone);
  const names = new Names();
  const { clock, ...time } = await makeClock(account, world, names);
  const built = await build(account, world, names, time);
  const telling = beginTelling(way.name, world, built);
  const deeds: Deed[] = [];
  const foretold: Foretold[] = [];
  const actions = world.actions.toSorted((a, b) => a.at - b.at);
  let now = startOf(world);
  let bound = await boundOf(account, clock);
  for (const until of [...actions, null]) {
    const end = until === null ? endOf(world) : Math.min(instantOf(world, until), endOf(world));
    while (now < end && telling.faults.length === 0) {
      const target = await way.next(place, { clock, now, furthest: Math.min(end, bound) });
      telling.advances += 1;
      const isForetold = await isWorthAsking(place, clock, target, telling.advances);
      const dryRun = isForetold ? await foretell(account, clock, { from: now, target }, telling) : null;
      const advanced = await advance(account, clock, target);
      if (advanced.status !== 'ready') {
        const words = [`The advance from ${iso(now)} to ${iso(target)} failed: ${await reasonOf(place, clock)}`];
        telling.faults.push({ rule: 'a clock never fails', words });
        break;
      }
      foretold.push({ target: iso(target), dryRun, advanceId: advanced.last_advance.id });
      now = target;
      bound = Date.parse(advanced.max_frozen_time);
    }
    if (until === null || telling.faults.some(({ rule }) => rule === 'a clock never fails')) break;
    const sequence = await lastSequence(place, clock);
    const done = await act({ account, built, world, names }, until);
    await time.settle(now);
    if (done.answer.status >= 200 && done.answer.status < 300) {
      deeds.push({ do: until.do, of: done.of, at: now, sequence, body: done.answer.body });
    }
    telling.answers.push({ at: iso(now), ...done });
    bound = await boundOf(account, clock);
  }
  await readStory(account, built, names, telling);
  const effects = await account.list(`/test_helpers/test_clocks/${clock}/effects`);
  telling.effects = effects.map((effect) => ({ ...names.in(effect), advance: effect.advance_id }));
  const { happenings, resources } = telling;
  const books = await readBooks(place.sql, { clock }, names);
  telling.story = { ...telling.story, ...books, now, happenings, resources, deeds: names.in(deeds) };
  telling.faults.push(...misforetold(foretold, telling.effects, names));
  for (const effect of telling.effects) delete effect.advance;
  return telling;
}

/** A dry run of one advance, if it was asked for. */
interface Foretold {
  target: string;
  dryRun: Body | null;
  advanceId: string;
}

/** Of the advances in which nothing is due, only every eighth is asked for what it would do. */
const idleDryRuns = 8;

async function isWorthAsking(place: Place, clock: string, target: number, advances: number): Promise<boolean> {
  return advances % idleDryRuns === 0 || (await nextDue(place, clock, target)) !== null;
}

/** What an advance would do; null if that cannot be said, which is a fault. */
async function foretell(
  account: Account,
  clock: string,
  { from, target }: { from: number; target: number },
  { faults }: Telling,
): Promise<Body | null> {
  const path = `/test_helpers/test_clocks/${clock}/advance`;
  const { status, body } = await account.ask('POST', path, { frozen_time: iso(target), dry_run: true });
  if (status < 300) return body;
  const words = [`The dry run of the advance from ${iso(from)} to ${iso(target)}: ${JSON.stringify(body)}`];
  faults.push({ rule: 'a dry run works where the advance does', words });
  return null;
}

async function boundOf(account: Account, clock: string): Promise<number> {
  return Date.parse((await account.do('GET', `/test_helpers/test_clocks/${clock}`)).max_frozen_time);
}

/** The number of the last event about a clock and its customers. */
async function lastSequence({ sql }: Place, clock: string): Promise<number> {
  const [row] = await sql<{ last: number }[]>`
    select coalesce(max(sequence), 0)::integer as last from events where test_clock_id = ${clock}`;
  return row?.last ?? 0;
}

async function reasonOf({ sql }: Place, clock: string): Promise<string> {
  const [row] = await sql<{ failure_reason: string }[]>`select failure_reason from test_clocks where id = ${clock}`;
  return row?.failure_reason ?? 'for no reason';
}

/** A telling of which nothing has happened yet. */
export function beginTelling(way: string, { time_zone: zone }: World, built: Built): Telling {
  const nothing = { happenings: [], resources: {}, effects: [], faults: [], advances: 0 };
  return { way, ...nothing, answers: [...built.answers], story: emptyStory(way, zone) };
}

/** Reads what has happened, and what all is like at the end. */
export async function readStory(account: Account, built: Built, names: Names, telling: Telling): Promise<void> {
  const { sql } = account.place;
  await names.findPayments(sql, account.billerId);
  const rows = await sql<
    {
      created_at: Date;
      event_type: string;
      subject_id: string;
      customer_id: string | null;
      data: string;
      sequence: number;
    }[]
  >`
    select sequence, created_at, event_type, subject_id, customer_id, data::text as data from events
    where biller_id = ${account.billerId} and event_type not like 'test_clock.%' order by sequence`;
  telling.happenings = rows.map((row) => ({
    at: row.created_at.toISOString(),
    type: row.event_type,
    subject: names.of(row.subject_id),
    customer: row.customer_id === null ? 'no customer' : names.of(row.customer_id),
    data: names.in(JSON.parse(row.data)),
    sequence: Number(row.sequence),
  }));
  telling.resources = names.in(await readResources(account, built));
  // Payments of two customers at one instant may come in any order.
  telling.resources.payments.sort((a: Body, b: Body) => (a.id < b.id ? -1 : 1));
  telling.answers = names.in(telling.answers);
}

/** Where a dry run has foretold something else than what then happened. */
function misforetold(advances: Foretold[], effects: Body[], names: Names): Fault[] {
  return advances.flatMap(({ target, dryRun, advanceId }) => {
    if (dryRun === null) return [];
    const said = names.in(dryRun.effects) as Body[];
    const done = effects.filter(({ advance: id }) => id === advanceId);
    const lines = (list: Body[]) =>
      list.map((effect) => JSON.stringify({ ...effect, object_id: undefined, advance: undefined }));
    const [foretold, happened] = [lines(said), lines(done)];
    const index = foretold.findIndex((line, position) => line !== happened[position]);
    if (index < 0 && foretold.length === happened.length) return [];
    const at = index < 0 ? foretold.length : index;
    const words = [
      `The dry run of the advance to ${target} foretold ${foretold.length} effects, and ${happened.length} happened.`,
      `Number ${at + 1} foretold: ${foretold[at] ?? 'none'}`,
      `Number ${at + 1} happened: ${happened[at] ?? 'none'}`,
    ];
    return [{ rule: 'what a dry run foretells is what happens', words }];
  });
}
