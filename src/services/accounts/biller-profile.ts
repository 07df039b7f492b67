import { createHash } from 'node:crypto';
import {
  type BillerProfileRow,
  type Logo,
  selectBillerProfile,
  updateBillerLogo,
  updateBillerProfile,
} from '../../db/biller-profiles.ts';
import {
  type BillerRow,
  lockScheduled,
  selectBiller,
  updateFees,
  updateSurcharging,
  updateTax,
  updateTimeZone,
} from '../../db/billers.ts';
import { lockBiller } from '../../db/tenant.ts';
import type { Id } from '../../domain/ids.ts';
import { isPlainText, plainTextInWords } from '../../domain/plain-text.ts';
import type { CostKey } from '../../domain/surcharges/costs.ts';
import { type FeeSchedule, type Fees, feesOf } from '../../domain/surcharges/fees.ts';
import type { MethodType } from '../../domain/surcharges/means.ts';
import { abnIn, claimsAbn } from '../../domain/tax/abn.ts';
import { longestLabel, type Tax } from '../../domain/tax/tax.ts';
import type { BasisPoints } from '../../domain/units.ts';
import type { Db, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type FieldError, fieldError } from '../../resources/field-errors.ts';
import { assertNoErrors, InvalidState, NotFound, orNotFound } from '../errors.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from './audit.ts';
import { countryErrors, timeZoneErrors } from './billers.ts';

/** The texts of a profile, in the order in which they are listed. */
export const profileTexts = [
  'display_name',
  'support_email',
  'support_phone',
  'address',
  'tax_id',
  'brand_color',
] as const;
type ProfileText = (typeof profileTexts)[number];

/** What a biller shows to payers, and what decides its dates, fees, surcharges and tax. */
export type BillerProfile = BillerProfileRow &
  Pick<BillerRow, 'id' | 'name' | 'time_zone' | 'country' | 'cost_of_acceptance' | 'tax'> & { fees: Fees };

/** A change of a profile. What is left out stays; null removes it. */
export interface ProfileChange extends Partial<Record<ProfileText, string | null>> {
  /** A picture of at most 32 KiB: PNG, JPEG or WebP. */
  logo?: Buffer | null;
  /** IANA name. */
  timeZone?: string;
  /** ISO 3166-1 alpha-2. */
  country?: string | null;
  /** A key that is left out stays; null removes it. */
  costs?: Partial<Record<CostKey, BasisPoints | null>>;
  /** What the biller pays by every way to pay that has no schedule of its own. */
  standardFee?: FeeSchedule;
  /** A way to pay that is left out stays; null removes its schedule. */
  feesByMethod?: Partial<Record<MethodType, FeeSchedule | null>>;
  /** The tax that prices include. It holds for payments that are made from then on. */
  tax?: Tax | null;
}

/** The most origins that a biller may register. */
const mostOrigins = 20;

const longest: Readonly<Record<ProfileText, number>> = {
  display_name: 100,
  support_email: 254,
  support_phone: 40,
  address: 300,
  tax_id: 40,
  brand_color: 7,
};
const largestLogo = 32 * 1024;

/**
 * Returns what a biller shows to payers.
 * @throws NotFound
 */
export async function getBillerProfile(db: Db, billerId: Id<'biller'>): Promise<BillerProfile> {
  const [biller, profile] = [await selectBiller(db, billerId), await selectBillerProfile(db, billerId)];
  if (biller === null) throw new NotFound('biller', billerId);
  const { id, name, time_zone, country, cost_of_acceptance, tax } = biller;
  return { id, name, time_zone, country, cost_of_acceptance, tax, fees: feesOf(biller), ...profile };
}

/**
 * Changes what a biller shows to payers, or what decides its dates, fees, surcharges and tax. The audit log records it.
 * @throws NotFound
 * @throws ValidationFailed with every field error.
 * @throws InvalidState for another time zone while anything is scheduled.
 */
