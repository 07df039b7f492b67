// The Stripe accounts of billers: one for each biller and mode.
import type Stripe from 'stripe';
import type { Db } from '../../src/platform/postgres/connection.ts';
import type { For } from './protocol.ts';
import { isSealedWithFirst, KeyNotOpened, openKey, type Sealed, type SealingKeys, sealKey } from './sealed-keys.ts';
import { type StripeClient, stripeClient } from './stripe-client.ts';
import { refusalOf } from './stripe-errors.ts';

/** The version of Stripe's API that this adapter is written for. The default of an account does not matter. */
const apiVersion = '2026-10-28.endive';

/** Less than the 30 s that the service waits for a charge, which is three calls here. */
const timeoutMs = 10_000;

/**
 * - `unverified`: added, and not yet asked about.
 * - `degraded`: Stripe refuses its key, or a right that it needs.
 * - `disabled`: by an operator.
 */
export type AccountStatus = 'unverified' | 'active' | 'degraded' | 'disabled';

export interface Account extends For {
  sealed_key: Buffer;
  /** What Stripe signs its notices with. Null: none was given. */
  sealed_notice_secret: Buffer | null;
  /** The last four characters of its key. */
  key_hint: string;
  api_version: string;
  /** For Stripe's fields on pages; null: pages take no card. */
  publishable_key: string | null;
  status: AccountStatus;
  reason: string | null;
  /** Changes with the key. */
  version: number;
  /** The operator who gave the key, or disabled the account. */
  changed_by: string;
  created_at: Date;
}

/** There is no Stripe account for this biller and mode, or it is disabled. */
export class NoAccount extends Error {
  constructor({ account, livemode }: For, what: string) {
    super(`${account} ${what} for ${livemode ? 'live mode' : 'the sandbox'}`);
    this.name = 'NoAccount';
  }
}

/** Returns all accounts, the oldest first. */
export async function listAccounts(db: Db): Promise<Account[]> {
  return db<Account[]>`select * from processor_stripe.accounts order by created_at, account, livemode`;
}

/** Returns the account of a biller and mode. @throws NoAccount */
export async function readAccount(db: Db, { account, livemode }: For): Promise<Account> {
  const [row] = await db<Account[]>`
    select * from processor_stripe.accounts where account = ${account} and livemode = ${livemode}`;
  if (row === undefined) throw new NoAccount({ account, livemode }, 'has no Stripe account');
  return row;
}

/**
 * Stores an account with its key sealed, or gives an account a new key. It is unverified then. Without a publishable
 * key it keeps the one that it has.
 * @throws Error if a key of the other mode is given.
 */
export async function writeAccount(
  db: Db,
  keys: SealingKeys,
  place: For,
  { key, publishableKey = null, by }: { key: string; publishableKey?: string | null; by: string },
): Promise<Account> {
  const { account, livemode } = place;
  checkMode(key, livemode);
  if (publishableKey !== null) checkPublishable(publishableKey, livemode);
  const [row] = await db<Account[]>`
    insert into processor_stripe.accounts
      (account, livemode, sealed_key, key_hint, api_version, publishable_key, status, changed_by)
    values (${account}, ${livemode}, ${sealKey(keys, key, place)}, ${key.slice(-4)}, ${apiVersion},
      ${publishableKey}, 'unverified', ${by})
    on conflict (account, livemode) do update set
      sealed_key = excluded.sealed_key, key_hint = excluded.key_hint, api_version = excluded.api_version,
      publishable_key = coalesce(excluded.publishable_key, accounts.publishable_key),
      status = 'unverified', reason = null, version = accounts.version + 1,
      changed_by = excluded.changed_by, updated_at = now()
    returning *`;
  if (row === undefined) throw new Error('the account was not stored');
  return row;
}

/** Sets the status of an account, and why (for people). One that an operator has disabled stays so. */
export async function setStatus(db: Db, place: For, status: AccountStatus, reason: string | null): Promise<void> {
  await db`
    update processor_stripe.accounts set status = ${status}, reason = ${reason}, updated_at = now()
    where account = ${place.account} and livemode = ${place.livemode}
      and status <> 'disabled' and (status, reason) is distinct from (${status}, ${reason})`;
}

/** Disables an account: nothing more is taken or given back by it. Its tables stay. @throws NoAccount */
export async function disableAccount(db: Db, place: For, by: string): Promise<void> {
  await readAccount(db, place);
  await db`
    update processor_stripe.accounts set status = 'disabled', reason = null, changed_by = ${by}, updated_at = now()
    where account = ${place.account} and livemode = ${place.livemode}`;
}

/**
 * Stores what Stripe signs the notices of an account with, sealed.
 * @throws NoAccount; Error if it is no such secret
 */
export async function writeNoticeSecret(
  db: Db,
  keys: SealingKeys,
  place: For,
  { secret, by }: { secret: string; by: string },
): Promise<void> {
  checkNoticeSecret(secret);
  await readAccount(db, place);
  await db`
    update processor_stripe.accounts
    set sealed_notice_secret = ${sealKey(keys, secret, place, 'notice_secret')}, changed_by = ${by}, updated_at = now()
    where account = ${place.account} and livemode = ${place.livemode}`;
}

