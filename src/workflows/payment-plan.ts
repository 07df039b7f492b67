import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = { read: 'readPlan', collect: 'collectPlan', execute: 'pressPlan' } as const;

/**
 * A payment plan from its activation to its end. It collects each slot on its date and retries failed payments, in real
 * time or on its customer's test clock. While the plan is suspended, the workflow waits.
 */
export async function paymentPlan(planId: string, atOnce = false): Promise<void> {
  await collectWhenDue(planId, collectingBy('paymentPlan', names, ['recheck', 'retryNow', 'skipSlot']), { atOnce });
}
