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

const tokens = Object.fromEntries(Object.entries(testNumbers).map(([token, number]) => [number, token]));

/**
 * Helps with typed numbers: chooses the test card of a number, whose field no form sends, and writes numbers in groups.
 * Forms work without it.
 */
export const fieldScript = `
{
  const tokens = ${JSON.stringify(tokens)};
  const number = document.querySelector('#test-number');
  const note = document.querySelector('#test-number-note');
  if (number) {
    number.parentElement.hidden = false;
    const hint = note.textContent;
    number.addEventListener('input', () => {
      const digits = number.value.replace(/\\D/g, '').slice(0, 19);
      const groups = /^3[47]/.test(digits) ? /^(\\d{0,4})(\\d{0,6})(\\d*)$/ : /^(\\d{0,4})(\\d{0,4})(\\d{0,4})(\\d{0,4})(\\d*)$/;
      if (number.selectionEnd === number.value.length) number.value = groups.exec(digits).slice(1).filter(Boolean).join(' ');
      const card = tokens[digits] && document.querySelector('[name=method][value=' + tokens[digits] + ']');
      if (card) {
        card.checked = true;
        note.textContent = 'Chosen: ' + card.nextElementSibling.textContent;
      } else note.textContent = digits.length < 15 ? hint : 'This is not the number of a test card. Choose one above.';
    });
  }
  const bsb = document.querySelector('#bsb');
  bsb?.addEventListener('change', () => {
    const digits = bsb.value.replace(/\\D/g, '');
    if (digits.length === 6) bsb.value = digits.slice(0, 3) + '-' + digits.slice(3);
  });
}
`;
