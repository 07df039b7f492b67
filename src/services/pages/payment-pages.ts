import { type CheckoutSessionRow, selectCheckoutSession } from '../../db/checkout-sessions.ts';
import {
  listRefundsOfPage,
  type PurposeRow,
  type RefundOfPage,
  selectBuyer,
  selectIntentOfPage,
  selectPurpose,
  selectStatement,
} from '../../db/page-payments.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { selectPaymentLink } from '../../db/payment-links.ts';
import { type PaymentMethodRow, selectPaymentMethod } from '../../db/payment-methods.ts';
import { tenantOf } from '../../db/tenant.ts';
import { type CustomerInstant, withoutClock } from '../../domain/instants.ts';
import type { PeriodLine } from '../../domain/subscriptions/lines.ts';
import { abnIn } from '../../domain/tax/abn.ts';
import { isTaxInvoice, namesBuyer } from '../../domain/tax/tax-invoice.ts';
import type { Db, Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import type { Vault } from '../accounts/vault.ts';
import { failuresPerSession, stateOfSession } from '../links/availability.ts';
import { tokenOf } from '../links/tokens.ts';
import { completeChallenge } from '../payments/challenge-completion.ts';
import { settleChallenge } from '../payments/processor-challenge.ts';
import type { PayerRequest } from '../request-context.ts';
import { chargeHook } from '../subjects/charge-hook.ts';
import { intentIdOf } from './page-urls.ts';
import { openPaying, type Paying } from './paying.ts';

/** The page of a challenge: in the sandbox in place of the payer's bank, in live mode the way to it and back. */
export interface ChallengePage extends Paying {
  intent: PaymentIntentRow;
  /** The checkout session that the payer came from, or null. */
  session: {
    token: string;
    submissions: number;
    status: CheckoutSessionRow['status'];
    /** Whether it is open for another card once the challenge of a live payment is given up. */
    opensAgain: boolean;
  } | null;
}

/** What a receipt says. */
export interface Receipt extends Paying {
  intent: PaymentIntentRow;
  purpose: PurposeRow;
  /** The statement of the subscription's period that it pays; otherwise empty. */
  lines: PeriodLine[];
  method: Pick<PaymentMethodRow, 'instrument' | 'brand' | 'last4'> | null;
  collectedAt: CustomerInstant;
  refunds: RefundOfPage[];
  /** Whether it is a tax invoice. */
  isTaxInvoice: boolean;
  /** The name of the buyer, where a tax invoice names it. */
  buyer: string | null;
}

/** Reads what the challenge page of this token shows. Null for an unknown token. Writes nothing. */
export async function findChallenge(
  db: Db,
  vault: Vault,
  token: string,
  payer: PayerRequest,
): Promise<ChallengePage | null> {
  const id = intentIdOf(vault, 'challenge', token);
  const intent = id === null ? null : await selectIntentOfPage(db, id);
  if (intent === null) return null;
  const tenant = tenantOf(intent);
  const { checkout_session_id: sessionId } = intent;
  const row = sessionId === null ? null : await selectCheckoutSession(db, tenant, sessionId);
  const session =
    row === null
      ? null
      : {
          token: tokenOf(vault, 'checkout_session_tokens', row),
          submissions: row.submissions,
          status: row.status,
          opensAgain: intent.livemode && intent.status === 'requires_action' && (await opensAgain(db, row, payer.now)),
        };
  return { intent, session, ...(await openPaying(db, intent, payer)) };
}

async function opensAgain(db: Db, session: CheckoutSessionRow, now: RealInstant): Promise<boolean> {
  const { payment_link_id: linkId, failed_attempts: failures } = session;
  if (failures + 1 >= failuresPerSession) return false;
  const link = linkId === null ? null : await selectPaymentLink(db, tenantOf(session), linkId);
  return stateOfSession({ ...session, status: 'open' }, link, null, withoutClock(now)) === 'open';
}

/**
 * Completes the challenge of a payment as its payer has answered it.
 * @throws InvalidState when no challenge is waiting, or while the customer's clock is advancing.
 */
export async function answerChallenge(
  pool: Pool,
  { intent, context }: ChallengePage,
  answer: 'approve' | 'decline',
): Promise<void> {
  await completeChallenge(pool, chargeHook, context, intent.id, answer === 'approve' ? 'succeed' : 'fail');
}

/** The challenges that this process asks about, by payment. However often a page is opened, it asks once at a time. */
const asking = new Map<string, Promise<string | null>>();

/**
 * Asks the processor where the payer of a live payment goes on, or what became of the challenge, and records that.
 * Several that ask at the same time share one request.
 * @returns the URL of the processor's page; null if there is nowhere to go.
 * @throws ProcessorUnavailable
 */
export function askAboutChallenge(
  pool: Pool,
  processors: Processors,
  { intent: { id }, context: { now, requestId } }: ChallengePage,
): Promise<string | null> {
  const underWay = asking.get(id);
  if (underWay !== undefined) return underWay;
  const asked = settleChallenge(pool, { processors, hook: chargeHook }, id, { now, requestId, giveUp: 'if_due' })
    .then((found) => (found.kind === 'waits' ? found.url : null))
    .finally(() => asking.delete(id));
  asking.set(id, asked);
  return asked;
}

/**
 * Gives the challenge of a live payment up, because its payer wants to pay in another way: it is canceled at the
 * processor, and the payment fails only when the processor says that nothing was taken, and nothing will be. If the
 * payer has passed meanwhile, the payment is made. Several that ask at the same time give it up once.
 * @throws ProcessorUnavailable when the processor gives no outcome: the payment goes on waiting.
 */
export async function leaveChallenge(
  pool: Pool,
  processors: Processors,
  { intent: { id }, context: { now, requestId } }: ChallengePage,
): Promise<void> {
  await settleChallenge(pool, { processors, hook: chargeHook }, id, { now, requestId, giveUp: 'now' });
}

/** Reads the receipt of this token. Null for an unknown token, and if no money was taken. Writes nothing. */
export async function findReceipt(db: Db, vault: Vault, token: string, payer: PayerRequest): Promise<Receipt | null> {
  const id = intentIdOf(vault, 'receipt', token);
  const intent = id === null ? null : await selectIntentOfPage(db, id);
  if (intent === null || (intent.status !== 'succeeded' && intent.status !== 'returned')) return null;
  const { collected_at: collectedAt } = intent;
  if (collectedAt === null) return null;
  const tenant = tenantOf(intent);
  const { payment_method_id: methodId } = intent;
  const [paying, purpose, lines, refunds, method] = await Promise.all([
    openPaying(db, intent, payer),
    selectPurpose(db, intent.id),
    selectStatement(db, intent.id),
    listRefundsOfPage(db, intent.id),
    methodId === null ? null : selectPaymentMethod(db, tenant, methodId),
  ]);
  const invoice = { currency: intent.currency, total: intent.total_amount, tax: intent.tax_basis };
  const isNamed = intent.tax_basis !== null && intent.customer_id !== null && namesBuyer(invoice);
  const buyer = isNamed ? await selectBuyer(db, tenant, intent.customer_id ?? '') : null;
  const abn = abnIn(paying.payee.tax_id ?? '');
  const description = purpose.name ?? purpose.description;
  const isInvoice = isTaxInvoice({ ...invoice, abn, description, buyer });
  return { intent, purpose, lines, method, collectedAt, refunds, isTaxInvoice: isInvoice, buyer, ...paying };
}
