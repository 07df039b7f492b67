import assert from 'node:assert/strict';
import { instant } from '../../lab/model/calendar.ts';
import { knownOf, type Pair } from './agreement.ts';
import { eventName, shownClock } from './clocks.ts';
import { comparable, inOrder } from './names.ts';
import { shownCustomer, shownIntent, shownPayments, shownPlan, shownSchedule } from './shown.ts';
import { isGone, type Plan } from './world.ts';

const paymentsAhead = 4;

/** Reads all that the service shows of a biller, and holds it against the model. */
export async function look(pair: Pair): Promise<void> {
  await lookAtPlans(pair);
  await lookAtIntents(pair);
  await lookAtCustomers(pair);
  await lookAtEvents(pair);
  await lookAtClocks(pair);
}

async function lookAtPlans(pair: Pair): Promise<void> {
  const { world, names } = pair;
  for (const plan of world.plans) {
    const path = `/payment_plans/${plan.name}`;
    if (isGone(plan)) {
      await assertGone(pair, path);
      continue;
    }
    const payments = await namePayments(pair, plan);
    assert.deepEqual(names.told(payments), comparable(shownPayments(plan)), `payments of ${plan.name}`);
    const { body } = await read(pair, `${path}/schedule?count=${paymentsAhead}`);
    assert.deepEqual(
      names.told(body),
      comparable(shownSchedule(world, plan, paymentsAhead)),
      `calendar of ${plan.name}`,
    );
  }
  const plans = await everything(pair, '/payment_plans');
  const expected = world.plans
    .filter((plan) => !isGone(plan))
    .toReversed()
    .map(shownPlan);
  assert.deepEqual(names.told(plans), comparable(expected));
}

/** The payments of a plan; from then on each has its name. */
export async function namePayments(pair: Pair, { name }: Plan) {
  const payments = await everything(pair, `/payment_plans/${name}/payments`, ({ slot }) => String(slot));
  for (const { slot, payment_intent_id: id } of payments) if (id) pair.names.learn(`${name}-slot-${slot}`, id);
  return payments;
}

async function lookAtIntents(pair: Pair): Promise<void> {
  const { world, names } = pair;
  const intents = await everything(pair, '/payment_intents');
  const expected = world.intents.filter((intent) => !isGone(intent)).map(shownIntent);
  assert.deepEqual(inOrder(names.told(intents) as unknown[]), inOrder(comparable(expected) as unknown[]));
}

async function lookAtCustomers(pair: Pair): Promise<void> {
  const { world, names } = pair;
  for (const customer of world.customers) {
    const path = `/customers/${customer.name}`;
    if (isGone({ customer })) {
      await assertGone(pair, path);
      continue;
    }
    const { body } = await read(pair, path);
    assert.deepEqual(knownOf(names.told(body)), comparable(shownCustomer(customer)));
    const listed = (await read(pair, `${path}/payment_methods`)).body.payment_methods;
    const methods = world.methods.filter((method) => method.customer === customer && !method.isDetached);
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => names.told(id)),
      methods.toReversed().map(({ name }) => name),
    );
  }
}

/** An event as the service lists it, as far as this looks at it. */
interface Listed {
  id: string;
  event_type: string;
  created_at: string;
  test_clock: string | null;
  data: { id: string; payment_plan_id?: string | null };
}

/** The model knows no payouts: what they are is an invariant of the database, and compared in the tests of payouts. */
export function isOfPayout(eventType: string): boolean {
  return eventType.startsWith('payout.');
}

async function lookAtEvents(pair: Pair): Promise<void> {
  const { world, names } = pair;
  const all: Listed[] = (await everything(pair, '/events')).toReversed();
  const listed = all.filter(({ event_type: type }) => !isOfPayout(type));
  const own = new Map<string | null, number>();
  const told = new Map<string, unknown[]>();
  for (const { id, event_type, created_at, test_clock, data } of listed) {
    const subject = String(names.told(data.id));
    names.learn(eventName(event_type, subject, Date.parse(String(names.told(created_at)))), id);
    const chapter = test_clock === null ? 0 : (own.get(test_clock) ?? 0);
    if (event_type.startsWith('test_clock.')) own.set(test_clock, chapter + 1);
    const about = String(names.told(data.payment_plan_id ?? data.id));
    told.set(about, [...(told.get(about) ?? []), names.told({ event_type, created_at, test_clock, chapter, data })]);
  }
  const expected = new Map<string, unknown[]>();
  for (const { type, at, clock, about, chapter, data } of world.events) {
    const event = { event_type: type, created_at: instant(at), test_clock: clock?.name ?? null, chapter, data };
    expected.set(about, [...(expected.get(about) ?? []), comparable(event)]);
  }
  assert.deepEqual(told, expected);
}

async function lookAtClocks(pair: Pair): Promise<void> {
  const { world, names } = pair;
  const clocks = await everything(pair, '/test_helpers/test_clocks');
  const alive = world.clocks.filter(({ isDeleted }) => !isDeleted);
  const expected = alive.toReversed().map((clock) => shownClock(world, clock));
  assert.deepEqual(names.told(clocks), comparable(expected));
  for (const clock of world.clocks) {
    const path = `/test_helpers/test_clocks/${clock.name}`;
    if (clock.isDeleted) {
      await assertGone(pair, path);
      continue;
    }
    const all = await everything(pair, `${path}/effects`, ({ event_id }) => String(event_id));
    const instants = all.map(({ at }) => at);
    assert.deepEqual(instants, instants.toSorted(), 'effects come in the order of the clock’s time');
    const effects = all.filter(({ event_type: type }) => !isOfPayout(type));
    const { effects: shown } = names.told({ effects }) as { effects: unknown };
    assert.deepEqual({ effects: shown }, comparable({ effects: clock.effects }), `effects of ${clock.name}`);
  }
}

async function read({ reality, names }: Pair, path: string) {
  const [bare = '', query] = path.split('?');
  const reply = await reality.request('GET', names.path(bare) + (query === undefined ? '' : `?${query}`));
  assert.equal(reply.status, 200, `GET ${path}: ${reply.text}`);
  return reply;
}

async function assertGone({ reality, names }: Pair, path: string): Promise<void> {
  const { status, text } = await reality.request('GET', names.path(path));
  assert.equal(status, 404, `GET ${path}: ${text}`);
}

/** Every item of a list, page after page. */
async function everything(
  pair: Pair,
  path: string,
  cursorOf: (item: Record<string, string>) => string = ({ id = '' }) => id,
) {
  // biome-ignore lint/suspicious/noExplicitAny: the items of any list, which are then compared as a whole
  const items: any[] = [];
  for (;;) {
    const after = items.length === 0 ? '' : `&starting_after=${cursorOf(items.at(-1))}`;
    const { body } = await read(pair, `${path}?limit=100${after}`);
    items.push(...body.data);
    if (!body.has_more) return items;
  }
}
