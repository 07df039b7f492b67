import type { Middleware } from '../context.ts';

/** Answers are data for programs: no browser is to guess their type, keep them, or show them in a page. */
export const securityHeaders: Middleware = (ctx, next) => {
  ctx.res.setHeader('X-Content-Type-Options', 'nosniff');
  ctx.res.setHeader('Cache-Control', 'no-store');
  ctx.res.setHeader('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  return next();
};
