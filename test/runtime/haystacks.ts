import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { Pool } from '../../src/platform/postgres/connection.ts';

/** Where a secret might end up. */
export type Place =
  | 'answers'
  | 'errors'
  | 'events'
  | 'webhooks'
  | 'delivery attempts'
  | 'logs'
  | 'histories'
  | 'Web UI'
  | 'audit log'
  | 'database'
  | 'disk';

export interface Found {
  place: Place;
  label: string;
}

/** What lies in each place: texts and files. */
export class Haystacks {
  private readonly contents = new Map<Place, { label: string; bytes: Buffer }[]>();

  add(place: Place, label: string, content: string | Buffer): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.contents.set(place, [...(this.contents.get(place) ?? []), { label, bytes }]);
  }

  /** Where a value is found, in any form in which it could have been written. */
  find(value: string): Found[] {
    return this.findAny(formsOf(value));
  }

  /** Where these very bytes are found. */
  findBytes(bytes: Buffer): Found[] {
    return this.findAny([bytes]);
  }

  private findAny(needles: readonly (string | Buffer)[]): Found[] {
    return [...this.contents].flatMap(([place, items]) =>
      items
        .filter(({ bytes }) => needles.some((needle) => bytes.includes(needle)))
        .map(({ label }) => ({ place, label })),
    );
  }
}

/** As it is; in base64, wherever in a longer text it stood; in hexadecimal; in a URL; with the quotes of JSON. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const shifted = [0, 1, 2].flatMap((before) => {
    // What is before and after the value changes the first and last characters: only those between are its own.
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = text.slice(before === 0 ? 0 : before + 1, (before + bytes.length) % 3 === 0 ? undefined : -1);
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const hex = bytes.toString('hex');
  return [
    ...new Set([
      value,
      ...shifted,
      hex,
      hex.toUpperCase(),
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
    ]),
  ];
}

/** Every row of every table, as PostgreSQL writes them out; bytes in hexadecimal. */
export async function dumpDatabase(sql: Pool): Promise<{ table: string; rows: string }[]> {
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;
  return Promise.all(
    tables.map(async ({ name }) => {
      const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} as t`;
      return { table: name, rows: rows.map(({ row }) => row).join('\n') };
    }),
  );
}

/** All that Temporal has of all workflows: histories, memo, search attributes and current details, payloads decoded. */
export async function readHistories(temporal: Client): Promise<{ workflowId: string; text: string }[]> {
  const read: { workflowId: string; text: string }[] = [];
  for await (const { workflowId, runId } of temporal.workflow.list()) {
    const handle = temporal.workflow.getHandle(workflowId, runId);
    const [history, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    // A workflow whose worker has forgotten it and cannot replay it has nothing to show.
    const details = await handle.query('__temporal_workflow_metadata').catch(() => null);
    read.push({ workflowId, text: textOf([history, raw, details]) });
  }
  return read;
}

/** Every file below a folder. What vanishes meanwhile was temporary. */
export async function readFiles(folder: string): Promise<{ path: string; bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    files.map(async (path) => ({ path, bytes: await readFile(path).catch(() => Buffer.alloc(0)) })),
  );
  return read.map(({ path, bytes }) => ({ path: path.slice(folder.length + 1), bytes }));
}

/** All texts in a value, however deep; bytes, such as payloads, as the text that they hold. */
export function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (value instanceof Map) return textOf([...value]);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}: ${textOf(item)}`)
    .join('\n');
}
