import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import { useDatabase } from '../support/database.ts';

/** What a logger writes while `work` uses it. */
function written(work: (logger: Logger) => void): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  work(createLogger('trace', 'test', { write: (line) => void lines.push(JSON.parse(line)) }));
  return lines;
}

describe('the log', () => {
  const db = useDatabase();

  it('tells of an error of PostgreSQL what failed where, and not the row', async () => {
    const id = 'acct_00000000000000000000000000000000';
    const refused = await db.sql`insert into billers (id, name, time_zone, created_at, fee_fixed)
      values (${id}, 'planted', 'UTC', now(), -1)`.catch((error: unknown) => error);
    assert.ok(refused instanceof Error && 'code' in refused);
    await db.sql`insert into billers (id, name, time_zone, created_at) values (${id}, 'planted', 'UTC', now())`;
    const twice = await db.sql`insert into billers (id, name, time_zone, created_at)
      values (${id}, 'planted', 'UTC', now())`.catch((error: unknown) => error);
    assert.ok(
      twice instanceof Error && 'detail' in twice && String(twice.detail).includes(id),
      'the error itself has it',
    );
    for (const name of ['err', 'error'] as const) {
      const [line] = written((logger) => logger.error({ [name]: twice }, 'failed'));
      const told = line?.[name] as Record<string, unknown>;
      assert.deepEqual([told.code, told.table_name, told.constraint_name], ['23505', 'billers', 'billers_pkey']);
      assert.match(String(told.stack), /duplicate key value/);
      assert.equal(JSON.stringify(line).includes(id), false);
    }
  });

  it('cuts secrets out of what an error says, and out of the errors that it comes from', () => {
    const key = `sk_live_${'a'.repeat(43)}`;
    const cause = new Error(`refused ${key}`);
    const [line] = written((logger) =>
      logger.warn({ err: new Error('postgres://u:hunter2@db/x', { cause }) }, 'failed'),
    );
    const text = JSON.stringify(line);
    assert.match(text, /refused sk_live_\[redacted\]/);
    assert.equal(text.includes(key) || text.includes('hunter2'), false);
  });

  it('cuts fields with the names of secrets, two levels deep', () => {
    const [line] = written((logger) =>
      logger.info({ client_secret: 'x1', a: { token: 'x2', b: { key: 'x3', c: 1 } } }, 'm'),
    );
    assert.equal(/x[123]/.test(JSON.stringify(line)), false);
    assert.deepEqual(line?.a, { token: '[redacted]', b: { key: '[redacted]', c: 1 } });
  });
});
