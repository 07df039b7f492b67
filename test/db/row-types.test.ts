import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { runProgram } from '../../lab/run-program.ts';
import { useDatabase } from '../support/database.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'src/db');

/** The interfaces of `src/db` that are rows as stored, each with its table. */
const stored: Readonly<Record<string, string>> = {
  ApiKeyRow: 'api_keys',
  AuditRow: 'audit_log',
  BankDebitRow: 'bank_debits',
  BillerProfileRow: 'biller_profiles',
  BillerRow: 'billers',
  CheckoutSessionRow: 'checkout_sessions',
  ClockAdvanceRow: 'clock_advances',
  CustomerRow: 'customers',
  EventRow: 'events',
  MandateRow: 'mandates',
  PaymentAttemptRow: 'payment_attempts',
  PaymentIntentRow: 'payment_intents',
  PaymentLinkRow: 'payment_links',
  PaymentMethodRow: 'payment_methods',
  PaymentPlanRow: 'payment_plans',
  PaymentReservationRow: 'payment_reservations',
  PlanSlotRow: 'payment_plan_slots',
  RefundRow: 'refunds',
  SubscriptionChangeRow: 'subscription_changes',
  SubscriptionPeriodRow: 'subscription_periods',
  SubscriptionRow: 'subscriptions',
  TestClockRow: 'test_clocks',
  WebhookAttemptRow: 'webhook_delivery_attempts',
  WebhookDeliveryRow: 'webhook_deliveries',
  WebhookEndpointRow: 'webhook_endpoints',
};

/** Members that are no column of the table, and where they come from. */
const others: Readonly<Record<string, string>> = {
  'payment_methods.*: instrument': 'made from the columns of its kind',
  'webhook_deliveries.*: event_type': 'joined from events',
};

/** What the client of PostgreSQL makes of a type; what is not here may be anything. */
const typesOf: Readonly<Record<string, string>> = {
  timestamptz: 'Date',
  date: 'string',
  text: 'string',
  object_id: 'string',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  bool: 'boolean',
};

const helpers = `
type Fits<Row, Name, Column> = Name extends keyof Row
  ? null extends Column
    ? null extends Row[Name] ? Holds<Row[Name], Column> : 'the column can be null'
    : null extends Row[Name] ? 'the column cannot be null' : Holds<Row[Name], Column>
  : true;
type Holds<Member, Column> = NonNullable<Member> extends NonNullable<Column> ? true : 'the column has another type';
type Known<Row, Names> = Exclude<keyof Row, Names> extends never ? true : Exclude<keyof Row, Names>;
`;

describe('the types of rows', () => {
  const db = useDatabase();

  /** Compares an interface with a table. Returns the compiler's errors, each as `table.column: what is wrong`. */
  async function faultsOf(interfaces: Readonly<Record<string, string>>, files: ReadonlyMap<string, string>) {
    const columns = await db.sql<{ table: string; name: string; type: string; nullable: boolean }[]>`
      select table_name as table, column_name as name, coalesce(domain_name, udt_name) as type, is_nullable = 'YES' as nullable
      from information_schema.columns where table_schema = 'public'`;
    const lines = Object.entries(interfaces).flatMap(([row, table]) => {
      const own = columns.filter((column) => column.table === table);
      assert.ok(own.length > 0, `there is no table ${table}`);
      const names = own.map(({ name }) => `'${name}'`).join(' | ');
      return [
        `import type { ${row} } from '${files.get(row)}';`,
        `/* ${table}.* */ export const ${row}_names: Known<${row}, ${names}> = true;`,
        ...own.map(({ name, type, nullable }) => {
          const column = (typesOf[type] ?? '{}') + (nullable ? ' | null' : '');
          return `/* ${table}.${name} */ export const ${row}_${name}: Fits<${row}, '${name}', ${column}> = true;`;
        }),
      ];
    });
    const place = await mkdtemp(join(root, 'node_modules/.row-types-'));
    try {
      const source = [helpers, ...lines].join('\n').split('\n');
      await writeFile(join(place, 'rows.ts'), source.join('\n'));
      const config = { extends: join(root, 'tsconfig.json'), include: ['rows.ts'], exclude: [] };
      await writeFile(join(place, 'tsconfig.json'), JSON.stringify(config));
      const compiler = join(root, 'node_modules/.bin/tsc');
      const { stdout } = await runProgram(compiler, ['-p', place, '--pretty', 'false'], {
        cwd: root,
        timeoutMs: 120_000,
      });
      return stdout
        .split('\n')
        .filter((line) => line.includes('error'))
        .map((line) => {
          const [, number = '0'] = /rows\.ts\((\d+),/.exec(line) ?? [];
          const [, column = line] = /^\/\* (\S+) \*\//.exec(source[Number(number) - 1] ?? '') ?? [];
          const [, expected = line] = /to type '"?(.*?)"?'\.$/.exec(line) ?? [];
          return `${column}: ${expected}`;
        });
    } finally {
      await rm(place, { recursive: true });
    }
  }

  /** Each exported interface of `src/db` whose name ends with Row, with its file. */
  async function filesOfRows(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    for (const name of await readdir(folder)) {
      if (!name.endsWith('.ts')) continue;
      const text = await readFile(join(folder, name), 'utf8');
      for (const [, row = ''] of text.matchAll(/^export interface (\w+Row)\b/gm)) found.set(row, join(folder, name));
    }
    return found;
  }

  it('name only columns that their table has, and say of each whether it can be null and whether it is a time', async function () {
    this.timeout(150_000);
    assert.deepEqual(await faultsOf(stored, await filesOfRows()), Object.keys(others));
  });

  it('are told from those that a table does not have', async function () {
    this.timeout(150_000);
    const files = await filesOfRows();
    const faults = await faultsOf({ RefundRow: 'payment_plans' }, files);
    assert.ok(
      faults.some((fault) => fault.startsWith('payment_plans.*: ')),
      faults.join('\n'),
    );
  });
});
