import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SealedField, SealFormat } from '../../db/sealed-values.ts';

/**
 * The layout of sealed bytes, in both formats: format (1 byte), length of the key id (1), key id, salt, tag (16),
 * ciphertext. Format, length and key id are the head. The head is authenticated too, so a ciphertext cannot be pointed
 * at another key. db/sealed-values.ts also reads the head, in SQL.
 *
 * Format 2: HKDF-SHA256 of the encryption key and a random salt of 32 bytes derives a key and a nonce for this one
 * value. Values share a key only if their 256-bit salts collide, so the number of values is not limited by nonce reuse.
 * (With one key and random nonces of 96 bits, as in format 1, the limit is about 2^32 values.) The place of the value
 * is authenticated: bytes that are moved to another table, column, biller, mode or row do not open there.
 *
 * Format 1, of earlier versions: uses the encryption key itself, and the salt is the nonce. The place is not
 * authenticated.
 */
interface SealedBytes {
  format: SealFormat;
  keyId: string;
  head: Buffer;
  salt: Buffer;
  tag: Buffer;
  text: Buffer;
}

const saltLengths: Record<SealFormat, number> = { 1: 12, 2: 32 };
const keyLength = 32;
const nonceLength = 12;
const tagLength = 16;

/** Seals a text for its place in the database, with the given encryption key. */
export function sealBytes(
  format: SealFormat,
  { id, key }: { readonly id: string; readonly key: Buffer },
  plain: string,
  field: SealedField,
): Buffer {
  const name = Buffer.from(id, 'utf8');
  const head = Buffer.concat([Buffer.from([format, name.length]), name]);
  const salt = randomBytes(saltLengths[format]);
  const secrets = secretsOf(format, key, salt);
  const cipher = createCipheriv('aes-256-gcm', secrets.key, secrets.nonce).setAAD(authenticated(format, head, field));
  const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return Buffer.concat([head, salt, cipher.getAuthTag(), text]);
}

/** Returns the parts of sealed bytes, or null when their format is unknown. */
export function partsOf(bytes: Buffer): SealedBytes | null {
  const format = bytes[0];
  if (format !== 1 && format !== 2) return null;
  const saltFrom = 2 + (bytes[1] ?? 0);
  const tagFrom = saltFrom + saltLengths[format];
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
 * @throws when the bytes were changed or sealed with another key and, in format 2, when they were sealed for another
 * place.
 */
export function openBytes({ format, head, salt, tag, text }: SealedBytes, key: Buffer, field: SealedField): string {
  const secrets = secretsOf(format, key, salt);
  const decipher = createDecipheriv('aes-256-gcm', secrets.key, secrets.nonce, { authTagLength: tagLength });
  decipher.setAAD(authenticated(format, head, field)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
}

function secretsOf(format: SealFormat, key: Buffer, salt: Buffer): { key: Buffer; nonce: Buffer } {
  if (format === 1) return { key, nonce: salt };
  const derived = Buffer.from(hkdfSync('sha256', key, salt, 'sealed value', keyLength + nonceLength));
  return { key: derived.subarray(0, keyLength), nonce: derived.subarray(keyLength) };
}

/**
 * Returns what is authenticated besides the text. The encoding is unambiguous: the head states its own length, and JSON
 * separates the parts of the place.
 */
function authenticated(format: SealFormat, head: Buffer, field: SealedField): Buffer {
  if (format === 1) return head;
  const { table, column, billerId, livemode, rowId } = field;
  return Buffer.concat([head, Buffer.from(JSON.stringify([table, column, billerId, livemode, rowId]), 'utf8')]);
}
