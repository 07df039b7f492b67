import type { KeyLimits } from '../../api/app.ts';
import type { Context, Middleware } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { pagePolicy } from '../../api/http/page-policy.ts';
import { send } from '../../api/http/response.ts';
import { sendTable } from '../../api/http/send-table.ts';
import type { Perform } from '../../api/middleware/perform.ts';
import { mayDo } from '../../domain/dashboard-roles.ts';
import { readScripts } from '../../platform/browser-scripts.ts';
import { type Html, html } from '../../platform/html.ts';
import { realNow } from '../../platform/real-time.ts';
import type { Table } from '../../resources/reports/report.ts';
import { endDashboardSession, sessionOfCookie } from '../../services/dashboard/sessions.ts';
import { createPageUrls } from '../../services/pages/page-urls.ts';
import { contextOf } from '../../services/request-context.ts';
import type { Answer, Page } from '../account/account-request.ts';
import { notFound, plainPage, problemPage } from '../account/plain-pages.ts';
import { readForm } from '../account/read-form.ts';
import { booksStyle } from '../workbench/books-pages.ts';
import { styleSheet as clocksStyle } from '../workbench/style.ts';
import { cookieOf, setCookie } from './cookie.ts';
import type { DashboardRequest } from './dashboard-request.ts';
import { enter, enterAsDemo, sessionNeeded } from './entry.ts';
import { checkFormField, formField, formKey } from './form-field.ts';
import { barOf, inHtml } from './layout.ts';
import { mayOpen } from './may-open.ts';
import { dashboardRoutes } from './routes.ts';
import { barStyle, styleSheet } from './style.ts';

const home = '/dashboard';
const base = `${home}/`;

const css = 'text/css; charset=utf-8';

const assets: Readonly<Record<string, { text: string; type: string }>> = {
  [`${base}assets/style.css`]: { text: styleSheet, type: css },
  [`${base}assets/clocks.css`]: { text: `${clocksStyle}${barStyle}`, type: css },
  [`${base}assets/books.css`]: { text: `${booksStyle}${barStyle}`, type: css },
  [`${base}assets/clocks.js`]: {
    text: readScripts(new URL('../workbench/scripts/', import.meta.url), 'workbench.js'),
    type: 'text/javascript; charset=utf-8',
  },
};

/** In addition to those of every response. */
const headers = Object.entries({
  'Content-Security-Policy': pagePolicy(),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
});

type Deps = Pick<
  AppDeps,
  'sql' | 'vault' | 'logger' | 'canSkipTime' | 'forThisMachine' | 'demo' | 'apiUrl' | 'publicUrl'
>;

/**
 * Serves `/dashboard`: the account of a biller on pages, for the biller's own people. A session opens it: its cookie
 * names the person, the role and the key whose rights the person has at most. On the machine of `npm start`,
 * `/dashboard` itself opens the account of the demo biller.
 */
export function dashboard(deps: Deps, limits: KeyLimits, perform: Perform): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== home && !ctx.path.startsWith(base)) return next();
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    const asset = assets[ctx.path];
    if (asset !== undefined) {
      ctx.res.setHeader('Cache-Control', 'no-cache');
      return send(ctx, 200, asset.text, asset.type);
    }
    let bar: Html | null = null;
    try {
      const [, token] = /^\/dashboard\/enter\/(\w+)$/.exec(ctx.path) ?? [];
      if (token !== undefined) return write(ctx, (await enter(ctx, deps, token)) ?? { goTo: wantedPage(ctx) }, null);
      const request = await openRequest(ctx, deps, limits, perform);
      if (request === null) return await refuseOrEnter(ctx, deps);
      if (ctx.path === home && wantedPage(ctx) !== '') return goOn(ctx, `${base}${wantedPage(ctx)}`);
      bar = barOf(request, dashboardRoutes);
      const answer = await answerOf(ctx, deps, request, limits);
      if (answer !== null) write(ctx, answer, bar);
    } catch (error) {
      if (ctx.headerSent) throw error;
      write(ctx, problemPage(ctx, deps.logger, error), bar);
    }
  };
}

