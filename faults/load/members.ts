import { Checks } from '../../demo/checks.ts';
import { unlessRefused } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { day } from '../../lab/model/calendar.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Chance } from '../../lab/random.ts';
import {
  begunBy,
  billBy,
  type Course,
  countsOf,
  endOfPeriod,
  resumeAt,
  startedAt,
  stateAt,
  stopAt,
} from './periods.ts';
import { amountsToCome, nextAmount, type PriceAsk } from './prices.ts';
import { type Account, type Actor, type Claim, keepDoing, type World } from './world.ts';

/** A subscription on a clock, with what the rules say about it. */
interface Member {
  id: string;
  customerId: string;
  methodId: string;
  refundIds: string[];
  course: Course;
  /** The clock's time, or where it is on its way to (epoch ms). */
  now: number;
  /** The effect of a request was not seen yet: it may have been charged, or not. */
  isInMotion: boolean;
}

const kinds = [
  { weight: 5, manner: 'paid', trialDays: 0, outcomes: 'succeed' },
  { weight: 2, manner: 'paid', trialDays: 9, outcomes: 'succeed' },
  { weight: 3, manner: 'recovers', trialDays: 0, outcomes: 'succeed;decline,succeed;succeed' },
  { weight: 2, manner: 'gives up', trialDays: 0, outcomes: 'succeed;decline,decline,decline,decline' },
] as const;

const membersEach = 3;
const lives = { fewest: 5, most: 12 };
const longestDays = 40;
const restMs = 80;
const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 80 };

/**
 * Lives on a test clock: customers with a subscription each, which are paused, resumed and canceled between advances.
 * At each `ready` every period has begun, and has the outcome, that an independent calculation gives.
 */
export function member(number: number): Actor {
  return async (world) => {
    const account = world.accounts.members;
    const name = `member ${number}`;
    const chance = world.chance.fork(name);
    const checks = new Checks((difference) => world.surprises.push({ promise: 'P8', what: `${name}: ${difference}` }));
    await keepDoing(world, name, restMs, async () => {
      let now = Date.UTC(2027, chance.below(24), chance.between(1, 31), 9);
      const { id: clockId } = await account.client.testClocks.create({ frozen_time: new Date(now).toISOString() });
      const members: Member[] = [];
      world.claims.push(() => members.flatMap((one) => claimsOf(one, world.deleted.has(clockId))));
      for (let left = membersEach; left > 0; left -= 1) await join(world, account, clockId, now, chance, members);
      for (let left = chance.between(lives.fewest, lives.most); left > 0 && !world.isStopping; left -= 1) {
        if (chance.happens(0.5)) await change(account, chance.pick(members), chance);
        if (chance.happens(0.5)) await reprice(world, account, chance.pick(members), chance, checks);
        const to = now + chance.between(1, longestDays) * day + chance.below(24) * 3_600_000;
        await advance(account, clockId, members, now, to, checks);
        now = to;
      }
      if (!world.isStopping) await end(world, account, clockId, members);
    });
  };
}

/** A customer gets a subscription, which starts at once. */
async function join(world: World, { client }: Account, clockId: string, now: number, chance: Chance, to: Member[]) {
  const payer = await makePayer(client, { test_clock: clockId });
  const { manner, trialDays, outcomes } = chance.pickByWeight(kinds);
  const every = chance.pick(['week', 'month'] as const);
  const terms = {
    every,
    period: chance.between(1, 2),
    manner,
    trialDays,
    unpaid: chance.pick(['pause', 'cancel'] as const),
  };
  const amount = world.nextAmount('plan');
  const { id } = await client.subscriptions.create({
    customer_id: payer.customerId,
    name: 'Membership',
    currency: 'AUD',
    items: [{ name: 'Membership', unit_amount_cents: amount }],
    frequency_type: every === 'week' ? 'weekly' : 'monthly',
    frequency_period: terms.period,
    unpaid_behaviour: terms.unpaid,
    ...(trialDays > 0 ? { trial_days: trialDays } : {}),
    metadata: { _sandbox_outcome_by_period: outcomes },
  });
  const joined: Member = { id, ...payer, refundIds: [], course: startedAt(terms, now, amount), now, isInMotion: true };
  to.push(joined);
  await client.subscriptions.start(id);
  joined.isInMotion = false;
}

