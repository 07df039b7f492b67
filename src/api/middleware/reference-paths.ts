import type { Middleware } from '../http/context.ts';
import { send } from '../http/response.ts';

/** Where the introduction of the guides was, and is as a file. */
const formerIndex = /^\/docs\/guides\/(introduction|README)$/;

/** Redirects other spellings of a page of the reference: with a slash at the end, or the former name of the guides. */
export const referencePaths: Middleware = (ctx, next) => {
  if (!ctx.path.startsWith('/docs/') || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
  const path = ctx.path.replace(/\/+$/, '').replace(formerIndex, '/docs/guides');
  if (path === ctx.path) return next();
  ctx.res.setHeader('Location', path + ctx.search);
  send(ctx, 308, '', 'text/plain; charset=utf-8');
};
