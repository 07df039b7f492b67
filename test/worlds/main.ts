// `npm run worlds`: tries random worlds, and shrinks those that do not tell one story.
import { readFile } from 'node:fs/promises';
import { readOptions, startLog, UsageError, wholeNumber } from '../../lab/program.ts';
import { stopAllServices } from '../../lab/service.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import { keptWorlds } from './kept.ts';
import { type OpenPlace, openQuickly, openService } from './open-place.ts';
import type { Place } from './place.ts';
import { worldOf } from './random-world.ts';
import { tryInRealTime } from './real-time.ts';
import { shrink } from './shrink.ts';
import type { Fault } from './telling.ts';
import { tryWorld } from './try-world.ts';
import type { World } from './world.ts';

const usage = `npm run worlds -- [--count N] [--seed N] [--at-once N] [--quick | --real-time] [--kept] [--file FILE]… [--most-failures N]
  --count          how many random worlds to try (20)
  --seed           where to begin; world n of a seed is always the same (a new one each day and second)
  --only           only this world of the seed, by its number
  --at-once        how many worlds are tried side by side (4)
  --quick          without Temporal: what its workflows do is done by direct calls. To search, not to prove
  --real-time      one advance of a clock, without Temporal, against real time that a test server of Temporal skips
  --kept           the worlds that were kept, before the random ones
  --file           try this kept world instead
  --most-failures  stop after so many worlds that failed (5)
  --shrink-seconds how long to look for a smaller world (120)`;

interface Found {
  name: string;
  world: World;
  fault: Fault;
}

/** Returns the first fault of each world, or null. */
type TryAll = (worlds: World[]) => Promise<(Fault | null)[]>;

/** How many worlds share one time, on a Temporal server of their own. */
const worldsOnOneServer = 25;

async function main(): Promise<number> {
  const options = readOptions({
    count: { type: 'string', default: '20' },
    seed: { type: 'string' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
    quick: { type: 'boolean', default: false },
    'real-time': { type: 'boolean', default: false },
    kept: { type: 'boolean', default: false },
    file: { type: 'string', multiple: true },
    'most-failures': { type: 'string', default: '5' },
    'shrink-seconds': { type: 'string', default: '120' },
  });
  if (options === null) {
    print(usage);
    return 0;
  }
  const { log, seconds } = startLog();
  const seed = options.seed ?? String(Math.floor(realNow().getTime() / 1000));
  const count = wholeNumber('--count', options.count);
  const mostFailures = wholeNumber('--most-failures', options['most-failures']);
  const shrinkMs = wholeNumber('--shrink-seconds', options['shrink-seconds']) * 1000;
  const worlds = await worldsOf(options, seed, count);
  const isQuick = options.quick || options['real-time'];
  log(`starts ${isQuick ? 'PostgreSQL and the API' : 'the service'}; seed ${seed}`);
  const opened: OpenPlace = await (isQuick ? openQuickly() : openService());
  const { place } = opened;
  const tryAll: TryAll = options['real-time']
    ? (some) => tryTogether(place, some)
    : (some) => Promise.all(some.map((world) => tryAlone(place, world)));
  const atOnce = options['real-time'] ? worldsOnOneServer : wholeNumber('--at-once', options['at-once']);
  const found: Found[] = [];
  try {
    const begun = seconds();
    let done = 0;
    const count = (some: { name: string; world: World }[], faults: (Fault | null)[]) => {
      for (const [index, one] of some.entries()) {
        const fault = faults[index] ?? null;
        done += 1;
        if (fault !== null) {
          log(`world ${one.name} fails: ${fault.rule}\n  ${fault.words.join('\n  ')}`);
          found.push({ ...one, fault });
        }
        if (done % 10 === 0) {
          const each = (seconds() - begun) / done;
          log(`${done} of ${worlds.length} worlds, ${found.length} failed, ${each.toFixed(2)} s each`);
        }
      }
    };
    const left = [...worlds];
    const work = async (size: number): Promise<void> => {
      for (;;) {
        const some = left.splice(0, size);
        if (some.length === 0 || found.length >= mostFailures) return;
        count(some, await tryAll(some.map(({ world }) => world)));
      }
    };
    if (options['real-time']) await work(atOnce);
    else await Promise.all(Array.from({ length: atOnce }, () => work(1)));
    const each = ((seconds() - begun) / Math.max(1, done)).toFixed(2);
    const how = options.quick ? ', quick' : options['real-time'] ? ', in real time' : '';
    print(`${done} worlds, ${found.length} failed, ${each} s each; seed ${seed}${how}`);
    for (const one of found) {
      if (shrinkMs <= 1000) break;
      await report(tryAll, one, shrinkMs, log);
    }
  } finally {
    await opened.close();
  }
  return found.length === 0 ? 0 : 1;
}

async function worldsOf(
  { file, kept, only }: { file?: string[]; kept: boolean; only?: string },
  seed: string,
  count: number,
): Promise<{ name: string; world: World }[]> {
  if (file !== undefined) {
    return Promise.all(file.map(async (name) => ({ name, world: JSON.parse(await readFile(name, 'utf8')) as World })));
  }
  const numbers = only === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(only)];
  return [
    ...(kept ? keptWorlds().map(({ title, ...world }) => ({ name: `"${title}"`, world })) : []),
    ...numbers.map((number) => ({ name: `${seed}/${number}`, world: worldOf(`${seed}/${number}`) })),
  ];
}

const tryAlone = (place: Place, world: World): Promise<Fault | null> =>
  tryWorld(place, world).then(({ fault }) => fault, broken);

/** If worlds that share a time cannot be told, each is told separately, to find which. */
async function tryTogether(place: Place, worlds: World[]): Promise<(Fault | null)[]> {
  try {
    return await tryInRealTime(place, worlds);
  } catch (error) {
    if (worlds.length === 1) return [broken(error)];
  }
  const faults: (Fault | null)[] = [];
  for (const world of worlds) faults.push(...(await tryTogether(place, [world])));
  return faults;
}

const broken = (error: unknown): Fault => ({
  rule: 'a world can be tried',
  words: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
});

async function report(tryAll: TryAll, { name, world, fault }: Found, limitMs: number, log: (line: string) => void) {
  log(`shrinks world ${name}`);
  const hasFault = async (smaller: World) => (await tryAll([smaller]))[0]?.rule === fault.rule;
  const smallest = await shrink(world, hasFault, limitMs);
  const [shown] = await tryAll([smallest]);
  const text = JSON.stringify({ title: `${fault.rule}: say here what`, ...smallest }, null, 2);
  print(`\nWorld ${name}: ${fault.rule}\n${(shown ?? fault).words.join('\n')}\n`);
  print(`To keep it, write this to test/worlds/kept/NAME.json and give it a title that states the rule:\n${text}`);
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof UsageError) printError(`${error.message}\n${usage}`);
  else printError(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 2;
} finally {
  await stopAllServices();
}
