import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newSubject } from './new-subject.ts';

/** A text that is inserted behind an anchor of a file, or a new file when there is no anchor. */
export interface Edit {
  file: string;
  after: string | null;
  insert: string;
}

export interface Walk {
  /** The edits of each step. Forgetting a step must be found. */
  steps: Readonly<Record<string, readonly Edit[]>>;
  /** The steps of its own, which are left out in turn; all if not given. Other walks leave out the others. */
  own?: readonly string[];
  /** Files that are compiled against the change, beside those that are changed. */
  compiled: readonly string[];
  /** How many source files the walk may take, and how many of them exist already. */
  atMost: number;
  existingAtMost?: number;
}

const customers = 'src/services/customers/customers.ts';
const deletion = 'src/services/subjects/customer-deletion.ts';
const catalogue = 'src/resources/event-catalogue.ts';

/** The walks of docs/development.md, each by an example. */
export const walks: Readonly<Record<string, Walk>> = {
  'a field on a customer': {
    steps: {
      'the row': [
        {
          file: 'src/db/customers.ts',
          after: '  business_name: string | null;\n',
          insert: '  nickname: string | null;\n',
        },
      ],
      'the schemas': [
        {
          file: 'src/resources/customer.ts',
          after: "  business_name: Text(255, 'Business name.'),\n",
          insert: "  nickname: Text(255, 'Nickname.'),\n",
        },
        {
          file: 'src/resources/customer.ts',
          after: "    business_name: Nullable(Type.String(), { description: 'Business name.' }),\n",
          insert: "    nickname: Nullable(Type.String(), { description: 'Nickname.' }),\n",
        },
        { file: 'src/resources/customer.ts', after: '  business_name: null,\n', insert: '  nickname: null,\n' },
      ],
      'the new row': [
        {
          file: customers,
          after: '    business_name: input.business_name ?? null,\n',
          insert: '    nickname: input.nickname ?? null,\n',
        },
      ],
    },
    compiled: [],
    atMost: 3,
  },
  'a new event': {
    steps: {
      'the entry of the catalogue': [
        {
          file: catalogue,
          after: 'export const eventCatalogue = {\n',
          insert: "  'customer.deleted': event(Customer, 'A customer was deleted.', customerExample),\n",
        },
        {
          file: catalogue,
          after: "import { dueAt, madeAt } from './examples.ts';\n",
          insert: "import { Customer, customerExample } from './customer.ts';\n",
        },
      ],
      'the scope of its group': [
        {
          file: catalogue,
          after: 'export const eventGroups = {\n',
          insert: "  customer: { scope: 'customers:read', isClockEffect: false },\n",
        },
      ],
      // Forgetting to record it is found by `npm test` as a whole: no test sees the event.
    },
    compiled: [
      'src/services/events.ts',
      'src/services/webhooks/event-scopes.ts',
      'src/resources/clock-effect.ts',
      deletion,
    ],
    atMost: 3,
  },
  'a new resource': {
    steps: {
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
    },
    compiled: ['src/resources/common.ts', 'src/services/paging.ts', 'src/db/tenant.ts', 'src/api/http/route.ts'],
    atMost: 10,
  },
  'a new subject': newSubject,
};

/** Applies an edit to a copy of the source. */
export async function applyEdit(folder: string, { file, after: anchor, insert }: Edit): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  const text = anchor === null ? '' : await readFile(path, 'utf8');
  if (anchor !== null) assert.equal(text.split(anchor).length, 2, `${file} has not exactly one: ${anchor}`);
  await writeFile(path, anchor === null ? insert : text.replace(anchor, () => anchor + insert));
}
