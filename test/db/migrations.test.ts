import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { migrate } from '../../src/db/migrate.ts';
import { useDatabase } from '../support/database.ts';
import { findDisturbances } from './migration-rules.ts';

const folder = new URL('../../src/db/migrations/', import.meta.url);
/** The last file of the first version: while that is made, there is no version to disturb. */
const lastOfFirstVersion = '0015_operations.sql';

describe('a migration', () => {
  it('disturbs no version that is at work while it runs, in any file since the first version', async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
    assert.ok(names.includes(lastOfFirstVersion));
    for (const name of names.filter((each) => each > lastOfFirstVersion)) {
      assert.deepEqual(findDisturbances(await readFile(new URL(name, folder), 'utf8')), [], name);
    }
  });

  for (const [statement, rule] of [
    ['drop table events;', 'takes away what the former version uses'],
    ['alter table events drop column data;', 'takes away what the former version uses'],
    ['alter table events drop data;', 'takes away what the former version uses'],
    ['alter table events alter column data drop default;', 'takes away what the former version uses'],
    ['alter table events rename column data to body;', 'renames what the former version uses'],
    ['alter table events rename to happenings;', 'renames what the former version uses'],
    ['alter table events alter sequence type integer;', 'rewrites the table'],
    ['alter table events alter column sequence set data type integer;', 'rewrites the table'],
    ['alter table events alter column request_id set not null;', 'reads the whole table under a lock'],
    ['alter table events add column version integer not null;', 'adds a column that the former version does not fill'],
    [
      'alter table events add column a text, add b integer not null;',
      'adds a column that the former version does not fill',
    ],
    [
      'alter table events add column key uuid default gen_random_uuid();',
      'adds a column that is computed for every row',
    ],
    [
      'alter table events add n bigint generated always as (sequence * 2) stored;',
      'adds a column that is computed for every row',
    ],
    ['alter table events add check (sequence > 1);', 'adds a constraint that is checked at once'],
    ['alter table events add constraint one unique (subject_id);', 'adds a constraint that is checked at once'],
    [
      'alter table events add foreign key (customer_id) references customers;',
      'adds a constraint that is checked at once',
    ],
    ['alter table events add column parent object_id references events;', 'adds a constraint that is checked at once'],
    ['create index of_parent on events (parent);', 'keeps writers waiting for an index'],
    ['create unique index of_parent on events (parent);', 'keeps writers waiting for an index'],
    ['drop index events_by_type;', 'keeps writers waiting for an index'],
    ['create index concurrently of_parent on events (parent);', 'cannot run within a transaction'],
    ['update events set request_id = null;', 'changes rows, whose locks are kept to its end'],
    ['-- a reason\nupdate events set note = 1;', 'changes rows, whose locks are kept to its end'],
    ['delete from events where sequence = 1;', 'changes rows, whose locks are kept to its end'],
    ['lock table events;', 'locks the whole table'],
    ['truncate events;', 'locks the whole table'],
    [
      'create trigger t before insert on events for each row execute function f();',
      'changes what statements of the former version do',
    ],
    ['-- outside of a transaction\nalter table events add a text;', 'is outside of a transaction for nothing'],
  ] as const) {
    it(`is found out by its statement: ${statement.replace('\n', ' / ')}`, () => {
      assert.deepEqual(
        findDisturbances(statement).map((finding) => finding.rule),
        [rule],
      );
    });
  }

  it('may add what the former version does not know and need not fill, and do as it likes to what it has made itself', () => {
    const harmless = `
      create table notes (id bigint primary key, body text not null);
      create index notes_by_body on notes (body);
      insert into notes values (1, 'drop table events; update events');
      create trigger notes_only_grow before update on notes for each statement execute function refuse_change();
      alter table events add column note bigint, add version integer not null default 1;
      alter table events add constraint of_note foreign key (note) references notes not valid;
      create function f() returns void language sql as $$ update events set note = 1; $$;
      comment on column events.note is 'Renamed; set not null';`;
    assert.deepEqual(findDisturbances(harmless), []);
    assert.deepEqual(
      findDisturbances('-- contract: nothing reads it since 1.4\nalter table events drop column note;'),
      [],
    );
    const outside = '-- outside of a transaction\ncreate index concurrently i on events (note);';
    assert.deepEqual(findDisturbances(outside), []);
  });
});