/** @throws Error that says what is wrong with a secret of notices. The secret itself is not in the message. */
export function checkNoticeSecret(secret: string): void {
  if (secret === '') throw new Error('No notice secret came on standard input. Nothing is stored.');
  if (/^whsec_\w{16,}$/.test(secret)) return;
  throw new Error(
    'This is not the signing secret of an endpoint of Stripe: those begin with whsec_. Nothing is stored.',
  );
}

/**
 * Seals anew what is sealed with an older key of ENCRYPTION_KEYS. After that, only the first key is needed. A key or a
 * secret that is given to the account at the same time stays.
 * @returns how many were sealed anew, and why the others could not be opened.
 */
export async function resealKeys(db: Db, keys: SealingKeys): Promise<{ resealed: number; unopened: KeyNotOpened[] }> {
  const result = { resealed: 0, unopened: [] as KeyNotOpened[] };
  for (const row of await listAccounts(db)) {
    for (const [what, column, sealed] of [
      ['key', 'sealed_key', row.sealed_key],
      ['notice_secret', 'sealed_notice_secret', row.sealed_notice_secret],
    ] as const) {
      if (sealed === null) continue;
      const anew = resealed(keys, sealed, row, what);
      if (anew instanceof KeyNotOpened) result.unopened.push(anew);
      if (!Buffer.isBuffer(anew)) continue;
      const { count } = await db`
        update processor_stripe.accounts set ${db({ [column]: anew })}
        where account = ${row.account} and livemode = ${row.livemode} and ${db(column)} = ${sealed}`;
      result.resealed += count;
    }
  }
  return result;
}

/** Returns what is to be stored instead; null if it is sealed with the first key already; or why it is not opened. */
function resealed(keys: SealingKeys, sealed: Buffer, place: For, what: Sealed): Buffer | KeyNotOpened | null {
  try {
    const plain = openKey(keys, sealed, place, what);
    return isSealedWithFirst(keys, sealed) ? null : sealKey(keys, plain, place, what);
  } catch (error) {
    if (!(error instanceof KeyNotOpened)) throw error;
    return error;
  }
}

/** @throws Error that says what is wrong with a key. The key itself is not in the message. */
export function checkMode(key: string, livemode: boolean): void {
  if (key === '') throw new Error('No key came on standard input. Nothing is stored.');
  const [, mode] = /^[sr]k_(live|test)_\w{8,}$/.exec(key) ?? [];
  if (mode === undefined) {
    throw new Error(
      'This is not a secret or restricted key of Stripe: those begin with sk_ or rk_. Nothing is stored.',
    );
  }
  if ((mode === 'live') === livemode) return;
  throw new Error(
    livemode
      ? 'This is a key of Stripe’s test mode. For live mode, give one that begins with sk_live_ or rk_live_.'
      : 'This is a live key. For the sandbox, give one that begins with sk_test_ or rk_test_.',
  );
}

/** @throws Error that says what is wrong with a publishable key. It is not in the message: it may be a secret one. */
export function checkPublishable(key: string, livemode: boolean): void {
  const [, mode] = /^pk_(live|test)_\w{8,200}$/.exec(key) ?? [];
  if (mode === undefined) {
    throw new Error('--publishable-key is not a publishable key of Stripe: those begin with pk_. Nothing is stored.');
  }
  if ((mode === 'live') === livemode) return;
  throw new Error(
    `--publishable-key is of the other mode. Give one that begins with pk_${livemode ? 'live' : 'test'}_.`,
  );
}

/** Finds the client of an account. It opens each key once. */
export interface StripeAccounts {
  /** @throws NoAccount if there is none or it is disabled; KeyNotOpened */
  clientOf(place: For): Promise<StripeClient>;
  /**
   * Notes what a call has shown: the error that it threw, or null. A key that Stripe refuses makes the account
   * `degraded`; if Stripe has taken it since, the account is `active` again.
   */
  noteHealth(place: For, error: unknown): Promise<void>;
}

const stripeUrl = 'https://api.stripe.com';

/** Opens the accounts of a database, at Stripe or at a server in its place. */
export function openAccounts(db: Db, keys: SealingKeys, baseUrl = stripeUrl): StripeAccounts {
  const clients = new Map<string, { version: number; stripe: StripeClient }>();
  const refused = new Set<string>();
  /** Whose key Stripe has taken since its health was last noted: many calls are answered without asking Stripe. */
  const taken = new Set<string>();
  const nameOf = ({ account, livemode }: For) => `${account} ${livemode}`;
  return {
    async clientOf(place) {
      const found = await readAccount(db, place);
      if (found.status === 'disabled') throw new NoAccount(place, 'has a disabled Stripe account');
      if (found.status === 'degraded') refused.add(nameOf(place));
      const known = clients.get(nameOf(place));
      if (known?.version === found.version) return known.stripe;
      const key = openKey(keys, found.sealed_key, place);
      const stripe = stripeClient({ key, apiVersion: found.api_version, baseUrl, timeoutMs });
      stripe.on('response', ({ status, request_id: id }: Stripe.ResponseEvent) => {
        if (status < 400 && id) taken.add(nameOf(place));
      });
      clients.set(nameOf(place), { version: found.version, stripe });
      return stripe;
    },
    async noteHealth(place, error) {
      const [name, refusal] = [nameOf(place), refusalOf(error)];
      const isTaken = taken.delete(name);
      if (refusal !== null) {
        refused.add(name);
        await setStatus(db, place, 'degraded', refusal);
      } else if (error === null && isTaken && refused.delete(name)) {
        await setStatus(db, place, 'active', null);
      }
    },
  };
}
