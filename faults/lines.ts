import { open, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { realNow } from '../src/platform/real-time.ts';

/** A line of a file that grows, and when it was found there (epoch ms). */
interface Line<T> {
  value: T;
  seenAt: number;
}

export interface Lines<T> {
  /** All that has been read so far. */
  readonly all: readonly Line<T>[];
  /** Reads what is there by now. */
  readOn(): Promise<void>;
  /** The first line from index `from` on of which this holds, or null after that many milliseconds. */
  find(holds: (value: T) => boolean, options: { from?: number; timeoutMs: number }): Promise<Line<T> | null>;
  close(): Promise<void>;
}

const lookAgainMs = 20;

/** Follows a file of JSON lines that other processes append to; one that does not exist yet is empty. */
export function followLines<T>(file: string): Lines<T> {
  const all: Line<T>[] = [];
  let offset = 0;
  let rest = '';
  let isClosed = false;
  let reading: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    const size = (await stat(file).catch(() => null))?.size ?? 0;
    if (size <= offset) return;
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - offset), 0, size - offset, offset);
      offset += bytesRead;
      const lines = (rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
      // A line is appended in one write, but may be read in two.
      rest = lines.pop() ?? '';
      const seenAt = realNow().getTime();
      for (const line of lines) all.push({ value: JSON.parse(line), seenAt });
    } finally {
      await handle.close();
    }
  }

  function readOn(): Promise<void> {
    reading = reading.then(read);
    return reading;
  }

  async function follow(): Promise<void> {
    while (!isClosed) {
      await readOn();
      await pause(lookAgainMs);
    }
  }
  const following = follow();

  return {
    all,
    readOn,
    async find(holds, { from = 0, timeoutMs }) {
      const giveUpAt = performance.now() + timeoutMs;
      for (let index = from; ; ) {
        for (; index < all.length; index += 1) {
          const line = all[index];
          if (line !== undefined && holds(line.value)) return line;
        }
        if (performance.now() >= giveUpAt) return null;
        await pause(lookAgainMs);
      }
    },
    async close() {
      isClosed = true;
      await following;
    },
  };
}
