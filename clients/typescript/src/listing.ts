/** An item of a page, whose items are its member `Key`. */
export type ItemOf<Page, Key extends keyof Page> = Page[Key] extends readonly (infer Item extends object)[]
  ? Item
  : never;

/**
 * A list: awaited, it is its first page; iterated with `for await`, all of its items, the pages fetched as they are needed.
 */
export interface Listing<Page, Key extends keyof Page> extends Promise<Page>, AsyncIterable<ItemOf<Page, Key>> {
  /** The items at once, `limit` at most; all of them if it is not given. */
  toArray(options?: { limit?: number }): Promise<ItemOf<Page, Key>[]>;
}

/** The list whose pages are fetched like this; `after` is the cursor of the last item before, which an item has as `cursor`. */
export function listing<Page extends { has_more?: boolean }, Key extends keyof Page>(
  fetchPage: (after?: string) => Promise<Page>,
  key: Key,
  cursor: keyof ItemOf<Page, Key>,
): Listing<Page, Key> {
  type Item = ItemOf<Page, Key>;
  const first = fetchPage();

  async function* items(): AsyncGenerator<Item, void, undefined> {
    for (let page = await first; ; ) {
      const list = page[key] as readonly Item[];
      yield* list;
      const last = list.at(-1);
      if (page.has_more !== true || last === undefined) return;
      page = await fetchPage(String(last[cursor]));
    }
  }

  async function toArray({ limit = Number.POSITIVE_INFINITY } = {}): Promise<Item[]> {
    const found: Item[] = [];
    if (limit <= 0) return found;
    for await (const item of items()) if (found.push(item) >= limit) break;
    return found;
  }

  return Object.assign(first, { [Symbol.asyncIterator]: items, toArray });
}
