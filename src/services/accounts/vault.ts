import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { SealedField } from '../../db/sealed-values.ts';
import { encodeBase62 } from '../../domain/base62.ts';
import {
  openBytes,
  type Place,
  partsOf,
  type SealFormat,
  sealBytes,
  sealFormats,
} from '../../platform/sealed-bytes.ts';

/** Encrypts values that must not be readable in the database, and derives secrets that need not be stored. */
export interface Vault {
  /** The ids of its keys. The first key encrypts. */
  readonly keyIds: readonly [string, ...string[]];
  /**
   * For each key, by its id, 32 bytes that show whether another key is the same one and nothing else. They may be
   * stored.
   */
  readonly keyChecks: ReadonlyMap<string, Buffer>;
  /** The numbers of the formats that it opens. It seals in the first one. */
  readonly formats: readonly [number, ...number[]];
  /** Encrypts with the first key, for this field of the database. The same text gives different bytes each time. */
  seal(plain: string, field: SealedField): Buffer;
  /**
   * Decrypts what `seal` made for this field, with any of the keys.
   * @throws VaultError for bytes of another key, field or format, and for changed bytes.
   */
  open(sealed: Uint8Array, field: SealedField): string;
  /**
   * Returns fingerprints that show whether two texts are the same and nothing else, even to someone who can guess the
   * text. One fingerprint per key, the first key first. A fingerprint stays the same as long as its key does.
   */
  fingerprintsOf(parts: readonly (string | Uint8Array)[]): [Buffer, ...Buffer[]];
  /** Returns the client secret of a payment intent. It stays the same as long as the first key does. */
  clientSecretOf(intentId: string): string;
  /**
   * Whether `secret` is the intent's client secret under any of the keys. How long this takes reveals nothing about it.
   */
  isClientSecretOf(intentId: string, secret: string): boolean;
}

/** Bytes that the vault cannot decrypt. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}

// 256 bits in base 62.
const secretLength = 43;

/** Its keys are key objects: with the bytes of a key instead, Node.js takes seven times as long for each HMAC. */
interface VaultKey {
  id: string;
  key: KeyObject;
  clientSecretKey: KeyObject;
  fingerprintKey: KeyObject;
  check: Buffer;
}

/**
 * Creates a vault. Each key has 32 bytes. The first key encrypts; all keys decrypt. To rotate, put a new key first and
 * keep the old key until nothing is sealed with it. Formats work in the same way: the vault seals in the first format,
 * and opens all that are listed.
 * @throws TypeError when there is no key, when a key has another length, and when an id is used twice or is not 1 to
 * 255 bytes long.
 */
export function createVault(
  keys: readonly { readonly id: string; readonly key: Buffer }[],
  formats: readonly [SealFormat, ...SealFormat[]] = sealFormats,
): Vault {
  const known = new Map(keys.map((item) => [item.id, prepare(item.id, item.key)]));
  const [first, ...others] = known.values();
  if (first === undefined) throw new TypeError('a vault needs at least one key');
  if (known.size < keys.length) throw new TypeError('two keys of a vault have the same id');

  return {
    keyIds: [first.id, ...others.map(({ id }) => id)],
    keyChecks: new Map([...known.values()].map(({ id, check }) => [id, check])),
    formats: [formats[0].number, ...formats.slice(1).map(({ number }) => number)],

    seal: (plain, field) => sealBytes(formats[0], first, plain, placeOf(field)),

    open(sealed, field) {
      const parts = partsOf(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength), formats);
      if (parts === null) throw new VaultError('these bytes are in no format of this version');
      const { keyId } = parts;
      const key = known.get(keyId);
      if (key === undefined) throw new VaultError(`the encryption key "${keyId}" is not configured`);
      try {
        return openBytes(parts, key.key, placeOf(field));
      } catch (cause) {
        throw new VaultError(
          `bytes sealed with the key "${keyId}" do not open: changed, moved from another place, or another key of this id`,
          { cause },
        );
      }
    },

    fingerprintsOf: (parts) => [fingerprint(first, parts), ...others.map((key) => fingerprint(key, parts))],

    clientSecretOf: (intentId) => clientSecret(first, intentId),

    isClientSecretOf(intentId, secret) {
      const given = Buffer.from(secret, 'utf8');
      let matches = false;
      for (const key of known.values()) {
        const expected = Buffer.from(clientSecret(key, intentId), 'utf8');
        // The length is not secret: it follows from the id.
        if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true;
      }
      return matches;
    },
  };
}

function placeOf({ table, column, billerId, livemode, rowId }: SealedField): Place {
  return [table, column, billerId, livemode, rowId];
}

function prepare(id: string, key: Buffer): VaultKey {
  if (key.length !== 32) throw new TypeError(`the encryption key "${id}" must have 32 bytes, not ${key.length}`);
  const idLength = Buffer.byteLength(id, 'utf8');
  if (idLength === 0 || idLength > 255) throw new TypeError('the id of an encryption key has 1 to 255 bytes');
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  return {
    id,
    key: createSecretKey(key),
    clientSecretKey: createSecretKey(derived('payment intent client secret')),
    fingerprintKey: createSecretKey(derived('request fingerprint')),
    check: derived('key check'),
  };
}

function fingerprint({ fingerprintKey }: VaultKey, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', fingerprintKey);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Returns the id of the intent whose client secret this is, or null when the vault did not make the secret. */
export function intentIdIn(vault: Vault, clientSecret: string): string | null {
  const intentId = clientSecret.slice(0, Math.max(0, clientSecret.lastIndexOf('_secret_')));
  return vault.isClientSecretOf(intentId, clientSecret) ? intentId : null;
}

function clientSecret(key: VaultKey, intentId: string): string {
  const digest = createHmac('sha256', key.clientSecretKey).update(intentId).digest('hex');
  return `${intentId}_secret_${encodeBase62(BigInt(`0x${digest}`), secretLength)}`;
}
