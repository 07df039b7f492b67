import type { Edit, Walk } from './walks.ts';

// The walk "a new subject" of docs/development.md: a quote, a price that a biller offers to a customer until a date. At
// that date it lapses, in real time or on the customer's test clock.

const after = (file: string, anchor: string, insert: string): Edit => ({ file, after: anchor, insert });
const created = (file: string, text: string): Edit => ({ file, after: null, insert: text });

const migration = created(
  'src/db/migrations/0999_quotes.sql',
  `create table quotes (
  id object_id primary key,
  biller_id object_id not null references billers,
  livemode boolean not null,
  customer_id object_id not null,
  test_clock_id object_id,
  amount bigint not null check (amount > 0),
  status text not null check (status in ('open', 'lapsed')),
  lapses_at timestamptz not null,
  wake_at timestamptz check ((wake_at is not null) = (status = 'open')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (biller_id, livemode, id),
  foreign key (biller_id, livemode, test_clock_id) references test_clocks (biller_id, livemode, id) on delete cascade,
  foreign key (biller_id, livemode, customer_id) references customers (biller_id, livemode, id) on delete cascade
);
create index quotes_by_wake_at on quotes (wake_at) where wake_at is not null;
create index quotes_on_clock on quotes (test_clock_id, wake_at) where test_clock_id is not null;
create index quotes_of_customer on quotes (customer_id);
`,
);

const table = created(
  'src/db/quotes.ts',
  `import type { Id } from '../domain/ids.ts';
import type { CustomerInstant } from '../domain/instants.ts';
import type { Db, Tx } from '../platform/postgres/connection.ts';
import { clockTimes, type OwnerRow } from './subject-statuses.ts';
import { isAfter, type Page, type TenantKey } from './tenant.ts';

export interface QuoteRow {
  id: Id<'quote'>;
  biller_id: Id<'biller'>;
  livemode: boolean;
  customer_id: Id<'customer'>;
  test_clock_id: Id<'test_clock'> | null;
  amount: number;
  status: 'open' | 'lapsed';
  lapses_at: CustomerInstant;
  wake_at: CustomerInstant | null;
  created_at: CustomerInstant;
  updated_at: CustomerInstant;
}

export async function insertQuote(tx: Tx, row: QuoteRow): Promise<void> {
  await tx\`insert into quotes \${tx(row)}\`;
}

export async function listQuotes(db: Db, tenant: TenantKey, { limit, after }: Page): Promise<QuoteRow[]> {
  return db<QuoteRow[]>\`
    select * from quotes
    where biller_id = \${tenant.billerId} and livemode = \${tenant.livemode} and \${isAfter(db, 'quotes', tenant, after)}
    order by id desc limit \${limit + 1}\`;
}

export async function lockQuote(tx: Tx, id: string): Promise<QuoteRow | null> {
  const [row] = await tx<QuoteRow[]>\`select * from quotes where id = \${id} for no key update\`;
  return row ?? null;
}

export async function endQuote(tx: Tx, id: string, at: CustomerInstant): Promise<QuoteRow> {
  const [row] = await tx<[QuoteRow]>\`
    update quotes set status = 'lapsed', wake_at = null, updated_at = \${at} where id = \${id} returning *\`;
  return row;
}

export async function selectQuoteStatus(db: Db, id: string): Promise<(QuoteRow & OwnerRow) | null> {
  const [row] = await db<(QuoteRow & OwnerRow)[]>\`
    select q.*, \${clockTimes(db)} from quotes q left join test_clocks k on k.id = q.test_clock_id where q.id = \${id}\`;
  return row ?? null;
}
`,
);

