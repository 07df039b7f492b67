import type { Html } from '../../platform/html.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { RequestContext } from '../../services/request-context.ts';

/** A request for a page about an account, by a browser that may see it. */
export interface AccountRequest {
  sql: Pool;
  context: RequestContext;
  /** Of the key by which the browser may see it. */
  scopes: readonly string[];
  canSkipTime: () => boolean | null;
  /** The relative path from the page to the first page of its site: `./`, `../` and so on. */
  up: string;
  /** The path of the first page, with a slash at its end. */
  base: string;
  /** The id in the path, or an empty text. */
  id: string;
  query: URLSearchParams;
  /** The fields of a posted form; empty for a GET. */
  form: URLSearchParams;
  /** When the browser may no longer see it. */
  endsAt: RealInstant;
}

/** A page to show. */
export interface Page<Style extends string = string> {
  status: number;
  title: string;
  main: Html;
  /** What the page shows, for the script: it loads the page anew when this has changed. */
  state?: string;
  /** Its style sheet; that of its site, if not given. */
  style?: Style;
  /** After how many seconds a browser without scripts loads the page anew. */
  refreshSeconds?: number;
}

/** What a handler returns: a page, or a path of the site to go on to (303), relative to its first page. */
export type Answer = Page | { goTo: string };
