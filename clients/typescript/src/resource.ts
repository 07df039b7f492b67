import type { operations } from './generated/schema.ts';
import { type ItemOf, type Listing, listing } from './listing.ts';
import type { RequestOptions, WaitOptions, WriteOptions } from './options.ts';
import type { ApiRequest, Requester } from './transport.ts';

type Operations = operations;
type ContentOf<T> = T extends { content: infer Content } ? Content[keyof Content] : never;
type Success = 200 | 201 | 202;

/** The body that an operation takes. */
export type BodyOf<Id extends keyof Operations> = Operations[Id] extends { requestBody?: infer Body }
  ? ContentOf<NonNullable<Body>>
  : never;

/** The query parameters that an operation takes. */
export type QueryOf<Id extends keyof Operations> = NonNullable<Operations[Id]['parameters']['query']>;

/** What an operation answers; a union, where it has several answers. */
export type AnswerOf<Id extends keyof Operations> = ContentOf<
  Operations[Id]['responses'][Extract<keyof Operations[Id]['responses'], Success>]
>;

/** What the generated resources are made of. */
export class Resource {
  readonly #request: Requester;

  constructor(request: Requester) {
    this.#request = request;
  }

  protected answerTo<T>(request: ApiRequest, options?: WriteOptions & WaitOptions): Promise<T> {
    return this.#request(request, options);
  }

  /** A list whose next page starts after the `cursor` of the last item. */
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
 * A path with its ids in place.
 * @throws TypeError for an id that would make it another path: an empty one names the list, `..` leads out of it.
 */
export function path(parts: TemplateStringsArray, ...ids: string[]): string {
  return parts.reduce((done, part, index) => {
    const id = ids[index - 1];
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`this is no id: ${JSON.stringify(id)}`);
    return done + encodeURIComponent(id) + part;
  });
}
