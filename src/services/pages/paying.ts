import { type BillerProfileRow, selectBillerProfile } from '../../db/biller-profiles.ts';
import { type BillerRow, selectBiller } from '../../db/billers.ts';
import type { Id } from '../../domain/ids.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { type PayerRequest, payerContext, type RequestContext } from '../request-context.ts';

/** Who is paid, as its payers see it. */
export interface Payee extends BillerProfileRow {
  billerId: Id<'biller'>;
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

/** Returns a biller as its payers see it. */
export async function payeeOf(db: Db, biller: BillerRow, livemode: boolean): Promise<Payee> {
  const profile = await selectBillerProfile(db, biller.id);
  const name = profile.display_name ?? biller.name;
  return { ...profile, billerId: biller.id, livemode, name, timeZone: biller.time_zone };
}

/**
 * Reads the payee of a page, and makes the context in which its payer acts.
 * @throws if there is no such biller. The rows that hold its id refer to it, so that is a bug.
 */
export async function openPaying(
  db: Db,
  { biller_id: billerId, livemode }: { biller_id: Id<'biller'>; livemode: boolean },
  payer: PayerRequest,
): Promise<Paying> {
  const biller = await selectBiller(db, billerId);
  if (biller === null) throw new Error(`there is no biller ${billerId}`);
  return { payee: await payeeOf(db, biller, livemode), context: payerContext(biller, livemode, payer) };
}
