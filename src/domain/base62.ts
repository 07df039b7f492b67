import { randomFillSync } from 'node:crypto';

/** In ASCII order, so that comparing bytes (PostgreSQL: collate "C") compares the encoded numbers. */
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = BigInt(alphabet.length);

/**
 * Bytes from this value on are dropped. 256 is not a multiple of 62, so keeping them would favour the first 8 symbols.
 */
const unbiasedLimit = 256 - (256 % alphabet.length);

/** One system call fills enough for some 400 ids. A call for each id would cost more than the rest of making it. */
const pool = Buffer.alloc(8192);
let poolPosition = pool.length;

/** Returns the last `width` digits of a number in base 62, the most significant first. */
export function encodeBase62(value: number | bigint, width: number): string {
  let text = '';
  let rest = BigInt(value);
  for (let place = 0; place < width; place += 1) {
    text = alphabet.charAt(Number(rest % base)) + text;
    rest /= base;
  }
  return text;
}

/**
 * Returns `length` characters of base62 from the cryptographic generator, for secrets and keys (contract: opaque
 * strings). All symbols are equally likely (5.95 bits each).
 * @throws RangeError when `length` is not a whole number from 0 up.
 */
export function randomBase62(length: number): string {
  if (!Number.isSafeInteger(length) || length < 0) throw new RangeError(`not a length: ${length}`);
  let text = '';
  while (text.length < length) {
    if (poolPosition === pool.length) {
      randomFillSync(pool);
      poolPosition = 0;
    }
    const byte = pool.readUInt8(poolPosition);
    poolPosition += 1;
    if (byte < unbiasedLimit) text += alphabet.charAt(byte % alphabet.length);
  }
  return text;
}
