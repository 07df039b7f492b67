import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Internal ports are drawn from below the ranges in which Linux (32768 and up) and macOS (49152 and up) place the local
 * ends of outgoing connections. So no connection can take a port between the check and its use.
 */
const lowest = 20_000;
const highest = 32_000;

const maxDraws = 200;

/**
 * Ports that every browser refuses to open, whatever a page asks for (https://fetch.spec.whatwg.org/#port-blocking),
 * without those on which developers run something.
 */
export const closedToBrowsers = [1719, 1720, 3659, 4045, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080] as const;

/** Ports given out by this process, so that two servers that start in parallel never get the same one. */
const given = new Set<number>();

/** Whether a server could listen on this port of 127.0.0.1 now. If not, the reason as an errno code. */
export function probePort(port: number): Promise<'free' | 'EADDRINUSE' | 'EACCES'> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') {
        resolve(error.code);
      } else {
        reject(error);
      }
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve('free')));
  });
}

/**
 * Finds `count` different free ports on 127.0.0.1 that no web page can reach, in random order. If too few are free, the
 * others are ordinary ports. @throws what `findFreePorts` throws.
 */
export async function findPortsClosedToBrowsers(count: number): Promise<number[]> {
  const found: number[] = [];
  const left: number[] = [...closedToBrowsers];
  while (found.length < count && left.length > 0) {
    const [port = 0] = left.splice(randomInt(left.length), 1);
    if ((await probePort(port)) === 'free') found.push(port);
  }
  return [...found, ...(await findFreePorts(count - found.length))];
}

/** Finds `count` different free ports on 127.0.0.1. @throws when too few are free. */
export async function findFreePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let draws = 0; draws < maxDraws && found.length < count; draws += 1) {
    const port = randomInt(lowest, highest);
    if (given.has(port)) {
      continue;
    }
    given.add(port);
    if ((await probePort(port)) === 'free') {
      found.push(port);
    }
  }
  if (found.length < count) {
    throw new Error(
      `Found no ${count} free ports between ${lowest} and ${highest} on 127.0.0.1; end what occupies them.`,
    );
  }
  return found;
}
