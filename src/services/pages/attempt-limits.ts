import ipaddr from 'ipaddr.js';
import type { PaymentLinkRow } from '../../db/payment-links.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Vault } from '../accounts/vault.ts';
import { addressSubject, type CountedUse, countUse, type PageLimit, pageLimits } from './page-limits.ts';

/** An attempt that may be made, or the limit that refuses it. It counts as a failure until it is taken back. */
export type CountedAttempt =
  | { refusedBy: null; undo(): Promise<void> }
  | { refusedBy: 'address' | 'link'; spanSeconds: number; until: RealInstant };

/**
 * Counts an attempt to pay before it is made: of its address and, for a link, of the link. After too many failures a
 * link takes attempts only from networks that have hardly failed there, and from all of them together only so many. So
 * a few addresses cannot keep other payers from a link, and many addresses get a bounded number of attempts.
 */
export async function countAttempt(
  db: Db,
  vault: Vault,
  address: string,
  link: PaymentLinkRow | null,
): Promise<CountedAttempt> {
  const uses: CountedUse[] = [];
  const count = async (limit: PageLimit, subject: string) => {
    const use = await countUse(db, vault, limit, subject);
    uses.push(use);
    return use;
  };
  const undo = async () => {
    for (const use of uses) await use.undo();
  };
  const refuse = async (refusedBy: 'address' | 'link', { spanSeconds }: PageLimit, { until }: CountedUse) => {
    await undo();
    return { refusedBy, spanSeconds, until };
  };
  const ofAddress = await count(pageLimits.failures, addressSubject(address));
  if (!ofAddress.isAllowed) return refuse('address', pageLimits.failures, ofAddress);
  if (link === null) return { refusedBy: null, undo };
  const ofNetwork = await count(pageLimits.linkFailuresOfNetwork, `${link.id} ${networkOf(address)}`);
  const ofLink = await count(pageLimits.linkFailures, link.id);
  const mayGoOn =
    ofLink.isAllowed || (ofNetwork.isAllowed && (await count(pageLimits.linkFailuresOfOthers, link.id)).isAllowed);
  return mayGoOn ? { refusedBy: null, undo } : refuse('link', pageLimits.linkFailures, ofLink);
}

/**
 * Returns what a link counts as one network: an IPv4 address, or the /48 of an IPv6 address, of which anyone can get
 * one for free, with 65,536 networks of /64 in it.
 */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : `${parsed.toByteArray().slice(0, 6).join('.')}/48`;
}
