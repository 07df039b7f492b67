// `npm run soak`: a steady, modest load on a copy of the service of its own for an hour, and whether it is the same at its
// end as it was in the beginning: memory, connections, backlogs and lags.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import type { Bench } from '../bench.ts';
import { openClient, stringIn } from '../client.ts';
import { readConditions } from '../conditions.ts';
import { watchProcessorUse } from '../processor-use.ts';
import { startReceiver } from '../receiver.ts';
import { startCopy, stopAllCopies } from '../service.ts';
import { findFaults } from './aftermath.ts';
import { modestRates, startLoad } from './load.ts';
import { measures, openSampler, type Sample } from './sample.ts';
import { judge, renderVerdicts } from './verdicts.ts';

const usage = `npm run soak -- [--minutes N] [--every SECONDS] [--out FOLDER]
  --minutes  how long the load lasts (60)
  --every    seconds between two samples (15)
  --out      where soak.csv, sample by sample, and soak.json are written (.bench)`;

const columns = ['minute', ...Object.keys(measures)] as (keyof Sample)[];
let folder: string | null = null;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '15' },
      out: { type: 'string', default: '.bench' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(usage);
    return 0;
  }
  const [minutes, everySeconds] = [positive('--minutes', values.minutes), positive('--every', values.every)];
  const startedAt = realNow().toISOString();
  const conditions = await readConditions();
  folder = await mkdtemp(join(tmpdir(), 'payments-soak-'));
  const begun = performance.now();
  const log = (line: string) =>
    printError(`[${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s] ${line}`);
  log(`starting the copy, data in ${folder}`);
  const copy = await startCopy(join(folder, 'copy'));
  const bench: Bench = {
    quick: false,
    plans: 0,
    folder,
    log,
    copy,
    client: openClient(copy.baseUrl, copy.key),
    sql: openPool(copy.databaseUrl, { max: 8, name: 'soak' }),
  };
  const file = join(resolve(values.out), 'soak.csv');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${columns.join(',')}\n`);
  const { samples, faults } = await soak(bench, minutes, everySeconds, async (sample) => {
    await appendFile(file, `${columns.map((column) => sample[column] ?? '').join(',')}\n`);
  });
  await bench.client.close();
  await bench.sql.end();
  await copy.stop();
  const verdicts = judge(samples);
  const report = { started_at: startedAt, minutes, rates: modestRates, conditions, faults, verdicts, samples };
  await writeFile(join(resolve(values.out), 'soak.json'), `${JSON.stringify(report, null, 2)}\n`);
  print(`${startedAt}, commit ${conditions.commit}, ${minutes} minutes, ${samples.length} samples`);
  print(renderVerdicts(verdicts));
  print(faults.length === 0 ? 'Nothing was lost, charged twice or left over.' : faults.join('\n'));
  return faults.length === 0 && verdicts.every(({ flat }) => flat !== false) ? 0 : 1;
}

/** Puts the load on, samples until the time is over, lets everything come to rest and looks at what is left. */
async function soak(bench: Bench, minutes: number, everySeconds: number, keep: (sample: Sample) => Promise<void>) {
  const { copy, client, sql, log } = bench;
  const connection = await Connection.connect({ address: copy.temporalAddress });
  const receiver = await startReceiver();
  const [{ last: firstEvent } = { last: 0 }] = await sql<{ last: number }[]>`
    select coalesce(max(sequence), 0) as last from events where not livemode`;
  const endpoint = stringIn(await client.post('/webhook_endpoints', { url: receiver.url }), 'id');
  const load = await startLoad(bench, modestRates);
  log(`the load is on, for ${minutes} minutes`);
  const processorUse = await watchProcessorUse();
  const temporal = new Client({ connection, namespace: 'payments' });
  const sample = openSampler({ copy, sql, temporal, load, receiver, processorUse });
  const samples: Sample[] = [];
  const endAt = performance.now() + minutes * 60_000;
  for (let nextAt = performance.now() + everySeconds * 1000; nextAt <= endAt; nextAt += everySeconds * 1000) {
    await pause(Math.max(0, nextAt - performance.now()));
    const seen = await sample();
    samples.push(seen);
    await keep(seen);
    if (samples.length % 20 === 1) log(JSON.stringify(seen));
  }
  log('ending the load');
  await load.stop();
  const faults = await findFaults(bench, load, receiver, firstEvent);
  await client.delete(`/webhook_endpoints/${endpoint}`);
  await receiver.close();
  await connection.close();
  return { samples, faults };
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 100_000) return value;
  throw new Error(`${option} must be a positive number, not "${text}".\n${usage}`);
}

async function end(code: number): Promise<never> {
  await stopAllCopies();
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130));

main().then(end, (error: unknown) => {
  printError(error);
  return end(1);
});
