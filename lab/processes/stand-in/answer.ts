import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { findFixtureCard } from '../../../src/domain/cards.ts';
import { namedId } from '../../../src/domain/ids.ts';
import { customerInstant } from '../../../src/domain/instants.ts';
import { realInstant } from '../../../src/platform/real-time.ts';
import type { ChargeRequest, Inquiry, Submitted } from '../../../src/processors/processor.ts';
import { sandboxProcessor } from '../../../src/processors/sandbox.ts';
import { nextAction, playedOut } from './challenge.ts';
import type { Body, KeptCall, LedgerFile, Reserved } from './ledger-file.ts';
import { type CallKind, readClimate, type Weather, weatherOf } from './weather.ts';

/** A call as it was received. */
export interface Call {
  kind: CallKind;
  /** The Idempotency-Key, or that of the reservation that the call names. */
  key: string;
  body: Body;
}

/** What to respond, and what happens to it on its way. */
export interface Answer {
  status: number;
  body: object;
  retryAfterSeconds?: number;
  weather: Weather | null;
}

/** The account of the reservation that a call names, by its reference, its charge or its key; without one, its own. */
function accountOf({ kind, key, body }: Call, ledger: LedgerFile): string {
  const reference = body.reference ?? body.charge_reference;
  const named = reference ? ledger.reservedAs(reference) : null;
  return (named ?? (kind === 'prepare' ? ledger.reservedUnder(key) : null))?.body.account ?? body.account;
}

type Reply = Pick<Answer, 'status' | 'body'>;
type Account = NonNullable<Body['payment_method']['bank_account']>;

const turnedAway: Partial<Record<Weather, number>> = { reset_before: 0, rate_limited: 429, busy: 409, refused: 422 };

/** Or it is another account's. */
const noSuchReference: Reply = { status: 404, body: { error: 'no such reference' } };

/** Movements in one answer. */
const pageSize = 1000;

/**
 * Decides a call by the rules of the sandbox: a charge once for each reservation, a refund once for each key. What it
 * has changed is on the disk when this resolves.
 * @param bankUrl where the pages of payers' banks are.
 */
export async function answerTo(
  call: Call,
  ledger: LedgerFile,
  { climateFile, bankUrl }: { climateFile: string; bankUrl: string },
): Promise<Answer> {
  const { kind, key, body } = call;
  const climate = readClimate(climateFile);
  if (body.account === undefined) return { status: 400, body: { error: 'the body has no account' }, weather: null };
  const reserved = body.reference === undefined ? null : ledger.reservedAs(body.reference);
  if (accountOf(call, ledger) !== body.account) return { ...noSuchReference, weather: null };
  const metadata = body.metadata ?? reserved?.body.metadata ?? {};
  const weather = weatherOf(climate, { kind, key, nth: ledger.callsOf(kind, key) + 1, metadata });
  const noted = {
    call: kind,
    idempotency_key: key,
    payment_intent_id: body.payment_intent_id ?? reserved?.payment_intent_id ?? '',
  };
  const turnedAwayWith = weather === null ? undefined : turnedAway[weather];
  if (turnedAwayWith !== undefined) {
    await ledger.note({ ...noted, kind: 'turned_away', why: weather ?? '' });
    const refusal = { idempotency_key: key, reference: body.reference, outcome: 'rejected' };
    return { status: turnedAwayWith, body: weather === 'refused' ? refusal : {}, retryAfterSeconds: 1, weather };
  }
  if (weather === 'untaken') {
    await ledger.note({ ...noted, kind: 'turned_away', why: weather });
    return { status: 200, body: { idempotency_key: key, reference: body.reference, outcome: 'succeeded' }, weather };
  }
  const reply = await replyTo(call, ledger, {
    forgetsKeys: climate?.forgetsKeys === true,
    storesError: weather === 'http_500_stored',
    bankUrl,
  });
  if (kind === 'inquire' || kind === 'inquireRefund') await ledger.note({ ...noted, kind: 'asked', why: '' });
  return { ...reply, weather };
}

