import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { it } from 'mocha';
import { type Ran, root, runProgram } from '../../lab/run-program.ts';

/*
 * The samples of a document are run as they stand there. A fenced block is a sample by its language, and words behind
 * the language say more:
 *
 *   ```ts, ```sh         a script of its own: run with `node` or `bash -euo pipefail`, or in one shell with all
 *                        others (`shell.ts`); it must end with 0
 *   ```py, ```go         the same, with `python3` and with `go`, their standard libraries and our clients alone
 *   ```ts continued      goes on in the last script of the same language
 *   ```ts not-run        is held against the types, and not run; a ```sh not-run is only read
 *   ```ts server         a program that listens on PORT; a test starts it and talks to it (`sample-servers.ts`)
 *   ```text output       what the sample before prints, in any language; `…` stands for anything
 *
 * Other blocks are no samples. A script is laid out on the lines that it has in the document, so that its errors name
 * them.
 */

/** A fenced block of a document. */
export interface Block {
  /** Of its first line, from 1. */
  line: number;
  language: string;
  words: string[];
  code: string;
  /** The heading that it stands under. */
  heading: string;
}

type Language = 'ts' | 'sh' | 'py' | 'go';

export interface Script {
  /** Such as `README.md:12, First charge`. */
  title: string;
  language: Language;
  /** Whether it is run to its end, as it stands. */
  isRun: boolean;
  isServer: boolean;
  /** The document with everything but the script left blank. */
  text: string;
  /** What it is said to print, in this order. */
  outputs: string[];
}

const languages: Readonly<Record<string, Language>> = { ts: 'ts', sh: 'sh', bash: 'sh', py: 'py', go: 'go' };
const programs: Readonly<Record<Language, string>> = { ts: process.execPath, sh: 'bash', py: 'python3', go: 'go' };
const longestRunMs = 60_000;
/** The first Go program of a machine compiles the standard library. */
const longestBuildMs = 300_000;

/** Every fenced block of a text in Markdown. */
export function blocksIn(markdown: string): Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { fence: string; block: Block; lines: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open === undefined) {
      heading = /^#+ +(.*)$/.exec(line)?.[1] ?? heading;
      if (fence === undefined) continue;
      const [language = '', ...words] = info.trim().split(/\s+/);
      open = { fence, block: { line: index + 2, language, words, code: '', heading }, lines: [] };
    } else if (fence?.startsWith(open.fence) && info.trim() === '') {
      blocks.push({ ...open.block, code: open.lines.join('\n') });
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) throw new Error(`the block of line ${open.block.line} does not end`);
  return blocks;
}

/**
 * The scripts of a document, whose `name` their titles give.
 * @throws Error for a block that continues nothing, or an output of nothing.
 */
export function scriptsIn(markdown: string, name: string): Script[] {
  const scripts: Script[] = [];
  let latest: Script | undefined;
  for (const block of blocksIn(markdown)) {
    const { line, words, code, heading } = block;
    const language = languages[block.language];
    if (words.includes('output')) {
      if (latest === undefined) throw new Error(`${name}:${line} is the output of nothing`);
      latest.outputs.push(code);
    } else if (language !== undefined && words.includes('continued')) {
      const begun = scripts.findLast((script) => script.language === language);
      if (begun === undefined) throw new Error(`${name}:${line} continues nothing`);
      begun.text = laidOut(begun.text, line, code);
      latest = begun;
    } else if (language !== undefined) {
      const title = `${name}:${line}${heading === '' ? '' : `, ${heading}`}`;
      const isServer = words.includes('server');
      const isRun = !isServer && !words.includes('not-run');
      latest = { title, language, isRun, isServer, text: laidOut('', line, code), outputs: [] };
      scripts.push(latest);
    }
  }
  return scripts;
}

function laidOut(text: string, line: number, code: string): string {
  const before = text === '' ? 0 : text.split('\n').length;
  return `${text}${'\n'.repeat(line - Math.max(1, before))}${code}`;
}

/** A folder in which scripts find the packages of this repository, and nothing else of it. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'samples-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await symlink(join(root, 'clients/python/src/payments_service'), join(folder, 'payments_service'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a script in a process of its own, with this environment and no more of ours than it takes to run. */
export function runScript(script: Script, env: Readonly<Record<string, string>>): Promise<Ran> {
  return withFolder(async (folder) => run(await commandOf(script, folder), folder, env));
}

/** Why scripts of this language cannot be run on this machine; null when they can. */
export function whyNotRun(language: Language): string | null {
  const program = programs[language];
  const { error } = spawnSync(program, [language === 'go' ? 'version' : '--version']);
  return error === undefined ? null : `${program} is not on this machine`;
}

