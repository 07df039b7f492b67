import type { Middleware } from '../http/context.ts';
import { securityFields } from '../http/security-fields.ts';

const fields = Object.entries(securityFields);

/** Sets the security headers on every response. A route may override them. */
export const securityHeaders: Middleware = (ctx, next) => {
  for (const [name, value] of fields) ctx.res.setHeader(name, value);
  return next();
};
