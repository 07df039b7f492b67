// One life of a payment at the processor service of Stripe, drawn from a seed: calls that go wrong at every place,
// repeated and at once, restarts, days that pass, rows that are lost, and people in Stripe's dashboard.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Chance, chanceOf } from '../../lab/random.ts';
import { openFaultProxy, seededFaults } from '../../lab/stripe-rig/fault-proxy.ts';
import { openIdempotencyLayer } from '../../lab/stripe-rig/idempotency.ts';
import type { StripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { openAccounts } from '../../processors/stripe/accounts.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/platform/logger.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor } from '../../src/processors/http-processor.ts';
import { type ChargeRequest, OutcomeUnknown, RequestRefused } from '../../src/processors/processor.ts';
import {
  chargeReserved,
  type RequestedCharge,
  requestUnder,
  reservePayment,
} from '../../src/services/payments/reserved-charge.ts';
import { account, sealingKeys } from './support.ts';

/** What the service was told at the end. */
export interface Told {
  readonly name: string;
  readonly attemptId: string;
  /** Each outcome that any try was told: one kind alone, or the outcome has changed. */
  readonly outcomes: ReadonlySet<string>;
  readonly refunds: readonly { key: string; amount: number; outcomes: ReadonlySet<string> }[];
  /** What happened, for the message of a failure. */
  readonly story: readonly string[];
  /** A person in the dashboard may confirm between two calls of the adapter. */
  readonly hadPerson: boolean;
}

const cards = [
  { weight: 6, card: 'good' },
  { weight: 3, card: 'declined' },
  { weight: 2, card: 'challenge' },
] as const;
const amount = 1018;
const dayMs = 25 * 3_600_000;
const secret = 'secret-of-the-schedules-0001';
/** After so many rounds the weather is fair; after so many more, each payment has an outcome. */
const mostStormyRounds = 6;
const mostFairRounds = 12;

type Place = { rig: StripeRig; sql: Pool };

/** Plays the schedule of a name: the same name draws the same faults. @throws Error if it ends without an outcome. */
export async function playSchedule({ rig, sql }: Place, name: string): Promise<Told> {
  const chance = chanceOf(name);
  const story: string[] = [];
  const way = await openWay(rig, chance.fork('faults'));
  const adapters = await openAdapters(sql, way.url, chance.happens(0.3) ? 2 : 1);
  const processors = adapters.urls.map((url) => createHttpProcessor({ url, secret, livemode: false }));
  const attemptId = newId('payment_attempt');
  const atStripe = async (path: string, form: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${rigKey}` };
    const init = { method: 'POST', headers, body: new URLSearchParams(form) };
    return (await (await fetch(`${rig.localstripe().url}/v1/${path}`, init)).json()) as { id: string };
  };
  const { card } = chance.pickByWeight([...cards]);
  const token = await rig.makeCard(card);
  const billerId = account as Id<'biller'>;
  const request: ChargeRequest = {
    ...{
      billerId,
      idempotencyKey: attemptId,
      paymentIntentId: newId('payment_intent', { livemode: false }),
      amount,
      totalAmount: amount,
    },
    ...{ currency: 'AUD', attempt: 1, openedAt: realNow(), paymentMethodId: newId('payment_method') },
    ...{
      paymentMethodType: 'card',
      paymentMethodToken: token,
      fixtureToken: null,
      metadata: {},
      debit: null,
      attended: false,
    },
  };
  let isReopened = false;
  let hadPerson = false;
  const outcomes = new Set<string>();

  async function ask(): Promise<void> {
    const charge = { attemptId, livemode: false, isReopened, request } as RequestedCharge;
    const processor = chance.pick(processors);
    isReopened = true;
    const reserved = await reservePayment(sql, processor, charge);
    const outcome = reserved.kind === 'failed' ? reserved : await chargeReserved(sql, processor, charge, reserved);
    outcomes.add(outcome.kind);
  }

  const keyLike = `${attemptId}%`;
  const references = async () => {
    const rows = await sql<{ reference: string }[]>`
      select reference from payment_reservations where attempt_id = ${attemptId} and reference is not null
      order by number desc`;
    return rows.map(({ reference }) => reference);
  };

  /** While nothing is under way: keys are forgotten when a day has passed for all. */
  async function passDay(): Promise<void> {
    await adapters.idle();
    way.keys.age(dayMs);
    await sql`
      update processor_stripe.reservations set reserved_at = reserved_at - interval '25 hours'
      where idempotency_key like ${keyLike}`;
    await sql`
      update payment_reservations set reserved_at = reserved_at - interval '25 hours' where attempt_id = ${attemptId}`;
  }

  /** A back-up is restored that has none of it, or the reservation alone. */
  async function loseRows(refunds: readonly string[]): Promise<void> {
    const keys = [...refunds];
    await sql`delete from processor_stripe.refunds where idempotency_key = any(${keys})`;
    await sql`
      delete from processor_stripe.movements where idempotency_key = any(${keys}) or idempotency_key like ${keyLike}`;
    if (chance.happens(0.5)) {
      await sql`delete from processor_stripe.reservations where idempotency_key like ${keyLike}`;
      await sql`delete from processor_stripe.methods where token = ${token}`;
    } else {
      await sql`
        update processor_stripe.reservations set outcome = null, code = null, processor_code = null, decided_at = null
        where idempotency_key like ${keyLike}`;
    }
  }

  async function person(): Promise<void> {
    const [reference] = await references();
    if (reference === undefined) return;
    hadPerson = true;
    const act = chance.pick(['confirm', 'cancel']);
    story.push(`a person: ${act}`);
    await atStripe(`payment_intents/${reference}/${act}`);
  }

  /** A call that comes again when nobody expects it: it says what was said, or nothing. */
  async function repeatCharge(): Promise<void> {
    const rows = await sql<{ reference: string; number: number }[]>`
      select reference, number from payment_reservations
      where attempt_id = ${attemptId} and reference is not null`;
    const charge = { attemptId, livemode: false, isReopened, request } as RequestedCharge;
    for (const { reference, number } of rows) {
      const asked = chance.pick(processors).charge(requestUnder(charge, number), reference);
      await unlessUnknown(asked.then(({ kind }) => outcomes.add(kind)));
    }
  }

  /** Asks in rounds until `isDone`. The first rounds meet faults. */
  async function rounds(what: string, isDone: () => boolean, asks: (() => Promise<void>)[], keys: readonly string[]) {
    const stormy = chance.below(mostStormyRounds + 1);
    way.storm(stormy > 0);
    for (let round = 0; !isDone(); round += 1) {
      if (round === stormy) way.storm(false);
      if (round > stormy + mostFairRounds) throw new Error(`${name}: ${what} has no outcome: ${story.join('; ')}`);
      if (chance.happens(0.15) || (round > stormy && round % 4 === 3)) {
        story.push('a day passes');
        await passDay();
      }
      const times = chance.pick([1, 1, 2, 3]);
      story.push(`${what} × ${times}`);
      const calls = asks.flatMap((each) => Array.from({ length: times }, () => unlessUnknown(each())));
      if (chance.happens(0.1)) calls.push(person());
      if (chance.happens(0.15))
        calls.push(adapters.restart(chance.below(processors.length)).then(() => void story.push('restarted')));
      await Promise.all(calls);
      if (chance.happens(0.2)) {
        story.push('rows are lost');
        await loseRows(keys);
      }
    }
  }

  try {
    await rounds('charge', () => outcomes.size > 0, [ask], []);
    // Another process, or the service once more: the outcome stays.
    if (chance.happens(0.5)) await unlessUnknown(ask());
    const [chargeReference = null] = outcomes.has('succeeded') ? await references() : [];
    const amounts = chargeReference === null ? [] : chance.pick([[], [], [400], [400, 700], [500, 518]]);
    const refunds = amounts.map((each) => ({ key: newId('refund'), amount: each, outcomes: new Set<string>() }));
    const giveBack = refunds.map((each) => async () => {
      const { key: idempotencyKey } = each;
      const { paymentIntentId } = request;
      const money = { amount: each.amount, currency: 'AUD' };
      const asked = { billerId, idempotencyKey, paymentIntentId, chargeReference, ...money, metadata: {} };
      const processor = chance.pick(processors);
      try {
        each.outcomes.add((await processor.refund(asked)).kind);
      } catch (error) {
        if (!(error instanceof RequestRefused)) throw error;
        const { kind } = await processor.inquireRefund(asked);
        each.outcomes.add(kind === 'not_found' ? 'failed' : kind);
      }
    });
    const keys = refunds.map(({ key }) => key);
    await rounds('refund', () => refunds.every((each) => each.outcomes.size > 0), giveBack, keys);
    if (chance.happens(0.3)) {
      story.push('a day passes, all rows are lost, and the calls come again');
      await passDay();
      await loseRows(keys);
      way.storm(chance.happens(0.5));
      await Promise.all([repeatCharge(), repeatCharge()]);
    }
    return { name, attemptId, outcomes, refunds, story, hadPerson };
  } finally {
    await adapters.idle();
    for (const each of processors) await each.close();
    await adapters.close();
    await way.close();
  }
}

/** A way to Stripe with keys and faults of its own: no other schedule changes what it meets. */
async function openWay(rig: StripeRig, chance: Chance) {
  const within = await openFaultProxy(rig.shadow.url);
  const keys = await openIdempotencyLayer(within.url);
  const before = await openFaultProxy(keys.url);
  const [drawn, drawnWithin] = [seededFaults(chance.fork('before'), 0.15, 20), chance.fork('within')];
  return {
    url: before.url,
    keys,
    storm(isStormy: boolean): void {
      before.choose(isStormy ? drawn : null);
      within.choose(isStormy ? () => faultWithin(drawnWithin) : null);
    },
    async close() {
      for (const part of [before, keys, within]) await part.close();
    },
  };
}

/** What Stripe itself may do behind the keys: it dies before or after the effect, or says 500; the key keeps it. */
function faultWithin(chance: Chance) {
  if (!chance.happens(0.04)) return null;
  return chance.pick([
    { kind: 'reset_request', at: 0.5 },
    { kind: 'reset_answer', at: 0 },
    { kind: 'status', status: 500, when: 'after' },
    { kind: 'status', status: 429, when: 'before' },
  ] as const);
}

/** Adapters on one database, which can be ended in the middle of their calls. */
async function openAdapters(sql: Pool, stripeApiUrl: string, count: number) {
  let underWay = 0;
  /** An adapter says one line for each call when the call has ended, whether or not anybody waits for it. */
  const logger = { info: () => (underWay -= 1), error() {}, warn() {} } as unknown as Logger;
  const start = async (port = 0) => {
    const accounts = openAccounts(sql, sealingKeys, stripeApiUrl);
    const server = createStripeProcessor({ db: sql, accounts, secret, logger, stripeApiUrl });
    server.prependListener('request', () => (underWay += 1));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  };
  const end = async (server: Server) => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const running: Server[] = [];
  for (let index = 0; index < count; index += 1) running.push(await start());
  return {
    urls: running.map((server) => `http://127.0.0.1:${portOf(server)}`),
    /** Calls under way lose their caller, as if it was killed; what they have sent to Stripe is on its way. */
    async restart(index: number) {
      const [server] = running.slice(index);
      if (server === undefined) return;
      const port = portOf(server);
      await end(server);
      running[index] = await start(port);
    },
    async idle() {
      while (underWay > 0) await pause(2);
    },
    async close() {
      for (const each of running) await end(each);
    },
  };
}

async function unlessUnknown(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error;
  }
}
