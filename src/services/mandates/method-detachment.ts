import { clearDefaultMethod } from '../../db/customers.ts';
import { lockPaymentMethod, markDetached, type PaymentMethodRow } from '../../db/payment-methods.ts';
import { namedId } from '../../domain/ids.ts';
import type { Writer } from '../../platform/postgres/connection.ts';
import { timeOf } from '../customer-time.ts';
import { lockOwner } from '../customers/resolve-references.ts';
import { orNotFound } from '../errors.ts';
import { positionHere, transact } from '../events.ts';
import type { RequestContext } from '../request-context.ts';
import { endMandatesOf, type StopDebits } from './mandate-ends.ts';

/**
 * Detaches a method. After the response no charge is started on it, no debit of it goes to the bank, it is no
 * customer's default, and its mandate is canceled. Detaching it again changes nothing.
 * @throws NotFound
 * @throws InvalidState while its customer's clock is advancing.
 */
export async function detachPaymentMethod(
  db: Writer,
  context: RequestContext,
  id: string,
  stopDebits: StopDebits,
): Promise<PaymentMethodRow> {
  return transact(db, context, async (tx) => {
    const position = positionHere(tx);
    const owner = await lockOwner(tx, context, id);
    const record = { at: timeOf(owner, context.now), now: context.now, requestId: context.requestId };
    await stopDebits(tx, { methodId: namedId('payment_method', id) }, 'payment_method_unavailable', record);
    const method = orNotFound(await lockPaymentMethod(tx, context, id), 'payment method', id);
    // Another request may have attached the method between the two reads. It is locked by now, so its owner no longer
    // changes.
    const customer = method.customer_id === (owner?.id ?? null) ? owner : await lockOwner(tx, context, id);
    const at = timeOf(customer, context.now);
    if (method.detached_at !== null) return method;
    await markDetached(tx, id, at);
    await clearDefaultMethod(tx, id, at);
    await position.during(() => endMandatesOf(tx, ['payment_method_id', id], 'payment_method_detached', at));
    return { ...method, detached_at: at, updated_at: at };
  });
}
