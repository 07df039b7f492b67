// Starts a process of the service (`launch.mjs api`, `launch.mjs worker`) from one file that is bundled from its sources:
// hundreds of small modules take longer to find and read than to run. The bundle is cached under the checksum of its
// sources, so a change makes a new one.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import '../../patches/apply.mjs'; // before anything is bundled

const root = fileURLToPath(new URL('../../', import.meta.url));
const source = join(root, 'src');
const cache = join(root, 'node_modules', '.cache', 'launch');

/**
 * Other versions may start from the same cache, now and later. A bundle is removed when it was not used for a week, and
 * the four that were used last are always kept. A draft that is an hour old comes from a process that died.
 */
const keptMs = 7 * 86_400_000;
const keptAtLeast = 4;
const draftMs = 3_600_000;

/** CommonJS packages need these names, which an ES module does not have. */
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); " +
  'const __dirname = import.meta.dirname; const __filename = import.meta.filename;';

/** How each process bundles its packages. The worker's stay external: they have native parts and files of their own. */
const programs = { api: { packages: 'bundle' }, worker: { packages: 'external' } };

/** Lets a source find the files beside itself, wherever the bundle is kept. */
const beside = {
  name: 'import.meta.url of the sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(source)) return null;
      const url = `new URL(${JSON.stringify(relative(source, path))}, globalThis.sourcesOfService).href`;
      return { loader: 'ts', contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', url) };
    });
  },
};

async function checksum() {
  const hash = createHash('sha256').update(await readFile(join(root, 'package-lock.json')).catch(() => ''));
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(source, name))));
  for (const [index, name] of names.entries()) hash.update(`\0${name}\0`).update(texts[index] ?? '');
  return hash.digest('hex').slice(0, 32);
}

async function bundle(name, file) {
  const { build, stop } = await import('esbuild');
  const draft = `${file}.${process.pid}.draft`;
  await mkdir(cache, { recursive: true });
  await build({
    ...programs[name],
    entryPoints: [join(source, 'processes', `${name}.ts`)],
    outfile: draft,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    banner: { js: banner },
    logLevel: 'error',
    plugins: [beside],
  });
  await stop(); // otherwise esbuild's service process would keep running
  await rename(draft, file); // renamed only when it is complete: another process may be starting
}

/** The modification time of a bundle's file is when it was last used. */
async function discardOld() {
  const names = await readdir(cache);
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(cache, name)).catch(() => null); // another process may discard it too
      return { name, usedAt: found?.mtimeMs ?? Date.now() };
    }),
  );
  const newestFirst = files.sort((a, b) => b.usedAt - a.usedAt);
  const isOlder = ({ usedAt }, ms) => usedAt < Date.now() - ms;
  const old = [
    ...newestFirst
      .filter(({ name }) => name.endsWith('.mjs'))
      .slice(keptAtLeast)
      .filter((file) => isOlder(file, keptMs)),
    ...newestFirst.filter((file) => file.name.endsWith('.draft') && isOlder(file, draftMs)),
  ];
  await Promise.all(old.map(({ name }) => rm(join(cache, name), { force: true })));
}

const [name] = process.argv.slice(2);
if (!Object.hasOwn(programs, name ?? '')) {
  console.error('usage: node src/processes/launch.mjs api|worker');
  process.exit(2);
}
const file = join(cache, `${name}-${await checksum()}.mjs`);
const now = new Date();
const isKept = await utimes(file, now, now).then(
  () => true,
  ({ code }) => code !== 'ENOENT', // the cache may belong to another user, and be read-only
);
if (!isKept) {
  await bundle(name, file);
  await discardOld();
}
process.setSourceMapsEnabled(true);
globalThis.sourcesOfService = pathToFileURL(`${source}/`).href;
await import(pathToFileURL(file).href);
