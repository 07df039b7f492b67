import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LedgerEntry } from '../../../src/processors/ledger.ts';

/** A call that took or returned money, or refused to: its outcome is the answer to every further call under its key. */
export interface KeptCall extends LedgerEntry {
  /** The decline code. */
  code?: string;
  /** True for a call under a key that had its outcome before: nothing was taken again. */
  repeated?: true;
}

/** A call after which nothing was taken or returned; it counts for the weather. */
interface TurnedAway {
  kind: 'turned_away';
  idempotency_key: string;
  payment_intent_id: string;
  why: string;
}

export type LedgerLine = KeptCall | TurnedAway;

/** The processor's memory: a file that outlives its process. */
export interface LedgerFile {
  /** The outcome under this key, once it is on the disk; null if the key is new. */
  outcomeOf(key: string): Promise<KeptCall> | null;
  /** How many calls there were under this key. */
  callsOf(key: string): number;
  /** Keeps the first outcome of a key, which other calls under the key wait for. Resolves when it is on the disk. */
  keep(key: string, decide: () => Promise<KeptCall>): Promise<KeptCall>;
  /** Writes down a call that changes nothing. */
  note(line: LedgerLine): Promise<void>;
}

/** Opens the file and reads what an earlier process has kept. A line that this process died in is cut off. */
export async function openLedgerFile(file: string): Promise<LedgerFile> {
  const outcomes = new Map<string, Promise<KeptCall>>();
  const calls = new Map<string, number>();
  const count = (key: string) => calls.set(key, (calls.get(key) ?? 0) + 1);
  for (const line of readWhole(file)) {
    count(line.idempotency_key);
    if (line.kind !== 'turned_away' && line.repeated !== true) {
      outcomes.set(line.idempotency_key, Promise.resolve(line));
    }
  }
  const handle = await open(file, 'a', 0o600);
  let waiting: { text: string; done: () => void; failed: (error: unknown) => void }[] = [];
  let isWriting = false;

  /** Lines that come while others are written are synced together. */
  async function write(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await handle.appendFile(batch.map(({ text }) => text).join(''));
        await handle.datasync();
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    isWriting = false;
  }

  function append(line: LedgerLine): Promise<void> {
    count(line.idempotency_key);
    const written = new Promise<void>((done, failed) => {
      waiting.push({ text: `${JSON.stringify(line)}\n`, done, failed });
    });
    if (!isWriting) void write();
    return written;
  }

  return {
    outcomeOf: (key) => outcomes.get(key) ?? null,
    callsOf: (key) => calls.get(key) ?? 0,
    keep(key, decide) {
      const kept = decide().then(async (call) => {
        await append(call);
        return call;
      });
      outcomes.set(key, kept);
      kept.catch(() => outcomes.delete(key));
      return kept;
    },
    note: append,
  };
}

function readWhole(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
