import Type, { type Static, type TSchema } from 'typebox';
import type { Instrument } from '../db/payment-methods.ts';
import { exampleId } from '../domain/ids.ts';
import { Nullable, Strict } from './common.ts';
import { withExamples } from './examples.ts';
import { Email } from './payment-method.ts';
import { AccountName, customerReference, Opaque, Short } from './payment-method-input.ts';

const Component = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Nullable(Type.Integer({ minimum, maximum }), { description }));
const DateOfBirth = Strict(
  {
    day: Component('Day of the month.', 1, 31),
    month: Component('Month; 1 is January.', 1, 12),
    year: Component('Year, with four digits.', 1900, 2100),
  },
  { title: 'DateOfBirthData' },
);

const KlarnaData = Strict(
  {
    dob: Type.Optional(
      Nullable(DateOfBirth, {
        description: 'The date of birth, as far as it is known. Parts that you leave out are returned as null.',
      }),
    ),
  },
  { title: 'KlarnaData' },
);
const PayIdData = Strict(
  {
    payid: Short('The PayID.'),
    account_name: AccountName,
    payid_type: Type.Optional(Short('Such as email or phone.')),
  },
  { title: 'PayIdData' },
);
const PayPalData = Strict(
  {
    paypal_email: Email,
    account_name: AccountName,
    paypal_token: Type.Optional(Opaque('The tokenised account.')),
  },
  { title: 'PayPalData' },
);

function Create<T extends string, D extends TSchema>(title: string, type: T, data: D) {
  return Strict({ type: Type.Literal(type), instrument_data: data, customer_reference: customerReference }, { title });
}

/** The types of methods that a payer sets up with a third party. The sandbox creates them as if that had happened. */
export const SandboxPaymentMethodCreate = withExamples(
  Type.Union(
    [
      Create('KlarnaPaymentMethodCreate', 'klarna', KlarnaData),
      Create('PayIdPaymentMethodCreate', 'pay_id', PayIdData),
      Create('PayPalPaymentMethodCreate', 'paypal', PayPalData),
    ],
    { title: 'SandboxPaymentMethodCreate', discriminator: { propertyName: 'type' } },
  ),
  {
    klarna: {
      summary: 'Klarna',
      value: {
        type: 'klarna',
        customer_reference: exampleId('customer'),
        instrument_data: { dob: { day: 24, month: 11, year: 1990 } },
      },
    },
    payId: {
      summary: 'A PayID',
      value: {
        type: 'pay_id',
        customer_reference: 'member-1042',
        instrument_data: { payid: 'jo@example.com', account_name: 'Jo Nguyen', payid_type: 'email' },
      },
    },
    payPal: {
      summary: 'A PayPal account without a customer',
      value: { type: 'paypal', instrument_data: { paypal_email: 'jo@example.com', account_name: 'Jo Nguyen' } },
    },
  },
);
export type SandboxPaymentMethodCreate = Static<typeof SandboxPaymentMethodCreate>;

/** The instrument in its stored form. A date of birth has all of its parts; unknown parts are null. */
export function instrumentOf(input: SandboxPaymentMethodCreate): Instrument {
  if (input.type === 'klarna') {
    const { dob = null } = input.instrument_data;
    const parts = dob && { day: dob.day ?? null, month: dob.month ?? null, year: dob.year ?? null };
    return { type: 'klarna', instrument_data: { dob: parts } };
  }
  if (input.type === 'pay_id') return { type: 'pay_id', instrument_data: input.instrument_data };
  return { type: 'paypal', instrument_data: input.instrument_data };
}