const resource = created(
  'src/resources/quote.ts',
  `import Type, { type Static } from 'typebox';
import type { QuoteRow } from '../db/quotes.ts';
import { exampleId } from '../domain/ids.ts';
import { Id, Livemode, present, Reference, Strict, type Tag, Timestamp } from './common.ts';
import { dueAt, example, madeAt, withExamples } from './examples.ts';

export const quotes: Tag = { name: 'Quotes', description: 'Prices that you offer to a customer until a date.' };

export const Quote = Strict(
  {
    id: Id('quote', 'The id of the quote.'),
    livemode: Livemode,
    customer_id: Id('customer', 'To whom it is offered.'),
    amount: Type.Integer({ description: 'The price, minor units.' }),
    status: Type.Enum(['open', 'lapsed'], { title: 'QuoteStatus', description: 'Whether it still holds.' }),
    lapses_at: Timestamp,
    created_at: Timestamp,
  },
  { title: 'Quote' },
);
export type Quote = Static<typeof Quote>;

export const quoteExample = example(Quote, {
  id: exampleId('quote'),
  livemode: false,
  customer_id: exampleId('customer'),
  amount: 2500,
  status: 'open',
  lapses_at: dueAt,
  created_at: madeAt,
});

const input = { customer_id: exampleId('customer'), amount: 2500, lapses_at: dueAt };
export const QuoteCreate = withExamples(
  Strict(
    {
      customer_id: Reference('The customer.'),
      amount: Type.Integer({ description: 'The price, minor units.' }),
      lapses_at: Timestamp,
    },
    { title: 'QuoteCreate' },
  ),
  { week: { summary: 'A quote for a week', value: input } },
);
export type QuoteCreate = Static<typeof QuoteCreate>;

export function presentQuote(row: QuoteRow): Quote {
  return present(Quote, row);
}
`,
);

const service = created(
  'src/services/quotes/quotes.ts',
  `import {
  endQuote,
  insertQuote,
  lockQuote,
  type QuoteRow,
  listQuotes as selectQuotes,
  selectQuoteStatus,
} from '../../db/quotes.ts';
import { ownerOf } from '../../db/subject-statuses.ts';
import { newId } from '../../domain/ids.ts';
import { type CustomerInstant, customerInstant } from '../../domain/instants.ts';
import { deletedSubject, type SubjectStatus } from '../../messages/subject-status.ts';
import type { Db, Writer } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { atomically, pipelined } from '../../platform/postgres/transaction.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { Processors } from '../../processors/processor.ts';
import { presentQuote, type QuoteCreate } from '../../resources/quote.ts';
import { resolveCustomer } from '../customers/resolve-references.ts';
import { instantOf, timeOf, type WorkflowTime } from '../customer-time.ts';
import { ValidationFailed } from '../errors.ts';
import { type NewEvent, record, transact } from '../events.ts';
import { rowsOfPage } from '../paging.ts';
import type { RequestContext, Tenant } from '../request-context.ts';
import { start } from '../wake.ts';

export async function createQuote(db: Writer, context: RequestContext, input: QuoteCreate): Promise<QuoteRow> {
  return atomically(db, async (tx) => {
    const customer = await resolveCustomer(tx, context, input.customer_id, '/customer_id');
    if (customer.error) throw new ValidationFailed([customer.error]);
    const at = timeOf(customer.value, context.now);
    const lapsesAt = customerInstant(input.lapses_at);
    const row: QuoteRow = {
      id: newId('quote'),
      biller_id: context.billerId,
      livemode: context.livemode,
      customer_id: customer.value.id,
      test_clock_id: customer.value.test_clock_id,
      amount: input.amount,
      status: 'open',
      lapses_at: lapsesAt,
      wake_at: lapsesAt,
      created_at: at,
      updated_at: at,
    };
    await insertQuote(tx, row);
    await start.quote(tx, row, context.now);
    return row;
  });
}

export async function listQuotes(db: Db, tenant: Tenant, query: { limit?: number; starting_after?: string }) {
  return rowsOfPage(db, 'quotes', tenant, query, (page) => selectQuotes(db, tenant, page));
}

/** Returns the status of a quote for its workflow. */
export async function quoteStatus(db: Db, id: string): Promise<SubjectStatus> {
  const row = await selectQuoteStatus(db, id);
  if (row === null) return deletedSubject;
  const nextAt = row.wake_at?.getTime() ?? null;
  return {
    ...ownerOf(row),
    ended: nextAt === null,
    state: row.status,
    nextAt,
    nextDueAt: nextAt,
    failedAttempts: 0,
    next: 'its end',
    lastError: null,
    story: { waitsFor: 'its end', since: row.updated_at.getTime(), unpaid: null, lastFailure: null },
  };
}

/** Lets a quote lapse whose time is over. */
export async function lapseQuote(
  db: Db,
  _: Processors,
  id: string,
  { now, ...time }: WorkflowTime & { now: RealInstant },
): Promise<void> {
  await transact(db, { requestId: null, now }, async (tx) => {
    const [quote, databaseTime] = await pipelined(tx, [lockQuote(tx, id), databaseNow(tx)]);
    if (quote === null || quote.wake_at === null) return;
    const subject = { id, isOnClock: quote.test_clock_id !== null, dueAt: quote.wake_at };
    const at = instantOf(subject, time, databaseTime);
    if (at === null) return;
    record(tx, lapsedEvent(await endQuote(tx, id, at), at));
  });
}

function lapsedEvent(row: QuoteRow, at: CustomerInstant): NewEvent {
  const { id: subjectId, biller_id: billerId, livemode, customer_id: customerId, test_clock_id: testClockId } = row;
  return { type: 'quote.lapsed', subjectId, billerId, livemode, customerId, testClockId, at, data: presentQuote(row) };
}
`,
);

