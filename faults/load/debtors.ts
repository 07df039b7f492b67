import type { PaymentIntent } from '@payments-service/client';
import { unlessRefused } from '../../lab/client.ts';
import { eventually } from '../../lab/eventually.ts';
import { day } from '../../lab/model/calendar.ts';
import { type Debtor, makeActivePlan, makeDebtor } from '../../lab/payer.ts';
import type { Chance } from '../../lab/random.ts';
import { type Account, type Actor, type Claim, keepDoing, type World } from './world.ts';

/** How often a payment, or all of a plan, is told to have succeeded, come back and failed, in the end. */
type Told = Record<keyof NonNullable<Claim['debits']>, number>;

interface Errand {
  weight: number;
  /** Words of `_sandbox_bank_outcome`. */
  words: string;
  told: Told;
}

const singles: readonly (Errand & { status: PaymentIntent['status'] })[] = [
  { weight: 5, words: 'settled', told: { succeeded: 1, returned: 0, failed: 0 }, status: 'succeeded' },
  { weight: 3, words: 'dishonoured', told: { succeeded: 0, returned: 0, failed: 1 }, status: 'failed' },
  { weight: 4, words: 'late_dishonour', told: { succeeded: 1, returned: 1, failed: 0 }, status: 'returned' },
  { weight: 2, words: 'disputed', told: { succeeded: 1, returned: 1, failed: 0 }, status: 'returned' },
  { weight: 1, words: 'payment_stopped', told: { succeeded: 0, returned: 0, failed: 1 }, status: 'failed' },
];

/** Plans of two payments, four weeks apart. `collected` counts payments: what comes back after the close is missing. */
const plans: readonly (Errand & { collected: number })[] = [
  { weight: 1, words: 'dishonoured,settled', told: { succeeded: 2, returned: 0, failed: 2 }, collected: 2 },
  { weight: 1, words: 'late_dishonour,settled', told: { succeeded: 3, returned: 2, failed: 0 }, collected: 1 },
];

/** Something that is paid by debits, its claim, and what has to be true of it at the end. */
interface Course {
  claim: Claim;
  told: Told;
  /** Deleted with the clock. */
  ids: string[];
  /** Says what is wrong at this time of the clock, if something is. */
  fault(at: number, isOver: boolean): Promise<string | null>;
}

/** Longer than two payments four weeks apart, or a return window, with all holidays. */
const lifeDays = 85;
/** As many as a clock may have. */
const payersEach = 3;
const restMs = 80;
const forEver = { timeoutMs: Number.POSITIVE_INFINITY, everyMs: 80 };

/**
 * Lives on a test clock: payers with a bank account under a mandate, each with one payment or one plan, until nothing
 * more can come back. At each `ready` every debit whose result was due has one.
 */
export function debtor(number: number): Actor {
  return async (world) => {
    const account = world.accounts.debits;
    const name = `debtor ${number}`;
    const chance = world.chance.fork(name);
    await keepDoing(world, name, restMs, async () => {
      let now = Date.UTC(2027, chance.below(24), chance.between(1, 28), chance.below(24));
      const { id: clockId } = await account.client.testClocks.create({ frozen_time: new Date(now).toISOString() });
      const courses: Course[] = [];
      for (let left = payersEach; left > 0; left -= 1) {
        courses.push(await begin(world, account, clockId, now, chance));
      }
      for (const end = now + lifeDays * day; now < end && !world.isStopping; ) {
        now = Math.min(end, now + chance.between(2, 25) * day + chance.below(24) * 3_600_000);
        await advance(account, clockId, now);
        for (const { claim, fault } of courses) {
          const what = await fault(now, now === end);
          if (what !== null) world.surprises.push({ promise: 'P8', what: `${claim.what} at ${now}: ${what}` });
        }
        if (now === end) for (const { claim, told } of courses) Object.assign(claim, certain(told));
      }
      if (!world.isStopping) await deleteClock(world, account, clockId, courses);
    });
  };
}

