import { hasCardNumber, isCardNumberInToken } from '../../domain/card-numbers.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { assertNoErrors } from '../errors.ts';

/** Fields with tokens, digests and secrets. In these, digits that touch a letter are no number. */
const tokens: ReadonlySet<string> = new Set([
  'account_number_token',
  'card_number_token',
  'client_secret',
  'data',
  'fingerprint',
  'paypal_token',
  'text_sha256',
  'token',
]);

interface TokenRule {
  /** Whether tokens are left alone, for vaults whose tokens look like card numbers. */
  tokensMayPassLuhn: boolean;
}

/**
 * Returns a field error for each string of a value, on all its levels, that may hold the number of a card. It quotes no
 * value. `path` leads to the value, as in a field error.
 */
export function cardNumberErrors(
  value: unknown,
  path: string,
  rule: TokenRule = { tokensMayPassLuhn: false },
): FieldError[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, item]) => cardNumberErrors(item, `${path}/${name}`, rule));
  }
  if (typeof value !== 'string') return [];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isFound = tokens.has(name) ? !rule.tokensMayPassLuhn && isCardNumberInToken(value) : hasCardNumber(value);
  if (!isFound) return [];
  const message = `${name} may hold the number of a card. Send a token of your vault, and never a card number.`;
  return [fieldError(path, 'invalid_value', message)];
}

/**
 * Refuses the data of a card or an account if any string of it may hold the number of a card.
 * @throws ValidationFailed that names each such field, and quotes no value.
 */
export function assertNoCardNumber(data: object, path: string, rule: TokenRule): void {
  assertNoErrors(cardNumberErrors(data, path, rule));
}