const route = created(
  'src/api/routes/quotes.ts',
  `import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import { presentQuote, Quote, QuoteCreate, quotes } from '../../resources/quote.ts';
import { createQuote, listQuotes } from '../../services/quotes/quotes.ts';
import { type Route, route } from '../http/route.ts';

export const quoteRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/quotes',
    operation: 'createQuote',
    tag: quotes,
    summary: 'Create a quote',
    access: { scope: 'quotes:write' },
    invalid: 422,
    body: QuoteCreate,
    response: { status: 201, schema: Quote },
    handle: async ({ context, body, deps }) => presentQuote(await createQuote(deps.db, context, body)),
  }),
  route({
    method: 'GET',
    path: '/api/v1/quotes',
    operation: 'listQuotes',
    tag: quotes,
    summary: 'List quotes, newest first',
    access: { scope: 'quotes:read' },
    invalid: 422,
    query: Strict(listQuery),
    response: { status: 200, schema: ListOf(Quote) },
    handle: async ({ context, query, deps }) => page(await listQuotes(deps.db, context, query), presentQuote),
  }),
];
`,
);

const effects = 'src/resources/clock-effect.ts';
const catalogue = 'src/resources/event-catalogue.ts';
const queries = 'src/db/subject-queries.ts';
const functions = 'src/services/subjects/kinds.ts';
const words = 'src/operations/stuck/overdue.ts';
const routes = 'src/api/routes/index.ts';

