import { listAccountEvents } from '../../db/reports/account-events.ts';
import { type Accounts, type Movement, postToAccounts } from '../../domain/statements/account.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { Tenant } from '../request-context.ts';

/** Memory does not grow with the history of a customer. */
const eventsAtOnce = 2_000;

/**
 * Posts all that happened to these customers before an instant to `accounts`, from their events, and yields what moved.
 * Events stay as they are, so a statement of the past is the same whenever it is read.
 */
export async function* moveAccounts(
  db: Db,
  tenant: Tenant,
  customerIds: readonly string[],
  { accounts, before, timeZone }: { accounts: Accounts; before: Date; timeZone: string },
): AsyncGenerator<Movement> {
  for (let after = 0; ; ) {
    const events = await listAccountEvents(db, tenant, customerIds, { before, after, limit: eventsAtOnce });
    for (const event of events) {
      const movement = postToAccounts(accounts, event, timeZone);
      if (movement !== null) yield movement;
    }
    const last = events.at(-1);
    if (last === undefined || events.length < eventsAtOnce) return;
    after = last.sequence;
  }
}
