import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = {
  read: 'readCheckoutSession',
  collect: 'expireCheckoutSession',
  execute: 'pressCheckoutSession',
} as const;

/** A checkout session, until it is completed or has expired. */
export async function checkoutSession(sessionId: string, atOnce = false): Promise<void> {
  await collectWhenDue(sessionId, collectingBy('checkoutSession', names, ['recheck']), { atOnce });
}
