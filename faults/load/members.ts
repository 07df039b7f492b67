import { Checks } from '../../demo/checks.ts';
import { unlessRefused } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { day } from '../../lab/model/calendar.ts';
import { type Ask, type SubscriptionTerms, termsOf } from '../../lab/model/subscription-asks.ts';
import { countedIn } from '../../lab/model/subscription-periods.ts';
import { Subscription } from '../../lab/model/subscriptions.ts';
import { makePayer } from '../../lab/payer.ts';
import type { Chance } from '../../lab/random.ts';
import { type Account, type Actor, type Claim, keepDoing, type World } from './world.ts';

/** A subscription on a clock, with what the rules say about it. */
interface Member {
  id: string;
  customerId: string;
  methodId: string;
  refundIds: string[];
  sold: Sold;
  /** What was done to it, in order. */
  deeds: Deed[];
  /** What the rules make of that: at the clock's time, or where it is on its way to. */
  model: Subscription;
  /** What was taken for changes, and given back of its credit. */
  changes: number[];
  refunds: number[];
  /** The effect of a request was not seen yet: it may have been charged, or not. */
  isInMotion: boolean;
}

/** How it was started. Some fail to pay their second period, once or for good; all else succeeds at once. */
interface Sold {
  terms: SubscriptionTerms;
  at: number;
  price: number;
}

/** A request, or an advance to an instant. */
type Deed = Ask | { to: number };
type PriceAsk = Extract<Ask, { ask: 'change' }> | { ask: 'refund'; amount: number };

const kinds = [
  { weight: 5, trialDays: 0, outcomes: [[true]] },
  { weight: 2, trialDays: 9, outcomes: [[true]] },
  { weight: 3, trialDays: 0, outcomes: [[true], [false, true], [true]] },
  { weight: 2, trialDays: 0, outcomes: [[true], [false]] },
];
const isAlwaysPaid = ({ sold }: Member) => sold.terms.outcomes?.length === 1;

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
        await advance(account, clockId, members, to, checks);
        now = to;
      }
      if (!world.isStopping) await end(world, account, clockId, members);
    });
  };
}

/** A customer gets a subscription, which starts at once. */
async function join(world: World, { client }: Account, clockId: string, now: number, chance: Chance, to: Member[]) {
  const payer = await makePayer(client, { test_clock: clockId });
  const { trialDays, outcomes } = chance.pickByWeight(kinds);
  const terms: SubscriptionTerms = {
    every: chance.pick(['week', 'month'] as const),
    period: chance.between(1, 2),
    trialDays,
    behaviour: 'retry',
    unpaid: chance.pick(['pause', 'cancel'] as const),
    graceDays: 0,
    outcomes,
  };
  const sold = { terms, at: now, price: world.nextAmount('plan') };
  const { id } = await client.subscriptions.create({
    customer_id: payer.customerId,
    name: 'Membership',
    currency: 'AUD',
    items: [{ name: 'Membership', unit_amount_cents: sold.price }],
    ...termsOf(terms),
  });
  const none = { refundIds: [], deeds: [], changes: [], refunds: [] };
  const joined: Member = { ...none, ...payer, id, sold, model: played(sold, []), isInMotion: true };
  to.push(joined);
  await client.subscriptions.start(id);
  joined.isInMotion = false;
}

/** What the rules make of a subscription. */
function played({ terms, at, price }: Sold, deeds: readonly Deed[]): Subscription {
  const model = new Subscription(terms, at, price);
  for (const deed of deeds) {
    if ('to' in deed) model.advance(deed.to);
    else model.request(deed);
  }
  return model;
}

/** What the rules say of a member once it is done. */
function doTo(one: Member, deed: Deed): void {
  one.deeds.push(deed);
  one.model = played(one.sold, one.deeds);
}

/** What a biller does between two advances: pauses a subscription, resumes it, or ends it. */
async function change({ client }: Account, one: Member, chance: Chance): Promise<void> {
  const { id, model } = one;
  if (!isAlwaysPaid(one) || model.state === 'canceled' || model.endsAt !== null) return;
  if (model.state === 'paused' || model.pausesAt !== null) {
    one.isInMotion = true;
    doTo(one, { ask: 'resume', unpaid: 'collect' });
    await client.subscriptions.resume(id);
    await eventually(`${id} is resumed`, async () => (await shown(client, id)) === expected(one), forEver);
    one.isInMotion = false;
  } else if (chance.happens(0.7)) {
    await client.subscriptions.pause(id, {});
    doTo(one, { ask: 'pause', resumesIn: null });
  } else if (chance.happens(0.5)) {
    await client.subscriptions.cancel(id, {});
    doTo(one, { ask: 'cancel', at: 'period_end' });
  } else {
    await client.subscriptions.cancel(id, { at: 'now' });
    doTo(one, { ask: 'cancel', at: 'now' });
  }
}

