import type { ApiKeyKind, CredentialRow } from '../db/api-keys.ts';
import type { BillerRow } from '../db/billers.ts';
import type { Id } from '../domain/ids.ts';
import type { Costs } from '../domain/surcharges/costs.ts';
import { type Fees, feesOf } from '../domain/surcharges/fees.ts';
import type { Tax } from '../domain/tax/tax.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** The biller and mode that data belongs to. Every query filters by both. */
export interface Tenant {
  billerId: Id<'biller'>;
  livemode: boolean;
}

/** From where a request comes. */
export interface Connection {
  /** The address of the client, behind the proxies that are trusted. */
  address: string;
  /** Its `User-Agent`, at most 500 characters. Null if it named none. */
  userAgent: string | null;
}

/** A request as the services see it: its API key, biller, mode and instant. */
export interface RequestContext extends Tenant {
  requestId: string;
  /** The id of the API key of the request. */
  keyId: string;
  /** `publishable`: the request comes from a payer, whom the biller may not know. */
  keyKind: ApiKeyKind;
  /** The connection of a payer. Null for a secret key: it comes from the biller's server. */
  connection: Connection | null;
  /** The time of a clock-bound customer is read from its clock. */
  now: RealInstant;
  /** IANA name. Payments fall due at 00:00 in this time zone. */
  timeZone: string;
  /** What the biller pays for a payment. */
  fees: Fees;
  /** Of the biller: ISO 3166-1 alpha-2. Null if it has stated none. */
  country: string | null;
  /** What it costs the biller to accept a way to pay. */
  costs: Costs;
  /** The tax that the biller's prices include. Null if it has stated none. */
  tax: Tax | null;
  /** The biller's default statement descriptor. */
  statementDescriptor: string | null;
}

/** Returns the context of a request that is made with this key. `connection` is that of a payer. */
export function contextOf(
  credential: CredentialRow,
  requestId: string,
  now: RealInstant,
  connection: Connection | null = null,
): RequestContext {
  const { id, kind, biller_id: billerId, livemode } = credential;
  return { billerId, livemode, requestId, keyId: id, keyKind: kind, connection, now, ...decidedByBiller(credential) };
}

/** The request of a payer, who has no key. */
export interface PayerRequest {
  requestId: string;
  now: RealInstant;
  connection?: Connection;
}

/** Returns the context of a request that a payer makes: what a publishable key may do, and nothing more. */
export function payerContext(biller: BillerRow, livemode: boolean, payer: PayerRequest): RequestContext {
  const { requestId, now, connection = null } = payer;
  return {
    billerId: biller.id,
    livemode,
    requestId,
    keyId: '',
    keyKind: 'publishable',
    connection,
    now,
    ...decidedByBiller(biller),
  };
}

function decidedByBiller(biller: BillerRow | CredentialRow) {
  return {
    timeZone: biller.time_zone,
    fees: feesOf(biller),
    country: biller.country,
    costs: biller.cost_of_acceptance,
    tax: biller.tax,
    statementDescriptor: biller.statement_descriptor,
  };
}