/** The charges and refunds after a cursor, oldest first, each with its part of the books: a number of members. */
export function movementsAfter(after: string | null, { listed }: LedgerFile): Reply {
  const from = after === null ? listed.length : Number(after);
  const page = listed.slice(from, from + pageSize);
  return {
    status: 200,
    body: {
      cursor: String(from + page.length),
      has_more: from + page.length < listed.length,
      movements: page.map((each) => {
        if (!('payment_intent_id' in each)) return each;
        const { kind, idempotency_key, reference, payment_intent_id, amount, currency } = each;
        return { kind, idempotency_key, reference, payment_intent_id, amount, currency };
      }),
    },
  };
}

/** The longest wait for a notice, and how often it is looked for, in milliseconds. */
const noticeWait = { mostMs: 30_000, everyMs: 50 };

/** What has happened after a cursor, one notice for each charge and refund. Waits for the first. */
export async function noticesAfter(after: string | null, ledger: LedgerFile): Promise<Reply> {
  const { decided } = ledger;
  const from = after === null ? decided.length : Number(after);
  for (let waited = 0; after !== null && decided.length <= from; waited += noticeWait.everyMs) {
    if (waited >= noticeWait.mostMs) break;
    await pause(noticeWait.everyMs);
  }
  const page = decided.slice(from, from + pageSize);
  const notices = page.flatMap(({ kind, reference }) => {
    const account = reference === undefined ? undefined : ledger.reservedAs(reference)?.body.account;
    return account === undefined ? [] : { kind, reference, account };
  });
  const end = from + page.length;
  return { status: 200, body: { notices, cursor: String(end), has_more: end < decided.length } };
}

interface Habits {
  forgetsKeys: boolean;
  storesError: boolean;
  bankUrl: string;
}

function replyTo(call: Call, ledger: LedgerFile, habits: Habits): Promise<Reply> {
  switch (call.kind) {
    case 'prepare':
      return prepare(call, ledger, habits);
    case 'charge':
      return charge(call, ledger, habits);
    case 'inquire':
      return inquire(call, ledger);
    case 'cancel':
      return cancel(call, ledger);
    case 'refund':
      return refund(call, ledger, habits);
    case 'inquireRefund':
      return inquireRefund(call, ledger);
  }
}

/**
 * Whether the method can be charged with what the body has: a card by its token, in live mode one of the fixtures; an
 * account by its token or by its number, and under a mandate that a payer has accepted.
 */
function canPay({ payment_method: { type, token, bank_account: account }, debit, livemode }: Body): boolean {
  if (type !== 'au_becs_debit') {
    return account === undefined && !(livemode && token !== null && findFixtureCard(token) === null);
  }
  const hasAccount = account === undefined ? token !== null : token === null && isAccount(account);
  return hasAccount && (debit === undefined || isAccepted(debit.mandate));
}

function isAccount({ bsb_number: bsb, account_number: number, account_name: name }: Account): boolean {
  return /^\d{6}$/.test(bsb) && number.length >= 6 && number.length <= 9 && name.length > 0;
}

function isAccepted(mandate: NonNullable<Body['debit']>['mandate']): boolean {
  const { accepted_at: at, type, ip_address: address, user_agent: browser, signatory_name: name } = mandate;
  if (at === null || Number.isNaN(Date.parse(at)) || type === null || name === null) return false;
  return type !== 'online' || (address !== null && browser !== null);
}

/** A body as the file has it: an account number is nothing to keep. */
function withoutNumber(body: Body): Body {
  const { bank_account: account, ...method } = body.payment_method;
  if (account === undefined) return body;
  const account_number = account.account_number.slice(-4).padStart(account.account_number.length, '*');
  return { ...body, payment_method: { ...method, bank_account: { ...account, account_number } } };
}

/** Reserves once under a key, unless keys are forgotten. */
async function prepare({ key, body }: Call, ledger: LedgerFile, { forgetsKeys }: Habits): Promise<Reply> {
  if (!canPay(body)) return { status: 422, body: { idempotency_key: key, outcome: 'rejected' } };
  const known = ledger.reservedUnder(key);
  const isSame = known?.body.amount === body.amount && known.body.currency === body.currency;
  if (known !== null && !forgetsKeys && !isSame) return { status: 400, body: { error: 'the key has another amount' } };
  const isNew = known === null || forgetsKeys;
  const reference = isNew ? `ref_${randomBytes(12).toString('hex')}` : known.reference;
  const line = { kind: 'prepare' as const, idempotency_key: key, payment_intent_id: body.payment_intent_id, reference };
  if (isNew) await ledger.note({ ...line, body: withoutNumber(body) });
  else
    await ledger.note({
      kind: 'asked',
      call: 'prepare',
      idempotency_key: key,
      payment_intent_id: body.payment_intent_id,
      why: '',
    });
  return { status: 200, body: { idempotency_key: key, outcome: 'reserved', reference } };
}

