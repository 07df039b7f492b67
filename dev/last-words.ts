import { safeLine } from '../src/platform/terminal.ts';
import type { Daemon } from './daemon.ts';

const shownLines = 15;
const longestReason = 500;

/** What `npm start` itself, and not the process, knows about these ends. */
const knownEnds: Record<string, string> = {
  'exit code 0': 'something asked it to end (SIGTERM or SIGINT)',
  'signal SIGKILL': 'something killed it (kill -9), or the machine was out of memory',
};

/**
 * Why a process ended, in one line: its own last words, or what is known about an end such as "signal SIGKILL". A
 * killed process has no last words.
 */
export async function reasonOf(daemon: Daemon, how: string): Promise<string> {
  if (how === 'signal SIGKILL') return knownEnds[how] ?? '';
  return lastWordsIn(await daemon.output()) ?? knownEnds[how] ?? 'its log gives no reason';
}

/** The sentence, then the end of the log of a process, and as the last line why it ended; `how` is null if it runs. */
export async function withLogEnd(sentence: string, daemon: Daemon, how: string | null): Promise<string> {
  const output = await daemon.output();
  const lines = output.trimEnd().split('\n').slice(-shownLines);
  const reason = how === null ? lastWordsIn(output) : await reasonOf(daemon, how);
  if (reason !== null && lines.at(-1) !== reason) lines.push(reason);
  return `${sentence} The end of ${daemon.logFile}:\n${lines.join('\n')}`;
}

/** The last line that gives a reason for an end, or null: lines about requests and statements give none. */
export function lastWordsIn(output: string): string | null {
  const lines = output.trimEnd().split('\n').toReversed();
  for (const line of lines) {
    const words = wordsOfJson(line) ?? wordsOfPostgres(line) ?? wordsOfCrash(line) ?? wordsOfConfig(line);
    if (words !== null) return safeLine(words).slice(0, longestReason);
  }
  const [last = ''] = lines;
  return isSentence(last) ? safeLine(last).slice(0, longestReason) : null;
}

/** API, worker and Temporal log JSON. Level 60 is pino's "fatal". */
function wordsOfJson(line: string): string | null {
  if (!line.startsWith('{')) return null;
  try {
    const { level, msg, err, error } = JSON.parse(line);
    if (![60, 'fatal', 'panic'].includes(level) || typeof msg !== 'string') return null;
    const detail: unknown = err?.message ?? error;
    return typeof detail === 'string' && detail !== msg ? `${msg}: ${detail}` : msg;
  } catch {
    return null; // cut off, or only similar to JSON
  }
}

/** A session that is cut off writes FATAL too; that is not the server's reason. */
function wordsOfPostgres(line: string): string | null {
  const [, words = null] =
    /^\S+ \S+ \S+ \[\d+\] ((?:FATAL|PANIC): .*|LOG: +received \w+ shutdown request)$/.exec(line) ?? [];
  return words !== null && /: +(terminating|the database system is|password authentication failed)/.test(words)
    ? null
    : words;
}

/** The message of an uncaught exception in Node.js, or of a crash in Go. */
function wordsOfCrash(line: string): string | null {
  return /^(panic|fatal error|SIG[A-Z]+|\w*(Error|Exception)\b[^:]*): ./i.test(line) ? line : null;
}

/** One of the lines by which a process of ours says what to correct in its variables. */
function wordsOfConfig(line: string): string | null {
  return /^ {2}- ([A-Z]\w* .*)$/.exec(line)?.[1] ?? null;
}

/** Neither a line of a log nor one of a list of registers or stack frames. */
function isSentence(line: string): boolean {
  return /^\w+ \w+ \w/.test(line) && !/0x[0-9a-f]/.test(line);
}
