// An acquirer's key, and the secret that signs its notices, are never in the database as text. They are sealed with
// ENCRYPTION_KEYS, for their row and column alone.
import { createSecretKey } from 'node:crypto';
import { openBytes, type Place, partsOf, sealBytes, sealFormats } from '../../src/platform/sealed-bytes.ts';

/** The first seals, all open. 32 bytes each. */
export type SealingKeys = readonly { readonly id: string; readonly key: Buffer }[];

/** The account that a key belongs to. */
export interface KeyPlace {
  account: string;
  livemode: boolean;
}

/** What of an account is sealed. */
export type Sealed = 'key' | 'notice_secret';

const placeOf = ({ account, livemode }: KeyPlace, what: Sealed): Place => [
  ...['processor_stripe.accounts', what, account],
  livemode,
];

/** The key of an account cannot be opened. Its message says why, and what to do. */
export class KeyNotOpened extends Error {
  override name = 'KeyNotOpened';

  constructor({ account, livemode }: KeyPlace, what: Sealed, why: string) {
    const mode = livemode ? 'live' : 'sandbox';
    const remedy = `add that key, or give the account a new one: processors rotate stripe --biller ${account}`;
    const name = what === 'key' ? 'Stripe key' : 'notice secret';
    super(
      `The ${name} of ${account} (${mode}) ${why}: ${remedy} --mode ${mode}${what === 'key' ? '' : ' --notice-secret'}`,
    );
  }
}

/** Seals a key or a secret for its account and mode. @throws Error without a sealing key. */
export function sealKey(keys: SealingKeys, plain: string, place: KeyPlace, what: Sealed = 'key'): Buffer {
  const [first] = keys;
  if (first === undefined) throw new Error('ENCRYPTION_KEYS is not set: the key of the account cannot be sealed');
  return sealBytes(sealFormats[0], { id: first.id, key: createSecretKey(first.key) }, plain, placeOf(place, what));
}

/** Whether a key is sealed with the first key of ENCRYPTION_KEYS. */
export function isSealedWithFirst(keys: SealingKeys, sealed: Uint8Array): boolean {
  return partsOf(Buffer.from(sealed), sealFormats)?.keyId === keys[0]?.id;
}

/**
 * Opens what `sealKey` has sealed for this account and mode.
 * @throws KeyNotOpened if no key of ENCRYPTION_KEYS opens it, or if it was sealed for another account or mode.
 */
export function openKey(keys: SealingKeys, sealed: Uint8Array, place: KeyPlace, what: Sealed = 'key'): string {
  const parts = partsOf(Buffer.from(sealed), sealFormats);
  const key = keys.find(({ id }) => id === parts?.keyId);
  if (parts === null) throw new KeyNotOpened(place, what, 'is not sealed as this version seals');
  if (key === undefined)
    throw new KeyNotOpened(place, what, `is sealed with "${parts.keyId}", which ENCRYPTION_KEYS lacks`);
  try {
    return openBytes(parts, createSecretKey(key.key), placeOf(place, what));
  } catch {
    throw new KeyNotOpened(place, what, `is sealed for another account, or with another key than "${key.id}" is now`);
  }
}
