// `npm run alerts:drill`: breaks a service of its own on purpose, one thing after another, and waits until a real
// Prometheus fires each alert of monitoring/alerts.yml.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thawAll } from '../../lab/frozen.ts';
import { readOptions, startLog, UsageError } from '../../lab/program.ts';
import { stopAllServices } from '../../lab/service.ts';
import { all } from '../../src/platform/all-settled.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import { openScene, type Scene } from '../scene.ts';
import { charge } from './breakages/breakage.ts';
import { breakages } from './breakages/index.ts';
import { carryOut, type Sighting } from './drill.ts';
import { factor, type Prometheus, readRules, startPrometheus } from './prometheus.ts';
import { renderSightings, wasSeen } from './report.ts';

const usage = `npm run alerts:drill -- [--only ALERT]… [--keep]
  Fires each alert of monitoring/alerts.yml, ${factor} times faster. Needs prometheus on PATH. Takes some 17 minutes.
  --only   an alert, such as PaymentsApiDown; may be repeated
  --keep   keeps data and logs`;

const interruption = new AbortController();

async function main(): Promise<number> {
  const values = readOptions({
    only: { type: 'string', multiple: true },
    keep: { type: 'boolean', default: false },
  });
  if (values === null) {
    print(usage);
    return 0;
  }
  const known = (await readRules()).groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
  const names = values.only ?? known;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`--only: there is no alert "${unknown.join(', ')}"`);
  const folder = await mkdtemp(join(tmpdir(), 'payments-alerts-'));
  const { log } = startLog();
  log(`data in ${folder}`);
  let sightings: Sighting[] = [];
  try {
    sightings = await run(folder, names, log);
  } finally {
    if (values.keep) log(`data and logs are kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
  print(renderSightings(known, sightings));
  const missed = names.filter((name) => !sightings.some((sighting) => sighting.alert === name && wasSeen(sighting)));
  if (missed.length > 0) printError(`Not seen to fire and to be resolved: ${missed.join(', ')}`);
  return missed.length > 0 ? 1 : 0;
}

/** Carries out the breakages of these alerts on a service of its own, in the folder. */
async function run(folder: string, names: readonly string[], log: (line: string) => void): Promise<Sighting[]> {
  let scene: Scene | null = null;
  let prometheus: Prometheus | null = null;
  try {
    scene = await openScene(folder, interruption.signal);
    prometheus = await startPrometheus(join(folder, 'prometheus'), scene.metricsPort);
    const opened = { scene, prometheus };
    log('service and Prometheus are up');
    // What is usual, for the alerts that compare with it.
    scene.keepDoing(1, 1_000, () => charge(opened.scene));
    const sightings: Sighting[] = [];
    for (const row of breakages) {
      const chosen = row.filter(({ alerts }) => Object.keys(alerts).some((name) => names.includes(name)));
      if (chosen.length === 0) continue;
      await scene.untilReady();
      const seen = await all(chosen.map((each) => carryOut(each, opened.scene, opened.prometheus, log)));
      sightings.push(...seen.flat());
    }
    return sightings;
  } finally {
    thawAll();
    await prometheus?.stop();
    await scene?.stop();
    await stopAllServices();
  }
}

/** Under npm, Ctrl-C arrives twice within milliseconds; only a later repeat means that the user does not wait. */
const repeatAfterMs = 1_000;

let interruptedAt: number | null = null;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    if (interruptedAt === null) {
      interruptedAt = performance.now();
      printError(`${name}: ending the service and Prometheus`);
      interruption.abort(new Error(`ended by ${name}`));
    } else if (performance.now() - interruptedAt > repeatAfterMs) process.exit(130); // what runs ends on its own
  });
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (interruption.signal.aborted) process.exit(130);
    printError(error instanceof UsageError ? `${error.message}\n${usage}` : error);
    process.exit(1);
  },
);
