import type { Scope } from '../../services/accounts/scopes.ts';
import { Forbidden } from '../../services/errors.ts';

/** The fields of a link or a session that act on something else. */
interface ActsOn {
  payment_intent_id?: string | undefined;
  subscription_id?: string | undefined;
  make_default?: boolean | undefined;
  apply_to?: { payment_plan_id?: string | undefined; subscription_id?: string | undefined } | undefined;
}

/**
 * Checks that a key with these scopes may write what the body of a link or a session names or sets: a payer acts on
 * that.
 * @throws Forbidden `insufficient_scope`
 */
export function assertMayWriteNamed(
  scopes: readonly string[],
  { payment_intent_id, subscription_id, make_default, apply_to }: ActsOn,
): void {
  const needed: [field: string, value: string | true | undefined, scope: Scope][] = [
    ['payment_intent_id', payment_intent_id, 'payment_intents:write'],
    ['subscription_id', subscription_id, 'subscriptions:write'],
    ['make_default', make_default || undefined, 'customers:write'],
    ['apply_to.payment_plan_id', apply_to?.payment_plan_id, 'payment_plans:write'],
    ['apply_to.subscription_id', apply_to?.subscription_id, 'subscriptions:write'],
  ];
  for (const [field, value, scope] of needed) {
    if (value === undefined || scopes.includes(scope)) continue;
    throw new Forbidden('insufficient_scope', `${field} needs the scope ${scope}, which the key does not have.`);
  }
}
