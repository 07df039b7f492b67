import type { EnteredCard } from '../db/card-setups.ts';
import { fixtureCards } from '../domain/cards.ts';
import type { ChargeOutcome } from '../domain/charge-outcome.ts';
import { Html, html, isolated } from '../platform/html.ts';
import { bankAccount, chosenMethod, newCard, offeredMethods, type Ways } from './offered-methods.ts';
import { methodInWords } from './payment-words.ts';

/**
 * The numbers of the sandbox's test cards, by their tokens. Each ends as its card does and passes the check of Luhn.
 */
export const testNumbers: Readonly<Record<string, string>> = {
  tok_sandbox_visa_succeed: '4242424242424242',
  tok_sandbox_visa_decline_insufficient_funds: '4000000000000002',
  tok_sandbox_visa_decline_card_lost: '4000000000009987',
  tok_sandbox_visa_decline_expired_card: '4000000000000069',
  tok_sandbox_visa_3ds_required: '4000002500003155',
  tok_sandbox_visa_timeout: '4000000000000119',
  tok_sandbox_mastercard_succeed: '5555555555554444',
  tok_sandbox_amex_succeed: '371449635398431',
};

/** The tokens of the test cards by number, for the script that chooses the card of a number. */
const tokensByNumber = Object.fromEntries(Object.entries(testNumbers).map(([token, number]) => [number, token]));

/** What is wrong with the fields of a form, in a payer's words, by their paths. */
export type FieldWords = Readonly<Record<string, string>>;

/** What is said next to a way to pay, by the value of its button. */
export type ChoiceNotes = ReadonlyMap<string, string>;

function noted(note: string, more: string | undefined): string {
  return more === undefined ? note : `${note}, ${more}`;
}

/** The sandbox's test cards to choose from. */
function testCards(chosen: string, notes: ChoiceNotes): Html[] {
  return fixtureCards.map(({ token, brand, last4, outcome }) => {
    const label = `${brand} ending in ${last4}`;
    return choice(token, label, noted(`test card, ${endInWords(token, outcome)}`, notes.get(token)), chosen === token);
  });
}

/** What a test card does. Its token says why it is declined, more exactly than the code. */
function endInWords(token: string, outcome: Readonly<ChargeOutcome>): string {
  if (outcome.kind === 'failed') {
    const [, why = outcome.code] = /_decline_(\w+)$/.exec(token) ?? [];
    return `is declined: ${why.replaceAll('_', ' ')}`;
  }
  return outcome.kind === 'succeeded' ? 'succeeds' : 'requires 3D Secure';
}

/**
 * The ways to pay to choose from. The script of the page asks at `setupUrl` for the processor's fields for a card;
 * `pagePath` is that of the page, on which another card is entered than the one before.
 */
export function methodChoices(
  ways: Ways,
  form: URLSearchParams,
  wrong: FieldWords,
  { notes = new Map(), ...places }: { notes?: ChoiceNotes; pagePath?: string; setupUrl?: string } = {},
): Html {
  const { types, saved, livemode } = ways;
  const chosen = chosenMethod(form, offeredMethods(ways));
  const words = wrong['/method'];
  const cards = livemode ? liveCard(ways, chosen, notes, places) : html`${testCards(chosen, notes)}${testNumberField}`;
  return html`<fieldset>
<legend>How do you want to pay?</legend>
${words === undefined ? null : html`<span class="wrong" role="alert">${words}</span>`}
${saved.map(({ id, brand, last4 }) => choice(id, `${isolated(brand ?? 'Card')} ending in ${last4 ?? '…'}`, noted('saved', notes.get(id)), chosen === id))}
${types.includes('card') ? cards : null}
${types.includes('au_becs_debit') ? choice('au_becs_debit', 'Australian bank account', noted('direct debit', notes.get(bankAccount)), chosen === bankAccount) : null}
</fieldset>`;
}

