import { appendFileSync } from 'node:fs';
import { type CrashPoint, listenToCrashPoints } from '../../src/platform/crash-points.ts';
import { realNow } from '../../src/platform/real-time.ts';

/** What is to become of a process at a crash point: it is killed, it stops until SIGCONT, or what it does there throws. */
export type Deed = 'kill' | 'freeze' | 'fail';

/** An order to a process: what to do at the next of these points that it comes by; null takes the one before back. */
export interface Order {
  order: { id: number; points: readonly CrashPoint[]; deed: Deed } | null;
}

/** A line of the file in which it is written down that an order was carried out. */
export interface Obeyed {
  id: number;
  point: CrashPoint;
  deed: Deed;
  pid: number;
  at: string;
}

/**
 * Makes this process obey the last order that it was given, once. That it does is in the file first, written in one call,
 * since a killed process tells nobody.
 */
export function obey(file: string): void {
  let order: Order['order'] = null;
  process.on('message', (message: unknown) => {
    if (isOrder(message)) order = message.order;
  });
  listenToCrashPoints((point) => {
    if (!order?.points.includes(point)) return;
    const { id, deed } = order;
    order = null;
    const line: Obeyed = { id, point, deed, pid: process.pid, at: realNow().toISOString() };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
    // Both signals take effect before this call returns.
    if (deed === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (deed === 'freeze') process.kill(process.pid, 'SIGSTOP');
    else throw new Error(`a fault run lets this fail: ${point}`);
  });
}

function isOrder(message: unknown): message is Order {
  return typeof message === 'object' && message !== null && 'order' in message;
}