/** Finds the session of the cookie. Null without one that has not ended. */
async function openRequest(
  ctx: Context,
  deps: Deps,
  { reportSlots }: KeyLimits,
  perform: Perform,
): Promise<DashboardRequest | null> {
  const cookie = cookieOf(ctx.req, deps.apiUrl);
  const now = realNow();
  const found = cookie === null ? null : await sessionOfCookie(deps.sql, cookie, now);
  if (found === null) return null;
  const { session, key } = found;
  const { id, kind, scopes } = key;
  ctx.state.key = { id, kind, scopes, setsDefaults: scopes.includes('customers:write') };
  const context = contextOf(key, ctx.state.requestId, now);
  ctx.state.context = context;
  const form = new URLSearchParams();
  const request: DashboardRequest = {
    ...{ sql: deps.sql, vault: deps.vault, canSkipTime: deps.canSkipTime, context, scopes, base, id: '', form },
    reportSlots,
    pageUrls: createPageUrls(deps.publicUrl, deps.vault),
    ...{ sessionId: session.id, person: session.person, role: session.role, endsAt: session.expires_at },
    up: '../'.repeat(Math.max(0, ctx.path.slice(base.length).split('/').length - 1)) || './',
    query: new URLSearchParams(ctx.querystring),
    may: (action) => mayDo(session.role, action) && (action !== 'move_clock' || !session.livemode),
    formField: (path) => formField(deps.vault, session.id, path, now),
    perform: ({ audit, ...asked }) =>
      perform(ctx, {
        ...asked,
        key: formKey(ctx.state.form ?? new URLSearchParams()),
        audit: { ...audit, person: session.person },
      }),
  };
  return request;
}

/** Without a session: `/dashboard` itself opens the account of the demo biller, on the machine of `npm start`. */
async function refuseOrEnter(ctx: Context, deps: Deps): Promise<void> {
  const hadCookie = cookieOf(ctx.req, deps.apiUrl) !== null;
  const isAsking = ctx.method === 'GET' && ctx.path === home;
  if (isAsking && !hadCookie && (await enterAsDemo(ctx, deps))) return goOn(ctx, `${home}${ctx.search}`);
  if (hadCookie) ctx.res.setHeader('Set-Cookie', setCookie(ctx.req, deps.apiUrl, '', 0));
  write(ctx, sessionNeeded(ctx), null);
}

/** Returns the page to write. Null if a table was streamed. */
async function answerOf(
  ctx: Context,
  deps: Deps,
  request: DashboardRequest,
  limits: KeyLimits,
): Promise<Answer | null> {
  const limited = ctx as Parameters<Middleware>[0];
  await limits.limit(limited, async () => {});
  const path = ctx.path.slice(base.length);
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  if (method === 'POST') {
    const form = await readForm(ctx.req);
    ctx.state.form = form;
    ctx.state.bytes = Buffer.from(form.toString());
    const refused = checkFormField(deps.vault, request.sessionId, path, form, request.context.now);
    if (refused !== null) return refused;
    if (path === 'leave') return leave(ctx, deps, request);
    return await inQueue(limited, limits, { ...request, form }, path, method);
  }
  return await inQueue(limited, limits, request, path, method);
}

async function inQueue(
  ctx: Parameters<Middleware>[0],
  limits: KeyLimits,
  request: DashboardRequest,
  path: string,
  method: string,
): Promise<Answer | null> {
  const route = dashboardRoutes.find((each) => each.method === method && each.path.test(path));
  if (route === undefined) return notFound;
  if (!mayOpen(request, route)) return route.sandboxOnly && request.context.livemode ? notFound : forbidden(request);
  const [, id = ''] = route.path.exec(path) ?? [];
  let answer: Answer | null = null;
  await limits.enterQueue(ctx, async () => {
    const given = await route.handle({ ...request, id });
    if ('table' in given) await download(ctx, given.table);
    else answer = given;
  });
  return answer;
}

/** Streams a table. A HEAD request reads no rows. */
async function download(ctx: Context, table: Table): Promise<void> {
  if (ctx.method === 'HEAD') send(ctx, 200, '', 'text/csv; charset=utf-8');
  else await sendTable(ctx, table);
}

async function leave(ctx: Context, { sql, apiUrl }: Deps, request: DashboardRequest): Promise<Page> {
  const { billerId, livemode, requestId, now } = request.context;
  const by = { kind: 'person', id: request.person } as const;
  await endDashboardSession(sql, { tenant: { billerId, livemode }, by, at: now, requestId }, request.sessionId);
  ctx.res.setHeader('Set-Cookie', setCookie(ctx.req, apiUrl, '', 0));
  return plainPage(200, 'You have left the dashboard', html`<p>The session has ended.</p>`);
}

function forbidden({ role }: DashboardRequest): Page {
  return plainPage(403, 'Your role does not allow this', html`<p>You are here as ${role}. Nothing has changed.</p>`);
}

function write(ctx: Context, answer: Answer, bar: Html | null): void {
  if ('goTo' in answer) goOn(ctx, answer.goTo === '' ? home : `${base}${answer.goTo}`);
  else send(ctx, answer.status, inHtml(answer, bar), 'text/html; charset=utf-8');
}

/** The page that an address of the first page leads on to (`?to=`), relative to it; or an empty text. */
function wantedPage(ctx: Context): string {
  const to = new URLSearchParams(ctx.querystring).get('to') ?? '';
  return /^\w[\w/]{0,200}$/.test(to) ? to : '';
}

function goOn(ctx: Context, path: string): void {
  ctx.res.setHeader('Location', path);
  send(ctx, 303, '', 'text/plain; charset=utf-8');
}
