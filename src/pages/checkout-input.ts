import { findFixtureCard } from '../domain/cards.ts';
import { currentMandateText } from '../domain/mandates/mandate-texts.ts';
import type { SessionForPayer } from '../services/links/public-tokens.ts';
import type { Submission } from '../services/links/submission.ts';
import { methodTypes } from './checkout-form.ts';
import { parseAmount } from './money.ts';
import type { Visit } from './visit.ts';

/** A submission, or what is wrong with the fields, in a payer's words. `stale`: other words than the payer saw. */
export type Input = { submission: Submission } | { wrong: Record<string, string> } | 'stale';

/** The expiry of the sandbox's test cards. */
const testCardExpiry = { expiry_month: 12, expiry_year: 2099 };

/** Reads the form of a session. `version` is that of the session that the form was shown with. */
export function readInput({ form, address, userAgent }: Visit, found: SessionForPayer, version: number): Input {
  const { session, biller } = found;
  const wrong: Record<string, string> = {};
  const text = (name: string) => form.get(name)?.trim() ?? '';
  let amount: number | undefined;
  if (session.amount_min !== null && session.currency !== null && session.mode === 'payment') {
    const read = parseAmount(text('amount'), session.currency);
    if (read === null) wrong['/amount'] = 'Write an amount such as 25.00.';
    else amount = read;
  }
  const details = {
    name: text('name') || undefined,
    email: text('email') || undefined,
    phone: text('phone') || undefined,
  };
  const save = form.get('save') === 'yes';
  const chosen = text('method');
  const types = methodTypes(found);
  const common = { version, amount, details, save };
  if (types.includes('card') && findFixtureCard(chosen) !== null) {
    if (Object.keys(wrong).length > 0) return { wrong };
    const token_metadata = { type: 'fixture', token: chosen, data: '' };
    const payment_method_data = { ...testCardExpiry, token_metadata };
    return { submission: { ...common, method: { data: { type: 'card', payment_method_data } } } };
  }
  if (chosen !== 'au_becs_debit' || !types.includes('au_becs_debit')) {
    return { wrong: { ...wrong, '/method': 'Choose how you want to pay.' } };
  }
  const [name, bsb, number] = [
    text('account_name'),
    text('bsb').replace(/\s/g, ''),
    text('account_number').replace(/\s/g, ''),
  ];
  if (name.length < 1 || name.length > 200 || /\p{Cc}/u.test(name))
    wrong['/account_name'] = 'Write the name of the account.';
  if (!/^\d{3}-?\d{3}$/.test(bsb)) wrong['/bsb'] = 'A BSB has six digits.';
  if (!/^\d{6,9}$/.test(number)) wrong['/account_number'] = 'An account number has 6 to 9 digits.';
  if (form.get('agreed') !== 'yes') wrong['/acceptance'] = 'Tick this box to allow the debit.';
  if (Object.keys(wrong).length > 0) return { wrong };
  const { version: textVersion, sha256 } = currentMandateText('au_becs', biller.name);
  if (form.get('text') !== `${textVersion} ${sha256}`) return 'stale';
  const payment_method_data = { bsb_number: bsb, account_name: name, account_number: number };
  const acceptance = {
    type: 'online' as const,
    ip_address: address,
    user_agent: userAgent ?? 'not named',
    signatory_name: name,
    text_version: textVersion,
    text_sha256: sha256,
  };
  return { submission: { ...common, acceptance, method: { data: { type: 'au_becs_debit', payment_method_data } } } };
}