describe('migrating a database at work', () => {
  const db = useDatabase(4, { isDamaged: true });
  let own = '';
  before('copy the migrations', async () => {
    own = await mkdtemp(join(tmpdir(), 'payments-migrations-'));
    for (const name of await readdir(folder)) await writeFile(join(own, name), await readFile(new URL(name, folder)));
  });
  after('remove them', () => rm(own, { recursive: true, force: true }));
  const run = () => migrate(db.url, { folder: pathToFileURL(`${own}/`) });

  it('waits for no lock longer than a second, so that those who come later are not kept waiting, and tries again', async () => {
    await writeFile(join(own, '9001_note.sql'), 'alter table customers add column note text;');
    let release = (): void => {};
    const held = db.sql.begin(async (tx) => {
      await tx`select 1 from customers`;
      await new Promise<void>((done) => {
        release = done;
      });
    });
    await pause(100);
    const migrating = run();
    await pause(300);
    let longest = 0;
    for (let reads = 0; reads < 20; reads++) {
      const begun = performance.now();
      await db.sql`select count(*) from customers`;
      longest = Math.max(longest, performance.now() - begun);
      await pause(100);
    }
    const before = await db.sql`select 1 from schema_migrations where name = '9001_note.sql'`;
    release();
    await held;
    await migrating;
    const after = await db.sql`select note from customers limit 0`;
    assert.deepEqual([before.length, after.columns.map(({ name }) => name)], [0, ['note']]);
    assert.ok(longest < 2_000, `a reader waited ${Math.round(longest)} ms`);
  });

  it('makes an index beside writers, by several runners at once, and again after one that was cut off', async () => {
    const statements = `-- outside of a transaction
drop index concurrently if exists customers_by_note;
create index concurrently customers_by_note on customers (note);
`;
    await writeFile(join(own, '9002_by_note.sql'), statements);
    // As a runner leaves it that has died on the way.
    await db.sql`create index customers_by_note on customers (note)`;
    await db.sql`update pg_index set indisvalid = false where indexrelid = 'customers_by_note'::regclass`;
    const writer = db.sql.begin(async (tx) => {
      await tx`lock table customers in row exclusive mode`;
      await pause(1_000);
    });
    await Promise.all([run(), run(), run()]);
    await writer;
    const [index] = await db.sql`select indisvalid from pg_index where indexrelid = 'customers_by_note'::regclass`;
    assert.equal(index?.indisvalid, true);
  });

  it('leaves nothing of a migration that fails, and says why', async () => {
    await writeFile(join(own, '9003_wrong.sql'), 'create table half (id integer); select nonsense;');
    await assert.rejects(run(), /nonsense/);
    const [row] = await db.sql`select to_regclass('half') as half`;
    assert.equal(row?.half, null);
  });

  it('is refused by a database that a newer version has migrated', async () => {
    await rm(join(own, '9003_wrong.sql'));
    await db.sql`insert into schema_migrations (name) values ('9999_later.sql')`;
    await assert.rejects(run(), /newer version \(9999_later\.sql\)/);
  });

  it('is refused by a database that was made before 1.0.0, and changes nothing in it', async () => {
    await db.sql`delete from schema_migrations`;
    await db.sql`insert into schema_migrations (name) values ('0001_tenants.sql'), ('0170_unpaid_of_links.sql')`;
    await assert.rejects(run(), {
      message: 'Made before 1.0.0. Delete DATA_DIR, or start the version that made it.',
    });
    assert.equal((await db.sql`select name from schema_migrations`).length, 2);
  });
});
