import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** Encrypts what is stored and must not be readable in the database, and derives secrets that need no storing. */
export interface Vault {
  /** The ids of its keys; the first one is that of the key which encrypts. */
  readonly keyIds: readonly [string, ...string[]];
  /** Encrypts with the first key. The same text never gives the same bytes twice. */
  seal(plain: string): Buffer;
  /** Decrypts what `seal` made with any of the keys. Throws VaultError for bytes of another key, or changed ones. */
  open(sealed: Uint8Array): string;
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

/** Bytes that none of the vault's keys can decrypt. */
export class VaultError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'VaultError';
  }
}

// Sealed bytes: format (1), length of the key id (1), key id, nonce (12), tag (16), ciphertext. The head is
// authenticated with the rest, so that nobody can point a text at another key. db/sealed-values.ts reads the id too.
const format = 1;
const nonceLength = 12;
const tagLength = 16;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
// 256 bits written in base 62.
const secretLength = 43;

interface VaultKey {
  id: string;
  key: Buffer;
  head: Buffer;
  clientSecretKey: Buffer;
  fingerprintKey: Buffer;
}

/**
 * A vault over keys of 32 bytes each: the first encrypts, all decrypt, so a new key is put in front and the old one stays
 * until nothing of it is left. Throws TypeError without a key, for one of another length, or for an id used twice.
 */
export function createVault(keys: readonly { readonly id: string; readonly key: Buffer }[]): Vault {
  const known = new Map(keys.map((item) => [item.id, prepare(item.id, item.key)]));
  const [first, ...others] = known.values();
  if (first === undefined) throw new TypeError('a vault needs at least one key');
  if (known.size < keys.length) throw new TypeError('two keys of a vault have the same id');

  return {
    keyIds: [first.id, ...others.map(({ id }) => id)],

    seal(plain) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv('aes-256-gcm', first.key, nonce).setAAD(first.head);
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([first.head, nonce, cipher.getAuthTag(), text]);
    },

    open(sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const headLength = 2 + (bytes[1] ?? 0);
      if (bytes[0] !== format || bytes.length < headLength + nonceLength + tagLength) {
        throw new VaultError('these bytes were not made by a vault');
      }
      const head = bytes.subarray(0, headLength);
      const id = head.subarray(2).toString('utf8');
      const key = known.get(id);
      if (key === undefined) throw new VaultError(`the encryption key "${id}" is not configured`);
      const nonce = bytes.subarray(headLength, headLength + nonceLength);
      const tag = bytes.subarray(headLength + nonceLength, headLength + nonceLength + tagLength);
      const text = bytes.subarray(headLength + nonceLength + tagLength);
      const decipher = createDecipheriv('aes-256-gcm', key.key, nonce, { authTagLength: tagLength });
      try {
        decipher.setAAD(head).setAuthTag(tag);
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new VaultError(`bytes sealed with the key "${id}" do not open: changed, or another key of this id`, {
          cause,
        });
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
  const name = Buffer.from(id, 'utf8');
  if (key.length !== 32) throw new TypeError(`the encryption key "${id}" must have 32 bytes, not ${key.length}`);
  if (name.length === 0 || name.length > 255) throw new TypeError('the id of an encryption key has 1 to 255 bytes');
  const derived = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32));
  return {
    id,
    key,
    head: Buffer.concat([Buffer.from([format, name.length]), name]),
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
