import { setTimeout as pause } from 'node:timers/promises';
import { inParallel, range } from '../../lab/parallel.ts';
import { findFixtureCard } from '../../src/domain/cards.ts';
import type { ChargeOutcome } from '../../src/domain/charge-outcome.ts';
import { type Id, newId } from '../../src/domain/ids.ts';
import type { withoutClock } from '../../src/domain/instants.ts';
import type { MinorUnits } from '../../src/domain/units.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { createHttpProcessor, type HttpProcessor } from '../../src/processors/http-processor.ts';
import type { HttpAnswer } from '../../src/processors/http-reading.ts';
import {
  type ChargeRequest,
  type Inquiry,
  type Movement,
  type Movements,
  type Notice,
  OutcomeUnknown,
  type PendingRefund,
  type RefundOutcome,
  type RefundRequest,
  type Submitted,
} from '../../src/processors/processor.ts';
import { type Exchange, openRelay } from './relay.ts';
import { Broken, NotTried } from './row.ts';

export interface CheckOptions {
  /** Of the service, without a slash at its end. */
  url: string;
  secret: string;
  /** The biller whose account is charged. Null: the service looks at no biller. */
  account: Id<'biller'> | null;
  /** Of a payment method that is charged. */
  token: string;
  /** Of one that is declined; null if there is none. */
  declinedToken: string | null;
  /** Of a card whose bank asks the payer; null if there is none. */
  challengeToken: string | null;
  amount: MinorUnits;
  currency: string;
  livemode: boolean;
  /** Ends the service and starts it again; null if that is not to be tried. */
  restartCommand: string | null;
}

/** A payment that the service has reserved. */
export interface Payment {
  request: ChargeRequest;
  reference: string;
}

export type Charged = ChargeOutcome | Submitted;

/** How long a service is left alone that asks for it, all in all, in one call. */
const mostPatienceMs = 60_000;
/** How long an inquiry may know nothing of a charge in the rows that are not about this. */
const mostLagMs = 10_000;
const lagStepMs = 250;
const postTimeoutMs = 30_000;

/** The calls of one run: by the client that the payments service itself has, so that both read an answer alike. */
export class Session {
  readonly options: CheckOptions;
  readonly client: HttpProcessor;
  /** All calls so far. */
  readonly exchanges: readonly Exchange[];
  /** What the service has told: each charge and refund that has moved money. */
  readonly told: Movement[] = [];
  /** Those that may have been charged. */
  readonly payments: Payment[] = [];
  /** Where the list of movements ended when the run began; null if the service did not say. */
  start: string | null = null;
  readonly #relay: Awaited<ReturnType<typeof openRelay>>;
  #first: Payment | null = null;

  private constructor(options: CheckOptions, relay: Awaited<ReturnType<typeof openRelay>>) {
    this.options = options;
    this.#relay = relay;
    this.exchanges = relay.exchanges;
    const { secret, livemode } = options;
    // No payer comes back there: the check has no browser.
    const returnUrlOf = (id: string) => `https://pay.example.com/challenge/${id}`;
    this.client = createHttpProcessor({ url: relay.url, secret, livemode, returnUrlOf });
  }

  static async open(options: CheckOptions): Promise<Session> {
    const session = new Session(options, await openRelay(options.url));
    session.start = await session.client.movements(null).then(
      ({ cursor }) => cursor,
      () => null,
    );
    return session;
  }

  async close(): Promise<void> {
    await this.client.close();
    await this.#relay.close();
  }

