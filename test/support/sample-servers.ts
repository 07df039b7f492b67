import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePorts } from '../../dev/ports.ts';
import type { Ran } from '../../lab/run-program.ts';
import { commandOf, run, type Script, withFolder } from './samples.ts';

const lookAgainAfterMs = 20;

/** A sample that listens, while it does. */
export interface SampleServer {
  readonly url: string;
  /** Stops it; returns what it has printed. */
  end(): Promise<Ran>;
}

/**
 * Starts a sample that listens on the PORT of its environment, which is given here, and waits until it does.
 * @throws Error when it ends before.
 */
export async function startServer(script: Script, env: Readonly<Record<string, string>>): Promise<SampleServer> {
  const [port = 0] = await findFreePorts(1);
  const [stop, arrived] = [new AbortController(), new AbortController()];
  const ended = withFolder(async (folder) =>
    run(await commandOf(script, folder), folder, { ...env, PORT: String(port) }, { signal: stop.signal }),
  );
  const failed = ended.then(({ stdout, stderr }) => {
    throw new Error(`${script.title} has ended:\n${stdout}${stderr}`);
  });
  try {
    await Promise.race([listening(port, arrived.signal), failed]);
  } finally {
    arrived.abort();
  }
  return {
    url: `http://127.0.0.1:${port}`,
    end() {
      stop.abort();
      return ended;
    },
  };
}

async function listening(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isUp) return;
    await pause(lookAgainAfterMs);
  }
}
