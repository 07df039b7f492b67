import type { CustomerRow } from '../../db/customers.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import { namedId } from '../../domain/ids.ts';
import type { CustomerInstant } from '../../domain/instants.ts';
import type { MethodFacts } from '../../domain/surcharges/means.ts';
import type { MinorUnits } from '../../domain/units.ts';
import type { Processors } from '../../processors/processor.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import type { PaymentIntentConfirm } from '../../resources/payment-intent-input.ts';
import type { Resolved } from '../customers/resolve-references.ts';
import { assertNoErrors, Forbidden, InvalidState, missingReference, ValidationFailed } from '../errors.ts';
import { payerUrlErrors } from '../payer-urls.ts';
import type { RequestContext } from '../request-context.ts';
import { processorFor } from './charge.ts';
import { isRestricted, mostPayerFailures } from './charge-records.ts';
import { type DecidedIntent, decideSurcharge } from './surcharges.ts';
import { assertPayerMayUse, type MethodOwnership, methodOfIntentError } from './unattached-methods.ts';

/** What a confirm asks for. */
export interface Confirmation extends PaymentIntentConfirm {
  /** What the payer was shown. If another total is due, nothing is opened. */
  shownTotal?: MinorUnits | undefined;
}

/** Another total is due than the payer was shown: the rules or the clock have moved on meanwhile. */
export class OtherTotal extends Error {}

/** What a confirm is decided on, as it was read. */
export interface ConfirmedRows<Method> {
  intent: PaymentIntentRow;
  /** The customer of the intent, or the one that the request names. Null if there is neither. */
  payer: Pick<CustomerRow, 'deleted_at'> | null;
  /** The customer that the request names for an intent without one. */
  named: Resolved<unknown> | null;
  /** The method that `methodToCharge` names. Null if there is none. */
  method: Method | null;
  /** The payer's time. It is definite: the clock is not advancing. */
  at: CustomerInstant;
}

const methodPath = '/payment_method';

/** Returns the id of the method that a confirm charges: the one that it names, or the intent's. Null without either. */
export function methodToCharge(
  { payment_method: named }: Confirmation,
  { payment_method_id: carried }: Pick<PaymentIntentRow, 'payment_method_id'>,
): string | null {
  return named ?? carried;
}

/**
 * Decides whether an intent can be charged now, and what its payer pays. These are all rules of a confirm but those of
 * a bank account's mandate, which is locked last (`lockAndChooseRail`). The first that is broken is the error:
 *
 * 1. the customer that the request names: `customer_id`;
 * 2. the payer is not deleted;
 * 3. the status allows it;
 * 4. payers have not failed too often, for a publishable key;
 * 5. there is a method, and this payer may be charged by it;
 * 6. `return_url`;
 * 7. the mode has a processor;
 * 8. the total is the one that was shown.
 *
 * @throws ValidationFailed, InvalidState, Forbidden, ProcessorNotConfigured, OtherTotal. Nothing has changed then.
 */
export function decideConfirm<Method extends MethodOwnership & MethodFacts>(
  context: RequestContext,
  processors: Processors,
  input: Confirmation,
  { intent, payer, named, method, at }: ConfirmedRows<Method>,
): { decided: DecidedIntent; method: Method } {
  const wrong = customerErrorOf(context, intent, named, input);
  if (wrong) throw new ValidationFailed([wrong]);
  const refusal = confirmRefusal(intent, payer);
  if (refusal) throw refusal;
  assertMayTry(context, intent);
  assertMayCharge(context, intent, input, method);
  if (input.return_url !== undefined) {
    assertNoErrors(payerUrlErrors(input.return_url, '/return_url', context.livemode));
  }
  processorFor(processors, context.livemode);
  const decided = decideSurcharge(intent, method, context, at);
  if (input.shownTotal !== undefined && input.shownTotal !== decided.total_amount) throw new OtherTotal();
  return { decided, method };
}

/** Returns what is wrong with the customer that a confirm names in addition to the intent's own. */
function customerErrorOf(
  { keyKind }: RequestContext,
  { customer_id: payerId }: PaymentIntentRow,
  named: Resolved<unknown> | null,
  { customer_id: namedId }: Confirmation,
): FieldError | undefined {
  if (namedId === undefined || (payerId !== null && payerId === namedId)) return undefined;
  const path = '/customer_id';
  if (keyKind === 'publishable')
    return fieldError(path, 'invalid_value', 'Leave out customer_id. A publishable key cannot send it.');
  if (payerId !== null) return fieldError(path, 'invalid_value', 'The payment intent belongs to another customer.');
  return named?.error;
}

const confirmable: readonly PaymentIntentRow['status'][] = ['requires_payment_method', 'failed'];

/** Returns why an intent cannot be confirmed, or null if it can. `payer` is its customer, or null if it has none. */
export function confirmRefusal(
  { id, status }: Pick<PaymentIntentRow, 'id' | 'status'>,
  payer: Pick<CustomerRow, 'deleted_at'> | null,
): InvalidState | null {
  if (payer !== null && payer.deleted_at !== null) {
    return new InvalidState('The customer of this payment has been deleted, so the payment cannot be charged.');
  }
  if (confirmable.includes(status)) return null;
  return new InvalidState(`Payment intent ${id} is ${status}; it can be confirmed while ${confirmable.join(' or ')}.`);
}

/**
 * A payer may fail so often, and no more: otherwise a stranger could try out stolen cards. The intent is locked and has
 * one attempt under way at most, so attempts that come at once cannot pass this together.
 * @throws Forbidden
 */
export function assertMayTry(
  { keyKind }: Pick<RequestContext, 'keyKind'>,
  intent: Pick<PaymentIntentRow, 'payer_failures'>,
): void {
  if (keyKind === 'secret' || !isRestricted(intent)) return;
  throw new Forbidden(
    'too_many_attempts',
    `${mostPayerFailures} attempts of payers have failed. Confirm it with a secret key, or create a new payment intent.`,
  );
}

function assertMayCharge<Method extends MethodOwnership>(
  { keyKind }: RequestContext,
  intent: PaymentIntentRow,
  input: Confirmation,
  method: Method | null,
): asserts method is Method {
  const methodId = methodToCharge(input, intent);
  if (methodId === null) {
    const message = 'payment_method is required, because the payment intent has no saved method.';
    throw ValidationFailed.of(methodPath, 'parameter_missing', message);
  }
  if (keyKind === 'publishable') assertPayerMayUse(method, intent);
  const payer = intent.customer_id ?? namedId('customer', input.customer_id) ?? null;
  const error =
    method === null
      ? missingReference(methodPath, 'payment method', methodId)
      : methodOfIntentError(method, { payer, intentId: intent.id, isCharged: true }, methodPath);
  if (error) throw new ValidationFailed([error]);
}
