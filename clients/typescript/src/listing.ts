/** An item of a page that has its items in the member `Key`. */
export type ItemOf<Page, Key extends keyof Page> = Page[Key] extends readonly (infer Item extends object)[]
  ? Item
  : never;

/** A list. `await` returns its first page. `for await` returns all its items, and fetches pages as needed. */
export interface Listing<Page, Key extends keyof Page> extends Promise<Page>, AsyncIterable<ItemOf<Page, Key>> {
  /**
   * Returns the items as an array: at most `limit`, by default all. The `limit` of the list itself is the size of a
   * page.
   */
  toArray(options?: { limit?: number }): Promise<ItemOf<Page, Key>[]>;
}

/**
 * Creates a list from a function that fetches a page. `after` is the member `cursor` of the previous page's last item.
 */
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
