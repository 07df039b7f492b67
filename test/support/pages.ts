import assert from 'node:assert/strict';
import { after, before } from 'mocha';
import pino from 'pino';
import { type RunningServer, serve } from '../../src/api/http/server.ts';
import { createPages } from '../../src/pages/app.ts';
import type { PagesDeps } from '../../src/pages/page-request.ts';
import type { Processors } from '../../src/processors/processor.ts';
import type { Stage } from './stage.ts';

/** A page as a browser without scripts gets it. */
export interface SeenPage {
  status: number;
  headers: Headers;
  html: string;
  /** The text that a payer reads. */
  text: string;
  /** The fields of its first form that are hidden. */
  hidden: Record<string, string>;
}

export interface Pages {
  readonly url: string;
  /** What was logged, one object for each line. */
  readonly log: Record<string, unknown>[];
  /** Opens a page by its URL or path. */
  open(url: string, headers?: Record<string, string>): Promise<SeenPage>;
  /** Sends a form, as a browser sends it from one of our pages. A redirect is not followed. */
  post(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<SeenPage>;
  request(url: string, init?: RequestInit): Promise<SeenPage>;
  /** Ends the process of the pages, as it were, and starts another one at the same address. */
  restart(): Promise<void>;
}

/** Serves the pages of a stage on a port, or a free one, during the tests of the calling `describe`. */
export function usePages(
  stage: Pick<Stage, 'db' | 'vault'> & { processors: Processors },
  { port = 0, ...overrides }: Partial<PagesDeps> & { port?: number } = {},
): Pages {
  let running: RunningServer | undefined;
  const ended: (Promise<void> | undefined)[] = [];
  const log: Record<string, unknown>[] = [];

  const start = (at: number) => {
    const app = createPages({
      sql: stage.db.sql,
      vault: stage.vault,
      processors: stage.processors,
      logger: pino({ level: 'debug' }, { write: (line: string) => log.push(JSON.parse(line)) }),
      publicUrl: 'http://pages.test',
      trustedProxies: [],
      forThisMachine: false,
      isReady: async () => {},
      ...overrides,
    });
    return serve(app, { port: at });
  };

  before('serve the pages', async () => {
    running = await start(port);
  });
  after('end the pages', () => Promise.all([...ended, running?.close()]));

  const pages: Pages = {
    log,
    get url() {
      assert.ok(running, 'the pages are there only while the tests of their describe run');
      return `http://127.0.0.1:${running.port}`;
    },
    async restart() {
      const before = running;
      // It no longer listens; requests that wait for a state keep it for a while.
      ended.push(before?.close());
      running = await start(before?.port ?? 0);
    },
    open: (url, headers = {}) => pages.request(url, { headers }),
    post: (url, fields, headers = {}) =>
      pages.request(url, {
        method: 'POST',
        headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
        body: new URLSearchParams(fields),
      }),
    async request(url, init = {}) {
      const response = await fetch(url.replace(/^(http:\/\/pages\.test)?(?=\/)/, pages.url), {
        redirect: 'manual',
        ...init,
      });
      const html = await response.text();
      return { status: response.status, headers: response.headers, html, text: textOf(html), hidden: hiddenIn(html) };
    },
  };
  return pages;
}

function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body'));
  return unescaped(body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' '));
}

function hiddenIn(html: string): Record<string, string> {
  const found = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, unescaped(value)]));
}

function unescaped(text: string): string {
  const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity);
}

/** A checksum over every row of every table: it stays the same only if nothing was written. */
export async function contentsOf({ db: { sql } }: Pick<Stage, 'db'>): Promise<string> {
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const sums = tables.map(
    ({ name }) => sql`
      select ${name} as name, md5(coalesce(string_agg(t::text || t.xmin::text, ',' order by t::text), '')) as sum
      from ${sql(name)} t`,
  );
  const rows = await sql<{ name: string; sum: string }[]>`
    ${sums.reduce((all, next) => sql`${all} union all ${next}`)} order by name`;
  return rows.map(({ name, sum }) => `${name} ${sum}`).join('\n');
}
