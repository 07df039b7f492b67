// What a payer does: on the page of a link or a session, by the services that the pages call; and on a page of the
// biller, by the API with a publishable key.
import type { CheckoutSessionRow } from '../../src/db/checkout-sessions.ts';
import type { PaymentLinkRow } from '../../src/db/payment-links.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { sandboxProcessor } from '../../src/processors/sandbox.ts';
import { paySession } from '../../src/services/links/session-payment.ts';
import { saveSessionMethod } from '../../src/services/links/session-setup.ts';
import { startSession } from '../../src/services/links/session-start.ts';
import type { FormResult, Submission } from '../../src/services/links/submission.ts';
import { tokenOf } from '../../src/services/links/tokens.ts';
import { chargeHook, linkedSubjects } from '../../src/services/subjects/charge-hook.ts';
import { makeKey } from '../support/factories.ts';
import type { Account, Answer } from './place.ts';

const processors = { sandbox: sandboxProcessor, live: null };

/** Opens the page of a link or session, and sends its form with a new card or bank account. */
export async function pay(account: Account, id: string, method: unknown): Promise<Answer> {
  const { sql, vault } = account.place;
  const payer = { requestId: 'req_worlds', now: realNow() };
  const deps = { charging: { processors, hook: chargeHook }, vault, ...linkedSubjects };
  const token = await tokenOfSession(account, id);
  if (token === null) return { status: 422, body: 'the page says that it has ended' };
  const [session] = await sql<CheckoutSessionRow[]>`
    select * from checkout_sessions where ${id} in (id, payment_link_id) order by id desc limit 1`;
  if (session === undefined) throw new Error(`${id} has no session`);
  const form: Submission = {
    version: session.submissions,
    details: { name: 'Jo Nguyen', email: 'jo@example.com' },
    ...(method === 'account' ? await bankAccount(account) : newCard),
  };
  const isSetup = session.mode === 'setup';
  const submitted = await (isSetup ? saveSessionMethod : paySession)(sql, deps, token, form, payer);
  return { status: submitted.kind === 'done' ? 200 : 422, body: shown(submitted) };
}

/**
 * Confirms a payment from a browser: with a publishable key, the payment's client secret, and a new card of this
 * fixture token, or a saved method by its id.
 */
export async function confirmAsPayer(account: Account, intent: string, method: string | undefined): Promise<Answer> {
  const { key } = await makeKey(account.place.sql, { billerId: account.billerId, kind: 'publishable' });
  const asPayer = { Authorization: `Bearer ${key}` };
  const { client_secret } = await account.do('GET', `/payment_intents/${intent}`);
  const payment_method = method?.startsWith('tok_') ? await cardOfToken(account, method, asPayer) : method;
  return account.ask('POST', `/payment_intents/${intent}/confirm`, { client_secret, payment_method }, asPayer);
}

/** The id of a new card without a customer. */
async function cardOfToken(account: Account, token: string, headers: Record<string, string>): Promise<string> {
  const { method } = cardOf(token);
  const { payment_method: card } = await account.do('POST', '/payment_methods', method.data, headers);
  return card.id;
}

function shown(submitted: FormResult): unknown {
  return submitted.kind === 'done' ? submitted.session.state : submitted;
}

async function tokenOfSession({ place: { sql, vault } }: Account, id: string): Promise<string | null> {
  const [session] = await sql<CheckoutSessionRow[]>`select * from checkout_sessions where id = ${id}`;
  if (session !== undefined) return tokenOf(vault, 'checkout_session_tokens', session);
  const [link] = await sql<PaymentLinkRow[]>`select * from payment_links where id = ${id}`;
  if (link === undefined) return null;
  const request = { requestId: 'req_worlds', now: realNow() };
  const started = await startSession(sql, vault, tokenOf(vault, 'payment_link_tokens', link), request);
  return started.kind === 'started' ? started.token : null;
}

const cardOf = (token: string) => ({
  method: {
    data: {
      type: 'card' as const,
      payment_method_data: {
        expiry_month: 12,
        expiry_year: 2099,
        token_metadata: { type: 'fixture', token, data: '' },
      },
    },
  },
});
const newCard: Pick<Submission, 'method'> = cardOf('tok_sandbox_visa_succeed');

async function bankAccount(account: Account): Promise<Pick<Submission, 'method' | 'acceptance'>> {
  const { version, sha256 } = await account.do('GET', '/mandate_texts/au_becs');
  return {
    method: {
      data: {
        type: 'au_becs_debit',
        payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '98765432' },
      },
    },
    acceptance: {
      type: 'online',
      ip_address: '203.0.113.7',
      user_agent: 'a browser',
      signatory_name: 'Jo Nguyen',
      text_version: version,
      text_sha256: sha256,
    },
  };
}
