// What payers read about a payment. The API's own messages are for the biller.
import type { PurposeRow } from '../db/page-payments.ts';
import type { PaymentIntentRow } from '../db/payment-intents.ts';
import type { PaymentMethodRow } from '../db/payment-methods.ts';
import type { DeclineCode } from '../domain/charge-outcome.ts';
import type { PeriodLine } from '../domain/subscriptions/lines.ts';
import { inPercent } from '../domain/surcharges/costs.ts';
import { taxedPart } from '../domain/tax/tax-invoice.ts';
import { inWords, money } from '../domain/words/money.ts';
import { type Html, html, isolated } from '../platform/html.ts';
import { rows } from './layout.ts';

/** A new code does not compile without words for the payer. The death of the holder has none of its own. */
const reasons: Readonly<Partial<Record<DeclineCode, string>>> = {
  insufficient_funds:
    'There is not enough money in the account for this payment. Use another card, or try again later.',
  gateway_timeout: 'The bank did not respond in time. Nothing was taken. Try again.',
  card_declined: 'The bank has declined this card. Use another one, or ask your bank.',
  expired_card: 'This card has expired. Use another one.',
  authentication_required: 'The bank could not confirm that it was you. Try again, or use another card.',
  payment_method_unavailable: 'This payment method can no longer be used. Use another one.',
  processor_rejected: 'The payment was refused. Nothing was taken. Use another payment method.',
  account_invalid: 'This bank account does not exist, or it cannot be debited. Check the numbers.',
  account_closed: 'This bank account is closed. Use another one.',
  payment_stopped: 'The bank was asked to stop this debit. Use another payment method.',
  debit_disputed: 'The debit was disputed, and the bank returned the money.',
  payment_disputed: 'The payment was disputed, and the bank returned the money.',
  mandate_unavailable: 'This account can no longer be debited. The permission has ended.',
  mandate_limit_exceeded: 'The amount is above what you have allowed for this account.',
  debit_withdrawn: 'The debit was withdrawn before it went to the bank. Nothing was taken.',
} satisfies Record<Exclude<DeclineCode, 'account_holder_deceased'>, string>;

/** Says why a payment failed and what the payer can do, for a code of `last_payment_error`. */
export function reasonOf(code: DeclineCode | null): string {
  return (code && reasons[code]) ?? 'The payment did not go through. Nothing was taken. Try another payment method.';
}

/** The rows about an amount: base and surcharge if there is one, then the total, and how much of it is tax. */
export function amountRows(intent: PaymentIntentRow, locale: string): [string, Html][] {
  const { amount, surcharge_amount, total_amount, currency } = intent;
  const parts: [string, Html][] = [
    ['Amount', money(amount, currency, locale)],
    ['Surcharge for this payment method', money(surcharge_amount, currency, locale)],
  ];
  const total: [string, Html] = ['Total', money(total_amount, currency, locale)];
  return [...(surcharge_amount === 0 ? [] : parts), total, ...taxRows(intent, locale)];
}

/** The rows about the tax of a payment: how much it is, and what of the total does not include it. None without one. */
function taxRows(
  { amount, total_amount: total, currency, tax_basis: tax, tax_amount: included }: PaymentIntentRow,
  locale: string,
): [string, Html][] {
  if (tax === null) return [];
  const name = `${isolated(tax.label)} (${inPercent(tax.basisPoints)})`;
  const without = total - taxedPart({ amount, total }, tax);
  if (without === 0) return [[`Total price includes ${name}`, money(included, currency, locale)]];
  return [
    [`Includes ${name}`, money(included, currency, locale)],
    [`Of the total, without ${isolated(tax.label)}`, money(without, currency, locale)],
  ];
}

/** The rows about what a payment is for, in the biller's words. */
export function purposeRows({ name, description, reference }: PurposeRow): [string, string | null][] {
  return [
    ['For', name],
    ['Details', description],
    ['Reference', reference],
  ];
}

/** The lines that a payment of a subscription pays, if there are so many. `tax` is that of the payment. */
export function statement(
  lines: readonly PeriodLine[],
  { currency, tax_basis: tax }: Pick<PaymentIntentRow, 'currency' | 'tax_basis'>,
  locale: string,
  atLeast = 2,
): Html | null {
  if (lines.length < atLeast) return null;
  const named = (line: PeriodLine) =>
    `${line.quantity === 1 ? line.description : `${line.quantity} × ${isolated(line.description)}`}${untaxedIn(line)}`;
  const untaxedIn = ({ amount_cents: amount, taxable_cents: taxable = amount }: PeriodLine) => {
    if (tax === null || taxable === amount) return '';
    const part = taxable === 0 ? 'no' : `${inWords(taxable, currency, locale)} with`;
    return ` (${part} ${isolated(tax.label)})`;
  };
  return html`<h2>What it pays</h2>
${rows(lines.map((line) => [named(line), money(line.amount_cents, currency, locale)]))}`;
}

/** Names a way to pay by what the payer knows of it, such as "Visa ending in 4242". */
export function methodInWords({
  instrument,
  brand,
  last4,
}: Pick<PaymentMethodRow, 'brand' | 'last4'> & { instrument: Pick<PaymentMethodRow['instrument'], 'type'> }): string {
  const names = {
    card: isolated(brand ?? 'Card'),
    au_becs_debit: 'Bank account',
    klarna: 'Klarna',
    pay_id: 'PayID',
    paypal: 'PayPal',
  };
  return last4 === null ? names[instrument.type] : `${names[instrument.type]} ending in ${last4}`;
}
