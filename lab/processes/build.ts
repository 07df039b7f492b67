import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The programs of the processes, ready for node. */
interface Programs {
  api: string;
  worker: string;
}

/**
 * Copies the sources into the folder and bundles both processes from the copy, once. A run starts them hundreds of times:
 * reading the sources each time would cost more than the load does, and an edited file would change the version in the
 * middle of the run. The worker's packages stay where they are, because they have native parts.
 */
export async function buildPrograms(folder: string): Promise<Programs> {
  await mkdir(join(folder, 'lab'), { recursive: true });
  for (const name of ['src', 'lab/processes', 'package.json', 'package-lock.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const common: BuildOptions = {
    absWorkingDir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'error',
    plugins: [keepSourceUrls],
  };
  const entry = (name: string) => join(folder, 'lab', 'processes', `${name}.ts`);
  const files = { api: join(folder, 'api.mjs'), worker: join(folder, 'worker.mjs') };
  await Promise.all([
    // Whole, as `npm run api` runs it.
    build({ ...common, entryPoints: [entry('api')], outfile: files.api, banner: { js: banner } }),
    build({ ...common, entryPoints: [entry('worker')], outfile: files.worker, packages: 'external' }),
  ]);
  return files;
}

/** CommonJS packages need these, which a module does not have. */
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); " +
  'const __dirname = import.meta.dirname; const __filename = import.meta.filename;';

/** Sources that read files beside themselves find them there, not beside the bundle. */
const keepSourceUrls: Plugin = {
  name: 'import.meta.url of the sources',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return null;
      const text = await readFile(path, 'utf8');
      const url = JSON.stringify(pathToFileURL(path).href);
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', url) };
    });
  },
};
