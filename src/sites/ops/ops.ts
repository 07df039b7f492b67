import { cached } from '../../api/http/cache.ts';
import type { Middleware } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { send, sendJson } from '../../api/http/response.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import { type Mode, overview } from '../../operations/overview.ts';
import { findFullDatabase } from '../../operations/stuck/database.ts';
import { stuckDefinitions } from '../../operations/stuck/definitions.ts';
import { findStuck } from '../../operations/stuck/find-stuck.ts';
import { realNow } from '../../platform/real-time.ts';
import { BadRequest } from '../../services/errors.ts';
import { accessOf } from './access.ts';
import { linksTo, pageOfRun, webUiOf, workflowPath } from './links.ts';
import { type OpsSnapshot, page } from './page.ts';
import { policy } from './style.ts';

/** The snapshot is cached for this long, however many operators look. */
const cachedForMs = 10_000;

const paths: readonly string[] = ['/ops', '/ops.json', workflowPath];

const modes = new Map<string | undefined, Mode>([
  [undefined, null],
  ['live', true],
  ['sandbox', false],
]);

/** The ids of this service's workflows. */
const workflowIdPattern = /^[a-z-]{1,40}\/\w{1,60}$/;

/**
 * Serves `/ops`, the operators' page, and `/ops.json`, the same data for programs. Both show all billers, so they take
 * no API key and are not in the OpenAPI document. A stranger gets the same 404 as for any unknown path.
 * `/ops/workflow?id=…` redirects to a workflow's page in the Web UI: its address has the id of the latest run.
 */
export function ops(deps: Pick<AppDeps, 'sql' | 'operations' | 'forThisMachine'>): Middleware {
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
  const snapshotOf = cached({ ms: cachedForMs, max: modes.size }, (mode: Mode) => opsSnapshot(deps, mode));
  return async (ctx, next) => {
    if (!paths.includes(ctx.path)) return next();
    if (accessOf(ctx.req, rule) === 'stranger' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const { mode: name } = ctx.query;
    const mode = Array.isArray(name) ? undefined : modes.get(name);
    if (mode === undefined) throw new BadRequest('mode must be live or sandbox. Leave it out for both.');
    if (ctx.path === workflowPath) return redirect(ctx, mode);
    const snapshot = await snapshotOf(mode);
    if (ctx.path === '/ops.json') return sendJson(ctx, 200, JSON.stringify(snapshot));
    ctx.res.setHeader('Content-Security-Policy', policy);
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    send(ctx, 200, page(snapshot, linksTo(webUis, mode), isHere), 'text/html; charset=utf-8');
  };
}

async function opsSnapshot({ sql, operations }: Pick<AppDeps, 'sql' | 'operations'>, mode: Mode): Promise<OpsSnapshot> {
  const now = realNow();
  const [figures, rows, workflows, full] = await Promise.all([
    overview(sql, now, mode),
    findStuck(sql, stuckDefinitions, now),
    operations.findStuckWorkflows(now),
    findFullDatabase(sql),
  ]);
  return { overview: figures, stuck: [...rows, ...workflows, full] };
}
