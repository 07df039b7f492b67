import type { Middleware } from '../../api/http/context.ts';
import type { AppDeps, Demo, WebUi } from '../../api/http/deps.ts';
import { pagePolicy } from '../../api/http/page-policy.ts';
import { send } from '../../api/http/response.ts';
import { isAtThisMachine } from '../../api/middleware/this-machine.ts';
import { type Html, html } from '../../platform/html.ts';
import { barOfSites, sitePage } from '../look/page.ts';
import { pageStyle } from '../look/page-style.ts';

/**
 * Serves `/`, the front page. On the machine of `npm start` it has the first charge ready to copy, with the sandbox key
 * of the demo biller, and links to the pages for this machine. Anyone else sees where the documentation is.
 */
export function home(deps: Pick<AppDeps, 'forThisMachine' | 'demo' | 'operations'>): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/' || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const isHere = deps.forThisMachine && isAtThisMachine(ctx.req);
    ctx.res.setHeader('Content-Security-Policy', policy);
    if (isHere) ctx.res.setHeader('Cache-Control', 'no-store');
    const page = homePage(isHere ? { demo: deps.demo, webUi: deps.operations.webUis.live } : null);
    send(ctx, 200, page, 'text/html; charset=utf-8');
  };
}

const style = `${pageStyle}
.card dl { margin: 0; }
dd { color: var(--faint); }
.copy { user-select: all; cursor: copy; }
`;

const policy = pagePolicy({ inlineStyle: style, hasForms: false });

/** What the page shows on the machine of `npm start`. */
interface Here {
  demo: Demo | null;
  webUi: WebUi | null;
}

/** Renders the front page. `here` is null for anyone who is not on the machine of `npm start`. */
function homePage(here: Here | null): string {
  const main = html`<h1>Payments Service</h1>
<p class="faint">Customers and their cards and bank accounts, single charges, plans, subscriptions, payment links, webhooks and test
clocks.</p>
${here?.demo ? firstCharge(here.demo) : null}
<div class="columns even">
<section class="card" aria-labelledby="read"><h2 id="read">Read</h2>
<dl>
<dt><a href="/docs/guides">Guides</a></dt><dd>From the first charge to going live, with commands to paste.</dd>
<dt><a href="/docs">API reference</a></dt><dd>Every operation, with samples in curl, TypeScript, Python and Go, and a form to try it.</dd>
<dt><a href="/openapi.json">OpenAPI document</a></dt><dd>The same for programs.</dd>
</dl></section>
${here === null ? null : onThisMachine(here.webUi)}
</div>`;
  return sitePage({ title: 'Payments Service', style, isListed: true, bar: barOfSites(here !== null), main });
}

function firstCharge({ baseUrl, sandboxKey }: Demo): Html {
  return html`<section class="card" aria-labelledby="first"><h2 id="first">Your first charge</h2>
<p>Paste this into a shell. It saves a test card and charges it 25.00 with the key of your sandbox: no money moves.</p>
<pre class="copy" tabindex="0" title="One click selects all of it">${commands(baseUrl, sandboxKey)}</pre>
<p>The response has <code>"status":"succeeded"</code>. The <a href="/workbench">workbench</a> then shows the event. Next:
<a href="/docs/guides/01-first-charge">a customer with a card of their own</a>, then <a href="/docs/guides/02-first-plan">a plan</a>.</p>
</section>`;
}

/** Two requests for bash, zsh and sh. */
function commands(baseUrl: string, sandboxKey: string): string {
  return `KEY=${sandboxKey}
send() { curl -sS "${baseUrl}/api/v1/$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"; }

CARD=$(send payment_methods '{"type": "card", "payment_method_data": {"expiry_month": 12, "expiry_year": 2034,
  "token_metadata": {"type": "fixture", "token": "tok_sandbox_visa_succeed", "data": ""}}}' | grep -o 'pm_[0-9A-Za-z]*')
send payment_intents '{"amount": 2500, "currency": "AUD", "payment_method": "'"$CARD"'", "confirm": true}'`;
}

function onThisMachine(webUi: WebUi | null): Html {
  const temporal = html`<dt><a href="${webUi?.url ?? ''}">Temporal Web UI</a></dt><dd>Every plan, payment and delivery as a workflow.</dd>\n`;
  return html`<section class="card" aria-labelledby="here"><h2 id="here">On this machine</h2>
<dl>
<dt><a href="/dashboard">Dashboard</a></dt><dd>Customers, payments, and what becomes of them.</dd>
<dt><a href="/workbench">Workbench</a></dt><dd>Test clocks to look at and to move.</dd>
<dt><a href="/ops">Operations</a></dt><dd>What is stuck, and the figures of the week.</dd>
${webUi === null ? null : temporal}</dl></section>`;
}
