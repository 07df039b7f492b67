import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '@payments-service/sandbox';
import { range } from '../../lab/parallel.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import type { Measurement } from '../bench.ts';
import { figure } from '../figure.ts';

const program = fileURLToPath(new URL('../../clients/typescript/src/cli/main.ts', import.meta.url));

/** How soon `payments listen` waits for events, and how soon a biller's file of tests has an account. */
export const commandLine: Measurement = {
  name: 'command-line',
  needs: 'copy',
  async measure({ quick, folder, copy, log }) {
    const home = await mkdtemp(join(folder, 'listen-'));
    log('command-line: starts of payments listen');
    const environment = childEnvironment({ BASE_URL: copy.baseUrl, API_KEY: copy.key, XDG_STATE_HOME: home });
    const samples: number[] = [];
    // The first start compiles the sources, which are kept compiled.
    for (const nth of range(quick ? 4 : 21)) {
      const seconds = await secondsToListen(environment);
      if (nth > 0) samples.push(seconds);
    }
    await rm(home, { recursive: true, force: true });
    log('command-line: accounts of startSandbox');
    const joins: number[] = [];
    const resets: number[] = [];
    for (const _ of range(quick ? 5 : 50)) {
      const begun = performance.now();
      const sandbox = await startSandbox({ dataDir: copy.dataDir });
      joins.push(performance.now() - begun);
      await sandbox.clock();
      const used = performance.now();
      await sandbox.reset();
      resets.push(performance.now() - used);
      await sandbox.stop();
    }
    const target = { atMost: 100 };
    return {
      name: 'command-line',
      title: 'For developers: the command line, and accounts for tests',
      how: [
        'From the spawn of `payments listen` to its line `Ready`: it has read its place and the newest event.',
        '`startSandbox` joins the running service and makes an account. `reset` deletes its one test clock meanwhile.',
      ],
      figures: [
        figure('command-line.listen', 'payments listen', 's', samples, { target: { atMost: 0.3 } }),
        figure('command-line.account', 'startSandbox', 'ms', joins, { target }),
        figure('command-line.reset', 'reset', 'ms', resets, { target }),
      ],
    };
  },
};

function secondsToListen(env: NodeJS.ProcessEnv): Promise<number> {
  const begun = performance.now();
  const args = ['--conditions=payments-source', program, 'listen', '--forward', 'http://127.0.0.1:9'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let seconds: number | null = null;
    child.stdout.once('data', () => {
      seconds = (performance.now() - begun) / 1000;
      child.kill('SIGTERM');
    });
    child.once('close', (code) => {
      if (seconds === null) reject(new Error(`payments listen ended with ${code} before it was ready`));
      else resolve(seconds);
    });
  });
}
