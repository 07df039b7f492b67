import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { SealedField, SealFormat } from '../../db/sealed-values.ts';
import { openBytes, partsOf, sealBytes } from './sealed-bytes.ts';

/** Encrypts what is stored and must not be readable in the database, and derives secrets that need no storing. */
export interface Vault {
  /** The ids of its keys; the first one is that of the key which encrypts. */
  readonly keyIds: readonly [string, ...string[]];
  /** The format that it seals in. */
  readonly format: SealFormat;
  /** Encrypts with the first key, for this field of the database. The same text never gives the same bytes twice. */
  seal(plain: string, field: SealedField): Buffer;
  /**
   * Decrypts what `seal` made for this field with any of the keys. Throws VaultError for bytes of another key or field, for
   * changed ones, and for a format that is not allowed.
   */
  open(sealed: Uint8Array, field: SealedField): string;
  /**
   * What tells whether a text is the same as another, and nothing else of it, also to somebody who could guess the text:
   * one value under each key, the first one's first. They stay the same for as long as the key does.
   */
  fingerprintsOf(parts: readonly (string | Uint8Array)[]): [Buffer, ...Buffer[]];
  /** The client secret of a payment intent: the same one on every call for as long as the first key stays. */
  clientSecretOf(intentId: string): string;
  /** Whether `secret` is the intent's client secret under any of the keys; the time taken says nothing about it. */
  isClientSecretOf(intentId: string, secret: string): boolean;
}

/** Bytes that the vault cannot decrypt. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 256 bits written in base 62.
const secretLength = 43;

interface VaultKey {
  id: string;
  key: Buffer;
  clientSecretKey: Buffer;
  fingerprintKey: Buffer;
}

/**
 * A vault over keys of 32 bytes each: the first encrypts, all decrypt, so a new key is put in front and the old one stays
 * until nothing of it is left. The same of the formats: it seals in the first one, and opens all that are listed.
 * Throws TypeError without a key, for one of another length, or for an id used twice.
 */
export function createVault(
  keys: readonly { readonly id: string; readonly key: Buffer }[],
  formats: readonly [SealFormat, ...SealFormat[]] = [2, 1],
): Vault {
  const known = new Map(keys.map((item) => [item.id, prepare(item.id, item.key)]));
  const [first, ...others] = known.values();
  if (first === undefined) throw new TypeError('a vault needs at least one key');
  if (known.size < keys.length) throw new TypeError('two keys of a vault have the same id');

  return {
    keyIds: [first.id, ...others.map(({ id }) => id)],
    format: formats[0],

    seal: (plain, field) => sealBytes(formats[0], first, plain, field),

    open(sealed, field) {
      const parts = partsOf(Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength));
      if (parts === null) throw new VaultError('these bytes were not made by a vault');
      const { format, keyId } = parts;
      const key = known.get(keyId);
      if (key === undefined) throw new VaultError(`the encryption key "${keyId}" is not configured`);
      if (!formats.includes(format)) throw new VaultError(`format ${format} is not in ENCRYPTION_FORMATS`);
      try {
        return openBytes(parts, key.key, field);
      } catch (cause) {
        const moved = format === 1 ? '' : 'moved from another place, ';
        throw new VaultError(
          `bytes sealed with the key "${keyId}" do not open: changed, ${moved}or another key of this id`,
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
        // The length is no secret: it follows from the id.
        if (given.length === expected.length && timingSafeEqual(given, expected)) matches = true;
      }
      return matches;
    },
  };
}

function prepare(id: string, key: Buffer): VaultKey {
  if (key.length !== 32) throw new TypeError(`the encryption key "${id}" must have 32 bytes, not ${key.length}`);
  const idLength = Buffer.byteLength(id, 'utf8');
  if (idLength === 0 || idLength > 255) throw new TypeError('the id of an encryption key has 1 to 255 bytes');
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  return {
    id,
    key,
    clientSecretKey: derived('payment intent client secret'),
    fingerprintKey: derived('request fingerprint'),
  };
}

function fingerprint({ fingerprintKey }: VaultKey, parts: readonly (string | Uint8Array)[]): Buffer {
  const hmac = createHmac('sha256', fingerprintKey);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** The id of the intent whose client secret this is; null when the vault did not make it. */
export function intentIdIn(vault: Vault, clientSecret: string): string | null {
  const intentId = clientSecret.slice(0, Math.max(0, clientSecret.lastIndexOf('_secret_')));
  return vault.isClientSecretOf(intentId, clientSecret) ? intentId : null;
}

function clientSecret(key: VaultKey, intentId: string): string {
  const digest = createHmac('sha256', key.clientSecretKey).update(intentId).digest('hex');
  let rest = BigInt(`0x${digest}`);
  let text = '';
  while (text.length < secretLength) {
    text = base62.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  return `${intentId}_secret_${text}`;
}
