import Type, { type Static } from 'typebox';
import type { DashboardSessionRow } from '../db/dashboard-sessions.ts';
import { dashboardRoles } from '../domain/dashboard-roles.ts';
import { exampleId } from '../domain/ids.ts';
import { plainText } from '../domain/plain-text.ts';
import { Id, Livemode, present, Strict, type Tag, Timestamp } from './common.ts';
import { example, madeAt, withExamples } from './examples.ts';

export const dashboardSessions: Tag = {
  name: 'Dashboard sessions',
  description:
    'How your own people get into the dashboard, which shows customers, payments and what becomes of them. Your back ' +
    'office makes a session after its own sign-on, and sends the person to its URL.',
};

const DashboardRole = Type.Enum([...dashboardRoles], {
  title: 'DashboardRole',
  description:
    '`viewer`: looks. `support`: also retries payments, changes plans and subscriptions, makes links and sends webhooks ' +
    'again. `finance`: looks, sees the books, refunds and downloads. `admin`: all of that.',
});

export const DashboardSessionCreate = withExamples(
  Strict(
    {
      person: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: plainText,
        description: 'Who it is for. The audit log and the history of a customer name this person.',
      }),
      role: DashboardRole,
      expires_in: Type.Optional(
        Type.Integer({
          minimum: 300,
          maximum: 43_200,
          description: 'After how many seconds it ends, 300 to 43,200; by default 3,600.',
        }),
      ),
    },
    { title: 'DashboardSessionCreate' },
  ),
  { support: { summary: 'For an hour', value: { person: 'ann@school.example', role: 'support' } } },
);

const fields = {
  id: Id('dashboard_session', 'The id of the session.'),
  object: Type.Literal('dashboard_session'),
  person: Type.String({ description: 'Who it is for.' }),
  role: DashboardRole,
  expires_at: Timestamp,
  livemode: Livemode,
  created_at: Timestamp,
};

export const DashboardSession = Strict(fields, { title: 'DashboardSession' });
export type DashboardSession = Static<typeof DashboardSession>;

const { id, object, person, role, ...others } = fields;

export const NewDashboardSession = Strict(
  {
    ...{ id, object, person, role },
    url: Type.String({
      description:
        'Opens the dashboard, once and within five minutes. It shows a page with a button: loading the page uses nothing up.',
    }),
    ...others,
  },
  { title: 'NewDashboardSession' },
);
export type NewDashboardSession = Static<typeof NewDashboardSession>;

const session = {
  id: exampleId('dashboard_session'),
  object: 'dashboard_session',
  person: 'ann@school.example',
  role: 'support',
  expires_at: '2027-01-04T10:00:00.000Z',
  livemode: false,
  created_at: madeAt,
} as const;

example(DashboardSession, session);
example(NewDashboardSession, {
  ...session,
  url: 'https://payments.example.com/dashboard/enter/3vQB7B6MrGQZaxCuFg4oh2vQB7B6MrGQZaxCuFg4ohx',
});

/** A session as lists show it. */
export function presentDashboardSession(row: DashboardSessionRow): DashboardSession {
  return present(DashboardSession, { ...row, object: 'dashboard_session' });
}

/** A session that was just made, with the URL that opens it. */
export function presentNewDashboardSession(row: DashboardSessionRow, url: string): NewDashboardSession {
  return present(NewDashboardSession, { ...row, object: 'dashboard_session', url });
}
