import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';

/** Whether the person of a request may open this page, or send this form. */
export function mayOpen(
  { scopes, context, may }: DashboardRequest,
  { needs, scope, sandboxOnly }: Pick<DashboardRoute, 'needs' | 'scope' | 'sandboxOnly'>,
): boolean {
  if (sandboxOnly && context.livemode) return false;
  return (needs === undefined || may(needs)) && (scope === undefined || scopes.includes(scope));
}
