import { type Html, html } from '../../platform/html.ts';
import type { Page } from '../account/account-request.ts';
import { sitePage } from '../look/page.ts';
import type { DashboardRequest, DashboardRoute } from './dashboard-request.ts';
import { mayOpen } from './may-open.ts';

/** Writes a page as HTML. `request` is null for a page that shows no account. */
export function inHtml(page: Page, bar: Html | null): string {
  const { title, main, state, refreshSeconds, style = 'style.css', script, before } = page;
  return sitePage({
    title: `${title} · Dashboard`,
    style: { href: `/dashboard/assets/${style}` },
    refreshSeconds,
    ...(script === undefined ? {} : { script }),
    ...(before === undefined ? {} : { before }),
    bar: bar ?? html`<strong>Dashboard</strong>`,
    main,
    state,
  });
}

/** The bar of a person: the pages that the person may open, who it is, and the way out. */
export function barOf(request: DashboardRequest, routes: readonly DashboardRoute[]): Html {
  const { base, context, person, role, endsAt } = request;
  const links = routes.flatMap((route) => {
    if (route.menu === undefined || !mayOpen(request, route)) return [];
    return [html`<a href="${base}${route.menu.path}">${route.menu.title}</a> `];
  });
  return html`<a class="brand" href="${base}">Dashboard</a>
<nav aria-label="Pages">${links}</nav>
<form method="post" action="${base}leave">${request.formField('leave')}<span class="pill${context.livemode ? ' bad' : ''}">${context.livemode ? 'Live' : 'Sandbox'}</span>
<span><strong>${person}</strong>, ${role}</span> <span class="faint">until ${endsAt.toISOString().slice(11, 16)} UTC</span> <button class="other">Leave</button></form>`;
}
