import { html } from '../../platform/html.ts';
import type { Scope } from '../../services/accounts/scopes.ts';
import type { Answer } from '../account/account-request.ts';
import { barOf, shapes } from '../workbench/layout.ts';
import { workbenchRoutes } from '../workbench/routes.ts';
import type { WorkbenchRoute } from '../workbench/workbench-request.ts';
import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';

/** Where the pages of the test clocks are, below the first page of the dashboard. */
const below = 'sandbox/';

/** The pages of the test clocks, as pages of the dashboard in the sandbox. */
export const clockRoutes: readonly DashboardRoute[] = workbenchRoutes.map((route) => ({
  method: route.method,
  path: new RegExp(`^${below}${route.path.source.slice(1)}`),
  sandboxOnly: true,
  scope: scopeOf(route),
  ...(route.method === 'GET' ? {} : { needs: isOfWebhook(route) ? 'send_webhook' : 'move_clock' }),
  ...(route.path.source === '^$' ? { menu: { title: 'Clocks', path: below } } : {}),
  handle: (request) => show(route, request),
}));

function isOfWebhook({ path }: WorkbenchRoute): boolean {
  return path.source.startsWith('^deliveries');
}

function scopeOf(route: WorkbenchRoute): Scope {
  if (/^\^(books|rows)/.test(route.path.source)) return 'balance:read';
  return route.method === 'GET' || isOfWebhook(route) ? 'test_clocks:read' : 'test_clocks:write';
}

async function show(route: WorkbenchRoute, request: DashboardRequest): Promise<Answer> {
  const answer = await route.handle({
    ...request,
    base: `${request.base}${below}`,
    up: request.up.replace('../', '') || './',
    formField: (path) => request.formField(`${below}${path}`),
  });
  if ('goTo' in answer) return { goTo: `${below}${answer.goTo}` };
  const up = request.up.replace('../', '') || './';
  return {
    ...answer,
    style: answer.style ?? 'clocks.css',
    script: `${request.base}assets/clocks.js`,
    before: html`${shapes}${barOf(up)}`,
  };
}
