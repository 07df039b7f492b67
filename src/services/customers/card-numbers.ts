import { hasCardNumber, isCardNumberInToken } from '../../domain/card-numbers.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import { ValidationFailed } from '../errors.ts';

/**
 * Refuses what may be the number of a card, in the fields of a card that are stored as they are sent.
 * `tokensMayPassLuhn`: tokens and fingerprints are not looked at, for vaults whose tokens look like card numbers.
 * @throws ValidationFailed that names each such field, and quotes no value.
 */
export function assertNoCardNumber(
  input: PaymentMethodCreate,
  { tokensMayPassLuhn }: { tokensMayPassLuhn: boolean },
): void {
  if (input.type !== 'card') return;
  const { card_name, card_number_token, fingerprint } = input.payment_method_data;
  const tokens = tokensMayPassLuhn ? {} : { card_number_token, fingerprint };
  const found = [
    ...(card_name !== undefined && hasCardNumber(card_name) ? ['card_name'] : []),
    ...Object.entries(tokens).flatMap(([name, value]) =>
      value !== undefined && isCardNumberInToken(value) ? [name] : [],
    ),
  ];
  if (found.length === 0) return;
  throw new ValidationFailed(
    found.map((name) => {
      const message = `${name} may hold the number of a card. Send a token of your vault, and never a card number.`;
      return fieldError(`/payment_method_data/${name}`, 'invalid_value', message);
    }),
  );
}
