// One life of a payment at the processor service of Stripe, drawn from a seed: calls that go wrong at every place,
// repeated and at once, restarts, days that pass, rows that are lost, and people in Stripe's dashboard.

import type { AddressInfo } from 'node:net';
import { openFaultProxy, seededFaults } from '../../lab/stripe-rig/fault-proxy.ts';
import { openIdempotencyLayer } from '../../lab/stripe-rig/idempotency.ts';
import type { StripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { type Chance, chanceOf } from '../../lab/random.ts';
import { openAccounts } from '../../processors/stripe/accounts.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import { newId } from '../../src/domain/ids.ts';
import type { Logger } from '../../src/platform/logger.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import * as answers from '../../src/processors/http-answers.ts';
import { type ChargeRequest, OutcomeUnknown, RequestRefused } from '../../src/processors/processor.ts';
import {
  chargeReserved,
  type RequestedCharge,
  type ReservingProcessor,
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
  { weight: 6, number: '4242424242424242' },
  { weight: 3, number: '4000000000000341' },
  { weight: 2, number: '4000002760003184' },
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
  const processor = processorAt(() => chance.pick(adapters.urls()));
  const attemptId = newId('payment_attempt');
  const atStripe = async (path: string, form: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${rigKey}` };
    const init = { method: 'POST', headers, body: new URLSearchParams(form) };
    return (await (await fetch(`${rig.localstripe.url}/v1/${path}`, init)).json()) as { id: string };
  };
  const card = chance.pickByWeight([...cards]).number;
  const { id: token } = await atStripe('payment_methods', {
    ...{ type: 'card', 'card[number]': card, 'card[exp_month]': '12', 'card[exp_year]': '2030', 'card[cvc]': '123' },
  });
  const request: ChargeRequest = {
    ...{ idempotencyKey: attemptId, paymentIntentId: newId('payment_intent', { livemode: false }), amount, totalAmount: amount },
    ...{ currency: 'AUD', attempt: 1, openedAt: realNow(), paymentMethodId: newId('payment_method') },
    ...{ paymentMethodType: 'card', paymentMethodToken: token, fixtureToken: null, metadata: {}, debit: null },
  };
  let isReopened = false;
  let hadPerson = false;
  const outcomes = new Set<string>();

  async function ask(): Promise<void> {
    const charge = { attemptId, livemode: false, isReopened, request } as RequestedCharge;
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
      if (chance.happens(0.15)) calls.push(adapters.restart().then(() => void story.push('restarted')));
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
      const { key: idempotencyKey, amount: money } = each;
      const { paymentIntentId } = request;
      const asked = { idempotencyKey, paymentIntentId, chargeReference, amount: money, currency: 'AUD', metadata: {} };
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
    return { name, attemptId, outcomes, refunds, story, hadPerson };
  } finally {
    await adapters.idle();
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
  const running: { url: string; end(): void }[] = [];
  const start = async () => {
    const accounts = openAccounts(sql, sealingKeys, stripeApiUrl);
    const server = createStripeProcessor({ db: sql, accounts, secret, logger, stripeApiUrl });
    server.prependListener('request', () => (underWay += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const end = () => {
      server.close();
      server.closeAllConnections();
    };
    running.push({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end });
  };
  for (let index = 0; index < count; index += 1) await start();
  return {
    urls: () => running.map(({ url }) => url),
    /** Calls under way lose their caller, as if it was killed; what they have sent to Stripe is on its way. */
    async restart() {
      await start();
      running.shift()?.end();
    },
    async idle() {
      while (underWay > 0) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    async close() {
      for (const each of running) each.end();
    },
  };
}

/** The processor as the service calls it, with its own reading of answers, at one of several addresses. */
function processorAt(url: () => string): ReservingProcessor {
  async function call(path: string, key: string | null, members: Record<string, unknown>) {
    try {
      const response = await fetch(url() + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          ...(key === null ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify({ account, livemode: false, ...members }),
      });
      return { from: 'the processor', status: response.status, retryAfterMs: null, body: await response.text() };
    } catch {
      throw new OutcomeUnknown('the processor gave no outcome');
    }
  }
  const payment = (request: ChargeRequest) => ({
    ...{ payment_intent_id: request.paymentIntentId, amount: request.totalAmount, currency: request.currency },
    payment_method: { id: request.paymentMethodId, type: 'card', token: request.paymentMethodToken },
  });
  const refund = (request: Parameters<ReservingProcessor['refund']>[0]) => ({
    ...{ payment_intent_id: request.paymentIntentId, charge_reference: request.chargeReference },
    ...{ amount: request.amount, currency: request.currency },
  });
  return {
    async prepare(request) {
      const { idempotencyKey: key } = request;
      return answers.reservationOf(await call('/prepare', key, payment(request)), key);
    },
    async charge(request, reference) {
      const body = { ...payment(request), reference };
      return answers.chargeOutcomeOf(await call('/charges', request.idempotencyKey, body), request, reference ?? '');
    },
    async inquire(request, reference) {
      return answers.inquiryOf(await call('/inquire', null, { reference }), request, reference ?? '');
    },
    async cancel(reference) {
      answers.checkCanceled(await call('/cancel', null, { reference }), reference);
    },
    async refund(request) {
      const { idempotencyKey: key } = request;
      return answers.refundOutcomeOf(await call('/refunds', key, refund(request)), key);
    },
    async inquireRefund(request) {
      const { idempotencyKey: key } = request;
      return answers.refundInquiryOf(await call('/refunds/inquire', key, refund(request)), key);
    },
    async movements(after) {
      return answers.movementsOf(await call('/movements', null, { after }));
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
