import { type Id, newId } from '../src/domain/ids.ts';
import type { Pool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { type NewEvent, record, transact } from '../src/services/events.ts';

/** Commits so many events of the endpoint's biller in one transaction, as every change does, and returns their ids. */
export async function commitEvents(sql: Pool, endpointId: string, count: number): Promise<string[]> {
  const [owner] = await sql<[{ biller_id: Id<'biller'>; livemode: boolean }]>`
    select biller_id, livemode from webhook_endpoints where id = ${endpointId}`;
  const now = realNow();
  const event: Omit<NewEvent, 'subjectId'> = {
    billerId: owner.biller_id,
    livemode: owner.livemode,
    type: 'payment_intent.canceled',
    customerId: null,
    testClockId: null,
    at: now,
    data: { bench: true },
  };
  const events = Array.from({ length: count }, () => ({
    ...event,
    subjectId: newId('payment_intent', { livemode: false }),
  }));
  return transact(sql, { requestId: null, now }, async (tx) => record(tx, ...events));
}
