// `npm run bench`: starts a copy of the service of its own, measures it, prints a table and writes JSON.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf } from '../lab/client.ts';
import { readOptions, startLog, UsageError, wholeNumber } from '../lab/program.ts';
import { startService, stopAllServices } from '../lab/service.ts';
import { startStandIn } from '../lab/stand-in.ts';
import { openPool } from '../src/platform/postgres/connection.ts';
import { realNow } from '../src/platform/real-time.ts';
import { print, printError } from '../src/platform/terminal.ts';
import type { Measurement, RunContext } from './bench.ts';
import { readConditions } from './conditions.ts';
import type { FigureGroup } from './figure.ts';
import { advances } from './figures/advance.ts';
import { checks } from './figures/checks.ts';
import { commandLine } from './figures/command-line.ts';
import { debits } from './figures/debits.ts';
import { dueAtOnce } from './figures/due-at-once.ts';
import { dueWithWebhooks } from './figures/due-with-webhooks.ts';
import { flood } from './figures/flood.ts';
import { flow } from './figures/flow.ts';
import { heavyBodies } from './figures/heavy-bodies.ts';
import { manyEndpoints } from './figures/many-endpoints.ts';
import { memory } from './figures/memory.ts';
import { pages } from './figures/pages.ts';
import { quietWebhook } from './figures/quiet-webhook.ts';
import { sizing } from './figures/sizing.ts';
import { subscriptions } from './figures/subscriptions.ts';
import { throughput } from './figures/throughput.ts';
import { webhookBacklog } from './figures/webhook-backlog.ts';
import { webhooks } from './figures/webhooks.ts';
import { watchProcessorUse } from './processor-use.ts';
import { type MeasuredGroup, type Report, renderReport } from './report.ts';

/** In this order: what needs a quiet, empty copy comes first, what may take long on a busy machine last. */
const usual: Measurement[] = [memory, advances, webhooks, throughput, dueAtOnce];
/** Measured only if they are named. */
const more: Measurement[] = [
  checks,
  commandLine,
  debits,
  flow,
  manyEndpoints,
  quietWebhook,
  dueWithWebhooks,
  webhookBacklog,
  pages,
  sizing,
  subscriptions,
  flood,
  heavyBodies,
];
const measurements = [...usual, ...more];

/**
 * What still runs after this is left out of the report, and nothing more is begun: six minutes for the usual groups,
 * more for the others, for live mode, and for more or older plans.
 */
const timeForAllMs = (
  chosen: readonly Measurement[],
  { plans, age, live }: Pick<RunContext, 'plans' | 'age' | 'live'>,
) =>
  (live ? 600_000 : 360_000) +
  (chosen.some((one) => more.includes(one)) ? 900_000 : 0) +
  (live ? 480 : 240) * Math.max(0, plans - 1000) +
  60 * plans * age;
/** Ending in order may take this much longer. */
const timeToEndMs = 60_000;

const usage = `npm run bench -- [--only NAME]… [--plans N] [--age N] [--live] [--quick] [--json FILE]
  --only   ${usual.map(({ name }) => name).join(', ')}; may be repeated;
           only by their name: ${more.map(({ name }) => name).join(', ')}
  --plans  how many fall due at one instant (1000)
  --age    how often each of them was charged before (0): of a weekly plan, its weeks
  --live   due-at-once also measures plans in live mode, whose processor is a process of its own
  --quick  fewer samples, under a minute: to see that everything works
  --json   where to write the figures (default .bench/latest.json)`;

/** The data of the copies; null before there are any. */
let folder: string | null = null;
/** The run was ended before its report. */
let isEnding = false;

async function main(): Promise<void> {
  const values = readOptions({
    only: { type: 'string', multiple: true },
    plans: { type: 'string' },
    age: { type: 'string' },
    live: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'string', default: '.bench/latest.json' },
  });
  if (values === null) return print(usage);
  const chosen = choose(values.only);
  const plans = values.plans === undefined ? (values.quick ? 100 : 1000) : wholeNumber('--plans', values.plans);
  const age = values.age === undefined || values.age === '0' ? 0 : wholeNumber('--age', values.age, 1000);
  const { quick, live } = values;
  setTimeout(() => endEarly('not done in time', 1), timeForAllMs(chosen, { plans, age, live }) + timeToEndMs).unref();
  const { log, seconds } = startLog();
  const startedAt = realNow().toISOString();
  const conditions = await readConditions();
  const ours = await mkdtemp(join(tmpdir(), 'payments-bench-'));
  folder = ours;
  try {
    const outcome = await measureAll(chosen, { quick, plans, age, live, folder: ours, log });
    if (isEnding) return;
    const report: Report = { started_at: startedAt, seconds: seconds(), quick, conditions, ...outcome };
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
    if (!measurements.some((known) => known.name === name)) throw new UsageError(`--only: there is no group "${name}"`);
  }
  return only === undefined ? usual : measurements.filter(({ name }) => only.includes(name));
}

/** Measures one after the other. A group that fails is missing in the report; the others are measured. */
async function measureAll(chosen: Measurement[], context: RunContext) {
  const timeIsUp = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the time for the whole run is over')), timeForAllMs(chosen, context)).unref();
  });
  timeIsUp.catch(() => {}); // in case nothing waits for it
  const processorUse = await watchProcessorUse();
  const groups: MeasuredGroup[] = [];
  const missing: Report['missing'] = [];
  const attempt = async (name: string, measure: () => Promise<FigureGroup>) => {
    try {
      await Promise.race([timeIsUp, pause(0)]);
      context.log(`${name}: begins`);
      await processorUse();
      const group = await Promise.race([timeIsUp, measure()]);
      groups.push({ ...group, processor_use: await processorUse() });
    } catch (error) {
      context.log(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      missing.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const item of chosen) {
    if (item.needs === 'nothing') await attempt(item.name, () => item.measure(context));
  }
  const onCopy = chosen.filter((item) => item.needs === 'copy');
  if (onCopy.length > 0) {
    context.log('starting the copy that is measured');
    const standIn = context.live ? await startStandIn(join(context.folder, 'processor')) : null;
    const copy = await startService(join(context.folder, 'copy'), {
      environment: { ...standIn?.environment },
    });
    const client = clientOf(copy);
    const liveMode = standIn && { standIn, client: clientOf({ baseUrl: copy.baseUrl, key: copy.liveKey }) };
    const sql = openPool(copy.databaseUrl, { max: 8, name: 'bench' });
    try {
      for (const item of onCopy) {
        await attempt(item.name, () => item.measure({ ...context, copy, client, liveMode, sql }));
      }
    } finally {
      context.log('ending the copy');
      await sql.end();
      await copy.stop();
      await standIn?.stop();
    }
  }
  return { groups, missing };
}

/** Ends what was started, in order, and then this process. */
async function endEarly(why: string, code: number): Promise<never> {
  isEnding = true;
  printError(`${why}: ending everything`);
  await stopAllServices();
  if (folder !== null) await rm(folder, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => endEarly(signal, 130));

main().then(
  () => {
    // A group that was given up may still wait for something.
    if (!isEnding) process.exit();
  },
  (error: unknown) => {
    printError(error instanceof UsageError ? `${error.message}\n${usage}` : error);
    process.exit(1);
  },
);
