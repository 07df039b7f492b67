import { selectSessionOfIntent } from '../../db/checkout-sessions.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { Vault } from '../accounts/vault.ts';
import { tokenOf } from '../links/tokens.ts';
import { createPageUrls } from './page-urls.ts';
import { proofName, signPayer } from './signatures.ts';

/**
 * Returns where the payer of a payment comes back to from the bank: the page of its challenge. In a checkout session it
 * proves who has sent the form that is being paid. Only that payer, and the biller, learn the address of the bank's
 * page, which leads there. As long as the attempt lasts, it is the same from any process.
 */
export async function returnUrlOf(
  db: Db,
  { publicUrl, vault }: { publicUrl: string; vault: Vault },
  intentId: string,
): Promise<string> {
  const page = createPageUrls(publicUrl, vault).of('challenge', intentId);
  const session = await selectSessionOfIntent(db, intentId);
  if (session?.status !== 'processing') return page;
  const token = tokenOf(vault, 'checkout_session_tokens', session);
  return `${page}?${proofName}=${signPayer(vault, token, session.submissions)}`;
}
