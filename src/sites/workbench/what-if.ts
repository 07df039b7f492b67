import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { type Html, html } from '../../platform/html.ts';
import type { Supposition } from '../../services/test-clocks/dry-run.ts';
import { methodInWords } from '../account/method-in-words.ts';

/** What a dry run can suppose: the word in the form, what people read, and the outcomes of cards and bank accounts. */
const choices: readonly { word: string; label: string; outcomes: string; bankOutcomes: string }[] = [
  { word: 'decline', label: 'Declined, each time', outcomes: 'decline', bankOutcomes: 'dishonoured' },
  {
    word: 'decline_once',
    label: 'Declined once, then collected',
    outcomes: 'decline,succeed',
    bankOutcomes: 'dishonoured,settled',
  },
  { word: 'timeout', label: 'No response from the processor', outcomes: 'timeout', bankOutcomes: 'account_invalid' },
  { word: '3ds', label: 'Needs the payer (3D Secure)', outcomes: 'requires_action', bankOutcomes: 'payment_stopped' },
  {
    word: 'disputed',
    label: 'Claimed back by the payer (bank account)',
    outcomes: 'succeed',
    bankOutcomes: 'disputed',
  },
  { word: 'succeed', label: 'Collected, each time', outcomes: 'succeed', bankOutcomes: 'settled' },
];

/** What the reader supposes, from the query of a page; null if nothing. Words that are unknown suppose nothing. */
export function suppositionIn(query: URLSearchParams): (Supposition & { label: string }) | null {
  const choice = choices.find(({ word }) => word === query.get('outcome'));
  if (choice === undefined) return null;
  const { outcomes, bankOutcomes, label } = choice;
  return { outcomes, bankOutcomes, label, paymentMethodId: query.get('method') || undefined };
}

/** The fields of the form that choose an outcome, and the card or account that it is for. */
export function suppositionFields(query: URLSearchParams, methods: readonly PaymentMethodRow[]): Html {
  const chosen = query.get('outcome') ?? '';
  const of = query.get('method') ?? '';
  const option = (value: string, label: string, current: string) =>
    value === current
      ? html`<option value="${value}" selected>${label}</option>`
      : html`<option value="${value}">${label}</option>`;
  return html`<div class="field"><label for="outcome">What if each payment were …</label>
<select id="outcome" name="outcome">${option('', 'as its card and amount say', chosen)}${choices.map(
    ({ word, label }) => option(word, label, chosen),
  )}</select></div>
${
  methods.length < 2
    ? null
    : html`<div class="field"><label for="method">… by</label>
<select id="method" name="method">${option('', 'any card or account', of)}${methods.map((method) =>
        option(method.id, methodInWords(method), of),
      )}</select></div>`
}`;
}
