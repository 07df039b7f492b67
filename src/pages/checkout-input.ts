import { findFixtureCard } from '../domain/cards.ts';
import { currentMandateText } from '../domain/mandates/mandate-texts.ts';
import { isPlainText } from '../domain/plain-text.ts';
import type { MinorUnits } from '../domain/units.ts';
import { parseAmount } from '../domain/words/money.ts';
import type { SessionForPayer } from '../services/links/public-tokens.ts';
import type { Submission } from '../services/links/submission.ts';
import { nameOfForm } from './checkout-form.ts';
import { newCard, type Ways } from './offered-methods.ts';
import type { PageRequest } from './page-request.ts';

/** A submission, or what is wrong with the fields, in a payer's words. `stale`: other words than the payer saw. */
export type Input = { submission: Submission } | { wrong: Record<string, string> } | 'stale';

/** A method that is not saved yet. */
type NewMethod = Extract<Submission['method'], { data: unknown }>['data'];

/** The expiry of the sandbox's test cards. */
const testCardExpiry = { expiry_month: 12, expiry_year: 2099 };

/** Reads the way to pay that a payer has entered, of the types that the form offers. */
export function readMethod(
  form: URLSearchParams,
  types: readonly string[],
): { method: NewMethod } | { wrong: Record<string, string> } {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  const chosen = text('method');
  if (types.includes('card') && findFixtureCard(chosen) !== null) {
    const token_metadata = { type: 'fixture', token: chosen, data: '' };
    return { method: { type: 'card', payment_method_data: { ...testCardExpiry, token_metadata } } };
  }
  if (chosen !== 'au_becs_debit' || !types.includes('au_becs_debit')) {
    return { wrong: { '/method': 'Choose how you want to pay.' } };
  }
  const [name, bsb, number] = [
    text('account_name'),
    text('bsb').replace(/\s/g, ''),
    text('account_number').replace(/\s/g, ''),
  ];
  const wrong: Record<string, string> = {};
  if (name.length < 1 || name.length > 200) wrong['/account_name'] = 'Enter the account name.';
  else if (!isPlainText(name))
    wrong['/account_name'] = 'Type the account name: what you pasted has invisible characters.';
  if (!/^\d{3}-?\d{3}$/.test(bsb)) wrong['/bsb'] = 'A BSB has six digits.';
  if (!/^\d{6,9}$/.test(number)) wrong['/account_number'] = 'An account number has 6 to 9 digits.';
  if (Object.keys(wrong).length > 0) return { wrong };
  const payment_method_data = { bsb_number: bsb, account_name: name, account_number: number };
  return { method: { type: 'au_becs_debit', payment_method_data } };
}

/** Reads the form of a session. `version` is that of the session that the form was shown with. */
export function readInput(
  request: PageRequest,
  found: SessionForPayer,
  { types, saved, livemode, entered }: Ways,
  version: number,
): Input {
  const { form, address, userAgent } = request;
  const { session, biller } = found;
  const wrong: Record<string, string> = {};
  const text = (name: string) => form.get(name)?.trim() ?? '';
  let amount: MinorUnits | undefined;
  if (session.amount_min !== null && session.currency !== null && session.mode === 'payment') {
    const read = parseAmount(text('amount'), session.currency);
    if (read === null) wrong['/amount'] = 'Enter an amount such as 25.00.';
    else amount = read;
  }
  const details = {
    name: text('name') || undefined,
    email: text('email') || undefined,
    phone: text('phone') || undefined,
  };
  const save = form.get('save') === 'yes';
  const makesDefault = form.get('usual') === 'yes';
  const common = { version, form: nameOfForm(request), amount, details, save, makesDefault };
  const card = saved.find(({ id }) => id === text('method'));
  if (card !== undefined) {
    return Object.keys(wrong).length > 0 ? { wrong } : { submission: { ...common, method: { id: card.id } } };
  }
  if (livemode && text('method') === newCard && entered !== null) {
    if (Object.keys(wrong).length > 0) return { wrong };
    const data = { type: 'card', payment_method_data: entered.card } as const;
    return { submission: { ...common, method: { data, setup: entered.handle } } };
  }
  const read = readMethod(form, types);
  if ('wrong' in read) Object.assign(wrong, read.wrong);
  const isAccount = text('method') === 'au_becs_debit';
  if (isAccount && form.get('agreed') !== 'yes') wrong['/acceptance'] = 'Tick this box to allow the debit.';
  if ('wrong' in read || Object.keys(wrong).length > 0) return { wrong };
  const { method } = read;
  if (method.type !== 'au_becs_debit') return { submission: { ...common, method: { data: method } } };
  const { version: textVersion, sha256 } = currentMandateText('au_becs', biller.name);
  if (form.get('text') !== `${textVersion} ${sha256}`) return 'stale';
  const acceptance = {
    type: 'online' as const,
    ip_address: address,
    user_agent: userAgent ?? 'not named',
    signatory_name: method.payment_method_data.account_name,
    text_version: textVersion,
    text_sha256: sha256,
  };
  return { submission: { ...common, acceptance, method: { data: method } } };
}
