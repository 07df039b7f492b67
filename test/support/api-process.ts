import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../src/processes/config/config.ts';

const apiProgram = fileURLToPath(new URL('../../src/processes/api.ts', import.meta.url));

/** An API process as production starts it. */
export interface ApiProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Ends it in order, or with SIGKILL at once; nothing where it has ended. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts one by `npm run api`'s command; resolves when it is ready. Temporal is away unless the environment names one. */
export async function startApiProcess(env: Record<string, string>, options: string[] = []): Promise<ApiProcess> {
  const child = spawn(process.execPath, [apiProgram, ...options], {
    env: childEnvironment({
      OPERATOR_KEY: '',
      TEMPORAL_ADDRESS: '127.0.0.1:9',
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString('base64')}`,
      LOG_LEVEL: 'fatal',
      ...env,
    }),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  assert.equal(message, 'ready');
  const { HOST = '127.0.0.1', PORT } = env;
  return {
    url: `http://${HOST}:${PORT}`,
    port: Number(PORT),
    child,
    async end(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill(signal);
      await ended;
    },
  };
}
