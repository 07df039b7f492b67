import type { KeyLimits } from '../../api/app.ts';
import type { Context, Middleware } from '../../api/http/context.ts';
import type { AppDeps } from '../../api/http/deps.ts';
import { pagePolicy } from '../../api/http/page-policy.ts';
import { send } from '../../api/http/response.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import { readScripts } from '../../platform/browser-scripts.ts';
import { html } from '../../platform/html.ts';
import { realNow } from '../../platform/real-time.ts';
import { contextOf } from '../../services/request-context.ts';
import { keyOfLink, newestKeyOf } from '../../services/workbench/access.ts';
import { checkLink, createLink } from '../../services/workbench/links.ts';
import { notFound, plainPage, problemPage } from '../account/plain-pages.ts';
import { readForm } from '../account/read-form.ts';
import { advanceClock, askForDeletion, createClock, deleteClock, retryDelivery } from './actions.ts';
import { booksStyle, showBooks, showRows } from './books-pages.ts';
import { showClock } from './clock-page.ts';
import { showCustomer } from './customer-page.ts';
import { showEvent, showEvents } from './event-pages.ts';
import { inHtml } from './layout.ts';
import { showOverview } from './overview-page.ts';
import { styleSheet } from './style.ts';
import type { Answer, WorkbenchRequest, WorkbenchRoute } from './workbench-request.ts';

const home = '/workbench';

const assets: Readonly<Record<string, { text: string; type: string }>> = {
  [`${home}/assets/style.css`]: { text: styleSheet, type: 'text/css; charset=utf-8' },
  [`${home}/assets/books.css`]: { text: booksStyle, type: 'text/css; charset=utf-8' },
  [`${home}/assets/script.js`]: {
    text: readScripts(new URL('./scripts/', import.meta.url), 'workbench.js'),
    type: 'text/javascript; charset=utf-8',
  },
};

/** In addition to those of every response. */
const headers = Object.entries({
  'Content-Security-Policy': pagePolicy(),
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
});

const routes: readonly WorkbenchRoute[] = [
  { method: 'GET', path: /^$/, handle: showOverview },
  { method: 'POST', path: /^clocks$/, handle: createClock },
  { method: 'GET', path: /^clocks\/(clk_\w+)$/, handle: showClock },
  { method: 'POST', path: /^clocks\/(clk_\w+)\/advance$/, handle: advanceClock },
  { method: 'GET', path: /^clocks\/(clk_\w+)\/delete$/, handle: askForDeletion },
  { method: 'POST', path: /^clocks\/(clk_\w+)\/delete$/, handle: deleteClock },
  { method: 'GET', path: /^events$/, handle: showEvents },
  { method: 'GET', path: /^events\/(evt_\w+)$/, handle: showEvent },
  { method: 'GET', path: /^books$/, handle: showBooks },
  { method: 'GET', path: /^rows$/, handle: showRows },
  { method: 'GET', path: /^customers\/(cus_\w+)$/, handle: showCustomer },
  { method: 'POST', path: /^deliveries\/(whd_\w+)\/retry$/, handle: retryDelivery },
];

type Deps = Pick<AppDeps, 'sql' | 'vault' | 'logger' | 'canSkipTime' | 'forThisMachine' | 'demo'>;

/**
 * Serves `/workbench`: the test clocks of a sandbox account on pages. A link opens it for an hour. The token in its
 * path names a sandbox key; there is no cookie, so another site cannot act with it. On the machine of `npm start`,
 * `/workbench` itself makes such a link, for the demo biller.
 */
export function workbench(deps: Deps, limits: KeyLimits): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== home && !ctx.path.startsWith(`${home}/`)) return next();
    for (const [name, value] of headers) ctx.res.setHeader(name, value);
    const asset = assets[ctx.path];
    if (asset !== undefined) {
      ctx.res.setHeader('Cache-Control', 'no-cache');
      return send(ctx, 200, asset.text, asset.type);
    }
    let request: WorkbenchRequest | null = null;
    try {
      const [token = '', ...rest] = ctx.path.slice(home.length + 1).split('/');
      request = await open(ctx, deps, token, rest);
      if (request === null) return await refuseOrEnter(ctx, deps, token, rest.join('/'));
      const answer = await answerOf(ctx, request, rest.join('/'), limits);
      write(ctx, answer, request);
    } catch (error) {
      write(ctx, problemPage(ctx, deps.logger, error), request);
    }
  };
}

