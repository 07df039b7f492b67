import type { operations } from './generated/schema.ts';
import { type ItemOf, type Listing, listing } from './listing.ts';
import type { RequestOptions, WaitOptions, WriteOptions } from './options.ts';
import type { ApiRequest, Requester } from './transport.ts';

type Operations = operations;
/** JSON, if there is a choice. */
type ContentOf<T> = T extends { content: { 'application/json': infer Json } }
  ? Json
  : T extends { content: infer Content }
    ? Content[keyof Content]
    : never;
type Success = 200 | 201 | 202;

/** @public The request body of an operation; the generator prints it for a body whose schema has no name. */
export type BodyOf<Id extends keyof Operations> = Operations[Id] extends { requestBody?: infer Body }
  ? ContentOf<NonNullable<Body>>
  : never;

/** The query parameters of an operation. */
export type QueryOf<Id extends keyof Operations> = NonNullable<Operations[Id]['parameters']['query']>;

/** The response body of an operation; a union if it has several. */
export type ResponseOf<Id extends keyof Operations> = ContentOf<
  Operations[Id]['responses'][Extract<keyof Operations[Id]['responses'], Success>]
>;

/** The base class of the generated resources. */
export class Resource {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  protected send<T>(request: ApiRequest, options?: WriteOptions & WaitOptions): Promise<T> {
    return this.#request(request, options);
  }

  /** Lists pages. The next page starts after the member `cursor` of the last item. */
  protected pagesOf<Page extends { has_more?: boolean }, Key extends keyof Page>(
    request: ApiRequest,
    items: Key,
    cursor: keyof ItemOf<Page, Key>,
    options?: RequestOptions,
  ): Listing<Page, Key> {
    const pageAfter = (after?: string): Promise<Page> => {
      const query = after === undefined ? request.query : { ...request.query, starting_after: after };
      return this.#request({ ...request, query }, options);
    };
    return listing(pageAfter, items, cursor);
  }
}

/**
 * A template tag that puts ids into a path.
 * @throws TypeError if an id would change the path: an empty one names the list, `..` leads out of it.
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  return parts.reduce((done, part, index) => {
    const id = ids[index - 1];
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`This is not an id: ${JSON.stringify(id)}`);
    return done + encodeURIComponent(id) + part;
  });
}
