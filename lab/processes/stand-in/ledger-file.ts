import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { LedgerEntry } from '../../../src/processors/ledger.ts';
import type { CallKind } from './weather.ts';

/** The members of a body that count here; see docs/processors.md. */
export interface Body {
  /** The biller, by its id. */
  account: string;
  payment_intent_id: string;
  amount: number;
  base_amount: number;
  currency: string;
  attempt: number;
  opened_at: string;
  livemode: boolean;
  payment_method: {
    id: string;
    type: string;
    token: string | null;
    fixture_token?: string;
    /** Of an account without a token. The file has the number without its digits but the last four. */
    bank_account?: { bsb_number: string; account_number: string; account_name: string };
  };
  debit?: {
    scheme: 'au_becs';
    charge_date: string;
    mandate_reference: string;
    lodgement_reference: string;
    mandate: {
      accepted_at: string | null;
      type: 'online' | 'paper' | 'telephone' | 'imported' | null;
      ip_address: string | null;
      user_agent: string | null;
      signatory_name: string | null;
      text_sha256: string | null;
    };
  };
  metadata: Record<string, string>;
  /** The payer can be sent to a challenge, and comes back there. */
  attended?: boolean;
  return_url?: string;
  /** Of a charge, an inquiry and a cancellation. */
  reference?: string;
  /** Of a refund: that of the charge. */
  charge_reference?: string | null;
  /** Of an inquiry: the customer's time. */
  at?: string;
}

/** A charge or a refund: its outcome is the answer to every further call under its key. */
export interface KeptCall extends LedgerEntry {
  /** Of the charge. */
  reference?: string;
  /** The decline code. */
  code?: string;
  bank_code?: string;
  /** When the bank reports the result of a submitted debit. */
  expected_at?: string;
  /** Its answer is a 500, however often it is asked. */
  is_stored_500?: true;
  /** True for a call under a key that had its outcome before: nothing was taken again. */
  repeated?: true;
  /** Where the payer of a charge that waits goes. */
  next_action?: { redirect_url: string };
  /** The charge has waited for its payer, and has this outcome since. */
  after_challenge?: true;
}

/** A payment that was reserved. */
export interface Reserved {
  kind: 'prepare';
  idempotency_key: string;
  payment_intent_id: string;
  reference: string;
  body: Body;
}

/** A reservation that was given up. */
interface Canceled {
  kind: 'cancel';
  idempotency_key: string;
  payment_intent_id: string;
  reference: string;
}

/** A call that has changed nothing. It counts for the weather. */
interface Noted {
  kind: 'turned_away' | 'asked';
  call: CallKind;
  idempotency_key: string;
  payment_intent_id: string;
  why: string;
}

export type LedgerLine = KeptCall | Reserved | Canceled | Noted;

/** A member of the list of movements that is about the processor's books; see docs/processors.md. */
export type Booked = Record<string, unknown> & { id: string; currency: string; net?: number };

/** The processor's memory: a file that outlives its process. */
export interface LedgerFile {
  /** The charge of this reference, or the refund under this key, once it is on the disk; null if there is none. */
  keptUnder(kind: 'charge' | 'refund', key: string): Promise<KeptCall> | null;
  /** The newest reservation under this key, or null. */
  reservedUnder(key: string): Reserved | null;
  /** The reservation of a reference, or null. */
  reservedAs(reference: string): Reserved | null;
  isCanceled(reference: string): boolean;
  /** How many calls of this kind there were for the attempt or the refund of this key. */
  callsOf(kind: CallKind, key: string): number;
  /** Keeps the first outcome of a reference or a key, which other calls wait for. Resolves when it is on the disk. */
  keep(kind: 'charge' | 'refund', key: string, decide: () => Promise<KeptCall>): Promise<KeptCall>;
  /**
   * Decides a charge that waits for its payer, once: by the outcome of the challenge, or by giving it up. Resolves when
   * that is on the disk, to false if the charge does not wait.
   */
  endChallenge(reference: string, line: KeptCall | Canceled): Promise<boolean>;
  /** Writes down any other line, which counts at once. Resolves when it is on the disk. */
  note(line: LedgerLine): Promise<void>;
  /** What was taken and given back, in the order of the file. */
  readonly movements: readonly KeptCall[];
  /** The movements, each with what the books of the stand-in have of it. */
  readonly listed: readonly (KeptCall | Booked)[];
  /** Charges and refunds that have an outcome, whichever, in the order of the file. */
  readonly decided: readonly KeptCall[];
}

