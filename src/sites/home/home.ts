import type { Middleware } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { send } from '../../api/http/response.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import { homePage, policy } from './page.ts';

/**
 * Serves `/`, the front page. On the machine of `npm start` it has the first charge ready to copy, with the sandbox key
 * of the demo biller, and links to the pages for this machine. Anyone else sees where the documentation is.
 */
export function home(deps: Pick<AppDeps, 'forThisMachine' | 'demo' | 'operations'>): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    ctx.res.setHeader('Content-Security-Policy', policy);
    if (isHere) ctx.res.setHeader('Cache-Control', 'no-store');
    const page = homePage(isHere ? { demo: deps.demo, webUi: deps.operations.webUis.live } : null);
    send(ctx, 200, page, 'text/html; charset=utf-8');
  };
}
