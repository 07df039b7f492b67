import { type BillerProfileRow, selectBillerProfile } from '../../db/biller-profiles.ts';
import { selectBiller } from '../../db/billers.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { realNow } from '../../platform/real-time.ts';
import type { RequestContext } from '../request-context.ts';

/** Who is paid, as its payers see it. */
export interface Payee extends BillerProfileRow {
  billerId: string;
  livemode: boolean;
  /** The name that payers read. */
  name: string;
  /** IANA name. Dates on the pages are in this time zone. */
  timeZone: string;
}

/** What a page acts with: the payee, and the request of a payer as the services see it. */
export interface Paying {
  payee: Payee;
  context: RequestContext;
}

/**
 * Reads the payee of a page, and makes the context in which its payer acts. The page's token has shown what the payer
 * may do, so the context is that of no API key.
 * @throws if there is no such biller: what names it refers to it.
 */
export async function openPaying(
  db: Db,
  { biller_id: billerId, livemode }: { biller_id: string; livemode: boolean },
  requestId: string,
): Promise<Paying> {
  const [biller, profile] = await Promise.all([selectBiller(db, billerId), selectBillerProfile(db, billerId)]);
  if (biller === null) throw new Error(`there is no biller ${billerId}`);
  const timeZone = biller.time_zone;
  return {
    payee: { ...profile, billerId, livemode, name: profile.display_name ?? biller.name, timeZone },
    context: {
      billerId,
      livemode,
      requestId,
      keyId: 'page',
      keyKind: 'publishable',
      now: realNow(),
      timeZone,
      feeSchedule: { basisPoints: biller.fee_basis_points, fixed: biller.fee_fixed },
      statementDescriptor: biller.statement_descriptor,
    },
  };
}
