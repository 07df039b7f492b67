import type { Middleware } from '../http/context.ts';
import { securityFields } from '../http/security-fields.ts';

const fields = Object.entries(securityFields);

/** Sets them on every answer; a route may say otherwise of its own. */
export const securityHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of fields) ctx.res.setHeader(name, value);
  return next();
};
