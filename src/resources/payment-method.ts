import Type, { type Static, type TSchema } from 'typebox';
import type { PaymentMethodRow } from '../db/payment-methods.ts';
import { exampleId } from '../domain/ids.ts';
import { fundings, methodTypes, networks } from '../domain/surcharges/means.ts';
import { Id, listQuery, Nullable, Strict, type Tag } from './common.ts';
import { example } from './examples.ts';

export const paymentMethods: Tag = {
  name: 'Payment methods',
  description:
    'Saved instruments. You can create cards and Australian bank accounts here. Klarna, PayID and PayPal are ' +
    'read-only; in the sandbox a test helper creates them.',
};

/** The type of a payment method. Clients know it by the name that it had first, of the surcharge rules. */
export const MethodType = Type.Enum([...methodTypes], { title: 'SurchargedMethodType' });

const methodId = Id('payment_method', 'The id of the payment method.');
export const LastFour = Type.String({ minLength: 4, maxLength: 4, description: 'Exactly 4 characters.' });
export const CardBin = Type.String({ pattern: '^[0-9]{8}$', description: 'Exactly 8 digits.' });
export const CardNetwork = Type.Enum([...networks], { title: 'CardNetwork' });
export const CardNetworks = Type.Array(CardNetwork, {
  minItems: 1,
  maxItems: networks.length,
  description:
    'The networks that the card runs on, if your vault knows them: two for a co-branded card, such as eftpos and visa. ' +
    'They count together with those of `card_bin` and `card_brand`; the strictest decides whether a surcharge is allowed.',
});
export const CardFunding = Type.Enum([...fundings], {
  title: 'CardFunding',
  description: 'What the card draws on, if your vault knows it.',
});
export const CardCountry = Type.String({
  pattern: '^[A-Z]{2}$',
  minLength: 2,
  maxLength: 2,
  description:
    'The country that the card was issued in, if your vault or the processor knows it: ISO 3166-1, such as AU.',
});
const CardName = Type.String({ maxLength: 30, description: 'The name on the card, at most 30 characters.' });
export const ExpiryMonth = Type.Integer({ minimum: 1, maximum: 12, description: 'The month in which it expires.' });
export const ExpiryYear = Type.Integer({ minimum: 2000, maximum: 2100, description: 'The year in which it expires.' });
export const Email = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'The email address of the PayPal account.',
});

const CardInstrument = Strict(
  {
    card_name: CardName,
    expiry_month: ExpiryMonth,
    expiry_year: ExpiryYear,
    card_number_token: Type.Optional(Type.String({ description: 'The tokenised card number.' })),
    card_number_end: Type.Optional(LastFour),
    card_bin: Type.Optional(CardBin),
    fingerprint: Type.Optional(Type.String({ description: 'A value that is the same for the same card.' })),
    wallet: Type.Optional(Type.String({ description: 'The wallet that the card came from.' })),
    card_networks: Type.Optional(CardNetworks),
    card_funding: Type.Optional(CardFunding),
    card_country: Type.Optional(CardCountry),
  },
  { title: 'CardInstrument' },
);
const BecsInstrument = Strict(
  {
    bsb_number: Type.String({ description: 'Bank, state and branch.' }),
    account_name: Type.String({ description: 'The name of the account.' }),
    account_number_token: Type.Optional(Type.String({ description: 'The tokenised account number.' })),
    account_number_end: Type.Optional(LastFour),
    fingerprint: Type.Optional(Type.String({ description: 'A value that is the same for the same account.' })),
  },
  { title: 'BecsInstrument' },
);
const Component = (what: string) => Nullable(Type.Integer(), { description: `The ${what}; null if unknown.` });
const DateOfBirth = Strict(
  { day: Component('day'), month: Component('month'), year: Component('year') },
  { title: 'DateOfBirth' },
);
const KlarnaInstrument = Strict({ dob: Nullable(DateOfBirth) }, { title: 'KlarnaInstrument' });
const PayIdInstrument = Strict(
  {
    payid: Type.String({ description: 'The PayID.' }),
    account_name: Type.String({ description: 'The name of the account.' }),
    payid_type: Type.Optional(Type.String({ description: 'Such as email or phone.' })),
  },
  { title: 'PayIdInstrument' },
);
const PayPalInstrument = Strict(
  {
    paypal_email: Email,
    account_name: Type.String({ description: 'The name of the account.' }),
    paypal_token: Type.Optional(Type.String({ description: 'The tokenised account.' })),
  },
  { title: 'PayPalInstrument' },
);

