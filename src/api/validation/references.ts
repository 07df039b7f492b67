import { hasRow } from '../../db/tenant.ts';
import type { Collection } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type FieldError, maxFieldErrors } from '../../resources/field-errors.ts';
import { missingReference } from '../../services/errors.ts';
import type { Tenant } from '../../services/request-context.ts';

/**
 * The fields of a body that name another object by its id, whatever the route. Those that need a further scope of the
 * key are left to their service.
 */
const referenceFields: Readonly<Record<string, readonly [Collection, string]>> = {
  customer_id: ['customers', 'customer'],
  payment_method: ['payment_methods', 'payment method'],
  payment_method_id: ['payment_methods', 'payment method'],
  payment_instrument_id: ['payment_methods', 'payment method'],
  default_payment_method: ['payment_methods', 'payment method'],
  test_clock: ['test_clocks', 'test clock'],
};

/**
 * Returns a field error for each id in a refused body that names nothing of this biller and mode, so that one response
 * has all errors. A body that is valid is looked through by its service. Fields with an error are left out.
 */
export async function unknownReferences(
  db: Db,
  tenant: Tenant,
  body: unknown,
  errors: readonly FieldError[],
): Promise<FieldError[]> {
  if (typeof body !== 'object' || body === null || errors.length >= maxFieldErrors) return [];
  const wrong = new Set(errors.map(({ path }) => path));
  const unknown: FieldError[] = [];
  for (const [name, [table, what]] of Object.entries(referenceFields)) {
    const id: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
    if (typeof id !== 'string' || wrong.has(`/${name}`)) continue;
    if (!(await hasRow(db, table, tenant, id))) unknown.push(missingReference(`/${name}`, what, id));
  }
  return unknown;
}
