import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type LogLine = Record<string, unknown> & { name: string; level: number; msg: string; text: string };

/** An API, a worker or the pages in a process of its own, as production starts it. */
export interface ServiceProcess {
  readonly kind: 'api' | 'worker' | 'pages';
  readonly child: ChildProcess;
  /** Of an API. */
  readonly url: string;
  readonly port: number;
  readonly isReady: boolean;
  /** What it has logged up to now, if `isHeard`. */
  readonly lines: LogLine[];
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string | null>;
  /** Resolves when it is ready. @throws Error if it ends before */
  ready(): Promise<this>;
  /** Ends it in order, or with SIGKILL at once; nothing if it has ended. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | string | null>;
}

export interface ProcessOptions {
  /** Of Node.js and of the program. */
  options?: string[];
  /** Whether its log is read; it goes to our own output otherwise. */
  isHeard?: boolean;
  /** An open file that its log goes to instead. */
  output?: number;
  /** The checkout, and the command there. */
  folder?: string;
  command?: string[];
}

const thisVersion = fileURLToPath(new URL('../../', import.meta.url));
const running = new Set<ChildProcess>();

// However the tests end: no process outlives them.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** What API and pages need, and most tests do not care about. */
const common = { PUBLIC_URL: 'https://pay.example.com' };

/** Starts a process with this environment and no other; its HOST and PORT say where an API listens. */
export function spawnProcess(
  kind: 'api' | 'worker' | 'pages',
  env: Record<string, string>,
  {
    options = [],
    isHeard = false,
    output,
    folder = thisVersion,
    command = [`src/processes/${kind}.ts`],
  }: ProcessOptions = {},
): ServiceProcess {
  const child = spawn(process.execPath, [...command, ...options], {
    cwd: folder,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...common, ...env },
    stdio: ['ignore', output ?? (isHeard ? 'pipe' : 'inherit'), output ?? 'inherit', 'ipc'],
  });
  running.add(child);
  const { HOST = '127.0.0.1', PORT = '0' } = env;
  const lines: LogLine[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const texts = (rest + chunk).split('\n');
    rest = texts.pop() ?? '';
    for (const text of texts) if (text.startsWith('{')) lines.push({ ...JSON.parse(text), text });
  });
  let isReady = false;
  child.once('message', () => {
    isReady = true;
  });
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child);
    return signal ?? code;
  });
  return {
    kind,
    child,
    url: `http://${HOST}:${PORT}`,
    port: Number(PORT),
    get isReady() {
      return isReady;
    },
    lines,
    ended,
    async ready() {
      if (!isReady) await Promise.race([once(child, 'message'), ended]);
      if (!isReady) throw new Error(`the ${kind} ended with ${await ended} before it was ready`);
      return this;
    },
    end(signal = 'SIGTERM') {
      if (running.has(child)) child.kill(signal);
      return ended;
    },
  };
}
