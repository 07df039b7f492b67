import { ListOf, listQuery, page, Strict } from '../../resources/common.ts';
import {
  DashboardSession,
  DashboardSessionCreate,
  dashboardSessions,
  NewDashboardSession,
  presentDashboardSession,
  presentNewDashboardSession,
} from '../../resources/dashboard-session.ts';
import { auditOrigin } from '../../services/accounts/audit.ts';
import { assertMayGive } from '../../services/dashboard/access.ts';
import {
  createDashboardSession,
  endDashboardSession,
  listDashboardSessions,
} from '../../services/dashboard/sessions.ts';
import { type Route, route } from '../http/route.ts';

const access = { scope: 'dashboard:write' } as const;

const create = route({
  method: 'POST',
  path: '/api/v1/dashboard_sessions',
  operation: 'createDashboardSession',
  tag: dashboardSessions,
  summary: 'Let a person into the dashboard',
  description:
    'Send the person to its `url`, or open it: it works once, within five minutes. The session ends at `expires_at`, ' +
    'when you end it, or with the key that has made it. A role needs the scopes for what it sees and does.',
  access,
  assertScopes: (scopes, { body }) => assertMayGive(scopes, body.role),
  invalid: 422,
  body: DashboardSessionCreate,
  response: { status: 201, schema: NewDashboardSession },
  errors: { 403: 'The key lacks `dashboard:write`, or a scope that the role needs: `insufficient_scope`.' },
  handle: async ({ context, body, deps }) => {
    const { session, token } = await createDashboardSession(deps.db, context, body);
    return presentNewDashboardSession(session, `${deps.apiUrl}/dashboard/enter/${token}`);
  },
});

const list = route({
  method: 'GET',
  path: '/api/v1/dashboard_sessions',
  operation: 'listDashboardSessions',
  tag: dashboardSessions,
  summary: 'List dashboard sessions, newest first',
  description: 'Sessions that have ended are listed for 30 days.',
  access,
  invalid: 422,
  query: Strict(listQuery),
  response: { status: 200, schema: ListOf(DashboardSession) },
  handle: async ({ context, query, deps }) =>
    page(await listDashboardSessions(deps.db, context, query), presentDashboardSession),
});

const end = route({
  method: 'POST',
  path: '/api/v1/dashboard_sessions/:dashboard_session_id/end',
  operation: 'endDashboardSession',
  tag: dashboardSessions,
  summary: 'End a dashboard session at once',
  description: 'Its `expires_at` is then the present. Ending it again changes nothing.',
  access,
  invalid: 422,
  response: { status: 200, schema: DashboardSession },
  handle: async ({ context, params, deps }) => {
    const { billerId, livemode, now } = context;
    const origin = { ...auditOrigin(context), tenant: { billerId, livemode }, at: now };
    return presentDashboardSession(await endDashboardSession(deps.db, origin, params.dashboard_session_id));
  },
});

export const dashboardSessionRoutes: Route[] = [create, list, end];
