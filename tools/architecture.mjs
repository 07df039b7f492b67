// Checks which part of the service knows, and which part runs, which other part: the layers of docs/architecture.md.
// Twice, because the two differ: a type may be known where the code behind it must not be run. The second look is at the
// sources without their types, as they are executed.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { transform } from 'esbuild';

/** What each layer may know of, types included; every layer knows itself. */
const mayKnow = {
  domain: [],
  resources: ['domain', 'db'],
  db: ['domain', 'resources'],
  processors: ['domain'],
  services: ['domain', 'db', 'resources', 'processors'],
  activities: ['domain', 'db', 'processors', 'services'],
  workflows: ['domain', 'activities'],
  api: ['domain', 'db', 'resources', 'processors', 'services', 'runtime'],
};

/** What of that it may only know, and not run. */
const mayNotRun = {
  db: { layers: ['resources'], because: 'JSON columns have the types of the schemas that checked them, and no more' },
  workflows: { layers: ['activities'], because: 'an activity is called by name; its code would break determinism' },
  api: { layers: ['runtime', 'processors'], because: 'the app is a function of what it is given' },
};

const knowing = [
  ...Object.entries(mayKnow).map(([layer, others]) => ({
    name: `${layer} knows ${others.join(', ') || 'nothing of ours'}`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
    to: { path: '^src/', pathNot: `^src/(${[layer, ...others].join('|')})/` },
  })),
  { name: 'every file is used', severity: 'error', from: { orphan: true, pathNot: 'temporal-download-by-sdk|launch' }, to: {} },
];

const running = [
  ...Object.entries(mayNotRun).map(([layer, { layers, because }]) => ({
    name: `${layer} does not run ${layers.join(', ')}: ${because}`,
    severity: 'error',
    from: { path: `^src/${layer}/` },
    to: { path: `^src/(${layers.join('|')})/` },
  })),
  { name: 'nothing runs in a circle', severity: 'error', from: {}, to: { circular: true } },
];

async function check(title, folder, forbidden) {
  const { output } = await cruise(['src'], {
    baseDir: folder,
    validate: true,
    ruleSet: { forbidden },
    includeOnly: '^src/', // packages are judged by docs/dependencies.md
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.cjs', '.json'], conditionNames: ['import', 'require', 'node', 'default'] },
  });
  if (typeof output === 'string') throw new TypeError('dependency-cruiser answered with a text');
  const { violations, totalCruised, totalDependenciesCruised } = output.summary;
  for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
  console.log(`${title}: ${totalCruised} modules, ${totalDependenciesCruised} dependencies, ${violations.length} violations`);
  return violations.length === 0 && totalCruised > 0;
}

/** A copy of the sources with the types taken out, and so without the imports of types. */
async function withoutTypes(root) {
  const copy = await mkdtemp(join(tmpdir(), 'architecture-'));
  for (const entry of await readdir(join(root, 'src'), { recursive: true })) {
    if (!entry.endsWith('.ts')) continue;
    const source = await readFile(join(root, 'src', entry), 'utf8');
    const { code } = await transform(source, {
      loader: 'ts',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    });
    await mkdir(dirname(join(copy, 'src', entry)), { recursive: true });
    await writeFile(join(copy, 'src', entry), code);
  }
  return copy;
}

const root = process.cwd();
const copy = await withoutTypes(root);
try {
  const isKnown = await check('known', root, knowing);
  const isRun = await check('run', copy, running);
  process.exitCode = isKnown && isRun ? 0 : 1;
} finally {
  await rm(copy, { recursive: true });
}
