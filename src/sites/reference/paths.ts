import type { Context, Middleware } from '../../api/http/context.ts';
import { send } from '../../api/http/response.ts';
import { RouteNotFound } from '../../services/errors.ts';

/** Where the introduction of the guides was, and is as a file. */
const formerIndex = /^\/docs\/guides\/(introduction|README)$/;

/**
 * Redirects other spellings of a page of the reference: with a slash at the end, or the former name of the guides. A
 * browser that asks for a page that does not exist gets a search for its words; a program gets 404.
 */
export const referencePaths: Middleware = async (ctx, next) => {
  if (!ctx.path.startsWith('/docs/') || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
  const path = ctx.path.replace(/\/+$/, '').replace(formerIndex, '/docs/guides');
  if (path !== ctx.path) return goOn(ctx, 308, path + ctx.search);
  try {
    await next();
  } catch (error) {
    if (!(error instanceof RouteNotFound) || ctx.accepts('json', 'html') !== 'html') throw error;
    const words = path.slice('/docs/'.length).match(/[a-z]+/gi) ?? [];
    goOn(ctx, 303, `/docs/search?q=${words.join('+').slice(0, 100)}`);
  }
};

function goOn(ctx: Context, status: number, location: string): void {
  ctx.res.setHeader('Location', location);
  send(ctx, status, '', 'text/plain; charset=utf-8');
}
