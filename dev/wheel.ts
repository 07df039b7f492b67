import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';

const endOfDirectory = 0x06054b50;
const directoryEntry = 0x02014b50;
const localHeader = 0x04034b50;
const deflate = 8;

/**
 * Unpacks one entry of a wheel, which is a zip archive, into a new executable file. Returns the SHA-256 of what was
 * written, in hex.
 * @throws when the wheel has no such entry or it is not deflated, when the entry has more than `most` bytes, and when
 * the file exists or cannot be written.
 */
export async function unpackEntry(wheel: Buffer, entry: string, file: string, most: number): Promise<string> {
  const hash = createHash('sha256');
  let count = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      hash.update(chunk);
      done(count > most ? new Error(`${entry} has more than ${most} bytes`) : null, chunk);
    },
  });
  const packed = Readable.from([findEntry(wheel, entry)]);
  await pipeline(packed, createInflateRaw(), check, createWriteStream(file, { flags: 'wx', mode: 0o755, flush: true }));
  return hash.digest('hex');
}

/** The compressed bytes of an entry. */
function findEntry(wheel: Buffer, entry: string): Buffer {
  const broken = new Error(`The wheel has no entry ${entry} that can be read`);
  try {
    const end = wheel.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
    if (end < 0 || wheel.readUInt32LE(end) !== endOfDirectory) throw broken;
    let at = wheel.readUInt32LE(end + 16);
    for (let left = wheel.readUInt16LE(end + 10); left > 0; left -= 1) {
      if (wheel.readUInt32LE(at) !== directoryEntry) throw broken;
      const lengths = [28, 30, 32].map((offset) => wheel.readUInt16LE(at + offset));
      const name = wheel.toString('utf8', at + 46, at + 46 + (lengths[0] ?? 0));
      if (name === entry) {
        const isEncrypted = (wheel.readUInt16LE(at + 8) & 1) === 1;
        const size = wheel.readUInt32LE(at + 20);
        const local = wheel.readUInt32LE(at + 42);
        if (isEncrypted || wheel.readUInt16LE(at + 10) !== deflate) throw broken;
        if (wheel.readUInt32LE(local) !== localHeader) throw broken;
        const start = local + 30 + wheel.readUInt16LE(local + 26) + wheel.readUInt16LE(local + 28);
        if (start + size > wheel.length) throw broken;
        return wheel.subarray(start, start + size);
      }
      at += lengths.reduce((sum, length) => sum + length, 46);
    }
  } catch (cause) {
    throw cause === broken ? broken : Object.assign(broken, { cause });
  }
  throw broken;
}
