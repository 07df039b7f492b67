import { lockSessionsOfCustomer } from '../../db/checkout-sessions.ts';
import { lockOpenLinksOfCustomer } from '../../db/payment-links.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import type { NewEvent } from '../events.ts';
import { deactivateLink, expireSession, type Instant } from './changes.ts';

/** Ends the open links and sessions of a locked customer, who is deleted. Returns their events. */
export async function endLinksOfCustomer(tx: Tx, customerId: string, instant: Instant): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const link of await lockOpenLinksOfCustomer(tx, customerId)) {
    events.push(...(await deactivateLink(tx, link, 'customer_deleted', instant)).events);
  }
  for (const session of await lockSessionsOfCustomer(tx, customerId)) {
    if (session.status === 'open') events.push(...(await expireSession(tx, session, 'customer_deleted', instant)));
  }
  return events;
}
