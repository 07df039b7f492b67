import { findFixtureCard } from '../../../src/domain/cards.ts';
import type { PaymentProcessor, RefundOutcome } from '../../../src/processors/processor.ts';
import { sandboxProcessor } from '../../../src/processors/sandbox.ts';
import type { KeptCall, LedgerFile } from './ledger-file.ts';
import { type Weather, weatherOf } from './weather.ts';

/** A call as it was received. */
export interface Call {
  kind: 'charge' | 'refund';
  key: string;
  body: Body;
}

/** The members of a body that count here; see docs/processors.md. */
interface Body {
  payment_intent_id: string;
  amount: number;
  base_amount: number;
  currency: string;
  attempt: number;
  opened_at: string;
  payment_method: { id: string; type: string; token: string | null };
  metadata: Record<string, string>;
}

/** What to respond, and what happens to it on its way. */
export interface Answer {
  status: number;
  body: object;
  retryAfterSeconds?: number;
  weather: Weather | null;
}

/** The weather in which nothing is taken. */
const turningAway: readonly (Weather | null)[] = ['reset', 'rate_limited', 'busy'];

/** Decides a call by the rules of the sandbox, once for each key. The outcome is on the disk when this resolves. */
export async function answerTo(call: Call, ledger: LedgerFile, climateFile: string): Promise<Answer> {
  const { key, body } = call;
  const nth = ledger.callsOf(key) + 1;
  const weather = weatherOf(climateFile, { key, nth, metadata: body.metadata });
  if (turningAway.includes(weather)) {
    const { payment_intent_id } = body;
    await ledger.note({ kind: 'turned_away', idempotency_key: key, payment_intent_id, why: weather ?? '' });
    return { status: weather === 'busy' ? 409 : 429, body: {}, retryAfterSeconds: 1, weather };
  }
  const earlier = ledger.outcomeOf(key);
  if (earlier === null) return { ...shown(await ledger.keep(key, () => decide(call))), weather };
  const first = await earlier;
  const isSame = first.kind === call.kind && first.amount === body.amount && first.currency === body.currency;
  await ledger.note({ ...first, ...(isSame ? {} : entryOf(call)), repeated: true });
  return { ...(isSame ? shown(first) : { status: 400, body: { error: 'the key has another amount' } }), weather };
}

async function decide(call: Call): Promise<KeptCall> {
  const outcome = await outcomeOf(call).catch((error: unknown) => {
    if (error instanceof RangeError) return { kind: 'rejected' as const };
    throw error;
  });
  const code = outcome.kind === 'failed' && 'code' in outcome ? { code: outcome.code } : {};
  return { ...entryOf(call), outcome: outcome.kind, ...code };
}

/** @throws RangeError for a token or a word that the sandbox does not know: such a call is rejected. */
async function outcomeOf({ kind, key, body }: Call): Promise<Awaited<ReturnType<PaymentProcessor['charge']>> | RefundOutcome> {
  const common = {
    idempotencyKey: key,
    paymentIntentId: body.payment_intent_id,
    currency: body.currency,
    metadata: body.metadata,
  };
  if (kind === 'refund') return sandboxProcessor.refund({ ...common, amount: body.amount });
  const { id, type, token } = body.payment_method;
  if (token !== null && findFixtureCard(token) === null) throw new RangeError('an unknown token');
  const request = {
    ...common,
    amount: body.base_amount,
    totalAmount: body.amount,
    attempt: body.attempt,
    openedAt: new Date(body.opened_at),
    paymentMethodId: id,
    paymentMethodType: type,
    paymentMethodToken: token,
    fixtureToken: token,
    debit: null,
  };
  return sandboxProcessor.charge(request, key);
}

function entryOf({ kind, key, body }: Call): Omit<KeptCall, 'outcome'> {
  const { payment_intent_id, amount, currency, opened_at } = body;
  return {
    kind,
    idempotency_key: key,
    payment_intent_id,
    amount,
    currency,
    ...(kind === 'charge' ? { opened_at } : {}),
  };
}

const statusOf: Record<string, number> = { failed: 402, rejected: 422 };

function shown({ idempotency_key, outcome, code }: KeptCall): Pick<Answer, 'status' | 'body'> {
  const withCode = code === undefined ? {} : { code };
  return { status: statusOf[outcome] ?? 200, body: { idempotency_key, outcome, ...withCode } };
}
