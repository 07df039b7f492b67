import type { Html } from '../../platform/html.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { RequestContext } from '../../services/request-context.ts';

/** A request for a page of the workbench, by a link that is valid. */
export interface WorkbenchRequest {
  sql: Pool;
  context: RequestContext;
  /** Of the key of the link. */
  scopes: readonly string[];
  canSkipTime: () => boolean | null;
  /** The relative path from the page to the first page of the workbench: `./`, `../` and so on. */
  up: string;
  /** The path of the first page, with the token of the link and a slash at its end. */
  base: string;
  /** The id in the path, or an empty text. */
  id: string;
  query: URLSearchParams;
  /** The fields of a posted form; empty for a GET. */
  form: URLSearchParams;
  /** When the link ends. */
  endsAt: RealInstant;
}

/** A page to show. */
export interface Page {
  status: number;
  title: string;
  main: Html;
  /** What the page shows, for the script: it loads the page anew when this has changed. */
  state?: string;
  /** Its style sheet; that of the workbench, if not given. */
  style?: 'style.css' | 'books.css';
  /** After how many seconds a browser without scripts loads the page anew. */
  refreshSeconds?: number;
}

/** What a handler returns: a page, or a path of the workbench to go on to (303), relative to its first page. */
export type Answer = Page | { goTo: string };

/** A page of the workbench. A `GET` writes nothing. */
export interface WorkbenchRoute {
  method: 'GET' | 'POST';
  /** Of the path after the token. Its group is the id. */
  path: RegExp;
  handle(request: WorkbenchRequest): Promise<Answer>;
}
