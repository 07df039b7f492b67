import assert from 'node:assert/strict';
import type { DashboardRole } from '../../src/domain/dashboard-roles.ts';

/** A page of the dashboard as a browser without scripts gets it. */
interface SeenPage {
  status: number;
  headers: Headers;
  html: string;
  /** What a person reads in its main part. */
  text: string;
}

/** A person in the dashboard. Paths are relative to `/dashboard/`. */
export interface Visitor {
  /** As a `Cookie` header has it. */
  cookie: string;
  sessionId: string;
  get(path: string): Promise<SeenPage>;
  /** Posts these fields, with the hidden ones of the form for this path on the page `from`, by default this path. */
  post(path: string, fields?: Record<string, string>, from?: string): Promise<SeenPage>;
  /** Posts exactly these fields. */
  send(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<SeenPage>;
}

/** Makes a session with this key, as a back office does. Returns what the API returns. */
export async function makeSession(
  url: string,
  key: string,
  role: DashboardRole = 'admin',
  person = 'ann@school.example',
) {
  const response = await fetch(`${url}/api/v1/dashboard_sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ person, role }),
  });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  return JSON.parse(text) as { id: string; url: string; expires_at: string };
}

/** The path of a session's URL, on the API at `url`: tests do not know its port in advance. */
export function entryOf(url: string, session: { url: string }): string {
  return `${url}${new URL(session.url).pathname}`;
}

/** Lets a person of this role into the dashboard of the API at `url`. */
export async function enterDashboard(
  url: string,
  key: string,
  role: DashboardRole = 'admin',
  person?: string,
): Promise<Visitor> {
  const session = await makeSession(url, key, role, person);
  const entered = await fetch(entryOf(url, session), { method: 'POST', redirect: 'manual' });
  assert.equal(entered.status, 303, await entered.text());
  return visitor(url, (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '', session.id);
}

/** A browser that has this cookie. */
export function visitor(url: string, cookie: string, sessionId = ''): Visitor {
  async function request(path: string, init: RequestInit = {}): Promise<SeenPage> {
    const headers = { Cookie: cookie, ...init.headers };
    const response = await fetch(`${url}/dashboard${path === '' || path.startsWith('?') ? '' : '/'}${path}`, {
      redirect: 'manual',
      ...init,
      headers,
    });
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, text: textOf(html) };
  }
  const send: Visitor['send'] = (path, fields, headers = {}) =>
    request(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  return {
    cookie,
    sessionId,
    get: (path) => request(path),
    send,
    async post(path, fields = {}, from = path) {
      const { html } = await request(from);
      return send(path, { ...hiddenFields(html, path), ...fields });
    },
  };
}

/** The hidden fields of the form on a page that is posted to this path. */
export function hiddenFields(html: string, path: string): Record<string, string> {
  const [plain = ''] = path.split('?');
  const forms = [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const [, , inner] = forms.find(([, action = '']) => action.endsWith(plain)) ?? [];
  assert.ok(inner !== undefined, `the page has no form for ${path}`);
  const fields = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]));
}

/** What people read of the main part of a page, in one line. */
function textOf(html: string): string {
  return html
    .replace(/^[\s\S]*<main[^>]*>/, '')
    .replace(/<\/main>[\s\S]*$/, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .replace(/ ([:,.;])/g, '$1')
    .trim();
}
