import ipaddr from 'ipaddr.js';
import { addPageUse, removePageUse } from '../../db/page-uses.ts';
import type { PaymentIntentRow } from '../../db/payment-intents.ts';
import type { PaymentLinkRow } from '../../db/payment-links.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import type { Vault } from '../accounts/vault.ts';
import { TooManyFailures } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';

/** A limit: how many uses of one subject in a span of time. All processes count together. */
export interface PageLimit {
  name: string;
  most: number;
  spanSeconds: number;
}

/** The limits of the pages. */
export const pageLimits = {
  /** Sessions that one address begins. */
  starts: { name: 'starts', most: 20, spanSeconds: 60 },
  /** Attempts to pay from one address that did not succeed. */
  failures: { name: 'failures', most: 20, spanSeconds: 60 },
  /** Forms of one address that were refused: for what was in their fields, or because something else came first. */
  refusals: { name: 'refusals', most: 30, spanSeconds: 60 },
  /** Questions to the live processor about cards that are entered: of one address, one session, one widget's key. */
  setups: { name: 'setups', most: 30, spanSeconds: 60 },
  setupsOfSession: { name: 'setups of a session', most: 60, spanSeconds: 600 },
  setupsOfKey: { name: 'setups of a key', most: 600, spanSeconds: 60 },
  /** Methods that one address saves in widgets. */
  methods: { name: 'methods', most: 20, spanSeconds: 60 },
  /** Attempts with one publishable key that failed. */
  keyFailures: { name: 'key failures', most: 100, spanSeconds: 60 },
  /** Attempts to pay one link that did not succeed. Beyond them, the two limits below decide (`countAttempt`). */
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
 * customer of a provider has. Anything else is counted as it is.
 */
export function addressSubject(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`;
}

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

/**
 * Makes a charge with a publishable key, unless too many with this key have failed in this minute. The charge is
 * counted before it is made, and taken back if it does not fail: charges that come at once cannot pass together.
 * @throws TooManyFailures; whatever `charge` throws.
 */
export async function countingFailures(
  db: Db,
  vault: Vault,
  { keyId, now }: RequestContext,
  charge: () => Promise<PaymentIntentRow>,
): Promise<PaymentIntentRow> {
  const use = await countUse(db, vault, pageLimits.keyFailures, keyId);
  if (!use.isAllowed) {
    await use.undo();
    throw new TooManyFailures(Math.max(1, Math.ceil(secondsBetween(now, use.until))));
  }
  let hasFailed = false;
  try {
    const intent = await charge();
    hasFailed = intent.status === 'failed';
    return intent;
  } finally {
    if (!hasFailed) await use.undo();
  }
}
