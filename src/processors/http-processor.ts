import { Agent } from 'undici';
import { isLoopbackName } from '../platform/loopback.ts';
import { describeRequestFailure } from '../platform/request-failure.ts';
import type { CardSetups } from './card-setups.ts';
import {
  chargeOutcomeOf,
  checkCanceled,
  inquiryOf,
  refundInquiryOf,
  refundOutcomeOf,
  reservationOf,
} from './http-answers.ts';
import type { HttpAnswer } from './http-reading.ts';
import { movementsOf, noticesOf } from './list-answers.ts';
import { mandateStateOf } from './mandate-answers.ts';
import {
  type BankAccount,
  type ChargeRequest,
  type DebitRequest,
  OutcomeUnknown,
  type PaymentProcessor,
  type ReadBankAccount,
  type RefundRequest,
} from './processor.ts';
import { cardDetailsOf, setupOf, setupStateOf } from './setup-answers.ts';

export interface HttpProcessorOptions {
  /** Without a slash at its end. */
  url: string;
  /** Sent as a bearer token. */
  secret: string;
  /** Whether it is for real money. True if not given. */
  livemode?: boolean;
  /** For the whole of a charge or a refund: wait for a connection, request and response. 30 s if not given. */
  timeoutMs?: number;
  /** Opens the bank accounts that have no token. Without it, none is sent. */
  readAccount?: ReadBankAccount;
  /**
   * Returns where the payer of a payment comes back to after a challenge. Without it, no charge is made with the payer
   * present.
   */
  returnUrlOf?: (paymentIntentId: string) => string | Promise<string>;
}

/** A processor service, called by the protocol of docs/processors.md. */
export interface HttpProcessor extends PaymentProcessor {
  readonly prepare: NonNullable<PaymentProcessor['prepare']>;
  readonly movements: NonNullable<PaymentProcessor['movements']>;
  readonly notices: NonNullable<PaymentProcessor['notices']>;
  readonly inquireMandate: NonNullable<PaymentProcessor['inquireMandate']>;
  /** Calls that a processor service may lack. */
  readonly setups: CardSetups;
  /** Closes all connections. Calls under way throw `OutcomeUnknown`. */
  close(): Promise<void>;
}

/** Calls that one process has under way. Further ones wait, so an outage does not end in a storm. */
const callsUnderWay = 32;
/** Shorter than the five seconds after which many servers close an idle connection. */
const keepAliveMs = 4_000;
const mostBodyBytes = 64 * 1024;
/** A list is longer than an outcome: a thousand movements. */
const mostListBytes = 1024 * 1024;
/** A longer Retry-After counts as this: what is due must not wait for hours. */
const mostRetryAfterMs = 60_000;
/** For a call that moves no money. A charge with its three calls must end within the minute of a request. */
const shortTimeoutMs = 10_000;

/** Notices are waited for, half a minute at most. */
const noticesTimeoutMs = 35_000;

/** One call: its path, its body, and what differs from a short call with a key. */
interface Call {
  path: string;
  key: string | null;
  body: Record<string, unknown>;
  timeoutMs: number;
  mostBytes?: number;
  /** Ends the call early. */
  end?: AbortSignal;
}

/**
 * Returns the client of a processor service. Its calls throw nothing but `OutcomeUnknown`, and what `readAccount` does.
 */
