import { selectLogo } from '../db/biller-profiles.ts';
import { fieldScript } from './field-script.ts';
import { notFound } from './plain-pages.ts';
import { styleSheet } from './style.ts';
import type { Answer, PageRoute, Visit } from './visit.ts';
import { frameScript } from './widget-scripts.ts';

/** What a browser may keep for good: the name changes with the content. The style sheet changes with the service. */
const forever = 'public, max-age=31536000, immutable';
const forAnHour = 'public, max-age=3600';

/** Loads a page anew when what it shows has changed elsewhere. The page works without it. */
const pageScript = `
const { watch, is } = document.querySelector('main').dataset;
// A form that was sent leads to its own page. A reload would cancel that.
let isLeaving = false;
addEventListener('submit', () => { isLeaving = true; });
async function look() {
  for (let failures = 0; failures < 5; ) {
    try {
      const response = await fetch(watch, { headers: { Prefer: 'wait=30' } });
      const { status } = await response.json();
      if (status !== is) return isLeaving || location.reload();
      failures = 0;
    } catch { failures += 1; }
    await new Promise((resume) => setTimeout(resume, 2000));
  }
}
look();
`;

async function asset({ deps, token }: Visit): Promise<Answer> {
  const [, color] = /^style-([0-9a-f]{6})\.css$/.exec(token) ?? [];
  if (color !== undefined) {
    return { status: 200, body: styleSheet(color), type: 'text/css; charset=utf-8', cache: forAnHour };
  }
  const script = token === 'page.js' ? pageScript : token === 'frame.js' ? frameScript : null;
  if (script !== null) {
    return { status: 200, body: script + fieldScript, type: 'text/javascript; charset=utf-8', cache: forAnHour };
  }
  const [, name] = /^logo-([0-9a-f]{64})$/.exec(token) ?? [];
  const logo = name === undefined ? null : await selectLogo(deps.sql, name);
  return logo === null ? notFound : { status: 200, body: logo.bytes, type: logo.type, cache: forever };
}

export const assetRoutes: PageRoute[] = [{ method: 'GET', path: '/assets/:token', handle: asset }];
