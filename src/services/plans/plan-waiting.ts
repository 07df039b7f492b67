import { listCollectingPlans } from '../../db/payment-plans.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import { type AwaitIdle, idleWaiting } from '../idle-waiting.ts';

/** Waits, on behalf of the requests of a process, until nothing of plans is due and no charge of them is under way. */
export function planWaiting(sql: Pool): AwaitIdle {
  return idleWaiting(sql, 'payment_plan', (db, plans) => listCollectingPlans(db, plans, realNow()));
}
