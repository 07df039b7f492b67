import type { Context } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { isOfAnotherSite } from '../../api/http/other-site.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import type { DashboardSessionRow } from '../../db/dashboard-sessions.ts';
import { html } from '../../platform/html.ts';
import { type RealInstant, realNow } from '../../platform/real-time.ts';
import { newestKeyOf } from '../../services/dashboard/access.ts';
import { makeSession, useSessionUrl } from '../../services/dashboard/sessions.ts';
import type { Page } from '../account/account-request.ts';
import { plainPage } from '../account/plain-pages.ts';
import { assertNoForeignSite } from '../account/read-form.ts';
import { setCookie } from './cookie.ts';

type Deps = Pick<AppDeps, 'sql' | 'apiUrl' | 'forThisMachine' | 'demo'>;

const howToOpen = html`<p>Your own back office makes a session with <code>POST /api/v1/dashboard_sessions</code> and
leads you to its URL, which works once and for five minutes (<a href="/docs/guides/18-dashboard">guide</a>).</p>`;

/** The page without a session. A link from another site brings no cookie along: the same address, opened here, does. */
export function sessionNeeded(ctx: Context): Page {
  const again = html`<p>If you have come from another site, <a href="${ctx.path}${ctx.search}">open this page again</a>.</p>`;
  return plainPage(
    401,
    'You are not in the dashboard',
    html`<p>There is no session, or it has ended.</p>${again}${howToOpen}`,
  );
}

const urlUsed = plainPage(
  401,
  'This URL does not open the dashboard',
  html`<p>It was used, it is older than five minutes, or its session has ended. Ask for another one.</p>${howToOpen}`,
);

/** The page of a URL: a button. It changes nothing, so a mail scanner does not use the URL up. */
const enterPage: Page = {
  status: 200,
  title: 'Open the dashboard',
  main: html`<h1>Open the dashboard</h1>
<p>This URL works once. It is used up when you press the button.</p>
<form method="post"><button>Open the dashboard</button></form>`,
};

/** Uses up a URL, if its form was posted, and sets the cookie. Returns a page, or null to go on to the first page. */
export async function enter(ctx: Context, deps: Deps, token: string): Promise<Page | null> {
  if (ctx.method !== 'POST') return enterPage;
  assertNoForeignSite(ctx.req);
  const now = realNow();
  const opened = await useSessionUrl(deps.sql, token, { now, requestId: ctx.state.requestId });
  if (opened === null) return urlUsed;
  giveCookie(ctx, deps, opened, now);
  return null;
}

/**
 * On the machine of `npm start`, opens the dashboard as the demo biller. Returns whether it has; then the browser has a
 * cookie. The page of another site opens nothing: the request brings no cookie along, so each one would make a session,
 * which would take the place of the one that the browser has.
 */
export async function enterAsDemo(ctx: Context, deps: Deps): Promise<boolean> {
  if (!deps.forThisMachine || deps.demo === null || !isAtThisMachine(ctx.req)) return false;
  if (isOfAnotherSite(ctx.req)) return false;
  const now = realNow();
  const key = await newestKeyOf(deps.sql, deps.demo.billerId, now);
  if (key === null) return false;
  const { requestId } = ctx.state;
  const { token } = await makeSession(
    deps.sql,
    {
      ...{ by: { kind: 'service', id: 'start' }, requestId, at: now, keyId: key.id },
      tenant: { billerId: deps.demo.billerId, livemode: false },
    },
    { person: 'npm start', role: 'admin' },
  );
  const opened = await useSessionUrl(deps.sql, token, { now, requestId });
  if (opened === null) return false;
  giveCookie(ctx, deps, opened, now);
  return true;
}

/** Gives the browser the cookie of a session, until the session ends. */
function giveCookie(
  ctx: Context,
  { apiUrl }: Pick<Deps, 'apiUrl'>,
  { session, cookie }: { session: DashboardSessionRow; cookie: string },
  now: RealInstant,
): void {
  const seconds = (session.expires_at.getTime() - now.getTime()) / 1000;
  ctx.res.setHeader('Set-Cookie', setCookie(ctx.req, apiUrl, cookie, seconds));
}
