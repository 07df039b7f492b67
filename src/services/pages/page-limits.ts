import ipaddr from 'ipaddr.js';
import { addPageUse, removePageUse } from '../../db/page-uses.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Vault } from '../accounts/vault.ts';

/** A limit: how many uses of one subject in a span of time. All processes count together. */
export interface PageLimit {
  name: string;
  most: number;
  spanSeconds: number;
}

/** The limits of the pages. */
export const pageLimits = {
  /** Sittings that one address begins. */
  starts: { name: 'starts', most: 20, spanSeconds: 60 },
  /** Attempts to pay from one address that did not succeed. */
  failures: { name: 'failures', most: 20, spanSeconds: 60 },
  /** Forms of one address that were refused: for what was in their fields, or because something else came first. */
  refusals: { name: 'refusals', most: 30, spanSeconds: 60 },
  /** Methods that one address saves in widgets. */
  methods: { name: 'methods', most: 20, spanSeconds: 60 },
  /** Attempts with one publishable key that failed. */
  keyFailures: { name: 'key failures', most: 100, spanSeconds: 60 },
  /** Attempts to pay one link that did not succeed. Beyond them, the two limits below decide (`attempt-limits.ts`). */
  linkFailures: { name: 'link failures', most: 30, spanSeconds: 600 },
  /** Those of one network. */
  linkFailuresOfNetwork: { name: 'link failures of a network', most: 3, spanSeconds: 600 },
  /** Those of all networks that have failed less often. */
  linkFailuresOfOthers: { name: 'link failures of others', most: 120, spanSeconds: 600 },
} as const satisfies Record<string, PageLimit>;

/** A use that was counted. */
export interface CountedUse {
  isAllowed: boolean;
  /** When the next span of the limit begins. */
  until: RealInstant;
  /** Takes the use back, such as that of an attempt that succeeded. */
  undo(): Promise<void>;
}

/** Counts a use of `subject`, such as an address, before it happens. Only a keyed hash of the subject is stored. */
export async function countUse(db: Db, vault: Vault, limit: PageLimit, subject: string): Promise<CountedUse> {
  const [hash] = vault.fingerprintsOf([`limit of a page\n${limit.name}\n${subject}`]);
  const { used, ends_at: until } = await addPageUse(db, hash, limit.spanSeconds);
  return { isAllowed: used <= limit.most, until, undo: () => removePageUse(db, hash, limit.spanSeconds) };
}

/**
 * Returns what the limits count as one address: an IPv4 address, or the /64 of an IPv6 address, which is what one
 * customer of a provider has. A text that is no address is its own subject.
 */
export function addressSubject(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}
