// A payer who pays by bank debit accepts the mandate on the biller's page, with a publishable key. Such a key acts for
// one payment: it presents the client secret of an intent, and reaches no further than that intent's customer and the
// methods that this intent may be confirmed with.
import { type LockedCustomerRow, lockCustomer } from '../../db/customers.ts';
import { selectMandate } from '../../db/mandates.ts';
import { type PaymentIntentRow, selectPaymentIntent } from '../../db/payment-intents.ts';
import type { Tx, Writer } from '../../platform/postgres/connection.ts';
import type { AcceptanceInput, MandateAccept, MandateCreate } from '../../resources/mandate-input.ts';
import { intentIdIn, type Vault } from '../accounts/vault.ts';
import { timeOf } from '../customer-time.ts';
import { Forbidden, ValidationFailed } from '../errors.ts';
import { transact } from '../events.ts';
import { acceptMandate, giveMandate, type MandateNow } from '../mandates/mandates.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { confirmRefusal } from './confirm-rules.ts';
import { lockMethodOfPayer } from './unattached-methods.ts';

/**
 * Creates a mandate that a payer accepts online.
 * @throws Forbidden when the client secret is missing or wrong, when the intent has another customer or none, when the
 * method may not be used for it, and for what only the biller decides.
 * @throws InvalidState when the intent cannot be confirmed; and as `createMandate`.
 * @throws ValidationFailed as `createMandate`.
 */
export async function createMandateOfPayer(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  input: MandateCreate,
): Promise<MandateNow> {
  const { payment_method_id: methodId, customer_id: customerId, acceptance, client_secret: secret, ...terms } = input;
  if (Object.keys(terms).length > 0) {
    throw new Forbidden('secret_key_required', 'Only a secret key sets the terms of a mandate.');
  }
  assertOnline(acceptance);
  return transact(db, context, async (tx) => {
    const { intent, customer } = await intentOfPayer(tx, vault, context, secret);
    if (customerId !== undefined && customerId !== customer.id) throw notOfPayer();
    const refusal = confirmRefusal(intent, customer);
    if (refusal) throw refusal;
    const method = await lockMethodOfPayer(tx, context, methodId, intent);
    if (method.detached_at !== null) {
      const message = 'The payment method has been detached and cannot be debited.';
      throw ValidationFailed.of('/payment_method_id', 'payment_method_detached', message);
    }
    return giveMandate(tx, context, { customer, method, at: timeOf(customer, context.now) }, input);
  });
}

/**
 * Accepts a pending mandate for a payer, online.
 * @throws Forbidden when the client secret is missing or wrong, and when the mandate is not of the intent's customer or
 * does not exist.
 * @throws InvalidState when the intent cannot be confirmed; and as `acceptMandate`.
 * @throws ValidationFailed as `acceptMandate`.
 */
export async function acceptMandateOfPayer(
  db: Writer,
  vault: Vault,
  context: RequestContext,
  id: string,
  { client_secret: secret, ...acceptance }: MandateAccept,
): Promise<MandateNow> {
  assertOnline(acceptance);
  return transact(db, context, async (tx) => {
    const { intent, customer } = await intentOfPayer(tx, vault, context, secret);
    const mandate = await selectMandate(tx, context, id);
    if (mandate?.customer_id !== customer.id) throw notOfPayer();
    const refusal = confirmRefusal(intent, customer);
    if (refusal) throw refusal;
    return acceptMandate(tx, context, id, acceptance);
  });
}

/**
 * Returns the intent whose client secret is presented, and its customer, locked. The customer of an intent never
 * changes, so the intent needs no lock; a plan's retry locks it after the method. No other object is looked up, so
 * neither the response nor its duration shows whether another one exists.
 * @throws Forbidden
 */
async function intentOfPayer(
  tx: Tx,
  vault: Vault,
  tenant: Tenant,
  secret: string | undefined,
): Promise<{ intent: PaymentIntentRow; customer: LockedCustomerRow }> {
  const intentId = secret === undefined ? null : intentIdIn(vault, secret);
  const intent = intentId === null ? null : await selectPaymentIntent(tx, tenant, intentId);
  const customer = intent?.customer_id ? await lockCustomer(tx, tenant, intent.customer_id) : null;
  if (intent === null || customer === null) throw notOfPayer();
  return { intent, customer };
}

function assertOnline(acceptance: AcceptanceInput | undefined): void {
  if (acceptance?.type === 'online') return;
  throw new Forbidden(
    'secret_key_required',
    'With a publishable key a payer accepts a mandate online, and nothing else.',
  );
}

function notOfPayer(): Forbidden {
  return new Forbidden(
    'secret_key_required',
    'A publishable key needs the client_secret of a payment intent of the mandate’s customer.',
  );
}
