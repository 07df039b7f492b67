import type { Route } from '../../api/http/route.ts';
import type { DashboardAction } from '../../domain/dashboard-roles.ts';
import { type Html, html } from '../../platform/html.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import type { AuditAction } from '../../services/accounts/audit.ts';
import { InvalidState } from '../../services/errors.ts';
import type { Tenant } from '../../services/request-context.ts';
import type { Answer } from '../account/account-request.ts';
import { apiRoute } from '../account/api-route.ts';
import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';

/** What the page of an action says before it is done. */
export interface Question {
  /** As a question, such as "Suspend Gym?". */
  title: string;
  /** What will happen, in money and dates. */
  words: Html;
  /** When the object was changed last. If it has changed since, the page asks again: see `updatedAt`. */
  updatedAt: Date;
}

/** An action on a plan or subscription that one request to the API does. */
export interface SimpleAction {
  /** The collection in the path of the dashboard, and the beginning of its ids. */
  of: 'plans' | 'subscriptions';
  prefix: 'pp' | 'sub';
  /** The last part of its path. */
  name: string;
  needs: DashboardAction;
  /** The operation of the API, the name of its parameter, and its body. */
  operation: string;
  parameter: string;
  body?: Readonly<Record<string, unknown>>;
  audit: AuditAction;
  button: string;
  /** @throws InvalidState if it cannot be done now. */
  ask(request: DashboardRequest): Promise<Question>;
  updatedAt(db: Db, tenant: Tenant, id: string): Promise<Date>;
}

/** The two routes of an action: the page that says what will happen, and the form. */
export function routesOf(action: SimpleAction): DashboardRoute[] {
  const path = new RegExp(`^${action.of}/(${action.prefix}_\\w+)/${action.name}$`);
  return [
    { method: 'GET', path, needs: action.needs, handle: (request) => ask(action, request) },
    { method: 'POST', path, needs: action.needs, handle: (request) => execute(action, request) },
  ];
}

async function ask(action: SimpleAction, request: DashboardRequest): Promise<Answer> {
  const { title, words, updatedAt } = await action.ask(request);
  const { base, id, formField } = request;
  const path = `${action.of}/${id}/${action.name}`;
  return {
    status: 200,
    title,
    main: html`<h1>${title}</h1>
${words}
<form method="post" action="${base}${path}">${formField(path)}<input type="hidden" name="seen" value="${updatedAt.toISOString()}">
<button>${action.button}</button> <a href="${base}${action.of}/${id}">Do nothing</a></form>`,
  };
}

async function execute(action: SimpleAction, request: DashboardRequest): Promise<Answer> {
  const { id, form, perform } = request;
  const { operation, parameter, body, audit, of } = action;
  await perform({
    route: unlessChanged(apiRoute(operation), action, { request, seen: form.get('seen') }),
    params: { [parameter]: id },
    body,
    audit: { action: audit, subjectId: id, changes: {} },
  });
  return { goTo: `${of}/${id}` };
}

/** The same route, which does nothing if the object has changed since the page was shown. */
function unlessChanged(
  route: Route,
  { updatedAt }: SimpleAction,
  { request, seen }: { request: DashboardRequest; seen: string | null },
): Route {
  return {
    ...route,
    async handle(input) {
      const db = 'db' in input.deps ? input.deps.db : request.sql;
      if ((await updatedAt(db, request.context, request.id)).toISOString() === seen) return route.handle(input);
      throw new InvalidState('It has changed since the page was shown. Open the page again, and see what will happen.');
    },
  };
}