/** The schema of a saved method of one type. */
function Saved<T extends string, I extends TSchema>(title: string, type: T, instrument: I) {
  return Strict({ id: methodId, type: Type.Literal(type), instrument_data: instrument }, { title });
}

export const PaymentMethod = Type.Union(
  [
    Saved('CardPaymentMethod', 'card', CardInstrument),
    Saved('BecsPaymentMethod', 'au_becs_debit', BecsInstrument),
    Saved('KlarnaPaymentMethod', 'klarna', KlarnaInstrument),
    Saved('PayIdPaymentMethod', 'pay_id', PayIdInstrument),
    Saved('PayPalPaymentMethod', 'paypal', PayPalInstrument),
  ],
  { title: 'PaymentMethod', discriminator: { propertyName: 'type' } },
);
example(PaymentMethod, {
  id: exampleId('payment_method'),
  type: 'card',
  instrument_data: { card_name: 'J NGUYEN', expiry_month: 12, expiry_year: 2030, card_number_end: '4242' },
});

export const PaymentMethodEnvelope = Strict(
  { success: Type.Boolean({ description: 'Always true.' }), payment_method: PaymentMethod },
  { title: 'PaymentMethodEnvelope' },
);

const CardSummary = Strict(
  {
    last4: Nullable(Type.String(), { description: 'The last four digits, if known.' }),
    exp_month: Type.Integer({ description: 'The month in which it expires.' }),
    exp_year: Type.Integer({ description: 'The year in which it expires.' }),
    brand: Nullable(Type.String(), { description: 'Such as Visa; null if unknown.' }),
    wallet: Nullable(Type.String(), { description: 'The wallet that the card came from; null if there was none.' }),
  },
  { title: 'CardSummary' },
);
const BecsSummary = Strict(
  {
    bsb_number: Type.String({ description: 'Bank, state and branch.' }),
    account_name: Type.String({ description: 'The name of the account.' }),
    last4: Type.String({ description: 'The end of the account number.' }),
  },
  { title: 'BecsSummary' },
);
const Summary = Strict(
  {
    id: methodId,
    type: Type.Enum(['card', 'au_becs_debit'], {
      title: 'PayableMethodType',
      description: 'The type. The member of the same name has the details.',
    }),
    card: Type.Optional(CardSummary),
    au_becs_debit: Type.Optional(BecsSummary),
  },
  { title: 'PaymentMethodSummary' },
);
export const CreatedPaymentMethod = Strict(
  { success: Type.Boolean({ description: 'Always true.' }), payment_method: Summary },
  { title: 'CreatedPaymentMethod' },
);
example(CreatedPaymentMethod, {
  success: true,
  payment_method: {
    id: exampleId('payment_method'),
    type: 'card',
    card: { last4: '4242', exp_month: 12, exp_year: 2030, brand: 'Visa', wallet: null },
  },
});

export const PaymentMethodList = Strict(
  {
    success: Type.Boolean({ description: 'Always true.' }),
    payment_methods: Type.Array(PaymentMethod),
    has_more: Type.Boolean({ description: 'Whether more methods follow.' }),
  },
  { title: 'PaymentMethodList' },
);

/** The default page size for methods. A project decision. */
export const methodsPerPage = 100;
export const methodListQuery = {
  ...listQuery,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'The maximum number of items, 1 to 100; by default 100.' }),
  ),
};

/** A saved method as a read, a list or a detach returns it. */
export function presentPaymentMethod(row: PaymentMethodRow): Static<typeof PaymentMethod> {
  const { id, instrument } = row;
  return { id, ...instrument };
}

/** A method as its creation returns it: the few facts that a checkout displays. */
export function presentCreatedPaymentMethod(
  row: PaymentMethodRow,
): Static<typeof CreatedPaymentMethod>['payment_method'] {
  const { type, instrument_data: data } = row.instrument;
  if (type === 'card') {
    const { expiry_month: exp_month, expiry_year: exp_year, wallet = null } = data;
    return { id: row.id, type, card: { last4: row.last4, exp_month, exp_year, brand: row.brand, wallet } };
  }
  if (type === 'au_becs_debit') {
    const { bsb_number, account_name } = data;
    return { id: row.id, type, au_becs_debit: { bsb_number, account_name, last4: row.last4 ?? '' } };
  }
  throw new TypeError(`a method of type ${type} is not made through the API`);
}
