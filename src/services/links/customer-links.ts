import { lockSessionsOfCustomer } from '../../db/checkout-sessions.ts';
import { lockLinksOfCustomer } from '../../db/payment-links.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { deactivateLink, expireSession, type TwoTimes } from './changes.ts';

/** Ends the open links and sessions of a locked customer, who is deleted. */
export async function endLinksOfCustomer(tx: Tx, customerId: string, instant: TwoTimes): Promise<void> {
  for (const link of await lockLinksOfCustomer(tx, customerId)) {
    if (link.status === 'open') await deactivateLink(tx, link, 'customer_deleted', instant);
  }
  for (const session of await lockSessionsOfCustomer(tx, customerId)) {
    if (session.status === 'open') await expireSession(tx, session, 'customer_deleted', instant);
  }
}
