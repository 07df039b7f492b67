import type { Table } from '../../resources/reports/report.ts';
import type { Context, Middleware } from '../http/context.ts';
import type { AllDeps } from '../http/deps.ts';
import { send } from '../http/response.ts';
import type { Route } from '../http/route.ts';
import { sendTable } from '../http/send-table.ts';
import type { IdempotencyStore, RouteExecutor } from './idempotency.ts';

const json = 'application/json; charset=utf-8';

/**
 * Responds with the handler's result, or with the stored response of a repeated request. A table is streamed: it has no
 * text that could be stored.
 */
export function respond(route: Route, store: IdempotencyStore): Middleware {
  if (route.response.isTable) return (ctx) => store(route, ctx, tableExecutor);
  const { contentType = json, headers = {} } = route.response;
  const extra = Object.entries(headers);
  return async (ctx) => {
    const { status, text, replayed } = await store(route, ctx, executor);
    for (const [name, value] of extra) ctx.res.setHeader(name, value);
    if (replayed) {
      ctx.state.replayed = true;
      ctx.res.setHeader('Idempotent-Replayed', 'true');
    }
    send(ctx, status, text, contentType);
  };
}

/** Runs the handler of a route on what `ctx.state` has. */
export const executor: RouteExecutor = {
  async prepare(route, ctx, deps) {
    return route.prepare?.(inputOf(ctx, deps));
  },
  async execute(route, ctx, deps, prepared) {
    const result = await route.handle({ ...inputOf(ctx, deps), prepared });
    return route.response.contentType === undefined ? JSON.stringify(result) : String(result);
  },
};

const tableExecutor: RouteExecutor = {
  ...executor,
  async execute(route, ctx, deps, prepared) {
    await sendTable(ctx, (await route.handle({ ...inputOf(ctx, deps), prepared })) as Table);
    return '';
  },
};

function inputOf(ctx: Context, deps: AllDeps) {
  const { context, key, params, query, body } = ctx.state;
  return { context, key, params, query, body, deps };
}
