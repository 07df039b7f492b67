import type { Id } from '../domain/ids.ts';
import type { Db } from '../platform/postgres/connection.ts';
import type { RealInstant } from '../platform/real-time.ts';

/** What a biller shows to payers. Null where it has said nothing. */
export interface BillerProfileRow {
  display_name: string | null;
  support_email: string | null;
  support_phone: string | null;
  address: string | null;
  tax_id: string | null;
  /** As `#rrggbb`, in lower case. */
  brand_color: string | null;
  /** The SHA-256 of the logo, in hex. The logo itself is read alone. */
  logo_name: string | null;
  /** Where the widget may be shown: exact origins, sorted. Those with http count in the sandbox only. */
  checkout_origins: string[];
}

/** A picture as a browser takes it. */
export interface Logo {
  type: string;
  bytes: Buffer;
}

const none: BillerProfileRow = {
  display_name: null,
  support_email: null,
  support_phone: null,
  address: null,
  tax_id: null,
  brand_color: null,
  logo_name: null,
  checkout_origins: [],
};

/** The profile of a biller; if it has none, all null, and no origins. */
export async function selectBillerProfile(db: Db, billerId: Id<'biller'>): Promise<BillerProfileRow> {
  const [row] = await db<BillerProfileRow[]>`
    select display_name, support_email, support_phone, address, tax_id, brand_color, logo_name,
      checkout_origins
    from biller_profiles where biller_id = ${billerId}`;
  return row ?? none;
}

/** Writes the columns that are given. */
export async function updateBillerProfile(
  db: Db,
  billerId: Id<'biller'>,
  change: Partial<BillerProfileRow>,
  at: RealInstant,
): Promise<void> {
  const row = { ...change, updated_at: at };
  await db`
    insert into biller_profiles ${db({ biller_id: billerId, ...row })}
    on conflict (biller_id) do update set ${db(row)}`;
}

/** Writes the logo of a biller under its name, or removes it. */
export async function updateBillerLogo(
  db: Db,
  billerId: Id<'biller'>,
  logo: (Logo & { name: string }) | null,
  at: RealInstant,
): Promise<void> {
  const row = {
    logo: logo?.bytes ?? null,
    logo_type: logo?.type ?? null,
    logo_name: logo?.name ?? null,
    updated_at: at,
  };
  await db`
    insert into biller_profiles ${db({ biller_id: billerId, ...row })}
    on conflict (biller_id) do update set ${db(row)}`;
}

/** The logo of this name, whichever biller has it, or null. */
export async function selectLogo(db: Db, name: string): Promise<Logo | null> {
  const [row] = await db<Logo[]>`
    select logo as bytes, logo_type as type from biller_profiles where logo_name = ${name} limit 1`;
  return row ?? null;
}
