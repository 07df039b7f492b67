import type { PaymentMethodRow } from '../../db/payment-methods.ts';
import { brandOf, findFixtureCard } from '../../domain/cards.ts';
import { fieldError } from '../../resources/field-errors.ts';
import type { BecsData, CardData } from '../../resources/payment-method-input.ts';
import { Forbidden } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import type { Resolved } from './resolve-references.ts';

const fixtureTokenType = 'fixture';

/** The columns of a method that describe its card or bank account. */
export type InstrumentColumns = Pick<PaymentMethodRow, 'instrument' | 'brand' | 'last4' | 'fixture_token'>;

/**
 * Returns what is stored of a card.
 * @throws Forbidden for a fixture token in live mode.
 */
export function cardOf(context: RequestContext, data: CardData): Resolved<InstrumentColumns> {
  const { token_metadata, card_brand, card_name, ...shown } = data;
  const isFixture = token_metadata.type === fixtureTokenType;
  if (isFixture && context.livemode) {
    throw new Forbidden('sandbox_only', 'Fixture tokens work with sandbox keys only.');
  }
  const fixture = isFixture ? findFixtureCard(token_metadata.token) : null;
  if (isFixture && fixture === null) {
    const path = '/payment_method_data/token_metadata/token';
    const message = 'This fixture token does not exist. Use one of the tok_sandbox_… tokens in the reference.';
    return { error: fieldError(path, 'unknown_fixture_token', message) };
  }
  const value: InstrumentColumns = {
    instrument: {
      type: 'card',
      instrument_data: {
        card_name: card_name ?? '',
        ...shown,
        ...(fixture === null ? {} : { card_number_end: fixture.last4 }),
      },
    },
    brand: fixture?.brand ?? card_brand ?? (data.card_bin === undefined ? null : brandOf(data.card_bin)),
    last4: fixture?.last4 ?? data.card_number_end ?? null,
    fixture_token: fixture?.token ?? null,
  };
  return { value };
}

/** Returns what is stored of an Australian bank account. The whole number is sealed elsewhere. */
export function becsOf(data: BecsData): Resolved<InstrumentColumns> {
  const { account_number, ...shown } = data;
  // By characters, as lengths are counted. Half of a surrogate pair cannot be stored.
  const last4 = [...account_number].slice(-4).join('');
  const value: InstrumentColumns = {
    instrument: {
      type: 'au_becs_debit',
      instrument_data: { ...shown, account_number_end: data.account_number_end ?? last4 },
    },
    brand: null,
    last4,
    fixture_token: null,
  };
  return { value };
}
