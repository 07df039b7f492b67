import type { Context, Middleware } from '../context.ts';
import { patienceOf } from '../patience.ts';
import type { RequestDeps, Route } from '../route.ts';
import { send } from '../send.ts';
import type { Keeper } from './idempotency.ts';

const json = 'application/json; charset=utf-8';

/** Lets the route's handler answer, or sends again what was answered before. */
export function answer(route: Route, keep: Keeper): Middleware {
  const { contentType = json, headers = {} } = route.response;
  const extra = Object.entries(headers);
  return async (ctx) => {
    const { status, text, replayed } = await keep(route, ctx, perform);
    for (const [name, value] of extra) ctx.res.setHeader(name, value);
    if (replayed) {
      ctx.state.replayed = true;
      ctx.res.setHeader('Idempotent-Replayed', 'true');
    }
    if (route.waits && patienceOf(ctx) > 0) ctx.res.setHeader('Preference-Applied', 'wait');
    send(ctx, status, text, contentType);
  };
}

async function perform(route: Route, ctx: Context, deps: RequestDeps): Promise<string> {
  const { call, key, params, query, body } = ctx.state;
  const patience = route.waits ? patienceOf(ctx) : 0;
  const result = await route.handle({ call, key, params, query, body, patience, deps });
  return route.response.contentType === undefined ? JSON.stringify(result) : String(result);
}
