import { appendFileSync } from 'node:fs';
import { type CrashPoint, listenToCrashPoints } from '../../src/services/crash-points.ts';

/** What happens to a process at a crash point: it is killed, it stops until SIGCONT, or the step there throws. */
export type CrashAction = 'kill' | 'freeze' | 'fail';

/** What a process is to do at the next of these points that it reaches; null withdraws the last order. */
export interface CrashOrder {
  order: { id: number; points: readonly CrashPoint[]; action: CrashAction } | null;
}

/** A line of the file of orders that were carried out. */
export interface CarriedOut {
  id: number;
  point: CrashPoint;
}

/**
 * Makes this process carry out the last order that it was sent, once. The line is in the file first, written in one
 * call, because a killed process cannot report anything.
 */
export function carryOutOrders(file: string): void {
  let order: CrashOrder['order'] = null;
  process.on('message', (message: unknown) => {
    if (isOrder(message)) order = message.order;
  });
  listenToCrashPoints((point) => {
    if (!order?.points.includes(point)) return;
    const { id, action } = order;
    order = null;
    appendFileSync(file, `${JSON.stringify({ id, point } satisfies CarriedOut)}\n`);
    // Both signals take effect before this call returns.
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (action === 'freeze') process.kill(process.pid, 'SIGSTOP');
    else throw new Error(`a fault run lets this fail: ${point}`);
  });
}

function isOrder(message: unknown): message is CrashOrder {
  return typeof message === 'object' && message !== null && 'order' in message;
}
