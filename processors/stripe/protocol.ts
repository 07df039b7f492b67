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
  }),
};

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
  movements: Type.Object({
    livemode: Type.Boolean(),
    after: Type.Union([Type.String({ maxLength: 100 }), Type.Null()]),
  }),
};

export type PrepareBody = Static<typeof bodies.prepare>;
export type ChargeBody = Static<typeof bodies.charge>;
export type ReferenceBody = Static<typeof bodies.inquire>;
export type RefundBody = Static<typeof bodies.refund>;
export type MovementsBody = Static<typeof bodies.movements>;

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
