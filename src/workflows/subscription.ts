import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = { read: 'readSubscription', collect: 'collectSubscription', execute: 'pressSubscription' } as const;

/**
 * A subscription from its start to its end. It begins each period on its date and has it charged, retries failed
 * payments, and ends trials, pauses and the subscription, in real time or on its customer's test clock.
 */
export async function subscription(subscriptionId: string, atOnce = false): Promise<void> {
  await collectWhenDue(subscriptionId, collectingBy('subscription', names, ['recheck', 'retryNow']), { atOnce });
}
