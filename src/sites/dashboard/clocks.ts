import { html } from '../../platform/html.ts';
import type { Answer } from '../account/account-request.ts';
import { barOf, shapes } from '../workbench/layout.ts';
import { workbenchRoutes } from '../workbench/routes.ts';
import type { WorkbenchRoute } from '../workbench/workbench-request.ts';
import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';
import { mayOpen } from './may-open.ts';

/** Where the pages of the test clocks are, below the first page of the dashboard. */
const below = 'sandbox/';

/** What the pages of the books need. */
const neededForBooks = { needs: 'see_books', scope: 'balance:read' } as const;

/** The pages of the test clocks, as pages of the dashboard in the sandbox. */
export const clockRoutes: readonly DashboardRoute[] = workbenchRoutes.map((route) => ({
  method: route.method,
  path: new RegExp(`^${below}${route.path.source.slice(1)}`),
  sandboxOnly: true,
  ...neededFor(route),
  ...(route.path.source === '^$' ? { menu: { title: 'Clocks', path: below } } : {}),
  handle: (request) => show(route, request),
}));

function neededFor({ method, path: { source } }: WorkbenchRoute): Pick<DashboardRoute, 'needs' | 'scope'> {
  if (/^\^(books|rows)/.test(source)) return neededForBooks;
  if (method === 'GET') return { scope: 'test_clocks:read' };
  if (source.startsWith('^deliveries')) return { needs: 'send_webhook', scope: 'test_clocks:read' };
  return { needs: 'move_clock', scope: 'test_clocks:write' };
}

async function show(route: WorkbenchRoute, request: DashboardRequest): Promise<Answer> {
  const up = request.up.replace('../', '') || './';
  const seesBooks = mayOpen(request, neededForBooks);
  const answer = await route.handle({
    ...request,
    ...{ up, seesBooks, base: `${request.base}${below}` },
    formField: (path) => request.formField(`${below}${path}`),
  });
  if ('goTo' in answer) return { goTo: `${below}${answer.goTo}` };
  return {
    ...answer,
    style: answer.style ?? 'clocks.css',
    script: `${request.base}assets/clocks.js`,
    before: html`${shapes}${barOf(up, seesBooks)}`,
  };
}
