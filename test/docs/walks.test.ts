import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { routeFileFaults } from '../support/route-files.ts';

/** A text that is inserted behind an anchor of a file, or a new file when there is no anchor. */
interface Edit {
  file: string;
  after: string | null;
  insert: string;
}

/** The walk "a new resource" of docs/development.md: the edits of each step. Forgetting a step must be found. */
const steps: Readonly<Record<string, readonly Edit[]>> = {
  'the kind of id': [
    {
      file: 'src/domain/ids.ts',
      after: 'export const idKinds = {\n',
      insert: "  gift_card: { prefix: 'gc_', collection: 'gift_cards', logField: 'gift_card_id' },\n",
    },
  ],
  'the scope': [
    {
      file: 'src/services/accounts/scopes.ts',
      after: 'export const allScopes = [\n',
      insert: "  'gift_cards:read',\n",
    },
  ],
  'the table': [
    {
      file: 'src/db/gift-cards.ts',
      after: null,
      insert: `import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db } from '../platform/postgres/connection.ts';
import { isAfter, type Page, type TenantKey } from './tenant.ts';

export interface GiftCardRow {
  id: Id<'gift_card'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  created_at: CustomerInstant;
}

export async function listGiftCards(db: Db, tenant: TenantKey, { limit, after }: Page): Promise<GiftCardRow[]> {
  return db<GiftCardRow[]>\`
select * from gift_cards
where biller_id = \${tenant.billerId} and livemode = \${tenant.livemode}
  and \${isAfter(db, 'gift_cards', tenant, after)}
order by id desc limit \${limit + 1}\`;
}
`,
    },
  ],
  'schema, tag, example and presenter': [
    {
      file: 'src/resources/gift-card.ts',
      after: null,
      insert: `import type { Static } from 'typebox';
import type { GiftCardRow } from '../db/gift-cards.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, Livemode, present, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example } from './examples.ts';

export const giftCards: Tag = { name: 'Gift cards', description: 'Cards that a payer buys as a gift.' };

export const GiftCard = Strict(
  { id: Id('gift_card', 'The id of the card.'), livemode: Livemode, created_at: Timestamp },
  { title: 'GiftCard' },
);
example(GiftCard, { id: exampleId('gift_card'), livemode: false, created_at: dueAt });

export function presentGiftCard(row: GiftCardRow): Static<typeof GiftCard> {
  return present(GiftCard, row);
}
`,
    },
  ],
  'the service': [
    {
      file: 'src/services/payments/gift-cards.ts',
      after: null,
      insert: `import { listGiftCards as selectCards } from '../../db/gift-cards.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { rowsOfPage } from '../paging.ts';
import type { Tenant } from '../request-context.ts';

export async function listGiftCards(db: Db, tenant: Tenant, query: { limit?: number; starting_after?: string }) {
  return rowsOfPage(db, 'gift_cards', tenant, query, (page) => selectCards(db, tenant, page));
}
`,
    },
  ],
  'the route': [
    {
      file: 'src/api/routes/gift-cards.ts',
      after: null,
      insert: `import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import { GiftCard, giftCards, presentGiftCard } from '../../resources/gift-card.ts';
import { listGiftCards } from '../../services/payments/gift-cards.ts';
import { type Route, route } from '../http/route.ts';

export const giftCardRoutes: Route[] = [
  route({
method: 'GET',
path: '/api/v1/gift_cards',
operation: 'listGiftCards',
tag: giftCards,
summary: 'List gift cards, newest first',
access: { scope: 'gift_cards:read' },
invalid: 422,
query: Strict(listQuery),
response: { status: 200, schema: ListOf(GiftCard) },
handle: async ({ context, query, deps }) =>
  page(await listGiftCards(deps.db, context, query), presentGiftCard),
  }),
];
`,
    },
  ],
  'the list of routes': [
    {
      file: 'src/api/routes/index.ts',
      after: "import { paymentIntentRoutes } from './payment-intents.ts';\n",
      insert: "import { giftCardRoutes } from './gift-cards.ts';\n",
    },
    { file: 'src/api/routes/index.ts', after: '  ...paymentIntentRoutes,\n', insert: '  ...giftCardRoutes,\n' },
  ],
};
const edits = Object.values(steps).flat();

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Is not compiled, since it imports almost everything: `routeFileFaults` checks it. */
const routesIndex = 'src/api/routes/index.ts';

/** The files that are copied: those that the walk changes, and those that are compiled against the change. */
const copies = new Set([
  ...['src/resources/common.ts', 'src/services/paging.ts', 'src/db/tenant.ts', 'src/api/http/route.ts'],
  ...edits.map(({ file }) => file),
]);

/** The walk with all of its steps, and with all but one. */
const variants = [null, ...Object.keys(steps)].map((omitted, nth) => ({ folder: `walk-${nth}`, omitted }));

describe('the walk of a new resource, on a scratch copy of the source', function () {
  this.timeout(300_000);
  let scratch = '';
  let report = '';

  before('make a copy for each step that is left out, and compile them all at once', async () => {
    scratch = await mkdtemp(join(tmpdir(), 'walks-'));
    await symlink(join(root, 'node_modules'), join(scratch, 'node_modules'));
    await writeFile(join(scratch, 'package.json'), '{ "type": "module" }');
    for (const { folder, omitted } of variants) {
      await copy('src', join(scratch, folder));
      for (const [name, own] of Object.entries(steps)) {
        if (name !== omitted) for (const edit of own) await applyEdit(join(scratch, folder), edit);
      }
    }
    const include = variants.flatMap(({ folder }) => [...copies].map((file) => `${folder}/${file}`));
    // By `include`, which allows that a file is missing: a step that is left out may be one.
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { types: ['node'] },
      include: include.filter((file) => !file.endsWith(routesIndex)),
    };
    await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(config));
    const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '--noEmit', '--pretty', 'false', '-p', scratch];
    report = await new Promise((resolve) => {
      execFile(process.execPath, compiler, { cwd: scratch }, (_, stdout) => resolve(stdout));
    });
  });
  after('remove the copies', () => rm(scratch, { recursive: true, force: true }));

  for (const { folder, omitted } of variants) {
    it(omitted === null ? 'compiles' : `is refused without ${omitted}`, async () => {
      const errors = report.split('\n').filter((line) => line.startsWith(`${folder}/`));
      const unlisted = await routeFileFaults(join(scratch, folder, 'src/api/routes'));
      if (omitted === null) assert.deepEqual([errors, unlisted], [[], []]);
      else assert.ok(errors.length + unlisted.length > 0, 'neither the compiler nor a test has found it');
    });
  }
});

/** Copies the files of a folder of the repository that change. All others are links, so that they are compiled once. */
async function copy(folder: string, to: string): Promise<void> {
  await mkdir(join(to, folder), { recursive: true });
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (copies.has(path)) await cp(join(root, path), join(to, path));
    else if ([...copies].some((file) => file.startsWith(`${path}/`))) await copy(path, to);
    else await symlink(join(root, path), join(to, path));
  }
}

/** Applies an edit to a copy of the source. */
async function applyEdit(folder: string, { file, after: anchor, insert }: Edit): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  const text = anchor === null ? '' : await readFile(path, 'utf8');
  if (anchor !== null) assert.equal(text.split(anchor).length, 2, `${file} has not exactly one: ${anchor}`);
  await writeFile(path, anchor === null ? insert : text.replace(anchor, () => anchor + insert));
}
