// What a payer sends from a page, and the rules for it. The results name what is wrong; the pages put it into words.

import type { CheckoutSessionRow, Consent } from '../../db/checkout-sessions.ts';
import type { Id } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { Resuming } from '../../domain/subscriptions/steps.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { AcceptanceInput } from '../../resources/mandate-input.ts';
import type { PaymentMethodCreate } from '../../resources/payment-method-input.ts';
import type { Vault } from '../accounts/vault.ts';
import type { DefaultChanged } from '../customers/customer-changes.ts';
import type { Charging } from '../payments/charge.ts';
import type { LinkState, SessionState } from './availability.ts';
import type { ApplyTo } from './changes.ts';
import type { SessionForPayer } from './public-tokens.ts';

/** What the pages need to have a session paid. */
export interface SessionDeps {
  charging: Charging;
  vault: Vault;
  applyTo: ApplyTo;
  assertPays: AssertPays;
  defaultChanged: DefaultChanged;
}

/**
 * Says before a method is saved for a plan or subscription that its mandate allows less than what it would pay.
 * @throws ValidationFailed for `/method`.
 */
export type AssertPays = (tx: Tx, applied: Applied) => Promise<void>;

/** A method, and what it is saved for. */
interface Applied {
  paymentPlanId: Id<'payment_plan'> | null;
  subscriptionId: Id<'subscription'> | null;
  paymentMethodId: Id<'payment_method'>;
  /** Whether what was served and not paid is collected, or let go. */
  unpaid: Resuming['unpaid'];
  at: CustomerInstant;
}

/** The form of a session. */
export interface Submission {
  /** The `submissions` of the session that the form was shown with. */
  version: number;
  /**
   * Names the form: every form that is shown has another name, so the same one sent twice is of the same payer. Without
   * it, all forms of a version are one.
   */
  form?: string | undefined;
  /** `setup`: the handle of the setup that the card was entered in, with what the processor has told of it. */
  method: { id: string } | { data: PaymentMethodCreate; setup?: string | undefined };
  /** For an amount that the payer chooses. */
  amount?: MinorUnits | undefined;
  details?: { name?: string | undefined; email?: string | undefined; phone?: string | undefined } | undefined;
  /** The payer wants the method kept. */
  save?: boolean | undefined;
  /** The payer wants the method to be the customer's default. Counts in setup mode only. */
  makesDefault?: boolean | undefined;
  /** The payer's agreement to a mandate, for a bank account. */
  acceptance?: AcceptanceInput | undefined;
  /** What the page has said that is taken. If another total is due by now, nothing is taken. */
  shownTotal?: MinorUnits | undefined;
  /** What the payer agreed to, if the method is kept, and from where. */
  consent?: Omit<Consent, 'accepted_at'> | undefined;
}

/** Why a payer gets no further. Nothing was charged, except perhaps if `unclear`: the processor gave no outcome. */
export type SubmissionRefusal =
  | { kind: 'unknown' }
  | { kind: 'ended'; state: LinkState | SessionState; reason: string | null }
  | { kind: 'stale' }
  | { kind: 'invalid'; errors: readonly FieldError[] }
  | { kind: 'busy'; reason: 'last_payment' | 'advancing' | 'processing' }
  | { kind: 'unavailable' }
  | { kind: 'unclear' };

/** `bySameForm`: by this form, not by another page of the session. */
export type FormResult = { kind: 'done'; session: SessionForPayer; bySameForm: boolean } | SubmissionRefusal;

/** Returns the consent of an accepted form as it is stored. */
export function consentAt({ consent }: Submission, at: CustomerInstant): Consent | null {
  return consent === undefined ? null : { ...consent, accepted_at: at.toISOString() };
}

const emailPattern = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u;
const longest = { name: 255, email: 254, phone: 50 } as const;

/** Returns the field errors of a submission that need nothing but the session. */
export function submissionErrors(session: CheckoutSessionRow, input: Submission): FieldError[] {
  return [...methodErrors(session, input), ...amountErrors(session, input), ...detailErrors(session, input)];
}

function methodErrors({ payment_method_types: types }: CheckoutSessionRow, { method }: Submission): FieldError[] {
  if (!('data' in method) || types.includes(method.data.type)) return [];
  return [fieldError('/method', 'invalid_value', 'This payment method is not offered.')];
}

function amountErrors(session: CheckoutSessionRow, { amount }: Submission): FieldError[] {
  const { amount_min: min, amount_max: max } = session;
  if (min === null || max === null) {
    if (amount === undefined || amount === session.amount) return [];
    return [fieldError('/amount', 'invalid_value', 'The amount cannot be chosen.')];
  }
  if (amount === undefined) return [fieldError('/amount', 'parameter_missing', 'An amount is required.')];
  if (Number.isSafeInteger(amount) && amount >= min && amount <= max) return [];
  return [fieldError('/amount', 'out_of_range', `The amount must be from ${min} to ${max}.`)];
}

function detailErrors(session: CheckoutSessionRow, { details = {} }: Submission): FieldError[] {
  if (session.customer_id !== null) return [];
  return (['email', 'name', 'phone'] as const).flatMap((field): FieldError[] => {
    const text = details[field]?.trim() ?? '';
    const path = `/details/${field}`;
    if (text === '') {
      return session.collect[field] === 'required'
        ? [fieldError(path, 'parameter_missing', `${field} is required.`)]
        : [];
    }
    if (text.length > longest[field]) return [fieldError(path, 'too_long', `${field} is too long.`)];
    if (field === 'email' && !emailPattern.test(text)) {
      return [fieldError(path, 'invalid_format', 'This is not an email address.')];
    }
    return [];
  });
}
