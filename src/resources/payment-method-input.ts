import Type, { type Static } from 'typebox';
import { exampleId } from '../domain/ids.ts';
import { Reference, StatementText, Strict } from './common.ts';
import { withExamples } from './examples.ts';
import {
  CardBin,
  CardCountry,
  CardFunding,
  CardNetworks,
  ExpiryMonth,
  ExpiryYear,
  LastFour,
} from './payment-method.ts';

export const Opaque = (description: string) => Type.String({ minLength: 1, maxLength: 500, description });
export const Short = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

export const AccountName = StatementText({ minLength: 1, maxLength: 255, description: 'The name of the account.' });

const TokenMetadata = Strict(
  {
    type: Type.String({ minLength: 1, maxLength: 60, description: 'Who issued the token; `fixture` for a test card.' }),
    token: Type.String({
      minLength: 1,
      maxLength: 4000,
      description: 'The token. For a fixture, one of those under *Test cards*.',
    }),
    data: Type.String({ maxLength: 4000, description: 'Further token data; an empty string for a fixture.' }),
  },
  { title: 'TokenMetadata' },
);
const CardData = Strict(
  {
    expiry_month: ExpiryMonth,
    expiry_year: ExpiryYear,
    token_metadata: TokenMetadata,
    card_name: Type.Optional(
      StatementText({ maxLength: 30, description: 'The name on the card, at most 30 characters.' }),
    ),
    card_number_token: Type.Optional(Opaque('The tokenised card number.')),
    card_number_end: Type.Optional(LastFour),
    card_bin: Type.Optional(CardBin),
    fingerprint: Type.Optional(Opaque('A value that is the same for the same card.')),
    wallet: Type.Optional(Short('The wallet that the card came from.')),
    card_networks: Type.Optional(CardNetworks),
    card_funding: Type.Optional(CardFunding),
    card_country: Type.Optional(CardCountry),
    card_brand: Type.Optional(Short('The brand. By default derived from `card_bin`.')),
  },
  { title: 'CardData' },
);
export type CardData = Static<typeof CardData>;

const BecsData = Strict(
  {
    bsb_number: Type.String({
      title: 'six digits, with or without a hyphen, such as 062-000',
      pattern: '^[0-9]{3}-?[0-9]{3}$',
      description:
        'The BSB, which names the bank and the branch: six digits, with or without a hyphen. In the sandbox 000-000 is ' +
        'enough.',
    }),
    account_name: AccountName,
    account_number: Type.String({
      title: '6 to 9 characters, such as 12345678',
      minLength: 6,
      maxLength: 9,
      description: 'The number of the account, 6 to 9 characters; never shown again.',
    }),
    account_number_token: Type.Optional(Opaque('The tokenised account number.')),
    account_number_end: Type.Optional(LastFour),
    fingerprint: Type.Optional(Opaque('A value that is the same for the same account.')),
  },
  { title: 'BecsData' },
);
export type BecsData = Static<typeof BecsData>;

export const customerReference = Type.Optional(
  Reference('The customer that the method belongs to: a cus_ id, or your own reference of the customer.'),
);
const clientSecret = Type.Optional(
  Type.String({
    maxLength: 200,
    description:
      'Required with a publishable key and `customer_reference`: the client_secret of a payment intent of that ' +
      'customer.',
  }),
);
const CardCreate = Strict(
  {
    type: Type.Literal('card'),
    payment_method_data: CardData,
    customer_reference: customerReference,
    client_secret: clientSecret,
  },
  { title: 'CardPaymentMethodCreate' },
);
const BecsCreate = Strict(
  {
    type: Type.Literal('au_becs_debit'),
    payment_method_data: BecsData,
    customer_reference: customerReference,
    client_secret: clientSecret,
  },
  { title: 'BecsPaymentMethodCreate' },
);
const fixtureCard = (token: string) => ({
  expiry_month: 12,
  expiry_year: 2030,
  token_metadata: { type: 'fixture', token, data: '' },
});
export const PaymentMethodCreate = withExamples(
  Type.Union([CardCreate, BecsCreate], { title: 'PaymentMethodCreate', discriminator: { propertyName: 'type' } }),
  {
    fixture: {
      summary: 'A sandbox card that succeeds',
      value: {
        type: 'card',
        customer_reference: exampleId('customer'),
        payment_method_data: fixtureCard('tok_sandbox_visa_succeed'),
      },
    },
    declined: {
      summary: 'A sandbox card that is declined for insufficient funds',
      value: {
        type: 'card',
        customer_reference: 'member-1042',
        payment_method_data: fixtureCard('tok_sandbox_visa_decline_insufficient_funds'),
      },
    },
    becs: {
      summary: 'An Australian bank account',
      value: {
        type: 'au_becs_debit',
        customer_reference: exampleId('customer'),
        payment_method_data: { bsb_number: '000-000', account_name: 'Jo Nguyen', account_number: '12345678' },
      },
    },
  },
);
export type PaymentMethodCreate = Static<typeof PaymentMethodCreate>;

export const PaymentMethodAttach = withExamples(
  Strict({ customer_id: Reference('The customer to attach it to.') }, { title: 'PaymentMethodAttach' }),
  { customer: { summary: 'To a customer', value: { customer_id: exampleId('customer') } } },
);