async function charge({ key, body }: Call, ledger: LedgerFile, { storesError, bankUrl }: Habits): Promise<Reply> {
  const { reference = '' } = body;
  const reserved = ledger.reservedAs(reference);
  if (reserved === null) return noSuchReference;
  if (ledger.isCanceled(reference))
    return { status: 422, body: { idempotency_key: key, reference, outcome: 'rejected' } };
  if (!canPay(body)) return { status: 422, body: { idempotency_key: key, reference, outcome: 'rejected' } };
  const isSame = reserved.body.amount === body.amount && reserved.body.currency === body.currency;
  if (!isSame || reserved.idempotency_key !== key) return { status: 400, body: { error: 'another payment' } };
  const earlier = ledger.keptUnder('charge', reference);
  const decide = async () => ({
    ...(await chargedBy(reserved, bankUrl)),
    ...(storesError ? { is_stored_500: true as const } : {}),
  });
  const kept = await (earlier ?? ledger.keep('charge', reference, decide));
  if (earlier !== null) await ledger.note({ ...kept, repeated: true });
  return kept.is_stored_500 ? { status: 500, body: { error: 'something went wrong' } } : shown(kept);
}

/** The charge of a reservation, as the sandbox makes it. */
async function chargedBy(reserved: Reserved, bankUrl: string): Promise<KeptCall> {
  const { idempotency_key, reference, payment_intent_id, body } = reserved;
  const outcome = await sandboxProcessor.charge(requestOf(idempotency_key, body), reference);
  const { amount, currency, opened_at } = body;
  return {
    kind: 'charge',
    idempotency_key,
    reference,
    payment_intent_id,
    amount,
    currency,
    opened_at,
    ...membersOf(outcome),
    ...(outcome.kind === 'requires_action' ? { next_action: nextAction(reserved, bankUrl) } : {}),
  };
}

async function inquire({ body }: Call, ledger: LedgerFile): Promise<Reply> {
  const { reference = '', at = '' } = body;
  const reserved = ledger.reservedAs(reference);
  if (reserved === null) return noSuchReference;
  if (ledger.isCanceled(reference)) return { status: 200, body: { reference, outcome: 'canceled' } };
  const before = await ledger.keptUnder('charge', reference);
  if (before === null) return { status: 200, body: { reference, outcome: 'not_charged' } };
  const kept = await playedOut(before, reserved, ledger);
  if (kept.outcome !== 'submitted') return { status: 200, body: shown(kept).body };
  const state = await sandboxProcessor.inquire(
    requestOf(reserved.idempotency_key, reserved.body),
    reference,
    customerInstant(at),
  );
  return { status: 200, body: { reference, ...membersOf(state), next_at: state.nextAt } };
}

async function cancel({ body }: Call, ledger: LedgerFile): Promise<Reply> {
  const { reference = '' } = body;
  const reserved = ledger.reservedAs(reference);
  if (reserved === null) return noSuchReference;
  const before = await ledger.keptUnder('charge', reference);
  const kept = before && (await playedOut(before, reserved, ledger));
  const { idempotency_key, payment_intent_id } = reserved;
  const line = { kind: 'cancel', idempotency_key, payment_intent_id, reference } as const;
  // A challenge that no payer has passed has taken nothing.
  const isGivenUp = kept?.outcome === 'requires_action' && (await ledger.endChallenge(reference, line));
  const decided = isGivenUp ? null : await ledger.keptUnder('charge', reference);
  if (decided !== null && !ledger.isCanceled(reference)) return { status: 200, body: shown(decided).body };
  if (!isGivenUp) await ledger.note(line);
  return { status: 200, body: { reference, outcome: 'canceled' } };
}

