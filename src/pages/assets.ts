import { selectLogo } from '../db/biller-profiles.ts';
import { readScripts } from '../platform/browser-scripts.ts';
import type { Answer, PageRequest, PageRoute } from './page-request.ts';
import { notFound } from './plain-pages.ts';
import { styleSheet } from './style.ts';

/** What a browser may keep for good: the name changes with the content. The style sheet changes with the service. */
const forever = 'public, max-age=31536000, immutable';
const forAnHour = 'public, max-age=3600';

const scripts = new URL('./scripts/', import.meta.url);
const pageScript = readScripts(scripts, 'watch.js', 'fields.js', 'local-time.js');
const cardScript = readScripts(scripts, 'card.js');
const frameScript = readScripts(scripts, 'frame.js', 'fields.js');

const ourScripts = new Map([
  ['page.js', pageScript],
  ['frame.js', frameScript],
  ['card.js', cardScript],
]);

async function asset({ deps, token }: PageRequest): Promise<Answer> {
  const [, color] = /^style-([0-9a-f]{6})\.css$/.exec(token) ?? [];
  if (color !== undefined) {
    return { status: 200, body: styleSheet(color), type: 'text/css; charset=utf-8', cache: forAnHour };
  }
  const script = ourScripts.get(token);
  if (script !== undefined) {
    return { status: 200, body: script, type: 'text/javascript; charset=utf-8', cache: forAnHour };
  }
  const [, name] = /^logo-([0-9a-f]{64})$/.exec(token) ?? [];
  const logo = name === undefined ? null : await selectLogo(deps.sql, name);
  return logo === null ? notFound : { status: 200, body: logo.bytes, type: logo.type, cache: forever };
}

export const assetRoutes: PageRoute[] = [{ method: 'GET', path: '/assets/:token', handle: asset }];