/**
 * Opens the file and reads what an earlier process has kept. A line that this process died in is cut off. `bookedAfter`
 * keeps the books.
 */
export async function openLedgerFile(
  file: string,
  bookedAfter: (line: KeptCall, reserved: Reserved | null) => Booked[],
): Promise<LedgerFile> {
  const kept = new Map<string, Promise<KeptCall>>();
  const byKey = new Map<string, Reserved>();
  const byReference = new Map<string, Reserved>();
  const canceled = new Set<string>();
  /** The references of the charges that wait for their payers. */
  const challenged = new Set<string>();
  const calls = new Map<string, number>();
  const movements: KeptCall[] = [];
  const listed: (KeptCall | Booked)[] = [];
  const decided: KeptCall[] = [];

  function learn(line: LedgerLine): void {
    const call = line.kind === 'turned_away' || line.kind === 'asked' ? line.call : line.kind;
    const isDecided = line.kind === 'charge' && line.after_challenge === true;
    const counter = counterOf(call, line.idempotency_key);
    if (!isDecided) calls.set(counter, (calls.get(counter) ?? 0) + 1);
    if (line.kind === 'prepare') {
      byKey.set(line.idempotency_key, line);
      byReference.set(line.reference, line);
    } else if (line.kind === 'cancel') {
      canceled.add(line.reference);
      challenged.delete(line.reference);
    } else if ((line.kind === 'charge' || line.kind === 'refund') && !line.repeated) {
      const hasMoved = line.outcome === 'succeeded' || line.outcome === 'submitted';
      if (hasMoved) {
        movements.push(line);
        listed.push(line, ...bookedAfter(line, byReference.get(line.reference ?? '') ?? null));
      }
      decided.push(line);
      if (line.outcome === 'requires_action') challenged.add(line.reference ?? '');
      else if (isDecided) challenged.delete(line.reference ?? '');
    }
  }

  for (const line of readWhole(file)) {
    learn(line);
    if (line.kind === 'charge' && !line.repeated) kept.set(`charge ${line.reference}`, Promise.resolve(line));
    if (line.kind === 'refund' && !line.repeated) kept.set(`refund ${line.idempotency_key}`, Promise.resolve(line));
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
    learn(line);
    const written = new Promise<void>((done, failed) => {
      waiting.push({ text: `${JSON.stringify(line)}\n`, done, failed });
    });
    if (!isWriting) void write();
    return written;
  }

  return {
    keptUnder: (kind, key) => kept.get(`${kind} ${key}`) ?? null,
    reservedUnder: (key) => byKey.get(key) ?? null,
    reservedAs: (reference) => byReference.get(reference) ?? null,
    isCanceled: (reference) => canceled.has(reference),
    callsOf: (kind, key) => calls.get(counterOf(kind, key)) ?? 0,
    keep(kind, key, decide) {
      const name = `${kind} ${key}`;
      const call = decide().then(async (line) => {
        await append(line);
        return line;
      });
      kept.set(name, call);
      call.catch(() => kept.delete(name));
      return call;
    },
    async endChallenge(reference, line) {
      if (!challenged.has(reference)) return false;
      // Both at once: no other call comes between.
      if (line.kind === 'charge') kept.set(`charge ${reference}`, Promise.resolve(line));
      await append(line);
      return true;
    },
    note: append,
    movements,
    listed,
    decided,
  };
}

/** A further reservation of an attempt has a key of its own, such as `att_….2`. */
function counterOf(kind: CallKind, key: string): string {
  return `${kind} ${key.split('.')[0]}`;
}

function readWhole(file: string): LedgerLine[] {
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('\n') + 1;
  if (end < bytes.length) truncateSync(file, end);
  const lines = bytes.subarray(0, end).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}
