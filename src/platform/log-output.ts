import { write, writeSync } from 'node:fs';
import { emit } from './telemetry.ts';

/** How much waits for a slow reader, in UTF-16 code units: some seconds of a busy process. Further lines are lost. */
const mostWaiting = 1_000_000;
/** The pause after a write that a full pipe has refused, and after any other error. */
const fullPipeMs = 10;
const brokenMs = 1_000;
/** How long the last lines of a process wait for a full pipe. */
const lastLinesMs = 500;

const nothing = Buffer.alloc(0);
const sleeping = new Int32Array(new SharedArrayBuffer(4));
const lineBreak = '\n'.charCodeAt(0);

/** Lines that were not written, and why: the code of the error, or null if the reader was too slow. */
export interface Loss {
  lines: number;
  code: string | null;
}

/** Where the lines of a log go. */
export interface LogOutput {
  /** Takes whole lines, each with its line break. Neither waits nor throws. */
  write(lines: string): void;
  /** Writes what still waits, within half a second or not at all: for the last lines of a process. */
  flushSync(): void;
}

/**
 * Returns the file descriptor of stdout. If it is a pipe or a socket, its writes do not block: a thread that waits for
 * the reader would keep the process from ending.
 */
export function nonBlockingStdout(): number {
  // Node.js makes it non-blocking when it first opens process.stdout, and as before when the process exits.
  return process.stdout.fd;
}

/**
 * Writes log lines to an open file, pipe or terminal. A full disk, or a reader that is gone or does not read, costs
 * lines and nothing else. Lines that cannot be written are dropped and counted; the telemetry event 'log lines lost'
 * reports each at once. When writing works again, the output has the line of `describe` in their place. What waits when
 * the process exits is written then.
 */
export function openLogOutput(fd: number, describe: (loss: Loss) => string): LogOutput {
  /** `due`: what waits is written in the next turn of the event loop. `pausing`: after an error. */
  let state: 'idle' | 'due' | 'writing' | 'pausing' = 'idle';
  let waiting = '';
  /** The rest of what is being written. */
  let unwritten: Buffer = nothing;
  let lost = 0;
  let code: string | null = null;
  /** How many lost lines the line that is being written reports; 0: it is no report. */
  let reported = 0;
  /** The output ends in the middle of a line. */
  let isTorn = false;

  function take(lines: string): void {
    // Once a line is lost, the next ones are too: the report stands in their place.
    if ((lost > 0 && reported === 0) || waiting.length >= mostWaiting) {
      lose(countLines(lines));
      return;
    }
    waiting += lines;
    if (state !== 'idle') return;
    state = 'due';
    setImmediate(writeOn);
  }

  function writeOn(): void {
    if (unwritten.length === 0) begin();
    if (unwritten.length === 0) {
      state = 'idle';
      return;
    }
    state = 'writing';
    write(fd, unwritten, (error, bytes) => {
      if (error === null) onWritten(bytes);
      else onError(error);
    });
  }

  function begin(): void {
    if (waiting === '' && lost > 0) {
      reported = lost;
      unwritten = Buffer.from(report());
    } else {
      unwritten = Buffer.from(waiting);
      waiting = '';
    }
  }

  function onWritten(bytes: number): void {
    if (bytes > 0) isTorn = unwritten[bytes - 1] !== lineBreak;
    unwritten = unwritten.subarray(bytes);
    if (unwritten.length === 0 && reported > 0) {
      lost -= reported;
      reported = 0;
      code = null;
    }
    writeOn();
  }

  function onError(error: NodeJS.ErrnoException): void {
    state = 'pausing';
    if (error.code === 'EAGAIN') {
      setTimeout(writeOn, fullPipeMs).unref();
      return;
    }
    code = error.code ?? null;
    const lines = countLines(waiting) + (reported > 0 ? 0 : countLines(unwritten));
    waiting = '';
    unwritten = nothing;
    reported = 0;
    if (lines > 0) lose(lines);
    setTimeout(writeOn, brokenMs).unref();
  }

  function lose(lines: number): void {
    lost += lines;
    emit({ kind: 'log lines lost', lines });
  }

  function report(): string {
    return `${isTorn ? '\n' : ''}${describe({ lines: lost, code })}`;
  }

  function flushSync(): void {
    const isWriting = state === 'writing';
    const rest = [isWriting ? nothing : unwritten, Buffer.from(waiting)];
    waiting = '';
    if (!isWriting) {
      unwritten = nothing;
      lost -= reported;
      reported = 0;
    }
    writeNow(Buffer.concat(rest));
  }

  function writeNow(bytes: Buffer): void {
    let written = 0;
    const giveUpAt = performance.now() + lastLinesMs;
    while (written < bytes.length) {
      try {
        written += writeSync(fd, bytes, written);
      } catch (error) {
        const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
        if (isFull && performance.now() < giveUpAt) {
          Atomics.wait(sleeping, 0, 0, fullPipeMs);
          continue;
        }
        if (!isFull) code = error instanceof Error && 'code' in error ? String(error.code) : null;
        lose(countLines(bytes.subarray(written)));
        break;
      }
    }
    if (written > 0) isTorn = bytes[written - 1] !== lineBreak;
  }

  process.once('exit', () => {
    flushSync();
    if (lost > 0 && state !== 'writing') writeNow(Buffer.from(report()));
  });
  return { write: take, flushSync };
}

/** What a loss is called in a log, for an operator. */
export function describeLoss({ lines, code }: Loss): string {
  return `log: ${lines === 1 ? '1 line was' : `${lines} lines were`} lost ${reasonOf(code)}`;
}

function reasonOf(code: string | null): string {
  switch (code) {
    case null:
      return 'because the reader of the log was too slow';
    case 'ENOSPC':
    case 'EDQUOT':
      return 'while the disk was full';
    case 'EPIPE':
      return 'while the log had no reader';
    default:
      return `while the log could not be written (${code})`;
  }
}

function countLines(text: string | Buffer): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
