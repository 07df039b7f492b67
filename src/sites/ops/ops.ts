import { cached } from '../../api/http/cache.ts';
import type { Middleware } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { send, sendJson } from '../../api/http/response.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import { findByText } from '../../operations/finding.ts';
import { type Mode, overview } from '../../operations/overview.ts';
import { whyUnreadable } from '../../operations/stuck/reading/bounded-reading.ts';
import type { StuckReport } from '../../operations/stuck/reading/find-stuck.ts';
import { findSessions, findStuckRows } from '../../operations/stuck/stuck.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import { databaseNow } from '../../platform/postgres/database-clock.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { BadRequest } from '../../services/errors.ts';
import { accessOf } from './access.ts';
import { booksPage, booksPath, rowsPath } from './books-page.ts';
import { foundPage } from './found-page.ts';
import { linksTo, pageOfRun, webUiOf, workflowPath } from './links.ts';
import { type OpsSnapshot, page } from './page.ts';
import { policy } from './style.ts';

/** The snapshot is cached for this long, however many operators look. */
const cachedForMs = 10_000;

const findPath = '/ops/find';

const paths: readonly string[] = ['/ops', '/ops.json', findPath, workflowPath, booksPath, rowsPath];

const modes = new Map<string | undefined, Mode>([
  [undefined, null],
  ['live', true],
  ['sandbox', false],
]);

type OpsDeps = Pick<AppDeps, 'sql' | 'operations'>;

/** What may be looked for: no control characters, which PostgreSQL and no index have. */
const searchable = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** The ids of this service's workflows. */
const workflowIdPattern = /^[a-z-]{1,40}\/\w{1,60}$/;

/**
 * Serves `/ops`, the operators' page, and `/ops.json`, the same data for programs. Both show all billers, so they take
 * no API key and are not in the OpenAPI document. A stranger gets the same 404 as for any unknown path.
 * `/ops/find?q=…` shows what has an id, a reference or an e-mail address, and why it was not charged.
 * `/ops/books?biller=…&mode=…` shows a month of a biller's books, `/ops/books/rows` the rows behind a figure.
 * `/ops/workflow?id=…` redirects to a workflow's page in the Web UI: its address has the id of the latest run.
 */
export function ops(deps: OpsDeps & Pick<AppDeps, 'forThisMachine'>): Middleware {
  const { webUis, findLatestRun } = deps.operations;
  const rule = { key: deps.operations.key, forThisMachine: deps.forThisMachine };
  async function redirect(ctx: Parameters<Middleware>[0], mode: Mode): Promise<void> {
    const { id } = ctx.query;
    if (typeof id !== 'string' || !workflowIdPattern.test(id)) throw new BadRequest('id must be that of a workflow.');
    const webUi = webUiOf(webUis, mode);
    if (webUi === null) throw new BadRequest('The address of the Web UI is not known. Set TEMPORAL_UI_URL.');
    ctx.res.setHeader('Location', pageOfRun(webUi, id, await findLatestRun(id, mode).catch(() => null)));
    send(ctx, 302, '', 'text/plain; charset=utf-8');
  }
  async function find(ctx: Parameters<Middleware>[0], mode: Mode): Promise<void> {
    const { q } = ctx.query;
    const text = typeof q === 'string' ? q.trim() : '';
    if (!searchable.test(text)) throw new BadRequest('q must be an id, a reference or an e-mail address.');
    const pool = deps.operations.figures ?? deps.sql;
    const [found, { stuck, overview: known }] = await Promise.all([
      findByText(pool, text, mode).catch(nullIfHeld),
      snapshotOf(mode),
    ]);
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    sendPrivate(ctx, foundPage({ text, mode: known.mode, found, stuck }, linksTo(webUis, mode), isHere));
  }
  async function books(ctx: Parameters<Middleware>[0], mode: Mode): Promise<void> {
    if (mode === null) throw new BadRequest('mode must be live or sandbox.');
    const pool = deps.operations.figures ?? deps.sql;
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    const at = { livemode: mode, now: realNow(), isHere };
    sendPrivate(ctx, await booksPage(pool, ctx.path, new URLSearchParams(ctx.querystring), at));
  }
  const snapshotOf = cached({ ms: cachedForMs, max: modes.size }, (mode: Mode) => opsSnapshot(deps, mode));
  return async (ctx, next) => {
    if (!paths.includes(ctx.path)) return next();
    if (accessOf(ctx.req, rule) === 'stranger' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const { mode: name } = ctx.query;
    const mode = Array.isArray(name) ? undefined : modes.get(name);
    if (mode === undefined) throw new BadRequest('mode must be live or sandbox. Leave it out for both.');
    if (ctx.path === workflowPath) return redirect(ctx, mode);
    if (ctx.path === findPath) return find(ctx, mode);
    if (ctx.path === booksPath || ctx.path === rowsPath) return books(ctx, mode);
    const snapshot = await snapshotOf(mode);
    if (ctx.path === '/ops.json') return sendJson(ctx, 200, JSON.stringify(snapshot));
    ctx.res.setHeader('Content-Security-Policy', policy);
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    send(ctx, 200, page(snapshot, linksTo(webUis, mode), isHere), 'text/html; charset=utf-8');
  };
}

/** A page that names a biller's customers or money. */
function sendPrivate(ctx: Parameters<Middleware>[0], shown: string): void {
  ctx.res.setHeader('Content-Security-Policy', policy);
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('Referrer-Policy', 'no-referrer');
  send(ctx, 200, shown, 'text/html; charset=utf-8');
}

/** A session holds a table, or PostgreSQL is too slow: the page says which. */
function nullIfHeld(error: unknown): null {
  if (whyUnreadable(error) === null) throw error;
  return null;
}

async function opsSnapshot({ sql, operations }: OpsDeps, mode: Mode): Promise<OpsSnapshot> {
  // If all connections of PostgreSQL are taken, this process still has those of its requests.
  const { db, now, sessions } = await readSessions(operations.figures ?? sql).catch(() => readSessions(sql));
  const [figures, rows, workflows] = await Promise.all([
    overview(db, now, mode),
    findStuckRows(db, now),
    operations.findStuckWorkflows(now),
  ]);
  return { overview: figures, stuck: [...sessions, ...rows, ...workflows] };
}

/** The first statements, one after the other. @throws when PostgreSQL is not reachable by this pool. */
async function readSessions(db: Pool): Promise<{ db: Pool; now: RealInstant; sessions: StuckReport[] }> {
  const now = await databaseNow(db);
  return { db, now, sessions: await findSessions(db, now) };
}
