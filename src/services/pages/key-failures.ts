import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { Vault } from '../accounts/vault.ts';
import { TooManyFailures } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';
import { countUse, pageLimits } from './page-limits.ts';

/**
 * Makes a charge with a publishable key, unless too many with this key have failed in this minute. The charge is
 * counted before it is made, and taken back if it does not fail: charges that come at once cannot pass together.
 * @throws TooManyFailures; whatever `charge` throws.
 */
export async function countingFailures(
  db: Db,
  vault: Vault,
  { keyId, now }: RequestContext,
  charge: () => Promise<PaymentIntentRow>,
): Promise<PaymentIntentRow> {
  const use = await countUse(db, vault, pageLimits.keyFailures, keyId);
  if (!use.isAllowed) {
    await use.undo();
    throw new TooManyFailures(Math.max(1, Math.ceil(secondsBetween(now, use.until))));
  }
  let hasFailed = false;
  try {
    const intent = await charge();
    hasFailed = intent.status === 'failed';
    return intent;
  } finally {
    if (!hasFailed) await use.undo();
  }
}