/** Writes the script into the folder; returns the command that runs it. A Go program is built first. */
export async function commandOf({ title, language, text }: Script, folder: string): Promise<string[]> {
  const file = join(folder, `sample.${language}`);
  await writeFile(file, text);
  if (language === 'ts') return [programs.ts, '--conditions=payments-source', file];
  if (language === 'sh') return [programs.sh, '-euo', 'pipefail', file];
  if (language === 'py') return [programs.py, file];
  return builtGo(folder, file, title);
}

/**
 * Builds a Go program in this folder, in which it finds our client, and nothing else outside the standard library.
 * Returns the command that runs it. @throws Error with what the compiler says.
 */
export async function builtGo(folder: string, file: string, title: string): Promise<string[]> {
  const program = join(folder, 'program');
  const client = `payments-service.example/client`;
  const requirement = `require ${client} v0.0.0\nreplace ${client} => ${join(root, 'clients/go')}\n`;
  await writeFile(join(folder, 'go.mod'), `module sample\n\ngo 1.24\n${requirement}`);
  // In our own cache, and with the flag that the Temporal server is built with, so that the standard library is there.
  const cache = spawnSync(programs.go, ['env', 'GOCACHE'], { encoding: 'utf8' }).stdout.trim();
  const environment = { GOCACHE: cache, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=mod', GOPROXY: 'off' };
  const command = [programs.go, 'build', '-trimpath', '-o', program, file];
  const { code, stderr } = await run(command, folder, environment, { timeoutMs: longestBuildMs });
  if (code !== 0) throw new Error(`${title} cannot be built:\n${stderr}`);
  return [program];
}

/** What the compiler says of the scripts in TypeScript, by the rules of this repository; nothing when all are right. */
export async function typeErrors(scripts: readonly Script[]): Promise<string> {
  const written = scripts.filter(({ language }) => language === 'ts');
  if (written.length === 0) return '';
  return withFolder(async (folder) => {
    for (const [index, { text }] of written.entries()) {
      // Two samples may use the same names: each is a module, even when it imports nothing.
      await writeFile(join(folder, `sample-${index}.ts`), `${text}\nexport {};\n`);
    }
    const compilerOptions = { types: ['node'], noUnusedLocals: false };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout, stderr } = await run(
      [process.execPath, tsc, '--noEmit', '--pretty', 'false', '-p', folder],
      folder,
      {},
    );
    const named = (text: string) => text.replace(/sample-(\d+)\.ts/g, (_, index) => written[index]?.title ?? '');
    return named(stdout + stderr).trim();
  });
}

/** Runs a command to its end, or until the signal stops it. */
export function run(
  [program = '', ...args]: string[],
  folder: string,
  env: Readonly<Record<string, string>>,
  { signal, timeoutMs = longestRunMs }: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<Ran> {
  const environment = { PATH: process.env.PATH, HOME: folder, PYTHONDONTWRITEBYTECODE: '1', ...env };
  return runProgram(program, args, { cwd: folder, env: environment, signal, timeoutMs });
}

/** @throws AssertionError when a script has failed, or has not printed what the document says. */
export function assertRan({ title, outputs }: Script, { code, stdout, stderr }: Ran): void {
  assert.equal(code, 0, `${title} ended with ${code}:\n${stdout}${stderr}`);
  let from = 0;
  for (const output of outputs) {
    const found = patternOf(output).exec(stdout.slice(from));
    assert.ok(found, `${title} should have printed\n${output}\nand has printed\n${stdout}`);
    from += found.index + found[0].length;
  }
}

function patternOf(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*?')}$`, 'm');
}

/**
 * Declares the tests of a document's samples in the calling `describe`: `run` runs each, in the order of the document,
 * and all are held against the types.
 */
export function itRunsSamplesOf(file: URL, run: (script: Script) => Promise<Ran>): void {
  const scripts = scriptsIn(readFileSync(file, 'utf8'), basename(file.pathname));

  it('has samples that are of the right types', async function () {
    this.timeout(longestRunMs);
    assert.ok(scripts.length > 0, `${file.pathname} has no samples`);
    assert.equal(await typeErrors(scripts), '');
  });
  for (const script of scripts.filter(({ isRun }) => isRun)) {
    const obstacle = whyNotRun(script.language);
    if (obstacle !== null) it(`has a sample that is not run, since ${obstacle}: ${script.title}`);
    else
      it(`has a sample that runs as it stands: ${script.title}`, async function () {
        this.timeout(longestRunMs + 40_000);
        assertRan(script, await run(script));
      });
  }
}
