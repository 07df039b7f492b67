import assert from 'node:assert/strict';
import type { Db } from '../../src/platform/postgres/connection.ts';

/** What every table holds, as a number of rows and a digest of them: what must not change when a request is refused. */
export async function contentsOf(sql: Db): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = current_schema() order by 1`;
  assert.ok(tables.length > 15);
  const contents = tables.map(async ({ name }): Promise<[string, string]> => {
    const [row] = await sql<{ content: string }[]>`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, ' ' order by t::text)), '') as content from ${sql(name)} t`;
    return [name, row?.content ?? ''];
  });
  return Object.fromEntries(await Promise.all(contents));
}