export const newSubject: Walk = {
  steps: {
    'the kind of id': [
      after(
        'src/domain/ids.ts',
        'export const idKinds = {\n',
        "  quote: { prefix: 'qt_', collection: 'quotes', logField: 'quote_id' },\n",
      ),
    ],
    'the facts of the kind': [
      after(
        'src/messages/subject-kinds.ts',
        'export const subjectKinds = {\n',
        `  quote: {
    idKind: 'quote',
    summary: (id) => \`Lets quote \${id} lapse at its time\`,
    activities: { read: 'readQuote', collect: 'lapseQuote', execute: 'pressQuote' },
    commands: ['recheck'],
    audited: 'quote',
    paths: () => ['quotes'],
    showsDate: true,
    onClock: 'moves',
    movesOn: false,
    due: 'a quote lapses',
  },
`,
      ),
    ],
    'its workflow': [
      after(
        'src/workflows/collection.ts',
        'All run the same loop; `messages/subject-kinds.ts` says how the kinds differ.\n',
        `
/** A quote, until it has lapsed. */
export function quote(quoteId: string, atOnce = false): Promise<void> {
  return collectWhenDue('quote', quoteId, { atOnce });
}
`,
      ),
    ],
    'the table': [migration, table],
    'how it is found': [
      after(
        queries,
        'export const subjectQueries = {\n',
        `  quote: {
    table: 'quotes',
    key: 'id',
    rank: thenTheRest,
    dueOnClock: (db, clock, target) => expiringOnClock(db, 'quotes', { clock, target }),
    lockOnClock: (tx, clock) => tx\`
      select id, livemode from quotes where test_clock_id = \${clock} and status = 'open' order by id for update\`,
    overdue: (db, before) => db\`
      select id as subject_id, biller_id, livemode, wake_at as since
      from quotes where wake_at <= \${before} and test_clock_id is null\`,
    wantingWorkflow: (db) => db\`
      select q.id, q.livemode, q.status as state, q.wake_at as next_due_at, q.wake_at as due_at, 0 as failed_attempts,
        coalesce(k.status = 'advancing', false) as advancing
      from quotes q left join test_clocks k on k.id = q.test_clock_id
      where q.status = 'open'\`,
  },
`,
      ),
    ],
    'schema, tag, example and presenter': [resource],
    'the service': [service],
    'what it does': [
      after(
        functions,
        'export const subjects = {\n',
        `  quote: {
    read: quoteStatus,
    collect: lapseQuote,
    execute: recheckOnly('quote', 'a quote', quoteStatus),
  },
`,
      ),
      after(
        functions,
        "import { planStatus } from '../plans/plan-status.ts';\n",
        "import { lapseQuote, quoteStatus } from '../quotes/quotes.ts';\n",
      ),
    ],
    'why it is overdue': [
      after(
        words,
        'const byKind = {\n',
        `  quote: overdue('quote', {
    stuck: 'quote_overdue',
    meaning: 'A quote is past its time, and has not lapsed.',
    facts: (db) => db\`select\`,
    why: () => 'its time is over, and it has not lapsed',
  }),
`,
      ),
    ],
    'the scopes': [
      after('src/services/accounts/scopes.ts', 'export const allScopes = [\n', "  'quotes:read',\n  'quotes:write',\n"),
    ],
    'the event': [
      after(
        catalogue,
        'export const eventCatalogue = {\n',
        "  'quote.lapsed': event(Quote, 'A quote has lapsed.', quoteExample),\n",
      ),
      after(catalogue, 'export const eventGroups = {\n', "  quote: { scope: 'quotes:read', isClockEffect: true },\n"),
      after(
        catalogue,
        "import { PaymentPlan, paymentPlanExample } from './payment-plan.ts';\n",
        "import { Quote, quoteExample } from './quote.ts';\n",
      ),
    ],
    'how an advance shows it': [
      after(
        effects,
        "const mandateChanges = ['status', 'status_reason', 'ended_at'] as const;\n",
        `const QuoteEffect = Strict(
  {
    object: Type.Literal('quote'),
    object_id: Type.String({ description: 'The quote.' }),
    ...common,
    changes: Type.Pick(Quote, ['status'], { title: 'QuoteChanges', additionalProperties: false }),
  },
  { title: 'QuoteEffect' },
);
`,
      ),
      after(effects, 'export const ClockEffect = Type.Union(\n  [', 'QuoteEffect, '),
      after(
        effects,
        'const presenters: Record<EffectGroup, (shared: Common, effect: Effect) => ClockEffect> = {\n',
        `  quote: (shared, effect) => ({
    object: 'quote',
    object_id: effect.subject_id,
    ...shared,
    changes: pick(effect.data as Quote, ['status']),
  }),
`,
      ),
      after(effects, "import { PaymentPlan } from './payment-plan.ts';\n", "import { Quote } from './quote.ts';\n"),
    ],
    'the route': [route],
    'the list of routes': [
      after(
        routes,
        "import { paymentPlanRoutes } from './payment-plans.ts';\n",
        "import { quoteRoutes } from './quotes.ts';\n",
      ),
      after(routes, '  ...paymentPlanRoutes,\n', '  ...quoteRoutes,\n'),
    ],
  },
  own: [
    'the facts of the kind',
    'its workflow',
    'how it is found',
    'what it does',
    'why it is overdue',
    'how an advance shows it',
  ],
  compiled: [
    'src/activities/collection-activities.ts',
    'src/db/due-on-clock.ts',
    'src/db/tenant.ts',
    'src/messages/workflow-types.ts',
    'src/resources/common.ts',
    'src/services/accounts/audit.ts',
    'src/services/customers/resolve-references.ts',
    'src/services/events.ts',
    'src/services/paging.ts',
    'src/services/subjects/operator-commands.ts',
    'src/services/wake.ts',
    'src/workflows/activities.ts',
    'src/workflows/index.ts',
    'src/workflows/operator-page/page.ts',
    'src/workflows/operator-page/subject.ts',
    'src/api/http/route.ts',
    'src/operations/reconciler/reconciliations.ts',
    'src/operations/reconciler/reconciler.ts',
    'src/operations/operator-commands.ts',
    'src/operations/samples.ts',
    'src/operations/stuck/definitions.ts',
  ],
  atMost: 14,
  existingAtMost: 10,
};
