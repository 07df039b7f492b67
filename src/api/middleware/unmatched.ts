import type { RouterContext } from '@koa/router';
import { MethodNotAllowed, RouteNotFound } from '../../services/errors.ts';
import type { Context } from '../http/context.ts';

/**
 * Handles requests that no route took: 404 for an unknown path, 405 with `Allow` for another method, 204 for OPTIONS.
 */
export function unmatched(ctx: Context & Partial<Pick<RouterContext, 'matched'>>): void {
  const allowed = [...new Set((ctx.matched ?? []).flatMap((layer) => layer.methods))];
  if (allowed.length === 0) throw new RouteNotFound(ctx.method, ctx.path);
  allowed.push('OPTIONS');
  if (ctx.method !== 'OPTIONS') throw new MethodNotAllowed(ctx.method, allowed);
  ctx.res.setHeader('Allow', allowed.join(', '));
  ctx.status = 204;
}
