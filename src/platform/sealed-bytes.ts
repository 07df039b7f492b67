import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';

/**
 * Where a value is stored: table, column and what identifies the row. A sealed value is bound to its place, and opens
 * nowhere else.
 */
export type Place = readonly (string | boolean)[];

/**
 * A format of sealed bytes. The layout is the same in every format: number of the format (1 byte), length of the key id
 * (1), key id, salt, tag (16), ciphertext. Number, length and key id are the head. db/sealed-values.ts also reads the
 * head, in SQL.
 */
export interface SealFormat {
  /** From 1 to 255. */
  readonly number: number;
  /** In bytes. */
  readonly saltLength: number;
  /** Returns the key and the nonce for one value. */
  secretsOf(key: KeyObject, salt: Buffer): { key: KeyObject; nonce: Buffer };
  /** Returns what is authenticated besides the text. */
  authenticated(head: Buffer, place: Place): Buffer;
}

const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

/**
 * HKDF-SHA256 of the encryption key and a random salt of 32 bytes derives a key and a nonce for this one value. Values
 * share a key only if their 256-bit salts collide, so the number of values is not limited by nonce reuse. The head is
 * authenticated, so a ciphertext cannot be pointed at another key. So is the place of the value: bytes that are moved
 * to another table, column, biller, mode or row do not open there.
 */
const boundToPlace: SealFormat = {
  number: 1,
  saltLength: 32,
  secretsOf(key, salt) {
    const derived = Buffer.from(hkdfSync('sha256', key, salt, 'sealed value', keyLength + nonceLength));
    return { key: createSecretKey(derived.subarray(0, keyLength)), nonce: derived.subarray(keyLength) };
  },
  // The encoding is unambiguous: the head states its own length, and JSON separates the parts of the place.
  authenticated: (head, place) => Buffer.concat([head, Buffer.from(JSON.stringify(place), 'utf8')]),
};

/** The formats of this version: the first is written, all are read. docs/upgrades.md says how one replaces another. */
export const sealFormats: readonly [SealFormat, ...SealFormat[]] = [boundToPlace];

interface SealedBytes {
  format: SealFormat;
  keyId: string;
  head: Buffer;
  salt: Buffer;
  tag: Buffer;
  text: Buffer;
}

/** Seals a text for its place in the database, with the given encryption key. */
export function sealBytes(
  format: SealFormat,
  { id, key }: { readonly id: string; readonly key: KeyObject },
  plain: string,
  place: Place,
): Buffer {
  const name = Buffer.from(id, 'utf8');
  const head = Buffer.concat([Buffer.from([format.number, name.length]), name]);
  const salt = randomBytes(format.saltLength);
  const secrets = format.secretsOf(key, salt);
  const cipher = createCipheriv('aes-256-gcm', secrets.key, secrets.nonce).setAAD(format.authenticated(head, place));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([head, salt, cipher.getAuthTag(), text]);
}

/** Returns the parts of sealed bytes, or null when they are of none of these formats. */
export function partsOf(bytes: Buffer, formats: readonly SealFormat[]): SealedBytes | null {
  const format = formats.find(({ number }) => number === bytes[0]);
  if (format === undefined) return null;
  const saltFrom = 2 + (bytes[1] ?? 0);
  const tagFrom = saltFrom + format.saltLength;
  const textFrom = tagFrom + tagLength;
  if (bytes.length < textFrom) return null;
  return {
    format,
    keyId: bytes.subarray(2, saltFrom).toString('utf8'),
    head: bytes.subarray(0, saltFrom),
    salt: bytes.subarray(saltFrom, tagFrom),
    tag: bytes.subarray(tagFrom, textFrom),
    text: bytes.subarray(textFrom),
  };
}

/**
 * Decrypts sealed bytes.
 * @throws when the bytes were changed, or sealed with another key or for another place.
 */
export function openBytes({ format, head, salt, tag, text }: SealedBytes, key: KeyObject, place: Place): string {
  const secrets = format.secretsOf(key, salt);
  const decipher = createDecipheriv('aes-256-gcm', secrets.key, secrets.nonce, { authTagLength: tagLength });
  decipher.setAAD(format.authenticated(head, place)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}
