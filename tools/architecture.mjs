// Checks who may import whom: the table of docs/architecture.md is read, so the page and the check cannot differ. The
// sources are checked twice: once with types, and once as they run, without them.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { cruise } from 'dependency-cruiser';

/** A row of the table: a folder, what it may import, and what of that it may import as types only (in italics). */
const row = /^\| `src\/([a-z]+)` \|[^|]*\| ([^|]*) \|$/gm;

async function readTable() {
  const page = await readFile('docs/architecture.md', 'utf8');
  const folders = [...page.matchAll(row)].map(([, folder, cell]) => {
    const others = cell === 'nothing' ? [] : cell.split(', ');
    const typesOnly = others.filter((other) => other.startsWith('*')).map((other) => other.replaceAll('*', ''));
    return { folder, others: others.map((other) => other.replaceAll('*', '')), typesOnly };
  });
  const known = (await readdir('src', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const missing = known.map(({ name }) => name).filter((name) => !folders.some(({ folder }) => folder === name));
  if (missing.length > 0) throw new Error(`docs/architecture.md says nothing of src/${missing.join(', src/')}`);
  return folders;
}

/** The folders of `src` that `lab` may import. */
function labMayImport(folders) {
  const processes = folders.find(({ folder }) => folder === 'processes');
  return ['processes', ...(processes?.others ?? [])];
}

/** Types included. */
function importRules(folders) {
  return [
    ...folders.map(({ folder, others }) => ({
      name: `src/${folder} imports ${others.join(', ') || 'nothing of ours'}`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: '^src/', pathNot: `^src/(${[folder, ...others].join('|')})/` },
    })),
    { name: 'src imports nothing of dev or lab', severity: 'error', from: { path: '^src/' }, to: { path: '^(dev|lab)/' } },
    {
      name: 'processors import src/platform and src/processes of ours, and nothing else',
      severity: 'error',
      from: { path: '^processors/' },
      to: { path: '^(src|dev|lab|demo|bench|faults|fuzz|test)/', pathNot: '^src/(platform|processes)/' },
    },
    { name: 'dev imports nothing of lab', severity: 'error', from: { path: '^dev/' }, to: { path: '^lab/' } },
    {
      name: 'lab imports dev, src/processes and what that may import',
      severity: 'error',
      from: { path: '^lab/' },
      to: { path: '^(src|demo|bench|faults|fuzz|test|tools)/', pathNot: `^src/(${labMayImport(folders).join('|')})/` },
    },
    {
      name: 'src, dev and lab import nothing of processors',
      severity: 'error',
      from: { path: '^(src|dev|lab)/' },
      to: { path: '^processors/' },
    },
    {
      name: 'payments know nothing of plans',
      severity: 'error',
      from: { path: '^src/services/payments/' },
      to: { path: '^src/(services/plans/|db/payment-plan)' },
    },
    { name: 'no import cycle', severity: 'error', from: {}, to: { circular: true } },
  ];
}

function runRules(folders) {
  return folders
    .filter(({ typesOnly }) => typesOnly.length > 0)
    .map(({ folder, typesOnly }) => ({
      name: `src/${folder} imports types of ${typesOnly.join(', ')} and nothing else`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: { path: `^src/(${typesOnly.join('|')})/` },
    }));
}

/** Folders, rooms included, that import each other: the arrows between them would run both ways. */
function twoWayPairs(modules) {
  const arrows = new Map();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [dirname(source), dirname(resolved)];
      if (from !== to) arrows.set(`${from} → ${to}`, { from, to, example: `${source} → ${resolved}` });
    }
  }
  return [...arrows.values()].filter(({ from, to }) => from < to && arrows.has(`${to} → ${from}`));
}

async function check(title, folder, folders, forbidden) {
  const { output } = await cruise(folders, {
    baseDir: folder,
    validate: true,
    ruleSet: { forbidden },
    includeOnly: '^(src|dev|lab|processors|demo|bench|faults|fuzz)/', // packages are judged by docs/dependencies.md
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.cjs', '.json'], conditionNames: ['import', 'require', 'node', 'default'] },
  });
  if (typeof output === 'string') throw new TypeError('dependency-cruiser returned a text');
  const { violations, totalCruised, totalDependenciesCruised } = output.summary;
  for (const { rule, from, to } of violations) console.error(`${rule.name}: ${from} → ${to}`);
  const pairs = twoWayPairs(output.modules.filter(({ source }) => /^(src|dev|lab|processors)\//.test(source)));
  for (const { from, to, example } of pairs) console.error(`${from} and ${to} import each other: ${example}`);
  const count = violations.length + pairs.length;
  console.log(`${title}: ${totalCruised} modules, ${totalDependenciesCruised} imports, ${count} violations`);
  return count === 0 && totalCruised > 0;
}

/** A copy of the sources with the types taken out, and so without the imports of types. */
async function withoutTypes(root) {
  const copy = await mkdtemp(join(tmpdir(), 'architecture-'));
  for (const entry of await readdir(join(root, 'src'), { recursive: true })) {
    if (!entry.endsWith('.ts')) continue;
    const source = await readFile(join(root, 'src', entry), 'utf8');
    await mkdir(dirname(join(copy, 'src', entry)), { recursive: true });
    await writeFile(join(copy, 'src', entry), stripTypeScriptTypes(source));
  }
  return copy;
}

const users = ['demo', 'bench', 'faults', 'fuzz'];
const root = process.cwd();
const table = await readTable();
const copy = await withoutTypes(root);
try {
  const isAllowed = await check('with types', root, ['src', 'dev', 'lab', 'processors', ...users], importRules(table));
  const isRun = await check('as it runs', copy, ['src'], runRules(table));
  process.exitCode = isAllowed && isRun ? 0 : 1;
} finally {
  await rm(copy, { recursive: true });
}