/** What was given back of a charge so far. */
function givenBack(reference: Body['charge_reference'], { movements }: LedgerFile): number {
  const refunds = movements.filter((each) => each.kind === 'refund' && each.reference === reference);
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

async function refund({ key, body }: Call, ledger: LedgerFile, { storesError }: Habits): Promise<Reply> {
  const { payment_intent_id, amount, currency, metadata, charge_reference: reference } = body;
  const charged = reference ? await ledger.keptUnder('charge', reference) : null;
  const earlier = ledger.keptUnder('refund', key);
  if (earlier === null && charged !== null && givenBack(reference, ledger) + amount > charged.amount) {
    return { status: 422, body: { idempotency_key: key, outcome: 'rejected' } };
  }
  const decide = async (): Promise<KeptCall> => {
    const request = {
      idempotencyKey: key,
      billerId: namedId('biller', body.account),
      paymentIntentId: namedId('payment_intent', payment_intent_id),
      chargeReference: reference ?? null,
      amount,
      currency,
      metadata,
    };
    const { kind: outcome } = await sandboxProcessor.refund(request);
    return {
      ...{ kind: 'refund', idempotency_key: key, payment_intent_id, amount, currency, outcome },
      ...(reference ? { reference } : {}),
      ...(storesError ? { is_stored_500: true as const } : {}),
    };
  };
  const kept = await (earlier ?? ledger.keep('refund', key, decide));
  if (earlier !== null) {
    await ledger.note({ ...kept, amount, currency, repeated: true });
    if (kept.amount !== amount || kept.currency !== currency)
      return { status: 400, body: { error: 'the key has another amount' } };
  }
  return kept.is_stored_500 ? { status: 500, body: { error: 'something went wrong' } } : shown(kept);
}

async function inquireRefund({ key }: Call, ledger: LedgerFile): Promise<Reply> {
  const kept = await ledger.keptUnder('refund', key);
  return { status: 200, body: { idempotency_key: key, outcome: kept?.outcome ?? 'not_found' } };
}

function requestOf(key: string, body: Body): ChargeRequest {
  const { id, type, token, fixture_token } = body.payment_method;
  const { debit } = body;
  return {
    idempotencyKey: key,
    billerId: namedId('biller', body.account),
    paymentIntentId: namedId('payment_intent', body.payment_intent_id),
    amount: body.base_amount,
    totalAmount: body.amount,
    currency: body.currency,
    attempt: body.attempt,
    openedAt: realInstant(body.opened_at),
    paymentMethodId: namedId('payment_method', id),
    paymentMethodType: type,
    paymentMethodToken: token,
    attended: body.attended === true,
    // In live mode a card is chosen by the token that the biller saved.
    fixtureToken: body.livemode ? token : (fixture_token ?? null),
    metadata: body.metadata,
    debit: debit
      ? {
          scheme: debit.scheme,
          chargeDate: debit.charge_date,
          mandateReference: debit.mandate_reference,
          lodgementReference: debit.lodgement_reference,
          mandate: {
            acceptedAt: debit.mandate.accepted_at === null ? null : customerInstant(debit.mandate.accepted_at),
            type: debit.mandate.type,
            ipAddress: debit.mandate.ip_address,
            userAgent: debit.mandate.user_agent,
            signatoryName: debit.mandate.signatory_name,
            textSha256: debit.mandate.text_sha256,
          },
        }
      : null,
  };
}

/** An outcome or a state in the members of an answer. */
function membersOf(state: Inquiry | Omit<Inquiry, 'nextAt'> | Submitted) {
  const { kind: outcome } = state;
  const more = state as Partial<Record<'code' | 'bankCode', string | null>> & { expectedAt?: Date; at?: Date };
  return {
    outcome,
    ...(more.code ? { code: more.code } : {}),
    ...(more.bankCode ? { bank_code: more.bankCode } : {}),
    ...(more.expectedAt ? { expected_at: more.expectedAt.toISOString() } : {}),
    ...(more.at ? { returned_at: more.at.toISOString() } : {}),
  };
}

function shown(kept: KeptCall): Reply {
  const { kind, idempotency_key, reference, outcome, code, bank_code, expected_at, next_action } = kept;
  const status = outcome === 'failed' ? 402 : 200;
  return {
    status,
    body: {
      ...{ idempotency_key, ...(kind === 'charge' ? { reference } : {}) },
      ...{ outcome, code, bank_code, expected_at, next_action },
    },
  };
}