export async function changeBillerProfile(
  db: Db,
  billerId: Id<'biller'>,
  { logo, timeZone, country, costs, standardFee, feesByMethod, tax, ...texts }: ProfileChange,
  origin: ChangeOrigin,
): Promise<BillerProfile> {
  const change = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, name === 'brand_color' ? (text?.toLowerCase() ?? null) : text]),
  );
  const logoType = logo ? typeOfPicture(logo) : null;
  assertNoErrors([
    ...textErrors(change),
    ...logoErrors(logo, logoType),
    ...timeZoneErrors(timeZone),
    ...countryErrors(country),
    ...taxErrors(tax),
  ]);
  return changed(db, billerId, origin, async (tx) => {
    if (Object.keys(change).length > 0) await updateBillerProfile(tx, billerId, change, origin.now);
    if (timeZone !== undefined) await changeTimeZone(tx, billerId, timeZone);
    if (country !== undefined || costs !== undefined) await changeSurcharging(tx, billerId, { country, costs }, origin);
    if (standardFee !== undefined || feesByMethod !== undefined)
      await changeFees(tx, billerId, { standardFee, feesByMethod });
    if (tax !== undefined) await updateTax(tx, billerId, tax);
    if (logo === undefined) return;
    const row = logo === null || logoType === null ? null : logoOf(logo, logoType);
    await updateBillerLogo(tx, billerId, row, origin.now);
  });
}

async function changeSurcharging(
  tx: Tx,
  billerId: Id<'biller'>,
  { country, costs = {} }: Pick<ProfileChange, 'country' | 'costs'>,
  { now }: ChangeOrigin,
): Promise<void> {
  const before = orNotFound(await selectBiller(tx, billerId), 'biller', billerId);
  const after = country === undefined ? before.country : country;
  const stated = Object.entries({ ...before.cost_of_acceptance, ...costs }).filter(([, points]) => points !== null);
  await updateSurcharging(tx, billerId, {
    country: after,
    country_since: after === before.country ? before.country_since : now,
    cost_of_acceptance: Object.fromEntries(stated),
  });
}

async function changeFees(
  tx: Tx,
  billerId: Id<'biller'>,
  { standardFee, feesByMethod = {} }: Pick<ProfileChange, 'standardFee' | 'feesByMethod'>,
): Promise<void> {
  const before = orNotFound(await selectBiller(tx, billerId), 'biller', billerId);
  const { standard, byMethod } = feesOf(before);
  const { basisPoints, fixed } = standardFee ?? standard;
  const stated = Object.entries({ ...byMethod, ...feesByMethod }).filter(([, schedule]) => schedule !== null);
  await updateFees(tx, billerId, {
    fee_basis_points: basisPoints,
    fee_fixed: fixed,
    fees_by_method: Object.fromEntries(stated),
  });
}

/** @throws InvalidState while dates of the biller are to come: their instants are those of the former zone. */
async function changeTimeZone(tx: Tx, billerId: Id<'biller'>, timeZone: string): Promise<void> {
  const before = orNotFound(await selectBiller(tx, billerId), 'biller', billerId);
  if (timeZone === before.time_zone) return;
  const scheduled = await lockScheduled(tx, billerId);
  const [first] = scheduled;
  if (first !== undefined) {
    const named = scheduled.map(({ id, state }) => `${id} (${state})`).join(', ');
    const more = first.count - scheduled.length;
    throw new InvalidState(
      `The time zone stays ${before.time_zone} while anything is scheduled: ${named}${more > 0 ? ` and ${more} more` : ''}. ` +
        'End or cancel it first, or create another biller.',
    );
  }
  await updateTimeZone(tx, billerId, timeZone);
}

/**
 * Registers origins of pages that may hold the widget, or removes them, and records it in the audit log. An origin is
 * exact: scheme, host, and port if it is not that of the scheme; no path and no wildcard.
 * @throws NotFound
 * @throws ValidationFailed with every field error, also for an origin to remove that is not registered.
 */
export async function changeCheckoutOrigins(
  db: Db,
  billerId: Id<'biller'>,
  { add = [], remove = [] }: { add?: readonly string[]; remove?: readonly string[] },
  origin: ChangeOrigin,
): Promise<BillerProfile> {
  const malformed = add.filter((text) => !isExactOrigin(text));
  const message = 'is not an origin such as https://shop.example.com: http or https, and no path or wildcard.';
  assertNoErrors(malformed.map((text) => fieldError('/add', 'invalid_format', `${text} ${message}`)));
  return changed(db, billerId, origin, async (tx) => {
    const { checkout_origins: before } = await selectBillerProfile(tx, billerId);
    const unknown = remove.filter((text) => !before.includes(text));
    const after = [...new Set([...before, ...add])].filter((text) => !remove.includes(text)).sort();
    assertNoErrors([
      ...unknown.map((text) => fieldError('/remove', 'invalid_value', `${text} is not registered.`)),
      ...(after.length > mostOrigins
        ? [fieldError('/add', 'invalid_value', `A biller has at most ${mostOrigins} origins.`)]
        : []),
    ]);
    await updateBillerProfile(tx, billerId, { checkout_origins: after }, origin.now);
  });
}

