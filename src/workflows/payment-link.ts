import { collectingBy } from './collecting-activities.ts';
import { collectWhenDue } from './collection.ts';

const names = { read: 'readPaymentLink', collect: 'expirePaymentLink', execute: 'pressPaymentLink' } as const;

/** A payment link with an expiry, until it has ended. */
export async function paymentLink(linkId: string, atOnce = false): Promise<void> {
  await collectWhenDue(linkId, collectingBy('paymentLink', names, ['recheck']), { atOnce });
}
