import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePorts } from '../dev/ports.ts';
import { childEnvironment } from '../src/processes/config/config.ts';
import type { LedgerLine } from './processes/stand-in/ledger-file.ts';
import type { Climate } from './processes/stand-in/weather.ts';
import { type ProcessOptions, type SupervisedProcess, superviseProcess } from './supervised-process.ts';

/** A processor service that stands in for a live one, in a process that can be killed; see `processes/processor.ts`. */
export interface StandIn {
  readonly process: SupervisedProcess;
  readonly port: number;
  readonly url: string;
  readonly secret: string;
  /** What it was asked, a line of JSON for each call. The file outlives the process. */
  readonly ledgerFile: string;
  /** For the processes of a service that is to use it. */
  readonly environment: { LIVE_PROCESSOR_URL: string; LIVE_PROCESSOR_SECRET: string };
  /** All calls so far. */
  calls(): Promise<LedgerLine[]>;
  /** From now on this is the weather for every call whose payment chooses none; null: fair. */
  setClimate(climate: Climate | null): Promise<void>;
  stop(): Promise<void>;
}

type Supervision = Partial<Omit<ProcessOptions, 'args' | 'env' | 'logFile'>>;

const upTimeoutMs = 60_000;

/** Starts it, with its files in the folder, and waits until it listens. `program`: a copy of the program. */
export async function startStandIn(
  folder: string,
  {
    program = fileURLToPath(new URL('processes/processor.ts', import.meta.url)),
    ...supervision
  }: Supervision & {
    program?: string;
  } = {},
): Promise<StandIn> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const [port = 0] = await findFreePorts(1);
  const secret = randomBytes(24).toString('hex');
  const url = `http://127.0.0.1:${port}`;
  const ledgerFile = join(folder, 'live-ledger.jsonl');
  const climateFile = join(folder, 'climate.json');
  const started = superviseProcess({
    name: 'processor',
    ...supervision,
    args: [program, ledgerFile, climateFile, String(port)],
    env: childEnvironment({ LIVE_PROCESSOR_SECRET: secret }),
    logFile: join(folder, 'processor.log'),
  });
  if (!(await started.untilUp(upTimeoutMs))) throw new Error('the stand-in for a processor does not start');
  return {
    process: started,
    port,
    url,
    secret,
    ledgerFile,
    environment: { LIVE_PROCESSOR_URL: url, LIVE_PROCESSOR_SECRET: secret },
    async calls() {
      const text = await readFile(ledgerFile, 'utf8').catch(() => '');
      const lines = text.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line));
    },
    setClimate: (climate) => writeFile(climateFile, JSON.stringify(climate)),
    stop: () => started.stop(),
  };
}
