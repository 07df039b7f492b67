// An acquirer's key is never in the database as text. It is sealed with ENCRYPTION_KEYS, for its row alone.
import { createSecretKey } from 'node:crypto';
import { openBytes, type Place, partsOf, sealBytes, sealFormats } from '../../src/platform/sealed-bytes.ts';

/** The first seals, all open. 32 bytes each. */
export type SealingKeys = readonly { readonly id: string; readonly key: Buffer }[];

/** The account that a key belongs to. */
export interface KeyPlace {
  account: string;
  livemode: boolean;
}

const placeOf = ({ account, livemode }: KeyPlace): Place => ['processor_stripe.accounts', 'key', account, livemode];

/** Seals a key for its account and mode. @throws Error without a sealing key. */
export function sealKey(keys: SealingKeys, plain: string, place: KeyPlace): Buffer {
  const [first] = keys;
  if (first === undefined) throw new Error('ENCRYPTION_KEYS is not set: the key of the account cannot be sealed');
  return sealBytes(sealFormats[0], { id: first.id, key: createSecretKey(first.key) }, plain, placeOf(place));
}

/** Opens what `sealKey` has sealed for this account and mode. @throws Error if no key of ENCRYPTION_KEYS opens it. */
export function openKey(keys: SealingKeys, sealed: Uint8Array, place: KeyPlace): string {
  const parts = partsOf(Buffer.from(sealed), sealFormats);
  const key = keys.find(({ id }) => id === parts?.keyId);
  if (parts === null || key === undefined) {
    throw new Error(`the key of ${place.account} is sealed with "${parts?.keyId}", which ENCRYPTION_KEYS lacks`);
  }
  return openBytes(parts, createSecretKey(key.key), placeOf(place));
}
