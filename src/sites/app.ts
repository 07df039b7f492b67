import type Koa from 'koa';
import { createApp } from '../api/app.ts';
import type { RequestState } from '../api/http/context.ts';
import type { AppDeps } from '../api/http/deps.ts';
import type { Route } from '../api/http/route.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { oldAddresses } from './dashboard/old-addresses.ts';
import { home } from './home/home.ts';
import { ops } from './ops/ops.ts';
import { referencePaths } from './reference/paths.ts';
import { allRoutes } from './routes.ts';

/** Creates the app of the API's process from its dependencies: the API, and the sites at the same origin. */
export function createWebApp(deps: AppDeps, routes: readonly Route[] = allRoutes): Koa<RequestState> {
  return createApp(deps, routes, [home, ops, () => referencePaths, dashboard, () => oldAddresses]);
}