/** What a biller does between two advances: pauses a subscription, resumes it, or ends it. */
async function change({ client }: Account, one: Member, chance: Chance): Promise<void> {
  const { course, id, now } = one;
  if (course.terms.manner !== 'paid' || course.stop?.kind === 'cancel') return;
  if (course.stop !== null) {
    one.isInMotion = true;
    resumeAt(course, now);
    await client.subscriptions.resume(id);
    await eventually(`${id} is resumed`, async () => (await shown(client, id)) === expected(one), forEver);
    one.isInMotion = false;
  } else if (chance.happens(0.7)) {
    await client.subscriptions.pause(id, {});
    stopAt(course, 'pause', endOfPeriod(course, now));
  } else if (chance.happens(0.5)) {
    await client.subscriptions.cancel(id, {});
    stopAt(course, 'cancel', endOfPeriod(course, now));
  } else {
    await client.subscriptions.cancel(id, { at: 'now' });
    stopAt(course, 'cancel', now);
  }
}

/** One advance, and the comparison with the rules at its `ready`. */
async function advance(
  { client, impatient }: Account,
  clockId: string,
  members: Member[],
  from: number,
  to: number,
  checks: Checks,
): Promise<void> {
  for (const one of members) Object.assign(one, { isInMotion: true, now: to });
  const target = new Date(to).toISOString();
  await impatient.testClocks.advance(clockId, { frozen_time: target });
  const isReady = async () => {
    const found = await client.testClocks.get(clockId, { waitSeconds: 2 });
    return found.status === 'ready' && found;
  };
  const clock = await eventually(`${clockId} is ready`, isReady, forEver);
  for (const one of members) one.isInMotion = false;
  const { subscriptions_rolled, payment_intents_enqueued } = clock.last_advance?.effects_manifest ?? {};
  const courses = members.map(({ course }) => course);
  const counted = { subscriptions_rolled, payment_intents_enqueued };
  checks.equal(`manifest of ${clockId} at ${target}`, counted, countsOf(courses, from, to));
  for (const one of members) checks.equal(`${one.id} at ${target}`, await shown(client, one.id), expected(one));
}

/** State and periods of a subscription by the API, in one text. */
async function shown({ subscriptions }: Account['client'], id: string): Promise<string> {
  const [{ state }, periods] = await Promise.all([
    subscriptions.get(id),
    subscriptions.listPeriods(id, { limit: 100 }).toArray(),
  ]);
  const lines = periods
    .toSorted((a, b) => a.number - b.number)
    .map((period) => `${period.number} ${period.start} ${period.end} ${period.status} ${period.amount_cents}`);
  return [state, ...lines].join(', ');
}

/** The same by the rules. */
function expected({ course, now }: Member): string {
  const lines = begunBy(course, now).map(
    ({ start, end, status, amount }, index) => `${index + 1} ${start} ${end} ${status} ${amount}`,
  );
  return [stateAt(course, now), ...lines].join(', ');
}

/** What the ledger has of a member: under each amount, the periods and the change that cost it. */
function claimsOf({ id, course, now, isInMotion }: Member, isDeleted: boolean): Claim[] {
  const certain = isInMotion ? 0 : 1;
  const claim = (amount: number, succeeded: number, attempts: number): Claim => ({
    amount,
    what: `subscription ${id} on a clock`,
    succeeded: [succeeded * certain, succeeded],
    attempts: [attempts * certain, attempts],
    isDeleted,
    refunds: course.asks.flatMap((ask) => (ask.kind === 'refund' ? [ask.amount] : [])),
  });
  const periods = begunBy(course, now).filter(({ isTrial }) => !isTrial);
  const amounts = new Set([course.price, ...periods.map(({ amount }) => amount)]);
  return [
    ...[...amounts].map((amount) => {
      const own = periods.filter((period) => period.amount === amount);
      const attempts = own.reduce((sum, period) => sum + period.attempts.length, 0);
      return claim(amount, own.filter(({ status }) => status === 'paid').length, attempts);
    }),
    ...billBy(course, now).changes.map((amount) => claim(amount, 1, 1)),
  ].filter(({ amount }) => amount > 0);
}

