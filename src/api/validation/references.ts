import type { TSchema } from 'typebox';
import { hasRow } from '../../db/tenant.ts';
import type { Collection } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type FieldError, maxFieldErrors } from '../../resources/field-errors.ts';
import { missingReference } from '../../services/errors.ts';
import type { Tenant } from '../../services/request-context.ts';
import { asNode, asNodes } from './describe-schema.ts';

/**
 * The fields of a body that name another object by its id, whatever the route. A body has at most two of them. Fields
 * that need a further scope of the key are left out: the service checks them after the scope.
 */
const referenceFields: Readonly<Record<string, readonly [Collection, string]>> = {
  customer_id: ['customers', 'customer'],
  payment_method: ['payment_methods', 'payment method'],
  payment_method_id: ['payment_methods', 'payment method'],
  payment_instrument_id: ['payment_methods', 'payment method'],
  default_payment_method: ['payment_methods', 'payment method'],
  test_clock: ['test_clocks', 'test clock'],
};

/** Returns a field error for each id in a refused body that does not exist for this biller and mode. */
export type ReferenceChecker = (
  db: Db,
  tenant: Tenant,
  body: unknown,
  errors: readonly FieldError[],
) => Promise<FieldError[]>;

/**
 * Makes a check of the ids in a refused body of this schema, so that one response has all errors. The ids of a valid
 * body are checked by its service. Fields with an error are left out, and so are those that the schema does not have.
 */
export function referenceChecker(schema: TSchema): ReferenceChecker {
  const fields = Object.entries(referenceFields).filter(([name]) => hasProperty(schema, name));
  return async (db, tenant, body, errors) => {
    if (typeof body !== 'object' || body === null || errors.length >= maxFieldErrors) return [];
    const wrong = new Set(errors.map(({ path }) => path));
    const unknown: FieldError[] = [];
    for (const [name, [table, what]] of fields) {
      const id: unknown = Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined;
      if (typeof id !== 'string' || wrong.has(`/${name}`)) continue;
      if (!(await hasRow(db, table, tenant, id))) unknown.push(missingReference(`/${name}`, what, id));
    }
    return unknown;
  };
}

function hasProperty(schema: unknown, name: string): boolean {
  const { properties, anyOf } = asNode(schema) ?? {};
  return name in (asNode(properties) ?? {}) || asNodes(anyOf).some((branch) => hasProperty(branch, name));
}