export function createHttpProcessor({
  url,
  secret,
  livemode = true,
  timeoutMs = 30_000,
  readAccount = async () => null,
  returnUrlOf,
}: HttpProcessorOptions): HttpProcessor {
  const agent = new Agent({
    connections: callsUnderWay,
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // One timeout of our own covers all phases. A processor that sends a byte now and then cannot prolong it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { origin, pathname, hostname } = new URL(url);
  const isOnLoopback = isLoopbackName(hostname);
  const from = livemode ? 'the live processor' : 'the sandbox’s processor';
  const short = Math.min(timeoutMs, shortTimeoutMs);
  /** Until then the processor wants no requests at all; monotonic clock. */
  let pausedUntil = 0;

  async function call({
    path,
    key,
    body,
    timeoutMs: limitMs,
    mostBytes = mostBodyBytes,
    end,
  }: Call): Promise<HttpAnswer> {
    const pauseMs = Math.ceil(pausedUntil - performance.now());
    if (pauseMs > 0) throw new OutcomeUnknown(`${from} has asked for a pause: not asked`, pauseMs);
    const timeout = AbortSignal.timeout(limitMs);
    const signal = end === undefined ? timeout : AbortSignal.any([timeout, end]);
    try {
      const response = await agent.request({
        origin,
        path: `${pathname.replace(/\/$/, '')}${path}`,
        method: 'POST',
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/json',
          accept: 'application/json',
          ...(key === null ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
        signal,
      });
      const answer: HttpAnswer = {
        from,
        isOnLoopback,
        status: response.statusCode,
        retryAfterMs: retryAfterOf(response.headers['retry-after']),
        body: await readAll(response.body, mostBytes),
      };
      const wantsPause = answer.status === 429 || answer.status === 503;
      if (wantsPause && answer.retryAfterMs !== null) pausedUntil = performance.now() + answer.retryAfterMs;
      return answer;
    } catch (error) {
      const why = timeout.aborted ? `no response within ${limitMs / 1000} s` : describeRequestFailure(error);
      throw new OutcomeUnknown(`${from} gave no outcome: ${why}`);
    }
  }

  /** For whom a call is: in every body but that of movements, which are those of all accounts of the mode. */
  const forOf = ({ billerId }: { billerId: string }) => ({ account: billerId, livemode });

  /**
   * The body of a charge and of its reservation; see docs/processors.md. A bank account in it lives as long as the
   * call.
   */
  async function chargeBody(request: ChargeRequest) {
    const { paymentMethodId, paymentMethodType: type, paymentMethodToken: token } = request;
    const isTyped = type === 'au_becs_debit' && token === null;
    const account = isTyped ? await readAccount(paymentMethodId, { livemode }) : null;
    const isAttended = request.attended && returnUrlOf !== undefined;
    const attended = isAttended ? { attended: true, return_url: await returnUrlOf(request.paymentIntentId) } : {};
    return { ...forOf(request), ...chargeMembers(request, account), ...attended };
  }

  return {
    async prepare(request) {
      const key = request.idempotencyKey;
      const body = await chargeBody(request);
      return reservationOf(await call({ path: '/prepare', key, body, timeoutMs: short }), key);
    },
    async charge(request, reference) {
      const body = { ...(await chargeBody(request)), reference };
      const answer = await call({ path: '/charges', key: request.idempotencyKey, body, timeoutMs });
      return chargeOutcomeOf(answer, request, reference);
    },
    async inquire(request, reference, at) {
      const body = { ...forOf(request), reference, at: at.toISOString() };
      return inquiryOf(await call({ path: '/inquire', key: null, body, timeoutMs: short }), request, reference);
    },
    async cancel(request, reference) {
      const body = { ...forOf(request), reference };
      checkCanceled(await call({ path: '/cancel', key: null, body, timeoutMs: short }), reference);
    },
    async refund(request) {
      const key = request.idempotencyKey;
      const body = { ...forOf(request), ...refundBody(request) };
      return refundOutcomeOf(await call({ path: '/refunds', key, body, timeoutMs }), key);
    },
    async inquireRefund(request) {
      const key = request.idempotencyKey;
      const body = { ...forOf(request), ...refundBody(request) };
      return refundInquiryOf(await call({ path: '/refunds/inquire', key, body, timeoutMs: short }), key);
    },
    async movements(after) {
      const body = { livemode, after };
      return movementsOf(
        await call({ path: '/movements', key: null, body, timeoutMs: short, mostBytes: mostListBytes }),
      );
    },
    async notices(after, end) {
      const body = { livemode, after };
      const wait = { timeoutMs: noticesTimeoutMs, mostBytes: mostListBytes, end };
      return noticesOf(await call({ path: '/notices', key: null, body, ...wait }));
    },
    async inquireMandate(billerId, reference) {
      const body = { ...forOf({ billerId }), mandate_reference: reference };
      return mandateStateOf(await call({ path: '/mandates/inquire', key: null, body, timeoutMs: short }), reference);
    },
    setups: {
      async create({ idempotencyKey: key, billerId }) {
        return setupOf(await call({ path: '/setups', key, body: forOf({ billerId }), timeoutMs: short }), key);
      },
      async inquire(billerId, reference) {
        const body = { ...forOf({ billerId }), reference };
        return setupStateOf(await call({ path: '/setups/inquire', key: null, body, timeoutMs: short }), reference);
      },
      async describe(billerId, token) {
        const body = { ...forOf({ billerId }), token };
        return cardDetailsOf(await call({ path: '/methods/inquire', key: null, body, timeoutMs: short }), token);
      },
    },
    close: () => agent.destroy(),
  };
}

function chargeMembers(request: ChargeRequest, account: BankAccount | null) {
  const { debit, fixtureToken } = request;
  return {
    payment_intent_id: request.paymentIntentId,
    amount: request.totalAmount,
    base_amount: request.amount,
    currency: request.currency,
    attempt: request.attempt,
    opened_at: request.openedAt.toISOString(),
    payment_method: {
      id: request.paymentMethodId,
      type: request.paymentMethodType,
      token: request.paymentMethodToken,
      ...(fixtureToken === null ? {} : { fixture_token: fixtureToken }),
      ...(account === null ? {} : { bank_account: accountMembers(account) }),
    },
    ...(debit === null ? {} : { debit: debitMembers(debit) }),
    metadata: request.metadata,
  };
}

function accountMembers({ bsbNumber, accountNumber, accountName, email }: BankAccount) {
  const account = { bsb_number: bsbNumber, account_number: accountNumber, account_name: accountName };
  return email === null ? account : { ...account, email };
}

function debitMembers({ mandate, ...debit }: DebitRequest) {
  return {
    scheme: debit.scheme,
    charge_date: debit.chargeDate,
    mandate_reference: debit.mandateReference,
    lodgement_reference: debit.lodgementReference,
    mandate: {
      accepted_at: mandate.acceptedAt?.toISOString() ?? null,
      type: mandate.type,
      ip_address: mandate.ipAddress,
      user_agent: mandate.userAgent,
      signatory_name: mandate.signatoryName,
      text_sha256: mandate.textSha256,
    },
  };
}

function refundBody(request: RefundRequest) {
  return {
    payment_intent_id: request.paymentIntentId,
    charge_reference: request.chargeReference,
    amount: request.amount,
    currency: request.currency,
    metadata: request.metadata,
  };
}

/** Returns the header in milliseconds, if it is a number of seconds; a date is not read. */
function retryAfterOf(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,9}$/.test(header)
    ? Math.min(mostRetryAfterMs, Number(header) * 1000)
    : null;
}

/** @throws Error when the body is longer than `mostBytes`, or breaks off. */
async function readAll(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) throw new Error('the body is too long');
  }
  return Buffer.concat(chunks).toString('utf8');
}