  /** The payment that the first row has charged. */
  get first(): Payment {
    if (this.#first === null) throw new NotTried('no payment was charged');
    return this.#first;
  }

  set first(payment: Payment) {
    this.#first = payment;
  }

  /** A new payment with the token, as the payments service sends one. */
  newRequest({ token = this.options.token, ...over }: Partial<ChargeRequest> & { token?: string } = {}): ChargeRequest {
    const { amount, currency, livemode } = this.options;
    const isFixture = !livemode && findFixtureCard(token) !== null;
    return {
      idempotencyKey: newId('payment_attempt'),
      billerId: this.options.account ?? 'acct_processorcheck',
      paymentIntentId: newId('payment_intent', { livemode }),
      amount,
      totalAmount: amount,
      currency,
      attempt: 1,
      openedAt: realNow(),
      paymentMethodId: newId('payment_method'),
      paymentMethodType: 'card',
      paymentMethodToken: isFixture ? null : token,
      fixtureToken: isFixture ? token : null,
      metadata: {},
      attended: false,
      debit: null,
      ...over,
    };
  }

  /** Reserves a payment. @throws Broken if the service does not take it */
  async reserve(request = this.newRequest()): Promise<Payment> {
    const reserved = await patiently(() => this.client.prepare(request));
    if (reserved.kind === 'failed') throw new Broken('/prepare rejects the payment');
    return { request, reference: reserved.reference };
  }

  /** Charges it, and remembers what the service has told. */
  charge(payment: Payment): Promise<Charged> {
    return patiently(() => this.#charge(payment));
  }

  /** Charges it so many times at the same moment. Returns the outcomes that were told. */
  async chargeAtOnce(payment: Payment, times: number): Promise<Charged[]> {
    return inParallel(range(times), times, () => known(this.#charge(payment))).then(withoutNull);
  }

  async #charge(payment: Payment): Promise<Charged> {
    this.mayBeCharged(payment);
    const outcome = await this.client.charge(payment.request, payment.reference);
    if (outcome.kind === 'succeeded' || outcome.kind === 'submitted') this.#tell(chargeMovement(payment));
    return outcome;
  }

  /** For a payment that is charged in another way: it is looked for at the end, and given back. */
  mayBeCharged(payment: Payment): void {
    if (!this.payments.includes(payment)) this.payments.push(payment);
  }

  /** A payment that was charged. @throws Broken if it was not */
  async paid(): Promise<Payment> {
    const payment = await this.reserve();
    const outcome = await this.charge(payment);
    if (outcome.kind !== 'succeeded') throw new Broken(`/charges of ${this.options.token} says ${inWords(outcome)}`);
    return payment;
  }

  /** The state of a payment now, or so many days from now. */
  inquire({ request, reference }: Payment, daysFromNow = 0): Promise<Inquiry> {
    const at = new Date(realNow().getTime() + daysFromNow * 86_400_000) as ReturnType<typeof withoutClock>;
    return patiently(() => this.client.inquire(request, reference, at));
  }

  /** The state of a payment that was charged. It may come late here: that is another row's to judge. */
  async settled(payment: Payment): Promise<Inquiry> {
    const until = performance.now() + mostLagMs;
    for (;;) {
      const state = await this.inquire(payment);
      if (state.kind !== 'not_charged' || performance.now() > until) return state;
      await pause(lagStepMs);
    }
  }

  /** A refund of a part of a payment, under a key of its own. */
  newRefund({ request, reference }: Payment, amount: MinorUnits): RefundRequest {
    return {
      idempotencyKey: newId('refund'),
      billerId: request.billerId,
      paymentIntentId: request.paymentIntentId,
      chargeReference: reference,
      amount,
      currency: request.currency,
      metadata: {},
    };
  }

  /** Asks for a refund, and remembers what the service has told. */
  refund(refund: RefundRequest): Promise<RefundOutcome | PendingRefund> {
    return patiently(() => this.#refund(refund));
  }

  /** Asks for it so many times at the same moment. Returns the outcomes that were told. */
  async refundAtOnce(refund: RefundRequest, times: number): Promise<(RefundOutcome | PendingRefund)[]> {
    return inParallel(range(times), times, () => known(this.#refund(refund))).then(withoutNull);
  }

  async #refund(refund: RefundRequest): Promise<RefundOutcome | PendingRefund> {
    const outcome = await this.client.refund(refund);
    if (outcome.kind === 'succeeded') this.#tell(refundMovement(refund));
    return outcome;
  }

  inquireRefund(refund: RefundRequest) {
    return patiently(() => this.client.inquireRefund(refund));
  }

  /** All movements after a cursor, what the service says of its books, and where the list ends now. */
  async movementsSince(after: string): Promise<Omit<Movements, 'hasMore'>> {
    const all: Omit<Movements, 'hasMore' | 'cursor'> = { movements: [], entries: [], payouts: [] };
    for (let cursor = after; ; ) {
      const page = await patiently(() => this.client.movements(cursor));
      all.movements.push(...page.movements);
      all.entries.push(...page.entries);
      all.payouts.push(...page.payouts);
      if (!page.hasMore) return { ...all, cursor: page.cursor };
      if (page.cursor === cursor) throw new Broken('/movements says has_more, and gives the same cursor again');
      cursor = page.cursor;
    }
  }

  /** All notices after a cursor, until none comes for so long. */
  async noticesSince(after: string, patienceMs: number): Promise<Notice[]> {
    const notices: Notice[] = [];
    for (let cursor = after; ; ) {
      const page = await known(this.client.notices(cursor, AbortSignal.timeout(patienceMs)));
      if (page === null || page.cursor === cursor) return notices;
      notices.push(...page.notices);
      cursor = page.cursor;
    }
  }

  /** All movements of this run, and of others meanwhile. @throws NotTried if the list has no end to begin at */
  async listed(): Promise<Movement[]> {
    if (this.start === null) throw new NotTried('/movements gave no cursor when the run began');
    return (await this.movementsSince(this.start)).movements;
  }

  /** The body of a charge of this payment, as the client would send it. */
  chargeBody({ request, reference }: Payment): Record<string, unknown> {
    return { ...JSON.parse(this.#sent('/prepare', request.idempotencyKey)), reference };
  }

  /** The body of a refund that was inquired about, as the client would send it. */
  refundBody({ idempotencyKey }: RefundRequest): Record<string, unknown> {
    return JSON.parse(this.#sent('/refunds/inquire', idempotencyKey));
  }

  #sent(path: string, key: string): string {
    const found = this.exchanges.find((exchange) => exchange.path === path && exchange.key === key);
    if (found === undefined) throw new Error(`${path} was not called under this key`);
    return found.sent;
  }

  /**
   * Posts a body as it is, for calls that the client would not send. Returns null if there is no answer. `secret`: null
   * for none.
   */
  async post(
    path: string,
    { key = null, body, secret = this.options.secret }: { key?: string | null; body: string; secret?: string | null },
  ): Promise<HttpAnswer | null> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
      ...(key === null ? {} : { 'idempotency-key': key }),
    };
    const signal = AbortSignal.timeout(postTimeoutMs);
    try {
      const answer = await fetch(`${this.#relay.url}${path}`, { method: 'POST', headers, body, signal });
      const { status } = answer;
      return { from: 'the service', isOnLoopback: true, status, retryAfterMs: null, body: await answer.text() };
    } catch {
      return null;
    }
  }

  #tell(movement: Movement): void {
    const isKnown = this.told.some(({ kind, idempotencyKey }) => {
      return kind === movement.kind && idempotencyKey === movement.idempotencyKey;
    });
    if (!isKnown) this.told.push(movement);
  }
}

export function chargeMovement({ request, reference }: Payment): Movement {
  const { idempotencyKey, paymentIntentId, totalAmount: amount, currency } = request;
  return { kind: 'charge', idempotencyKey, reference, paymentIntentId, amount, currency };
}

export function refundMovement(refund: RefundRequest): Movement {
  const { idempotencyKey, paymentIntentId, chargeReference: reference, amount, currency } = refund;
  return { kind: 'refund', idempotencyKey, reference, paymentIntentId, amount, currency };
}

/** An outcome or a state for people, such as "failed (insufficient_funds)". */
export function inWords(state: { kind: string; code?: string }): string {
  return state.code === undefined ? state.kind : `${state.kind} (${state.code})`;
}

/** Different outcomes or states for people, each once. */
export function allInWords(states: readonly { kind: string; code?: string }[]): string {
  return [...new Set(states.map(inWords))].join(', ') || 'no outcome';
}

/** The outcome, or null if the service gave none. */
export async function known<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  });
}

/** The outcome that the client reads in an answer; null if there is none. */
export function outcomeIn<T>(answer: HttpAnswer | null, read: (answer: HttpAnswer) => T): T | null {
  try {
    return answer && read(answer);
  } catch (error) {
    if (error instanceof OutcomeUnknown) return null;
    throw error;
  }
}

function withoutNull<T>(results: (T | null)[]): T[] {
  return results.filter((result) => result !== null);
}

/** Makes the call, and again when the service has asked to be left alone for a while. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  const until = performance.now() + mostPatienceMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const wait = error instanceof OutcomeUnknown ? error.retryAfterMs : null;
      if (wait === null || performance.now() + wait > until) throw error;
      await pause(wait);
    }
  }
}
