import { selectCredential } from '../../db/api-keys.ts';
import {
  type BillerRow,
  insertBiller,
  listBillers as listBillerRows,
  selectBiller,
  selectBillerByName,
} from '../../db/billers.ts';
import { isTimeZone } from '../../domain/calendar.ts';
import { isCountry } from '../../domain/countries.ts';
import { type Id, newId } from '../../domain/ids.ts';
import { isPlainText, plainTextInWords } from '../../domain/plain-text.ts';
import type { FeeColumns } from '../../domain/surcharges/fees.ts';
import type { Db, Pool, Tx } from '../../platform/postgres/connection.ts';
import { atomically } from '../../platform/postgres/transaction.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { type FieldCode, type FieldError, fieldError } from '../../resources/field-errors.ts';
import { assertNoErrors } from '../errors.ts';
import { createKey, hashKey, type KeyTraits } from './api-keys.ts';
import { type ChangeOrigin, changesBetween, recordAudit } from './audit.ts';

export interface NewBiller extends ChangeOrigin {
  name: string;
  /** IANA name; UTC by default. */
  timeZone?: string | undefined;
  /** At most 22 characters. The text on the payer's statement, unless a payment has its own. */
  statementDescriptor?: string | undefined;
  /** Whether bank accounts are debited under a mandate only, in the sandbox too. No by default. */
  requireMandates?: boolean | undefined;
  /** ISO 3166-1 alpha-2; not stated by default. */
  country?: string | undefined;
}

export type Biller = Omit<BillerRow, keyof FeeColumns | 'country_since' | 'cost_of_acceptance' | 'tax'>;

/** The keys of the demo biller, one of each mode and kind. */
export interface DemoKeys {
  sandbox_secret: string;
  sandbox_publishable: string;
  live_secret: string;
  live_publishable: string;
}

const demoName = 'Demo biller';
const demoTraits: Record<keyof DemoKeys, KeyTraits> = {
  sandbox_secret: { livemode: false, kind: 'secret' },
  sandbox_publishable: { livemode: false, kind: 'publishable' },
  live_secret: { livemode: true, kind: 'secret' },
  live_publishable: { livemode: true, kind: 'publishable' },
};
// An advisory lock: two simultaneous starts on one database create only one demo biller. The constant is arbitrary, but
// must not be used for another lock.
const demoLock = 7_266_338;
const start = { kind: 'service', id: 'start' } as const;

/**
 * Creates a biller with the default fee schedule.
 * @throws ValidationFailed with every field error of name, time zone, statement descriptor and country.
 */
export async function createBiller(sql: Db, biller: NewBiller): Promise<Biller> {
  assertNoErrors(billerErrors(biller));
  return atomically(sql, async (tx) => {
    const row = await insertBiller(tx, {
      id: newId('biller'),
      name: biller.name,
      time_zone: biller.timeZone ?? 'UTC',
      statement_descriptor: biller.statementDescriptor ?? null,
      require_mandates: biller.requireMandates ?? false,
      country: biller.country ?? null,
      country_since: biller.country === undefined ? null : biller.now,
      created_at: biller.now,
    });
    const { id, created_at, ...made } = withoutFees(row);
    await recordAudit(tx, {
      action: 'biller.created',
      by: biller.by,
      at: biller.now,
      tenant: { billerId: id, livemode: null },
      subjectId: id,
      changes: changesBetween(null, made),
    });
    return { id, created_at, ...made };
  });
}

/** Returns all billers, oldest first. */
export async function listBillers(sql: Db): Promise<Biller[]> {
  return (await listBillerRows(sql)).map(withoutFees);
}

/**
 * Returns the biller of a development machine, and a key of each mode and kind. Keys that are `known` from an earlier
 * start are kept if they still work. What is missing is created, so a second start changes nothing.
 */
export async function ensureDemoBiller(
  sql: Pool,
  known: { billerId: Id<'biller'>; keys: DemoKeys } | null,
): Promise<{ billerId: Id<'biller'>; keys: DemoKeys }> {
  return atomically(sql, async (tx) => {
    await tx`select pg_advisory_xact_lock(${demoLock})`;
    const now = realNow();
    const found = (known && (await selectBiller(tx, known.billerId))) ?? (await selectBillerByName(tx, demoName));
    const billerId = found?.id ?? (await createBiller(tx, { name: demoName, by: start, now })).id;
    const keyFor = async (name: keyof DemoKeys): Promise<string> => {
      const traits = demoTraits[name];
      const kept = known?.keys[name];
      if (kept && (await works(tx, kept, billerId, traits, now))) return kept;
      return (await createKey(tx, { billerId, ...traits, by: start, now })).key;
    };
    const keys = {
      sandbox_secret: await keyFor('sandbox_secret'),
      sandbox_publishable: await keyFor('sandbox_publishable'),
      live_secret: await keyFor('live_secret'),
      live_publishable: await keyFor('live_publishable'),
    };
    return { billerId, keys };
  });
}

async function works(
  tx: Tx,
  key: string,
  billerId: Id<'biller'>,
  traits: KeyTraits,
  now: RealInstant,
): Promise<boolean> {
  const row = await selectCredential(tx, hashKey(key));
  return (
    row !== null &&
    row.biller_id === billerId &&
    row.livemode === traits.livemode &&
    row.kind === traits.kind &&
    (row.revoked_at === null || row.revoked_at > now)
  );
}

function billerErrors({ name, timeZone, statementDescriptor, country }: NewBiller): FieldError[] {
  const errors = [...timeZoneErrors(timeZone), ...countryErrors(country)];
  const report = (path: string, code: FieldCode, message: string) => errors.push(fieldError(path, code, message));
  if (!isText(name, 200)) report('/name', 'invalid_value', `name must be 1 to 200 characters, ${plainTextInWords}.`);
  if (statementDescriptor !== undefined && !isText(statementDescriptor, 22)) {
    const message = `statement_descriptor must be 1 to 22 characters, ${plainTextInWords}.`;
    report('/statement_descriptor', 'invalid_value', message);
  }
  return errors;
}

/** Returns the field error of a time zone that is none. */
export function timeZoneErrors(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined || isTimeZone(timeZone)) return [];
  return [fieldError('/time_zone', 'invalid_value', 'time_zone must be an IANA time zone, such as Australia/Sydney.')];
}

/** Returns the field error of a country that is none. */
export function countryErrors(country: string | null | undefined): FieldError[] {
  if (country === undefined || country === null || isCountry(country)) return [];
  return [
    fieldError('/country', 'invalid_value', 'country must be a code of ISO 3166-1 with two letters, such as AU.'),
  ];
}

/** Whether PostgreSQL can store the text and a bank can print it, and it has 1 to `most` characters. */
function isText(value: string, most: number): boolean {
  const length = [...value].length;
  return length >= 1 && length <= most && isPlainText(value) && !/\p{Surrogate}/u.test(value);
}

function withoutFees(row: BillerRow): Biller {
  const { fee_basis_points: _points, fee_fixed: _fixed, fees_by_method: _fees, country_since: _since, ...more } = row;
  const { cost_of_acceptance: _costs, ...shown } = more;
  return shown;
}
