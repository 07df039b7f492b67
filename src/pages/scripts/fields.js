// Helps with typed numbers: chooses the test card of a number (no form sends its field) and writes numbers in groups.
// Forms work without it.
{
  const number = /** @type {HTMLInputElement} */ (document.querySelector('#test-number'));
  const note = document.querySelector('#test-number-note');
  if (number) {
    /** The test cards, by number. @type {Record<string, string>} */
    const tokens = JSON.parse(number.dataset.tokens);
    number.parentElement.hidden = false;
    const hint = note.textContent;
    number.addEventListener('input', () => {
      const digits = number.value.replace(/\D/g, '').slice(0, 19);
      const groups = /^3[47]/.test(digits)
        ? /^(\d{0,4})(\d{0,6})(\d*)$/
        : /^(\d{0,4})(\d{0,4})(\d{0,4})(\d{0,4})(\d*)$/;
      if (number.selectionEnd === number.value.length)
        number.value = groups.exec(digits).slice(1).filter(Boolean).join(' ');
      const token = tokens[digits] ?? 'none';
      const card = /** @type {HTMLInputElement} */ (document.querySelector(`[name=method][value=${token}]`));
      if (card) {
        card.checked = true;
        note.textContent = `Chosen: ${card.nextElementSibling.textContent}`;
      } else note.textContent = digits.length < 15 ? hint : 'This is not the number of a test card. Choose one above.';
    });
  }
  const bsb = /** @type {HTMLInputElement} */ (document.querySelector('#bsb'));
  bsb?.addEventListener('change', () => {
    const digits = bsb.value.replace(/\D/g, '');
    if (digits.length === 6) bsb.value = `${digits.slice(0, 3)}-${digits.slice(3)}`;
  });
}
