import assert from 'node:assert/strict';
import { eventually } from '../../lab/eventually.ts';
import { addMs } from '../../src/domain/instants.ts';
import { rowKinds, sessionKinds } from '../../src/operations/stuck/kinds.ts';
import { countStuck, findStuck } from '../../src/operations/stuck/reading/find-stuck.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useDatabase } from '../support/database.ts';
import { makeBiller } from '../support/factories.ts';

describe('what is stuck behind a lock', () => {
  const db = useDatabase();
  const everything = [...sessionKinds, ...rowKinds];
  const kinds = everything.filter(({ kind }) => kind === 'database_locked');
  const inMs = (later: number) => addMs(realNow(), later);
  const held = async (later = 0) => (await findStuck(db.sql, kinds, inMs(later)))[0]?.found[0];

  it('is the session that holds it, not those that wait, once that has lasted for five seconds; and is free when it ends', async () => {
    const { id } = await makeBiller(db.sql);
    const change = (name: string) => db.sql`update billers set name = ${name} where id = ${id}`;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pid = 0;
    const holding = db.sql
      .begin(async (tx) => {
        const [session] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
        await tx`update billers set name = 'held' where id = ${id}`;
        pid = session.pid;
        await released;
      })
      .catch((error: unknown) => error);
    await eventually('the row is locked', () => pid > 0);
    const [first, second] = [change('first'), change('second')].map((query) => query.execute());
    const stuck = await eventually('both wait', async () => {
      const found = await held(20_000);
      return found?.why.includes('; 2 wait') && found;
    });
    await eventually('it is counted as well', async () => {
      const counts = await countStuck(db.sql, kinds, inMs(20_000));
      return counts.get('database_locked') === 1;
    });
    assert.equal(await held(), undefined, 'a moment is no matter');
    assert.match(
      stuck.why,
      new RegExp(
        `^session ${pid} \\(\\S.*, idle in transaction\\) holds a lock on billers; 2 wait for it or for each other$`,
      ),
    );
    const [statement = ''] = /select pg_terminate_backend\(\d+\)/.exec(stuck.remedy) ?? [];
    assert.equal(statement, `select pg_terminate_backend(${pid})`);
    await db.sql.unsafe(statement);
    await Promise.all([first, second]);
    assert.equal(await held(20_000), undefined);
    release();
    assert.ok((await holding) instanceof Error, 'what it has not committed is undone');
  });

  it('is found within seconds while a session holds whole tables, with all that can still be read', async () => {
    const all = (later: number) => findStuck(db.sql, everything, inMs(later));
    await db.sql.begin(async (tx) => {
      const [{ pid }] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await tx`lock table payment_intents, payment_plans, workflow_intents in access exclusive mode`;
      const at = performance.now();
      const reports = await all(20_000);
      assert.ok(performance.now() - at < 10_000, 'not the 30 s of a statement');
      const found = (kind: string) => reports.find((report) => report.kind === kind)?.found ?? [];
      const [holder] = found('database_locked');
      assert.match(
        holder?.why ?? '',
        new RegExp(`^session ${pid} .* holds a lock on payment_intents, payment_plans, `),
      );
      assert.ok(Date.parse(holder?.since ?? '') <= realNow().getTime(), 'since when');
      const unread = found('not_readable').map(({ why }) => why);
      assert.ok(
        unread.some((why) => /^plan_overdue could not be read: .*lock timeout/.test(why)),
        unread.join(),
      );
      assert.ok(unread.some((why) => why.startsWith('workflow_intents_waiting')));
      assert.ok(
        reports.some(({ kind }) => kind === 'endpoint_failing'),
        'the rest is read',
      );
      const counts = await countStuck(db.sql, everything, inMs(20_000));
      assert.equal(counts.get('database_locked'), 1);
      assert.ok((counts.get('not_readable') ?? 0) > 2, 'counting reads fewer tables than describing');
      assert.equal(counts.has('plan_overdue'), false, 'what is not known is no zero');
      assert.equal(counts.get('endpoint_failing'), 0);
    });
    const after = await all(20_000);
    assert.deepEqual(after.find(({ kind }) => kind === 'not_readable')?.found, []);
    assert.equal(after.find(({ kind }) => kind === 'database_locked')?.count, 0);
  });
});
