import type { DashboardRoute } from './dashboard-request.ts';
import { showFind } from './find-page.ts';

/** The pages of the dashboard, in the order of the bar. */
export const dashboardRoutes: readonly DashboardRoute[] = [
  { method: 'GET', path: /^$/, menu: { title: 'Find', path: '' }, handle: showFind },
];