/** Asks for another price, now or from the next period on, by its quote; or for a refund of credit. */
async function reprice(world: World, { client }: Account, one: Member, chance: Chance, checks: Checks): Promise<void> {
  const { course, id, now } = one;
  const { credit, refundable } = billBy(course, now);
  const isRefund = credit > 0 && chance.happens(0.5);
  const isPossible = isRefund ? refundable > 0 : course.stop === null && stateAt(course, now) === 'active';
  if (course.terms.manner !== 'paid' || !isPossible) return;
  const after = begunBy(course, now).length;
  const ask = findAsk(world, one, () =>
    isRefund
      ? { kind: 'refund', after, amount: chance.between(1, Math.min(credit, refundable)) }
      : {
          kind: 'change',
          after,
          at: now,
          price: chance.between(20_000_000, 80_000_000),
          when: chance.pick(['now', 'now', 'period_end'] as const),
          collect: chance.pick(['now', 'next_period'] as const),
        },
  );
  if (ask === null) return;
  one.isInMotion = true;
  const before = billBy(course, now).changes.length;
  course.asks.push(ask);
  const bill = billBy(course, now);
  if (ask.kind === 'refund') {
    const { id: refundId, status, amount } = await client.subscriptions.refundCredit(id, { amount_cents: ask.amount });
    one.refundIds.push(refundId);
    checks.equal(`refund of ${id}`, { status, amount }, { status: 'succeeded', amount: ask.amount });
  } else {
    const { price, when, collect } = ask;
    const wanted = { items: [{ name: 'Membership', unit_amount_cents: price }], when };
    const body = when === 'now' ? { ...wanted, collect } : wanted;
    const expected = { amount: bill.changes[before] ?? 0, next: nextAmount(bill) };
    const quote = await client.subscriptions.change(id, { ...body, dry_run: true });
    checks.equal(`quote of ${id}`, { amount: quote.amount_cents, next: quote.next_period_amount_cents }, expected);
    const sure = when === 'now' ? { expected_amount_cents: quote.amount_cents } : {};
    const made = await client.subscriptions.change(id, { ...body, ...sure });
    checks.equal(`change of ${id}`, made.amount_cents, expected.amount);
  }
  const { credit_balance_cents: left } = await client.subscriptions.get(id);
  checks.equal(`credit of ${id}`, left, bill.credit);
  one.isInMotion = false;
}

/** An ask of which all that it makes the processor take is free: what it takes now, and the periods after it. */
function findAsk(world: World, { course, now }: Member, make: () => PriceAsk): PriceAsk | null {
  for (let tries = 20; tries > 0; tries -= 1) {
    const ask = make();
    const before = billBy(course, now);
    const after = billBy({ ...course, asks: [...course.asks, ask] }, now);
    const wanted = [...after.changes.slice(before.changes.length), ...amountsToCome(after)];
    if (ask.kind === 'refund') wanted.push(ask.amount);
    if (world.takeAmounts([...new Set(wanted)].filter((amount) => amount > 0 && amount !== before.price))) return ask;
  }
  return null;
}

async function end(world: World, { client }: Account, clockId: string, members: Member[]): Promise<void> {
  // A repetition after a lost response finds it deleted: that is as good.
  await client.testClocks.delete(clockId).catch(unlessRefused('resource_missing'));
  world.deleted.add(clockId);
  for (const { id, customerId, methodId, refundIds } of members)
    for (const gone of [id, customerId, methodId, ...refundIds]) world.deleted.add(gone);
}
