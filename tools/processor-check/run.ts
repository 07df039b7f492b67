import { OutcomeUnknown } from '../../src/processors/processor.ts';
import type { Exchange } from './relay.ts';
import { Broken, NotOffered, NotTried, type Row } from './row.ts';
import { rows } from './rows/index.ts';
import { giveBackRow } from './rows/refunds.ts';
import { type CheckOptions, Session } from './session.ts';

export interface Result {
  row: Row;
  /** `not offered`: it is optional, and the service lacks it. */
  verdict: 'ok' | 'broken' | 'not tried' | 'not offered';
  /** What was seen, or why it was not tried or is not offered. Null if all is well. */
  why: string | null;
  /** The last calls of a row that is broken. */
  exchanges: readonly Exchange[];
}

/** Calls that are shown with a row that is broken. */
const mostShown = 3;

/**
 * Plays all rows against a service, one after another, and tells the result of each. What was taken is given back at
 * the end, also when a row could not be played for a fault of this program, whose error is then thrown.
 */
export async function checkProcessor(
  options: CheckOptions,
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const session = await Session.open(options);
  const results: Result[] = [];
  const judge = async (row: Row, why?: string) => {
    const result = why === undefined ? await play(row, session) : notTried(row, why);
    results.push(result);
    onResult(result);
  };
  let isBlocked = false;
  try {
    for (const row of rows) {
      if (row === giveBackRow) continue;
      await judge(row, isBlocked ? 'the first row is broken' : undefined);
      isBlocked ||= row.isFirst === true && results.at(-1)?.verdict !== 'ok';
    }
  } finally {
    await judge(giveBackRow).finally(() => session.close());
  }
  return results;
}

function notTried(row: Row, why: string): Result {
  return { row, verdict: 'not tried', why, exchanges: [] };
}

async function play(row: Row, session: Session): Promise<Result> {
  const before = session.exchanges.length;
  try {
    await row.play(session);
    return { row, verdict: 'ok', why: null, exchanges: [] };
  } catch (error) {
    if (error instanceof NotTried) return notTried(row, error.message);
    if (error instanceof NotOffered) return { ...notTried(row, error.message), verdict: 'not offered' };
    const isUnknown = error instanceof OutcomeUnknown;
    if (!isUnknown && !(error instanceof Broken)) throw error;
    const why = isUnknown ? `a call has no outcome: ${error.message}` : error.message;
    return { row, verdict: 'broken', why, exchanges: session.exchanges.slice(before).slice(-mostShown) };
  }
}