/** Whether a text is an origin as a browser writes it. Its host has no mark that means something in a policy. */
function isExactOrigin(text: string): boolean {
  const isPlain =
    /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(text) && text.length <= 300;
  return isPlain && URL.canParse(text) && new URL(text).origin === text;
}

async function changed(
  db: Db,
  billerId: Id<'biller'>,
  { by, now }: ChangeOrigin,
  write: (tx: Tx) => Promise<void>,
): Promise<BillerProfile> {
  return atomically(db, async (tx) => {
    await lockBiller(tx, billerId);
    const before = await getBillerProfile(tx, billerId);
    await write(tx);
    const after = await getBillerProfile(tx, billerId);
    const changes = changesBetween(before, after);
    if (Object.keys(changes).length > 0) {
      const tenant = { billerId, livemode: null };
      await recordAudit(tx, { action: 'biller.updated', by, at: now, tenant, subjectId: billerId, changes });
    }
    return after;
  });
}

function textErrors(change: Record<string, string | null | undefined>): FieldError[] {
  return profileTexts.flatMap((name) => {
    const text = change[name];
    if (text === undefined || text === null) return [];
    const path = `/${name}`;
    const length = [...text].length;
    if (length === 0 || length > longest[name]) {
      return [fieldError(path, 'invalid_value', `${name} must be 1 to ${longest[name]} characters.`)];
    }
    if (!isPlainText(text) || /\p{Surrogate}/u.test(text)) {
      return [fieldError(path, 'invalid_value', `${name} must be text ${plainTextInWords}.`)];
    }
    if (name === 'brand_color' && !/^#[0-9a-f]{6}$/.test(text)) {
      return [fieldError(path, 'invalid_format', 'brand_color must be a colour such as #1a4f9c.')];
    }
    if (name === 'support_email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) {
      return [fieldError(path, 'invalid_format', 'support_email must be an e-mail address.')];
    }
    if (name === 'support_phone' && !/^\+?[\d ()-]{3,}$/.test(text)) {
      return [fieldError(path, 'invalid_format', 'support_phone must be a telephone number.')];
    }
    if (name === 'tax_id' && claimsAbn(text) && abnIn(text) === null) {
      return [fieldError(path, 'invalid_value', 'tax_id is not an ABN: its digits do not check. Compare them.')];
    }
    return [];
  });
}

function taxErrors(tax: Tax | null | undefined): FieldError[] {
  if (tax === undefined || tax === null) return [];
  const { label, basisPoints } = tax;
  const length = [...label].length;
  const isNamed = length >= 1 && length <= longestLabel && label.trim() !== '' && isPlainText(label);
  const isRate = Number.isInteger(basisPoints) && basisPoints >= 1 && basisPoints <= 10_000;
  return [
    ...(isNamed && !/\p{Surrogate}/u.test(label)
      ? []
      : [
          fieldError(
            '/tax/label',
            'invalid_value',
            `The label of the tax must be 1 to ${longestLabel} characters of text.`,
          ),
        ]),
    ...(isRate ? [] : [fieldError('/tax/percent', 'out_of_range', 'The tax must be from 0.01 % to 100 %.')]),
  ];
}

function logoErrors(logo: Buffer | null | undefined, type: string | null): FieldError[] {
  if (logo === undefined || logo === null) return [];
  if (logo.length > largestLogo) return [fieldError('/logo', 'too_long', 'The logo must be at most 32 KiB.')];
  return type === null ? [fieldError('/logo', 'invalid_format', 'The logo must be a PNG, JPEG or WebP picture.')] : [];
}

/** The type of a picture, by its first bytes. Null for any other: an SVG, for one, may hold scripts. */
function typeOfPicture(bytes: Buffer): string | null {
  if (bytes.subarray(0, 8).toString('hex') === '89504e470d0a1a0a') return 'image/png';
  if (bytes.subarray(0, 3).toString('hex') === 'ffd8ff') return 'image/jpeg';
  const isWebp =
    bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP';
  return isWebp ? 'image/webp' : null;
}

function logoOf(bytes: Buffer, type: string): Logo & { name: string } {
  return { bytes, type, name: createHash('sha256').update(bytes).digest('hex') };
}
