import { Type } from 'typebox';
import { Html, html } from '../../platform/html.ts';
import type { PublicDeps } from '../http/deps.ts';
import { pagePolicy, style } from '../http/page-style.ts';
import { route } from '../http/route.ts';
import { reference } from './reference.ts';

/**
 * `GET /`: a small page with links to the reference and, if the API serves only its own machine, to the operators'
 * pages. No key is needed, since the page shows no data.
 */
export const homeRoutes = [
  route({
    method: 'GET',
    path: '/',
    operation: 'getHomePage',
    tag: reference,
    summary: 'Find the reference and the pages of this service',
    access: 'public',
    undocumented: true,
    invalid: 400,
    response: {
      status: 200,
      schema: Type.String(),
      contentType: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': pagePolicy },
    },
    handle: async ({ deps }) => homePage(deps),
  }),
];

function homePage({ forThisMachine, webUi }: PublicDeps): string {
  const forOperators = html`<h2>On this machine</h2>
<ul>
<li><a href="/workbench">Workbench</a>: test clocks to look at and to move</li>
${webUi === null ? null : html`<li><a href="${webUi.url}">Temporal Web UI</a>: shows every plan, payment and delivery as a workflow</li>`}
<li><a href="/ops">Operations</a>: shows what is stuck, and figures of the week</li>
</ul>`;
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Payments Service</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>Payments Service</h1>
<ul>
<li><a href="/docs/guides">Guides</a>: from the first charge to going live</li>
<li><a href="/docs">API reference</a>: every operation, with samples and a form to try it</li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul>
${forThisMachine ? forOperators : null}
</main>
</body>
</html>
`;
  return text;
}