/** A card that is entered in the processor's fields, or that was. Our forms never have its number. */
function liveCard(
  { entered }: Ways,
  chosen: string,
  notes: ChoiceNotes,
  { pagePath = '', setupUrl = '' }: { pagePath?: string; setupUrl?: string },
): Html {
  const isChosen = chosen === newCard;
  const note = notes.get(newCard) ?? '';
  if (entered !== null) {
    return html`${choice(newCard, cardInWords(entered.card), noted('as you have entered it', notes.get(newCard)), isChosen)}
<input type="hidden" name="setup" value="${entered.handle}">
<p><a href="${pagePath}" id="other-card">Use another card</a></p>`;
  }
  return html`${choice(newCard, 'Card', note, isChosen)}
<div class="field" id="card-fields" data-setup="${setupUrl}">
<noscript><p class="wrong">The fields for a card need JavaScript. Allow it for this page and load it again.</p></noscript>
<div id="card"></div>
<p class="faint" id="card-status" role="status"></p>
</div>
<input type="hidden" name="setup" value="">`;
}

/** Names a card that was entered in the processor's fields, such as "Visa ending in 4242". */
export function cardInWords({ card_brand: brand, card_number_end: last4 }: EnteredCard): string {
  return methodInWords({ instrument: { type: 'card' }, brand: brand ?? null, last4: last4 ?? null });
}

/**
 * A field for the number of a test card, which the script of the page shows. It has no name, so no form sends it: in
 * the browser, the script chooses the test card that has the number.
 */
const testNumberField = html`<div class="field" hidden><label for="test-number">Or enter the number of a test card</label>
<input type="text" id="test-number" data-tokens="${JSON.stringify(tokensByNumber)}" inputmode="numeric" autocomplete="off" maxlength="23" placeholder="4242 4242 4242 4242" aria-describedby="test-number-note">
<span class="faint" id="test-number-note" role="status">The number stays in your browser. Do not enter a real card number.</span></div>`;

/** The fields of a bank account. The number is not written back into the page. */
export function accountFields(form: URLSearchParams, wrong: FieldWords): Html {
  return html`${field('account_name', 'Account name', form.get('account_name') ?? '', wrong['/account_name'])}
${field('bsb', 'BSB', form.get('bsb') ?? '', wrong['/bsb'], { inputmode: 'numeric' })}
${field('account_number', 'Account number', '', wrong['/account_number'], { inputmode: 'numeric', autocomplete: 'off' })}`;
}

/** One way to pay, as a radio button. */
function choice(value: string, name: string, note: string, isChosen: boolean): Html {
  const id = `method-${value.replaceAll('_', '-')}`;
  return html`<div class="choice"><input type="radio" name="method" id="${id}" value="${value}"${isChosen ? new Html(' checked') : null}>
<label for="${id}">${name} <span class="faint">${note}</span></label></div>`;
}

interface FieldOptions {
  type?: string;
  inputmode?: string;
  autocomplete?: string;
  required?: boolean;
  list?: string | null;
}

/** A text field with its label, and what is wrong with it. */
export function field(
  name: string,
  label: string,
  value: string,
  wrong: string | undefined,
  options: FieldOptions = {},
): Html {
  const { type = 'text', inputmode, autocomplete, required = false, list } = options;
  const extra = html`${inputmode === undefined ? null : html` inputmode="${inputmode}"`}${autocomplete === undefined ? null : html` autocomplete="${autocomplete}"`}${required ? new Html(' required') : null}${list ? html` list="${list}"` : null}`;
  const invalid = wrong === undefined ? null : html` aria-invalid="true" aria-describedby="${name}-wrong"`;
  return html`<div class="field"><label for="${name}">${label}</label>
<input type="${type}" id="${name}" name="${name}" value="${value}" maxlength="255"${extra}${invalid}>
${wrong === undefined ? null : html`<span class="wrong" id="${name}-wrong">${wrong}</span>`}</div>`;
}
