import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptionKeyFile } from '../../dev/encryption-keys.ts';
import { findFreePorts } from '../../dev/ports.ts';
import { range } from '../../lab/parallel.ts';
import { type ServiceCopy, startService } from '../../lab/service.ts';
import type { Measurement } from '../bench.ts';
import { startChild, stopChild } from '../child.ts';
import { figure } from '../figure.ts';

/** From nothing to `ready`: all of it on a fresh and on a used folder, and the API process alone. */
export const start: Measurement = {
  name: 'start',
  needs: 'nothing',
  async measure({ quick, folder, log }) {
    const pairs = quick ? 1 : 2;
    const fresh: number[] = [];
    const again: number[] = [];
    const api: number[] = [];
    if (!quick) {
      log('start: once to warm up');
      await (await startService(join(folder, 'start-warm'))).stop();
    }
    for (const pair of range(pairs)) {
      log(`start: pair ${pair + 1} of ${pairs}`);
      const dataDir = join(folder, `start-${pair}`);
      const first = await startService(dataDir);
      fresh.push(first.secondsToReady);
      await first.stop();
      const second = await startService(dataDir);
      again.push(second.secondsToReady);
      try {
        for (let nth = 0; nth < (quick ? 2 : 5); nth++) api.push(await secondsToStartApi(second));
      } finally {
        await second.stop();
      }
      await rm(dataDir, { recursive: true, force: true });
    }
    return {
      name: 'start',
      title: 'Start, on a machine where the programs are there and have run before',
      how: [
        'From the spawn of dev/start.ts to its line `ready`; npm itself, some 0.3 s, is not in it. Fresh: an empty DATA_DIR. Again: the same one after it was ended in order.',
        'The API alone: from the spawn of src/processes/api.ts beside a running copy, on its database and Temporal, to its `ready`.',
      ],
      figures: [
        figure('start.fresh', 'everything, fresh folder', 's', fresh, { target: { aim: 8 } }),
        figure('start.again', 'everything, used folder', 's', again, { target: { aim: 8 } }),
        figure('start.api', 'the API process alone', 's', api, { target: { atMost: 1 } }),
      ],
    };
  },
};

async function secondsToStartApi(copy: ServiceCopy): Promise<number> {
  const [port] = await findFreePorts(1);
  const environment = {
    PORT: String(port),
    DATA_DIR: copy.dataDir,
    DATABASE_URL: copy.databaseUrl,
    TEMPORAL_ADDRESS: copy.temporalAddress,
    ENCRYPTION_KEYS: await readFile(encryptionKeyFile(copy.dataDir), 'utf8'),
    PUBLIC_URL: 'https://pay.example.com',
    LOG_LEVEL: 'warn',
  };
  const begun = performance.now();
  const child = await startChild('../src/processes/api.ts', { environment });
  const seconds = (performance.now() - begun) / 1000;
  await stopChild(child);
  return seconds;
}
