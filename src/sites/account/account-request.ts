import type { PersonsAction } from '../../api/middleware/perform.ts';
import type { Html } from '../../platform/html.ts';
import type { Pool } from '../../platform/postgres/connection.ts';
import type { RealInstant } from '../../platform/real-time.ts';
import type { RequestContext } from '../../services/request-context.ts';

/** What a handler asks for: see `PersonsAction`. Person and key of the form are those of the request. */
type Asked = Omit<PersonsAction, 'key' | 'audit'> & { audit: Omit<PersonsAction['audit'], 'person'> };

/** A request for a page about an account, by a person who may see it. */
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
  /** When the person may no longer see it. */
  endsAt: RealInstant;
  /** The hidden field that a form needs which is posted to this path, relative to the first page. */
  formField(path: string): Html;
  /**
   * Does what the posted form asks for, by a route of the API. Sent twice, it is done once.
   * @throws ServiceError as the API would refuse it
   */
  perform(asked: Asked): Promise<unknown>;
}

/** A page to show. */
export interface Page {
  status: number;
  title: string;
  main: Html;
  /** What the page shows, for the script: it loads the page anew when this has changed. */
  state?: string;
  /** Its style sheet; that of its site, if not given. */
  style?: string;
  /** The address of its script, if it has one; and what comes before its main part. */
  script?: string;
  before?: Html;
  /** After how many seconds a browser without scripts loads the page anew. */
  refreshSeconds?: number;
}

/** What a handler returns: a page, or a path of the site to go on to (303), relative to its first page. */
export type Answer = Page | { goTo: string };
