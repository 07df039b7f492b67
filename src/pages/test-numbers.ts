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
export const tokensByNumber = Object.fromEntries(Object.entries(testNumbers).map(([token, number]) => [number, token]));
