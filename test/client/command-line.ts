import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../lab/eventually.ts';
import { type Ran, runProgram } from '../../lab/run-program.ts';

const program = fileURLToPath(new URL('../../clients/typescript/src/cli/main.ts', import.meta.url));
const start = ['--conditions=payments-source', program];

/** The environment of the command line, and no more of ours than it takes to run. */
export function cliEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env };
}

/** Runs `payments` to its end. */
export function payments(args: readonly string[], env: Record<string, string>, cwd?: string): Promise<Ran> {
  return runProgram(process.execPath, [...start, ...args], { cwd, env: cliEnvironment(env), timeoutMs: 60_000 });
}

/** A `payments` that runs until it is ended. */
export interface RunningCli {
  /** What it has printed so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly child: ChildProcess;
  /** Waits until it has printed this. */
  printed(pattern: RegExp): Promise<void>;
  /** Sends the signal, and returns the exit status, or null if the signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Waits until it ends on its own. Returns the exit status. */
  ended(): Promise<number | null>;
}

export function startPayments(args: readonly string[], env: Record<string, string>): RunningCli {
  const child = spawn(process.execPath, [...start, ...args], {
    env: cliEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = {
    child,
    stdout: '',
    stderr: '',
    printed: async (pattern: RegExp) => {
      await eventually(
        () => `${pattern} in ${running.stdout}${running.stderr}`,
        () => pattern.test(running.stdout) || pattern.test(running.stderr),
      );
    },
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
      return child.exitCode;
    },
    end(signal: NodeJS.Signals = 'SIGTERM') {
      const ended = running.ended();
      child.kill(signal);
      return ended;
    },
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      running[name] += text;
    });
  }
  return running;
}
