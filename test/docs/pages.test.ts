import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invariants } from '../../src/operations/invariants/invariants.ts';
import { rowKinds } from '../../src/operations/stuck/kinds.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const client = 'clients/typescript';
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'temporal/README.md', `${client}/README.md`],
  ...['clients/README.md', 'clients/python/README.md', 'clients/go/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === '.md')
    .map((name) => `docs/${name}`),
];
const withoutSamples = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '');
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** The folders of the repository whose files the pages name. */
const folders = 'src|dev|test|demo|bench|fuzz|faults|lab|tools|patches|docs|monitoring|temporal|clients|processors';
const repositoryPath = new RegExp(String.raw`(?<![\w./-])(?:${folders})/[\w./-]*\w`, 'g');
/** Code such as `workflows/collection.ts`: relative to src/, or to the folder of the page. */
const relativePath = /(?<=`)\w[\w.-]*\/[\w./-]*\w\.(?:ts|mjs|md|sql|ya?ml|json|cfg|sh)(?=`)/g;
const command = /npm run (?<flags>(?:-{1,2}[\w-]+ )*)(?:-w \S+ )?(?<script>[a-z][\w:-]*)(?<workspace> -w \S+)?/g;
/** Constants of Temporal. */
const foreign = new Set(['REJECT_DUPLICATE']);
const variable = /(?<=`)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[`=])/g;

/** Names that stand for any file, such as `NNNN_name.sql` or `before-<name>`. */
const isPlaceholder = (text: string, end: number, path: string) =>
  /[<…*]/.test(text[end] ?? '') || text[end + 1] === '<' || path.includes('NNNN');

function pathsIn(page: string): string[] {
  const text = textOf(page);
  return [repositoryPath, relativePath].flatMap((pattern) =>
    [...text.matchAll(pattern)]
      .filter((match) => !isPlaceholder(text, match.index + match[0].length, match[0]))
      .map(([path]) => path),
  );
}

const exists = (page: string, path: string) =>
  [path, `${path}.test.ts`, `src/${path}`, join(dirname(page), path)].some((name) => existsSync(join(root, name)));

function scriptsOf(folder: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).scripts);
}

/** All sources that read the environment, as one text. */
function sources(): string {
  const names = [
    'src',
    'dev',
    'test',
    'demo',
    'bench',
    'fuzz',
    'faults',
    'lab',
    'processors',
    'tools',
    'temporal',
    'patches',
    'clients/sandbox/src',
  ]
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    );
  const read = names.filter((name) => /\.(ts|mjs|ya?ml|env|cfg|sh)$/.test(name));
  return read.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
}

/** Returns the anchor of a heading on a page of a repository. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

function anchorsIn(page: string): string[] {
  const text = textOf(page);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

describe('the pages of the repository', () => {
  it('give the number of invariants, and the seconds until a charge is stuck, as the code has them', () => {
    const stuck = rowKinds.find(({ kind }) => kind === 'payment_processing');
    const numbers = (page: string, pattern: RegExp) => [...textOf(page).matchAll(pattern)].map(([, number]) => number);
    const counts = numbers('docs/operations.md', /(\d+) invariants/g);
    assert.deepEqual(counts, [`${invariants.length}`]);
    const after = numbers('docs/processors.md', /stuck after (\d+) seconds/g);
    assert.deepEqual(after, [`${stuck?.after}`]);
  });

  it('name only files that exist', () => {
    const missing = pages.flatMap((page) =>
      pathsIn(page)
        .filter((path) => !exists(page, path))
        .map((path) => `${page}: ${path}`),
    );
    assert.deepEqual(missing, []);
  });

  it('link only to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      [...withoutSamples(textOf(page)).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)]
        .filter(([, path = '', anchor]) => {
          const target = path === '' ? page : join(dirname(page), path);
          if (!existsSync(join(root, target))) return true;
          return anchor !== undefined && !anchorsIn(target).includes(anchor);
        })
        .map(([link]) => `${page}: ${link}`),
    );
    assert.deepEqual(broken, []);
  });

  it('have the headings to which the words of the programs send a reader', () => {
    const words = sources().replace(/' \+\n\s*'/g, '');
    const named = [...words.matchAll(/(docs\/[\w/-]+\.md), "([^"]+)"/g)];
    assert.ok(named.length >= 5, String(named.length));
    const missing = named.filter(([, page = '', heading = '']) => !anchorsIn(page).includes(anchorOf(heading)));
    assert.deepEqual(
      missing.map(([text]) => text),
      [],
    );
  });

  it('name only commands that package.json has', () => {
    const missing = pages.flatMap((page) =>
      [...textOf(page).matchAll(command)]
        .filter(({ 0: text, groups }) => {
          const isClient = page.startsWith(client) || text.includes(`-w ${client}`);
          return !scriptsOf(isClient ? client : '.').includes(groups?.script ?? '');
        })
        .map(([text]) => `${page}: ${text}`),
    );
    assert.deepEqual(missing, []);
  });

  it('name only variables that a program reads', () => {
    const read = sources();
    const unknown = pages.flatMap((page) =>
      [...textOf(page).matchAll(variable)]
        .filter(([name]) => !foreign.has(name) && !new RegExp(`\\b${name}\\b`).test(read))
        .map(([name]) => `${page}: ${name}`),
    );
    assert.deepEqual(unknown, []);
  });

  it('are found, with their paths, commands and variables', () => {
    const count = (pattern: RegExp) => pages.flatMap((page) => [...textOf(page).matchAll(pattern)]).length;
    for (const pattern of [repositoryPath, relativePath, command, variable])
      assert.ok(count(pattern) > 40, String(pattern));
  });
});
