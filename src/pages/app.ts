import Router from '@koa/router';
import Koa from 'koa';
import { connectionOf } from '../api/http/client-address.ts';
import type { Context, Middleware, RequestState } from '../api/http/context.ts';
import { send } from '../api/http/response.ts';
import { dropUnread } from '../api/middleware/read-body.ts';
import { requestId } from '../api/middleware/response-headers.ts';
import { thisMachineOnly } from '../api/middleware/this-machine.ts';
import { isOutage } from '../platform/postgres/transaction.ts';
import { realNow } from '../platform/real-time.ts';
import { NotFound, ServiceError } from '../services/errors.ts';
import { assetRoutes } from './assets.ts';
import { challengeRoutes } from './challenge.ts';
import { checkoutRoutes } from './checkout.ts';
import { readForm } from './forms.ts';
import { pageHeaders } from './headers.ts';
import { inHtml } from './layout.ts';
import { linkRoutes } from './link-page.ts';
import { type Answer, localeOf, type Page, type PageRoute, type PagesDeps } from './page-request.ts';
import { failed, notFound, unavailable, wrongMethod } from './plain-pages.ts';
import { receiptRoutes } from './receipt.ts';
import { widgetRoutes } from './widget.ts';

function health(status: number, word: string): Answer {
  return { status, body: JSON.stringify({ status: word }), type: 'application/json; charset=utf-8', cache: 'no-store' };
}

const routes: readonly PageRoute[] = [
  // /healthz: the process runs. /readyz: it can show pages; a balancer takes it out when it cannot, and before it ends.
  { method: 'GET', path: '/healthz', handle: async () => health(200, 'ok') },
  {
    method: 'GET',
    path: '/readyz',
    handle: ({ deps }) =>
      deps.isReady().then(
        () => health(200, 'ok'),
        () => health(503, 'unavailable'),
      ),
  },
  ...assetRoutes,
  ...challengeRoutes,
  ...receiptRoutes,
  ...linkRoutes,
  ...checkoutRoutes,
  ...widgetRoutes,
];

/** Creates the pages for payers. They have no keys and no cookies: the token in a page's address is what opens it. */
export function createPages(deps: PagesDeps): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(requestId);
  app.use(log(deps));
  app.use(dropUnread);
  app.use(headers);
  if (deps.forThisMachine) app.use(thisMachineOnly);
  app.use(errors(deps));
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const route of routes) router.register(route.path, [route.method], [serve(deps, route)]);
  app.use(router.routes());
  app.use((ctx: Context) => {
    const isKnown = ((ctx as { matched?: unknown[] }).matched ?? []).length > 0;
    write(ctx, isKnown ? wrongMethod : notFound);
  });
  app.on('error', (error: unknown) => deps.logger.info({ err: error }, 'connection lost during the response'));
  return app;
}

const headerFields = Object.entries(pageHeaders);

const headers: Middleware = (ctx, next) => {
  for (const [name, value] of headerFields) ctx.res.setHeader(name, value);
  return next();
};

/** One line for each request, with the route's template: paths hold tokens, and forms personal data. */
function log({ logger, watch }: PagesDeps): Middleware {
  const lines = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const begun = performance.now();
    watch?.begun();
    await next();
    const taken = performance.now() - begun;
    const ms = Math.round(taken * 100) / 100;
    const route = (ctx as { _matchedRoute?: string })._matchedRoute ?? null;
    watch?.completed({ route, method: ctx.method, status: ctx.status, seconds: taken / 1000 });
    const line = { request_id: ctx.state.requestId, method: ctx.method, route, status: ctx.status, ms };
    if (ctx.status < 400) lines.debug(line, 'page');
    else lines.info(line, 'page');
  };
}

function errors({ logger }: PagesDeps): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { requestId: id } = ctx.state;
      const isAway = isOutage(error) || (error instanceof ServiceError && error.status === 503);
      // A path that cannot be decoded, or a payment that was deleted meanwhile with its test clock.
      const isUnreadable = error instanceof Error && 'status' in error && error.status === 400;
      if (isUnreadable || error instanceof NotFound) return write(ctx, notFound);
      logger.child({ request_id: id })[isAway ? 'warn' : 'error']({ err: error }, 'page failed');
      write(ctx, isAway ? unavailable : failed(id));
    }
  };
}

function serve(deps: PagesDeps, route: PageRoute): Middleware {
  return async (ctx) => {
    const form = route.method === 'POST' ? await readForm(ctx.req) : new URLSearchParams();
    if (!(form instanceof URLSearchParams)) return write(ctx, form);
    const parameters: Readonly<Record<string, string>> = ctx.params ?? {};
    const gone = new AbortController();
    ctx.res.once('close', () => gone.abort());
    const answer = await route.handle({
      deps,
      token: parameters.token ?? '',
      requestId: ctx.state.requestId,
      now: realNow(),
      locale: localeOf(ctx.get('Accept-Language')),
      ...connectionOf(ctx.req, deps.trustedProxies),
      query: new URLSearchParams(ctx.querystring),
      form,
      waitMs: Math.min(30, Number(/^wait=(\d{1,3})$/.exec(ctx.get('Prefer'))?.[1] ?? 0)) * 1000,
      gone: gone.signal,
    });
    write(ctx, answer);
  };
}

function write(ctx: Context, answer: Answer): void {
  if ('goTo' in answer) {
    ctx.res.setHeader('Location', answer.goTo);
    send(ctx, 303, '', 'text/plain; charset=utf-8');
  } else if ('body' in answer) {
    writeHeaders(ctx, answer.headers);
    if (answer.cache !== undefined) ctx.res.setHeader('Cache-Control', answer.cache);
    ctx.res.setHeader('Content-Type', answer.type);
    ctx.status = answer.status;
    ctx.body = answer.body;
  } else writePage(ctx, answer);
}

function writePage(ctx: Context, page: Page): void {
  writeHeaders(ctx, page.headers);
  send(ctx, page.status, inHtml(page), 'text/html; charset=utf-8');
}

function writeHeaders(ctx: Context, headers: Page['headers'] = {}): void {
  for (const [name, value] of Object.entries(headers)) ctx.res.setHeader(name, value);
}
