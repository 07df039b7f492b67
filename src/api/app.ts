import Router from '@koa/router';
import Koa from 'koa';
import { isTracing } from '../platform/tracing.ts';
import { home } from './home/home.ts';
import type { RequestState } from './http/context.ts';
import { type AppDeps, defaultWaits } from './http/deps.ts';
import type { Route } from './http/route.ts';
import { accessLog, traceRequest } from './middleware/access-log.ts';
import { authenticate, authorize, credentialFinder } from './middleware/authenticate.ts';
import { errors } from './middleware/errors.ts';
import { idempotency } from './middleware/idempotency.ts';
import { limitConcurrency } from './middleware/limit-concurrency.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { preferWait } from './middleware/prefer-wait.ts';
import { dropUnread, readBody } from './middleware/read-body.ts';
import { readInput } from './middleware/read-input.ts';
import { referencePaths } from './middleware/reference-paths.ts';
import { respond } from './middleware/respond.ts';
import { requestId, securityHeaders } from './middleware/response-headers.ts';
import { thisMachineOnly } from './middleware/this-machine.ts';
import { unmatched } from './middleware/unmatched.ts';
import { ops } from './ops/ops.ts';
import { allRoutes } from './routes/index.ts';
import { workbench } from './workbench/workbench.ts';

/** Creates the HTTP API from its dependencies. A request passes the middleware in the order below. */
export function createApp(deps: AppDeps, routes: readonly Route[] = allRoutes): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(requestId);
  app.use(accessLog(deps.logger, deps.watch));
  if (isTracing()) app.use(traceRequest);
  app.use(dropUnread);
  app.use(errors(deps.logger));
  app.use(securityHeaders);
  if (deps.forThisMachine) app.use(thisMachineOnly);
  app.use(home(deps));
  app.use(ops(deps));
  app.use(referencePaths);
  const limit = limitRate(deps.settings);
  const waits = { ...defaultWaits, ...deps.waits };
  const limitConcurrent = limitConcurrency(waits.queueMs);
  app.use(workbench(deps, { limit, enterQueue: limitConcurrent.beforeParsing({}) }));

  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const find = credentialFinder(deps.sql, waits.credentialMs);
  const store = idempotency(deps, waits.idempotencyKeyMs);
  const waitIfPreferred = preferWait(deps.sql);
  for (const route of routes) {
    router.register(
      route.path,
      [route.method],
      [
        (ctx, next) => {
          ctx.state.route = route;
          return next();
        },
        authenticate(route, find, deps.settings.trustedProxies),
        limit,
        authorize(route),
        readBody(route),
        waitIfPreferred(route),
        limitConcurrent.beforeParsing(route),
        readInput(route, deps.sql),
        limitConcurrent.afterParsing(route),
        respond(route, store),
      ],
    );
  }
  app.use(router.routes());
  app.use(unmatched);

  // Koa reports here only errors that occur after the response has begun. The usual cause: the client has disconnected.
  app.on('error', (error: unknown) => deps.logger.info({ err: error }, 'connection lost during the response'));
  return app;
}
