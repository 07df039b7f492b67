// `npm run soak`: a steady, modest load on a copy of the service of its own for an hour, and whether it is the same at
// its end as it was in the beginning: memory, connections, backlogs and lags.
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { clientOf } from '../../lab/client.ts';
import { readOptions, startLog, UsageError, wholeNumber } from '../../lab/program.ts';
import { startService, stopAllServices } from '../../lab/service.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import type { Bench } from '../bench.ts';
import { readConditions } from '../conditions.ts';
import { watchProcessorUse } from '../processor-use.ts';
import { startBenchReceiver } from '../receiver.ts';
import { findProblems } from './aftermath.ts';
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
  const values = readOptions({
    minutes: { type: 'string', default: '60' },
    every: { type: 'string', default: '15' },
    out: { type: 'string', default: '.bench' },
  });
  if (values === null) {
    print(usage);
    return 0;
  }
  const [minutes, everySeconds] = [wholeNumber('--minutes', values.minutes), wholeNumber('--every', values.every)];
  const startedAt = realNow().toISOString();
  const conditions = await readConditions();
  folder = await mkdtemp(join(tmpdir(), 'payments-soak-'));
  const { log } = startLog();
  log(`starting the copy, data in ${folder}`);
  const copy = await startService(join(folder, 'copy'));
  const bench: Bench = {
    quick: false,
    plans: 0,
    age: 0,
    live: false,
    folder,
    log,
    copy,
    client: clientOf(copy),
    liveMode: null,
    sql: openPool(copy.databaseUrl, { max: 8, name: 'soak' }),
  };
  const file = join(resolve(values.out), 'soak.csv');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${columns.join(',')}\n`);
  const { samples, problems } = await soak(bench, minutes, everySeconds, async (sample) => {
    await appendFile(file, `${columns.map((column) => sample[column] ?? '').join(',')}\n`);
  });
  await bench.sql.end();
  await copy.stop();
  const verdicts = judge(samples);
  const report = {
    started_at: startedAt,
    minutes,
    rates: modestRates,
    conditions,
    faults: problems,
    verdicts,
    samples,
  };
  await writeFile(join(resolve(values.out), 'soak.json'), `${JSON.stringify(report, null, 2)}\n`);
  print(`${startedAt}, commit ${conditions.commit}, ${minutes} minutes, ${samples.length} samples`);
  print(renderVerdicts(verdicts));
  print(problems.length === 0 ? 'Nothing was lost, charged twice or left over.' : problems.join('\n'));
  return problems.length === 0 && verdicts.every(({ flat }) => flat !== false) ? 0 : 1;
}

/** Puts the load on, samples until the time is over, lets everything come to rest and looks at what is left. */
async function soak(bench: Bench, minutes: number, everySeconds: number, record: (sample: Sample) => Promise<void>) {
  const { copy, client, sql, log } = bench;
  const connection = await Connection.connect({ address: copy.temporalAddress });
  const receiver = await startBenchReceiver();
  const [{ last: firstEvent } = { last: 0 }] = await sql<{ last: number }[]>`
    select coalesce(max(sequence), 0) as last from events where not livemode`;
  const endpoint = await client.webhookEndpoints.create({ url: `${receiver.url}/hooks` });
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
    await record(seen);
    if (samples.length % 20 === 1) log(JSON.stringify(seen));
  }
  log('ending the load');
  await load.stop();
  const problems = await findProblems(bench, load, receiver, firstEvent);
  await client.webhookEndpoints.delete(endpoint.id);
  await receiver.close();
  await connection.close();
  return { samples, problems };
}

async function end(code: number): Promise<never> {
  await stopAllServices();
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => end(130));

main().then(end, (error: unknown) => {
  printError(error instanceof UsageError ? `${error.message}\n${usage}` : error);
  return end(1);
});
