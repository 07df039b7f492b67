import type { Middleware } from '../../api/http/context.ts';
import { send } from '../../api/http/response.ts';

/** Leads from the addresses that the workbench had of its own to its pages in the dashboard. */
export const oldAddresses: Middleware = (ctx, next) => {
  const [, , rest] = /^\/workbench(\/[^/]*\/?([\w/]*))?$/.exec(ctx.path) ?? [];
  if (ctx.path !== '/workbench' && rest === undefined) return next();
  ctx.res.setHeader('Location', `/dashboard?to=sandbox/${rest ?? ''}`);
  send(ctx, 303, '', 'text/plain; charset=utf-8');
};