/** One advance, and the comparison with the rules at its `ready`. */
async function advance(
  { client, impatient }: Account,
  clockId: string,
  members: Member[],
  to: number,
  checks: Checks,
): Promise<void> {
  for (const one of members) Object.assign(one, { isInMotion: true }).deeds.push({ to });
  const expectedCounts = countedIn(
    members.map(({ model }) => model),
    () => {
      for (const { model } of members) model.advance(to);
    },
  );
  const target = new Date(to).toISOString();
  await impatient.testClocks.advance(clockId, { frozen_time: target });
  const isReady = async () => {
    const found = await client.testClocks.get(clockId, { waitSeconds: 2 });
    return found.status === 'ready' && found;
  };
  const clock = await eventually(`${clockId} is ready`, isReady, forEver);
  for (const one of members) one.isInMotion = false;
  const { subscriptions_rolled, payment_intents_enqueued } = clock.last_advance?.effects_manifest ?? {};
  const counted = { subscriptions_rolled, payment_intents_enqueued };
  checks.equal(`manifest of ${clockId} at ${target}`, counted, expectedCounts);
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
function expected({ model }: Member): string {
  const lines = model.all.map(
    ({ number, start, end, status, amount }) => `${number} ${start} ${end} ${status} ${amount}`,
  );
  return [model.state, ...lines].join(', ');
}

/** What the ledger has of a member: under each amount, the periods and the change that cost it. */
function claimsOf({ id, sold, model, changes, refunds, isInMotion }: Member, isDeleted: boolean): Claim[] {
  const certain = isInMotion ? 0 : 1;
  const claim = (amount: number, succeeded: number, attempts: number): Claim => ({
    amount,
    what: `subscription ${id} on a clock`,
    succeeded: [succeeded * certain, succeeded],
    attempts: [attempts * certain, attempts],
    isDeleted,
    refunds,
  });
  const periods = model.all.filter(({ isTrial }) => !isTrial);
  const amounts = new Set([sold.price, ...periods.map(({ amount }) => amount)]);
  return [
    ...[...amounts].map((amount) => {
      const own = periods.filter((period) => period.amount === amount);
      const attempts = own.reduce((sum, period) => sum + period.attempts, 0);
      return claim(amount, own.filter(({ status }) => status === 'paid').length, attempts);
    }),
    ...changes.map((amount) => claim(amount, 1, 1)),
  ].filter(({ amount }) => amount > 0);
}

/** Asks for another price, now or from the next period on, by its quote; or for a refund of credit. */
async function reprice(world: World, { client }: Account, one: Member, chance: Chance, checks: Checks): Promise<void> {
  const { id, model } = one;
  const { credit, refundable } = model;
  const isRefund = credit > 0 && chance.happens(0.5);
  const isRunning = model.state === 'active' && model.pausesAt === null && model.endsAt === null;
  if (!isAlwaysPaid(one) || !(isRefund ? refundable > 0 : isRunning)) return;
  const ask = findAsk(world, one, () =>
    isRefund
      ? { ask: 'refund', amount: chance.between(1, Math.min(credit, refundable)) }
      : {
          ask: 'change',
          price: chance.between(20_000_000, 80_000_000),
          when: chance.pick(['now', 'now', 'period_end'] as const),
          collect: chance.pick(['now', 'next_period'] as const),
        },
  );
  if (ask === null) return;
  one.isInMotion = true;
  doTo(one, ask);
  if (ask.ask === 'refund') {
    one.refunds.push(ask.amount);
    const { id: refundId, status, amount } = await client.subscriptions.refundCredit(id, { amount_cents: ask.amount });
    one.refundIds.push(refundId);
    checks.equal(`refund of ${id}`, { status, amount }, { status: 'succeeded', amount: ask.amount });
  } else {
    const { price, when, collect } = ask;
    const { quoted } = one.model;
    if (quoted.amount > 0) one.changes.push(quoted.amount);
    const wanted = { items: [{ name: 'Membership', unit_amount_cents: price }], when };
    const body = when === 'now' ? { ...wanted, collect } : wanted;
    const quote = await client.subscriptions.change(id, { ...body, dry_run: true });
    checks.equal(`quote of ${id}`, { amount: quote.amount_cents, next: quote.next_period_amount_cents }, quoted);
    const sure = when === 'now' ? { expected_amount_cents: quote.amount_cents } : {};
    const made = await client.subscriptions.change(id, { ...body, ...sure });
    checks.equal(`change of ${id}`, made.amount_cents, quoted.amount);
  }
  const { credit_balance_cents: left } = await client.subscriptions.get(id);
  checks.equal(`credit of ${id}`, left, one.model.credit);
  one.isInMotion = false;
}

/** An ask of which all that it makes the processor take is free: what it takes now, and the periods after it. */
function findAsk(world: World, { sold, deeds, model }: Member, make: () => PriceAsk): PriceAsk | null {
  for (let tries = 20; tries > 0; tries -= 1) {
    const ask = make();
    const after = played(sold, deeds);
    if (!after.isClear(ask) || !after.request(ask)) continue;
    const now = ask.ask === 'refund' ? ask.amount : after.quoted.amount;
    const wanted = new Set([now, ...amountsToCome(after)]);
    if (world.takeAmounts([...wanted].filter((amount) => amount > 0 && amount !== model.nextPrice))) return ask;
  }
  return null;
}

/** What the periods to come take, if nothing else is asked for: credit may last for some. */
function amountsToCome({ nextPrice: price, account }: Subscription): number[] {
  return [account < 0 ? price - (-account % price) : price + account, price];
}

async function end(world: World, { client }: Account, clockId: string, members: Member[]): Promise<void> {
  // A repetition after a lost response finds it deleted: that is as good.
  await client.testClocks.delete(clockId).catch(unlessRefused('resource_missing'));
  world.deleted.add(clockId);
  for (const { id, customerId, methodId, refundIds } of members)
    for (const gone of [id, customerId, methodId, ...refundIds]) world.deleted.add(gone);
}