/** Opens the account of a link. Null if the link opens nothing. */
async function open(
  ctx: Context,
  deps: Deps,
  token: string,
  rest: readonly string[],
): Promise<WorkbenchRequest | null> {
  const now = realNow();
  const link = checkLink(deps.vault, token, now);
  if (link.is !== 'valid') return null;
  const key = await keyOfLink(deps.sql, link.keyId, now);
  if (key === null) return null;
  const { id, kind, scopes } = key;
  ctx.state.key = { id, kind, scopes, setsDefaults: scopes.includes('customers:write') };
  ctx.state.context = contextOf(key, ctx.state.requestId, now);
  return {
    sql: deps.sql,
    context: ctx.state.context,
    scopes,
    canSkipTime: deps.canSkipTime,
    up: rest.length < 2 ? './' : '../'.repeat(rest.length - 1),
    base: `${home}/${token}/`,
    id: '',
    query: new URLSearchParams(ctx.querystring),
    form: new URLSearchParams(),
    endsAt: link.endsAt,
  };
}

/**
 * Without a valid link: on the machine of `npm start` the browser goes on with a new link of the demo biller, to the
 * page that it asked for. Elsewhere a page says where a link comes from.
 */
async function refuseOrEnter(ctx: Context, deps: Deps, token: string, rest: string): Promise<void> {
  const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
  const isReading = ctx.method === 'GET' || ctx.method === 'HEAD';
  const now = realNow();
  const link = checkLink(deps.vault, token, now);
  if (isHere && isReading && deps.demo !== null && (token === '' || link.is === 'expired')) {
    const keyId = await newestKeyOf(deps.sql, deps.demo.billerId, now);
    if (keyId !== null && (token === '' || (link.is === 'expired' && link.keyId === keyId))) {
      const tenant = { billerId: deps.demo.billerId, livemode: false };
      const by = { kind: 'service', id: 'start' } as const;
      const fresh = await createLink(deps.sql, deps.vault, keyId, {
        ...{ by, tenant, at: now },
        requestId: ctx.state.requestId,
      });
      return goOn(ctx, `${home}/${fresh.token}/${rest}${ctx.search}`);
    }
  }
  write(ctx, token === '' ? linkNeeded : linkEnded, null);
}

async function answerOf(ctx: Context, request: WorkbenchRequest, path: string, limits: KeyLimits): Promise<Answer> {
  const limited = ctx as Parameters<Middleware>[0];
  await limits.limit(limited, async () => {});
  if (ctx.path === request.base.slice(0, -1)) return { goTo: '' };
  const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
  const route = routes.find((each) => each.method === method && each.path.test(path));
  if (route === undefined) return notFound;
  const form = method === 'POST' ? await readForm(ctx.req) : request.form;
  const [, id = ''] = route.path.exec(path) ?? [];
  let answer: Answer = notFound;
  await limits.enterQueue(limited, async () => {
    answer = await route.handle({ ...request, form, id });
  });
  return answer;
}

function write(ctx: Context, answer: Answer, request: WorkbenchRequest | null): void {
  if ('goTo' in answer) goOn(ctx, `${request?.base ?? `${home}/`}${answer.goTo}`);
  else send(ctx, answer.status, inHtml(answer, request), 'text/html; charset=utf-8');
}

function goOn(ctx: Context, path: string): void {
  ctx.res.setHeader('Location', path);
  send(ctx, 303, '', 'text/plain; charset=utf-8');
}

const howToOpen = html`<p>The workbench shows the test clocks of a sandbox account. A link to it works for an hour. With the
account’s sandbox key, <code>payments workbench</code> prints one (<a href="/docs/guides/15-workbench">guide</a>).</p>`;

const linkNeeded = plainPage(403, 'Open the workbench with a link', howToOpen);

const linkEnded = plainPage(
  403,
  'This link does not work',
  html`<p>It has expired, or its key was revoked.</p>${howToOpen}`,
);
