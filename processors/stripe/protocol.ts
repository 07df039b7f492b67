// The protocol of docs/processors.md, as far as it is read here.
import Type, { type Static } from 'typebox';

/** For whom a call is: the biller, and whether it is real money. It decides which Stripe account is used. */
const forAccount = {
  account: Type.String({ pattern: '^acct_\\w{1,60}$' }),
  livemode: Type.Boolean(),
};
const reference = Type.String({ pattern: '^pi_\\w{1,190}$' });
const money = {
  amount: Type.Integer({ minimum: 1, maximum: 99_999_999_999 }),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
};
const nullable = Type.Union([Type.String({ maxLength: 5_000 }), Type.Null()]);
const debit = Type.Object({
  mandate_reference: Type.String({ minLength: 1, maxLength: 100 }),
  mandate: Type.Object({ accepted_at: nullable, type: nullable, ip_address: nullable, user_agent: nullable }),
});
/** Where the payer of an attended payment comes back to. */
const attendance = {
  attended: Type.Optional(Type.Boolean()),
  return_url: Type.Optional(Type.String({ maxLength: 2_048, pattern: '^https?://' })),
};
const payment = {
  ...forAccount,
  ...attendance,
  ...money,
  payment_intent_id: Type.String({ maxLength: 100 }),
  payment_method: Type.Object({
    id: Type.String({ maxLength: 100 }),
    type: Type.String(),
    token: Type.Union([Type.String(), Type.Null()]),
    bank_account: Type.Optional(
      Type.Object({
        bsb_number: Type.String({ pattern: '^\\d{6}$' }),
        account_number: Type.String({ minLength: 4, maxLength: 20 }),
        account_name: Type.String({ minLength: 1, maxLength: 500 }),
        email: Type.Optional(Type.String({ maxLength: 500 })),
      }),
    ),
  }),
  debit: Type.Optional(debit),
};

const list = Type.Object({
  livemode: Type.Boolean(),
  after: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
});

export const bodies = {
  prepare: Type.Object(payment),
  charge: Type.Object({ ...payment, reference }),
  inquire: Type.Object({ ...forAccount, reference }),
  cancel: Type.Object({ ...forAccount, reference }),
  refund: Type.Object({
    ...forAccount,
    ...money,
    payment_intent_id: Type.String({ maxLength: 100 }),
    charge_reference: Type.Union([reference, Type.Null()]),
  }),
  setup: Type.Object(forAccount),
  inquireSetup: Type.Object({ ...forAccount, reference: Type.String({ pattern: '^seti_\\w{1,190}$' }) }),
  inquireMandate: Type.Object({
    ...forAccount,
    mandate_reference: Type.String({ minLength: 1, maxLength: 100 }),
  }),
  describeMethod: Type.Object({ ...forAccount, token: Type.String({ pattern: '^pm_\\w{1,245}$' }) }),
  movements: list,
  notices: list,
};

export type PrepareBody = Static<typeof bodies.prepare>;
/** What a reservation and a charge have in common. */
export type PaymentBody = PrepareBody;
export type DebitBody = Static<typeof debit>;
export type ChargeBody = Static<typeof bodies.charge>;
export type ReferenceBody = Static<typeof bodies.inquire>;
export type RefundBody = Static<typeof bodies.refund>;
export type SetupReferenceBody = Static<typeof bodies.inquireSetup>;
export type MandateBody = Static<typeof bodies.inquireMandate>;
export type TokenBody = Static<typeof bodies.describeMethod>;
export type MovementsBody = Static<typeof bodies.movements>;
export type NoticesBody = Static<typeof bodies.notices>;

/** The account and the mode of a call. */
export interface For {
  account: string;
  livemode: boolean;
}

/** What the service is told. An answer without `outcome` says nothing about the money: the service asks again. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** Returns an answer without an outcome, with the reason. */
export function noOutcome(status: number, error: string): Answer {
  return { status, body: { error } };
}
