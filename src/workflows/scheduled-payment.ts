import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = {
  read: 'readScheduledPayment',
  collect: 'collectScheduledPayment',
  execute: 'pressScheduledPayment',
} as const;

/** A payment with a scheduled date. The workflow makes it on that date, unless a confirm or a cancel comes first. */
export async function scheduledPayment(intentId: string, atOnce = false): Promise<void> {
  await collectWhenDue(intentId, collectingBy('scheduledPayment', names, ['recheck', 'retryNow']), { atOnce });
}
