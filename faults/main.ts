// `npm run faults`: puts load on a service of its own, injects faults, and compares its promises with what others saw.
import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOptions, startLog, UsageError, wholeNumber } from '../lab/program.ts';
import { isOutage } from '../src/platform/postgres/transaction.ts';
import { realNow } from '../src/platform/real-time.ts';
import { print, printError } from '../src/platform/terminal.ts';
import { attacks } from './attacks/index.ts';
import { makeReport, renderReport } from './report.ts';
import { type RunOptions, run } from './run.ts';

const usage = `npm run faults -- [--seed TEXT] [--faults N] [--minutes N] [--only KIND]… [--quick] [--json FILE] [--keep]
  --seed     of load, targets and timing; random if not given
  --faults   how many are injected (60)
  --minutes  after which no more are injected (20)
  --only     ${attacks.map(({ kind }) => `"${kind}"`).join(', ')}; may be repeated
  --quick    two to three minutes: every crash point once, and a few of the others
  --temporal-store  sqlite or postgres: where Temporal keeps its workflows (sqlite)
  --json     where to write the report
  --keep     keeps data and logs, also of a run that is green`;

async function main(): Promise<number> {
  const values = readOptions({
    seed: { type: 'string' },
    faults: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '20' },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    'temporal-store': { type: 'string', default: 'sqlite' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
  });
  if (values === null) {
    print(usage);
    return 0;
  }
  const unknown = (values.only ?? []).filter((kind) => !attacks.some((attack) => attack.kind === kind));
  if (unknown.length > 0) throw new UsageError(`--only: there is no kind of attack "${unknown.join(', ')}"`);
  const options: RunOptions = {
    seed: values.seed ?? String(randomInt(1_000_000)),
    faults: wholeNumber('--faults', values.faults),
    minutes: wholeNumber('--minutes', values.minutes),
    only: values.only ?? null,
    isQuick: values.quick,
    temporalStore: storeNamed(values['temporal-store']),
    folder: await mkdtemp(join(tmpdir(), 'payments-faults-')),
  };
  const { log, seconds } = startLog();
  log(`seed ${options.seed}, data in ${options.folder}`);
  const startedAt = realNow().toISOString();
  let isGreen = false;
  try {
    const outcome = await run(options, log);
    const report = makeReport({ ...outcome, seed: options.seed, startedAt, seconds: seconds() });
    isGreen = report.verdict === 'kept';
    const text = `${JSON.stringify(report, null, 2)}\n`;
    if (values.json !== undefined) await writeFile(values.json, text);
    if (!isGreen) await writeFile(join(options.folder, 'report.json'), text);
    print(renderReport(report));
  } finally {
    if (isGreen && !values.keep) await rm(options.folder, { recursive: true, force: true });
    else log(`seed ${options.seed}; data, logs and evidence are kept in ${options.folder}`);
  }
  return isGreen ? 0 : 1;
}

function storeNamed(text: string): RunOptions['temporalStore'] {
  if (text === 'sqlite' || text === 'postgres') return text;
  throw new UsageError(`--temporal-store must be sqlite or postgres, not "${text}"`);
}

// What was started ends with this process: see lab/supervised-process.ts and lab/servers.ts.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(130));

// As in the processes of the service: the client of PostgreSQL leaves some rejections unhandled when a connection dies
// while it is being opened. The run's own connections die too.
process.on('unhandledRejection', (reason) => {
  if (isOutage(reason)) return;
  printError(reason);
  process.exit(1);
});

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    printError(error instanceof UsageError ? `${error.message}\n${usage}` : error);
    process.exit(1);
  },
);
