import Router from '@koa/router';
import Koa from 'koa';
import { isTracing } from '../platform/tracing.ts';
import { openReportSlots, type ReportSlots } from '../services/reports/report-slots.ts';
import type { Middleware, RequestState } from './http/context.ts';
import { type AppDeps, defaultWaits } from './http/deps.ts';
import type { Route } from './http/route.ts';
import { accessLog, traceRequest } from './middleware/access-log.ts';
import { authenticate, authorize, authorizeInput, credentialFinder } from './middleware/authenticate.ts';
import { errors } from './middleware/errors.ts';
import { idempotency } from './middleware/idempotency.ts';
import { limitConcurrency } from './middleware/limit-concurrency.ts';
import { limitRate } from './middleware/limit-rate.ts';
import { type Perform, performer } from './middleware/perform.ts';
import { preferWait } from './middleware/prefer-wait.ts';
import { dropUnread, readBody } from './middleware/read-body.ts';
import { readInput } from './middleware/read-input.ts';
import { respond } from './middleware/respond.ts';
import { requestId, securityHeaders } from './middleware/response-headers.ts';
import { thisMachineOnly } from './middleware/this-machine.ts';
import { unmatched } from './middleware/unmatched.ts';

/** The limits of the API, by key, for a site whose requests count in them. */
export interface KeyLimits {
  /** Limits the requests per second. */
  limit: Middleware;
  /** Limits the requests that run at a time. */
  enterQueue: Middleware;
  /** Limits the tables that are read at a time. */
  reportSlots: ReportSlots;
}

/** Makes the middleware of pages that the API's process also serves. It passes on requests for other paths. */
export type Site = (deps: AppDeps, limits: KeyLimits, perform: Perform) => Middleware;

/** Creates the HTTP API from its dependencies. A request passes the middleware in the order below. */
export function createApp(deps: AppDeps, routes: readonly Route[], sites: readonly Site[]): Koa<RequestState> {
  const app = new Koa<RequestState>();
  app.use(requestId);
  app.use(accessLog(deps.logger, deps.watch));
  if (isTracing()) app.use(traceRequest);
  app.use(dropUnread);
  app.use(errors(deps.logger));
  app.use(securityHeaders);
  if (deps.forThisMachine) app.use(thisMachineOnly);
  const limit = limitRate(deps.settings);
  const waits = { ...defaultWaits, ...deps.waits };
  const limitConcurrent = limitConcurrency(waits.queueMs);
  const reportSlots = openReportSlots();
  const limits = { limit, enterQueue: limitConcurrent.beforeParsing({}), reportSlots };
  const store = idempotency(deps, waits.idempotencyKeyMs, reportSlots);
  const perform = performer(deps.sql, store);
  for (const site of sites) app.use(site(deps, limits, perform));

  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const find = credentialFinder(deps.sql, waits.credentialMs);
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
        authorizeInput(route, deps.sql),
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
