import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../dev/tool.ts';
import { type RunOptions, runProgram } from '../../lab/run-program.ts';
import { readHost } from '../../src/processes/config/config.ts';

/** A generator of clients, with the steps from the document to a program that ends. */
export interface Generator {
  /** Its name, with that of the language if it has several. */
  name: string;
  version: string;
  /** The path of the document that it reads rightly. */
  document: '/openapi.json' | '/openapi.compat.json';
  /** The programs that must be on PATH. */
  needs: readonly string[];
  /** Fetches what is not here yet. */
  prepare(place: Place): Promise<void>;
  generate(place: Place): Promise<void>;
  /** Compiles all that was generated, and the scenario. */
  compile(place: Place): Promise<void>;
  /** The command of the scenario; it reads BASE_URL and API_KEY. */
  command(place: Place): readonly string[];
}

export interface Place {
  /** An empty folder for what is generated. */
  folder: string;
  /** What was fetched before, of all runs. */
  cache: string;
  /** The file of the document, in `folder`. */
  document: string;
  /** Runs a program in `folder`. @throws StepFailed if it does not end with 0 */
  run(command: readonly string[], options?: RunOptions): Promise<string>;
}

export const steps = ['prepare', 'generate', 'compile', 'scenario'] as const;
export type Step = (typeof steps)[number];

export interface Outcome {
  generator: Generator;
  /** The step that failed; null if none did. */
  failed: Step | null;
  /** What the step said, or why nothing was run. */
  report: string;
  isSkipped: boolean;
}

/** What every scenario prints. */
export const expected = `intent succeeded 1200
clock ready
2028-02-29 paid
2028-01-31 paid
events 1200 2500 2500
deleted true
`;

const longestStepMs = 600_000;
const lines = 25;

class StepFailed extends Error {
  override name = 'StepFailed';
}

/** The folder of what generators need, below that of the user. */
export function cacheFolder(): string {
  return join(readHost().cacheDir, 'generators');
}

/** Returns why this generator cannot run on this machine; null if it can. */
export async function obstacleTo({ needs }: Generator): Promise<string | null> {
  const { searchPath } = readHost();
  for (const program of needs) {
    if ((await findOnPath(program, searchPath)) === null) return `${program} is not on PATH`;
  }
  return null;
}

/**
 * Takes a generator from the text of a document to the end of its scenario, in an empty folder.
 * @param service where the scenario goes, with a sandbox secret key
 */
export async function tryGenerator(
  generator: Generator,
  document: string,
  folder: string,
  service: { baseUrl: string; key: string },
  signal?: AbortSignal,
): Promise<Outcome> {
  const obstacle = await obstacleTo(generator);
  if (obstacle !== null) return { generator, failed: null, report: obstacle, isSkipped: true };
  const cache = cacheFolder();
  await mkdir(cache, { recursive: true });
  const place: Place = {
    folder,
    cache,
    document: join(folder, 'openapi.json'),
    run: (command, options) => runStep(command, { cwd: folder, signal, ...options }),
  };
  await writeFile(place.document, document);
  const work: Record<Step, () => Promise<void>> = {
    prepare: () => generator.prepare(place),
    generate: () => generator.generate(place),
    compile: () => generator.compile(place),
    async scenario() {
      const env = { ...process.env, BASE_URL: service.baseUrl, API_KEY: service.key };
      const printed = await place.run(generator.command(place), { env });
      if (printed.toLowerCase() !== expected) throw new StepFailed(`The scenario printed:\n${printed}`);
    },
  };
  for (const step of steps) {
    try {
      await work[step]();
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error;
      return { generator, failed: step, report: error.message, isSkipped: false };
    }
  }
  return { generator, failed: null, report: '', isSkipped: false };
}

async function runStep([program = '', ...args]: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args, { timeoutMs: longestStepMs, ...options });
  if (code === 0) return stdout;
  const said = `${stdout}${stderr}`.trim().split('\n').slice(-lines).join('\n');
  throw new StepFailed(`${program} ended with ${code ?? 'a signal'}:\n${said}`);
}

/** Makes a folder of the cache by `make`, once: a folder that was begun and not finished is made anew. */
export async function once(folder: string, make: () => Promise<unknown>): Promise<void> {
  const mark = join(folder, 'complete');
  if (await stat(mark).catch(() => null)) return;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await make();
  await writeFile(mark, '');
}
