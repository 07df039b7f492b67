import { type Mode, overview } from '../../operations/overview.ts';
import { stuckDefinitions } from '../../operations/stuck/definitions.ts';
import { findStuck } from '../../operations/stuck/find-stuck.ts';
import { realNow } from '../../platform/real-time.ts';
import { BadRequest } from '../../services/errors.ts';
import type { Middleware } from '../http/context.ts';
import { pagePolicy } from '../http/page-style.ts';
import type { AppDeps } from '../http/route.ts';
import { send, sendJson } from '../http/send.ts';
import { accessOf } from './access.ts';
import { linksTo } from './links.ts';
import { type OpsSnapshot, page } from './page.ts';

/** The snapshot is cached for this long, however many operators look. */
const keptForMs = 10_000;

const modes = new Map<string | undefined, Mode>([
  [undefined, null],
  ['live', true],
  ['sandbox', false],
]);

/**
 * Serves `/ops`, the operators' page, and `/ops.json`, the same data for programs. Both show all billers, so they take
 * no API key and are not in the OpenAPI document. A stranger gets the same 404 as for any unknown path.
 */
export function ops(deps: Pick<AppDeps, 'sql' | 'operations' | 'forThisMachine'>): Middleware {
  const { webUi } = deps.operations;
  const rule = { key: deps.operations.key, forThisMachine: deps.forThisMachine };
  const look = keeping((mode: Mode) => opsSnapshot(deps, mode));
  return async (ctx, next) => {
    const isPage = ctx.path === '/ops';
    if (!isPage && ctx.path !== '/ops.json') return next();
    if (accessOf(ctx.req, rule) === 'stranger' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const { mode: asked } = ctx.query;
    const mode = Array.isArray(asked) ? undefined : modes.get(asked);
    if (mode === undefined) throw new BadRequest('mode must be live or sandbox, or left out for both.');
    const seen = await look(mode);
    if (!isPage) return sendJson(ctx, 200, JSON.stringify(seen));
    ctx.res.setHeader('Content-Security-Policy', pagePolicy);
    send(ctx, 200, page(seen, linksTo(webUi, mode)), 'text/html; charset=utf-8');
  };
}

async function opsSnapshot({ sql, operations }: Pick<AppDeps, 'sql' | 'operations'>, mode: Mode): Promise<OpsSnapshot> {
  const now = realNow();
  const [figures, rows, workflows] = await Promise.all([
    overview(sql, now, mode),
    findStuck(sql, stuckDefinitions, now),
    operations.findStuckWorkflows(now),
  ]);
  return { overview: figures, stuck: [...rows, ...workflows] };
}

/** Caches each mode's result for ten seconds. Concurrent requests share one query. Failures are not cached. */
function keeping<T>(look: (mode: Mode) => Promise<T>): (mode: Mode) => Promise<T> {
  const kept = new Map<Mode, { found: Promise<T>; until: number }>();
  return (mode) => {
    const known = kept.get(mode);
    if (known !== undefined && known.until > performance.now()) return known.found;
    const found = look(mode);
    const entry = { found, until: performance.now() + keptForMs };
    kept.set(mode, entry);
    found.catch(() => {
      if (kept.get(mode) === entry) kept.delete(mode);
    });
    return found;
  };
}
