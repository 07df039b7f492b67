// `npm run bench`: starts a copy of the service of its own, measures it, prints a table and writes JSON.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openPool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { print, printError } from '../src/platform/terminal.ts';
import { safeLine } from '../src/platform/terminal-text.ts';
import type { CliContext, Measurement } from './bench.ts';
import { openClient } from './client.ts';
import { readConditions } from './conditions.ts';
import type { FigureGroup } from './figure.ts';
import { advances } from './figures/advance.ts';
import { dueAtOnce } from './figures/due-at-once.ts';
import { dueUnderFire } from './figures/due-under-fire.ts';
import { flood } from './figures/flood.ts';
import { heavyBodies } from './figures/heavy-bodies.ts';
import { memory } from './figures/memory.ts';
import { sizing } from './figures/sizing.ts';
import { start } from './figures/start.ts';
import { throughput } from './figures/throughput.ts';
import { webhooks } from './figures/webhooks.ts';
import { watchProcessorUse } from './processor-use.ts';
import { type MeasuredGroup, type Report, renderReport } from './report.ts';
import { startCopy, stopAllCopies } from './service.ts';

/** In this order: what wants a quiet, empty copy comes first, what may take long on a busy machine last. */
const usual: Measurement[] = [start, memory, advances, webhooks, throughput, dueAtOnce];
/** Only when they are named. */
const more: Measurement[] = [sizing, flood, heavyBodies, dueUnderFire];
const measurements = [...usual, ...more];

/**
 * What still runs then is left out of the report, and nothing more is begun: six minutes for all that is usual, more for what
 * was named, and for more plans.
 */
const timeForAllMs = (chosen: readonly Measurement[], plans: number) =>
  360_000 + (chosen.some((one) => more.includes(one)) ? 900_000 : 0) + 240 * Math.max(0, plans - 1000);
/** Ending in order may take this much longer. */
const timeToEndMs = 60_000;

const usage = `npm run bench -- [--only NAME]… [--plans N] [--quick] [--json FILE]
  --only   ${usual.map(({ name }) => name).join(', ')}; may be repeated;
           only by their name: ${more.map(({ name }) => name).join(', ')}
  --plans  how many fall due at one instant (1000)
  --quick  fewer samples, under a minute: to see that everything works
  --json   where to write the figures (default .bench/latest.json)`;

/** Holds the data of the copies; null before there are any. */
let folder: string | null = null;
/** Told to end before the report was there; there will be none. */
let isEnding = false;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      plans: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string', default: '.bench/latest.json' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(usage);
  const chosen = choose(values.only);
  const plans = Number(values.plans ?? (values.quick ? 100 : 1000));
  if (!(Number.isInteger(plans) && plans > 0 && plans <= 100_000)) throw new Error(`--plans is no number.\n${usage}`);
  setTimeout(() => endEarly('not done in time', 1), timeForAllMs(chosen, plans) + timeToEndMs).unref();
  const begun = performance.now();
  const startedAt = realNow().toISOString();
  const conditions = await readConditions();
  const ours = await mkdtemp(join(tmpdir(), 'payments-bench-'));
  folder = ours;
  const elapsed = () => (performance.now() - begun) / 1000;
  const log = (line: string) => printError(`[${elapsed().toFixed(1).padStart(6)} s] ${line}`);
  try {
    const outcome = await measureAll(chosen, { quick: values.quick, plans, folder: ours, log });
    if (isEnding) return;
    const report: Report = { started_at: startedAt, seconds: elapsed(), quick: values.quick, conditions, ...outcome };
    await mkdir(dirname(resolve(values.json)), { recursive: true });
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
    print(renderReport(report));
    print(`Written to ${values.json}`);
    if (report.missing.length > 0) process.exitCode = 1;
  } finally {
    await rm(ours, { recursive: true, force: true });
  }
}

function choose(only: string[] | undefined): Measurement[] {
  for (const name of only ?? []) {
    if (!measurements.some((known) => known.name === name))
      throw new Error(`--only ${safeLine(name)} names nothing.\n${usage}`);
  }
  return only === undefined ? usual : measurements.filter(({ name }) => only.includes(name));
}

/** Measures one after the other. A group that fails is missing in the report and keeps no other from being measured. */
async function measureAll(chosen: Measurement[], openContext: CliContext) {
  const timeIsUp = new Promise<never>((_, reject) => {
    setTimeout(
      () => reject(new Error('the time for the whole run was used up')),
      timeForAllMs(chosen, openContext.plans),
    ).unref();
  });
  timeIsUp.catch(() => {}); // nobody may be waiting
  const processorUse = await watchProcessorUse();
  const groups: MeasuredGroup[] = [];
  const missing: Report['missing'] = [];
  const attempt = async (name: string, measure: () => Promise<FigureGroup>) => {
    try {
      await Promise.race([timeIsUp, pause(0)]);
      openContext.log(`${name}: begins`);
      await processorUse();
      const group = await Promise.race([timeIsUp, measure()]);
      groups.push({ ...group, processor_use: await processorUse() });
    } catch (error) {
      openContext.log(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      missing.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const item of chosen) {
    if (item.needs === 'nothing') await attempt(item.name, () => item.measure(openContext));
  }
  const onCopy = chosen.filter((item) => item.needs === 'copy');
  if (onCopy.length > 0) {
    openContext.log('starting the copy that is measured');
    const copy = await startCopy(join(openContext.folder, 'copy'));
    const client = openClient(copy.baseUrl, copy.key);
    const sql = openPool(copy.databaseUrl, { max: 8, name: 'bench' });
    try {
      for (const item of onCopy) await attempt(item.name, () => item.measure({ ...openContext, copy, client, sql }));
    } finally {
      openContext.log('ending the copy');
      await client.close();
      await sql.end();
      await copy.stop();
    }
  }
  return { groups, missing };
}

/** Ends what was started, in order, and then this process. */
async function endEarly(why: string, code: number): Promise<never> {
  isEnding = true;
  printError(`${why}: ending everything`);
  await stopAllCopies();
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => endEarly(signal, 130));

main().then(
  () => {
    // What was given up may still be waiting for something.
    if (!isEnding) process.exit();
  },
  (error: unknown) => {
    printError(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