/** Makes room for the next one: an account has at most three clocks. */
async function deleteClock(world: World, { client }: Account, clockId: string, courses: Course[]): Promise<void> {
  // A repetition after a lost response finds it deleted: that is as good.
  await client.testClocks.delete(clockId).catch(unlessRefused('resource_missing'));
  world.deleted.add(clockId);
  for (const { claim, ids } of courses) {
    claim.isDeleted = true;
    for (const id of ids) world.deleted.add(id);
  }
}

async function begin(world: World, account: Account, clockId: string, now: number, chance: Chance): Promise<Course> {
  const { client } = account;
  const payer = await makeDebtor(client, { test_clock: clockId });
  return chance.happens(0.6)
    ? single(world, client, payer, chance.pickByWeight(singles))
    : plan(world, client, payer, now, chance.pickByWeight(plans));
}

async function single(
  world: World,
  client: Account['client'],
  { customerId, methodId, mandateId }: Debtor,
  { words, told, status }: (typeof singles)[number],
): Promise<Course> {
  const amount = world.nextAmount('payment');
  const claim = claimed(world, { amount, what: `a debit of ${amount}, ${words}` }, told);
  const metadata = { _sandbox_bank_outcome: words };
  const { id } = await client.paymentIntents.create({ amount, currency: 'AUD', customer_id: customerId, metadata });
  await client.paymentIntents.confirm(id, { payment_method: methodId });
  return {
    claim,
    told,
    ids: [id, customerId, methodId, mandateId],
    async fault(at, isOver) {
      const { status: found, expected_result_date: date } = await client.paymentIntents.get(id);
      if (found === 'processing' && at >= Date.parse(date ?? '')) return `it has no result, which was due on ${date}`;
      return isOver && found !== status ? `it is ${found} in the end, not ${status}` : null;
    },
  };
}

async function plan(
  world: World,
  client: Account['client'],
  { customerId, methodId, mandateId }: Debtor,
  now: number,
  { words, told, collected }: (typeof plans)[number],
): Promise<Course> {
  const amount = world.nextAmount('plan');
  const claim = claimed(world, { amount, what: `a plan of debits of ${amount}, ${words}` }, told);
  const id = await makeActivePlan(client, {
    customer_id: customerId,
    payment_instrument_id: methodId,
    frequency_period: 4,
    recurring_amount_cents: amount,
    total_amount_cents: 2 * amount,
    start_date: new Date(now + day).toISOString().slice(0, 10),
    metadata: { _sandbox_bank_outcome: words },
  });
  return {
    claim,
    told,
    ids: [id, customerId, methodId, mandateId],
    async fault(_at, isOver) {
      if (!isOver) return null;
      const found = await client.paymentPlans.get(id);
      const isRight = found.state === 'closed' && found.collected_amount_cents === collected * amount;
      return isRight ? null : `it is ${found.state}, with ${found.collected_amount_cents} collected`;
    },
  };
}

async function advance({ client, impatient }: Account, clockId: string, to: number): Promise<void> {
  await impatient.testClocks.advance(clockId, { frozen_time: new Date(to).toISOString() });
  await eventually(
    `${clockId} is ready`,
    async () => (await client.testClocks.get(clockId, { waitSeconds: 2 })).status === 'ready',
    forEver,
  );
}

/** Before its clock has come to the end, anything up to what is expected may have happened. */
function claimed(world: World, { amount, what }: Pick<Claim, 'amount' | 'what'>, told: Told): Claim {
  const claim: Claim = { amount, what, ...certain(told) };
  Object.assign(claim, {
    attempts: [0, claim.attempts[1]],
    debits: { succeeded: [0, told.succeeded], returned: [0, told.returned], failed: [0, told.failed] },
  });
  world.claims.push(() => [claim]);
  return claim;
}

/** Each attempt is a debit that the bank takes, and that then succeeds or fails. */
function certain({ succeeded, returned, failed }: Told): Pick<Claim, 'succeeded' | 'attempts' | 'debits'> {
  const handedOver = succeeded + failed;
  return {
    succeeded: [0, 0],
    attempts: [handedOver, handedOver],
    debits: { succeeded: [succeeded, succeeded], returned: [returned, returned], failed: [failed, failed] },
  };
}
