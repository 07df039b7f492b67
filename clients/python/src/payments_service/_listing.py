"""Lists that fetch their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

Page = TypeVar("Page")
Item = TypeVar("Item")


class Listing(Generic[Page, Item]):
    """A list. Iterating over it returns all its items, and fetches pages as they are needed."""

    def __init__(self, fetch_page: Callable[[str | None], Any], items: str, cursor: str) -> None:
        self._fetch_page = fetch_page
        self._items = items
        self._cursor = cursor

    def page(self) -> Page:
        """Fetches the first page."""
        page: Page = self._fetch_page(None)
        return page

    def __iter__(self) -> Iterator[Item]:
        after: str | None = None
        while True:
            page = self._fetch_page(after)
            items = page[self._items]
            yield from items
            if page.get("has_more") is not True or not items:
                return
            after = str(items[-1][self._cursor])

    def to_list(self, *, limit: int | None = None) -> list[Item]:
        """Returns the items: at most `limit`, by default all.

        The `limit` of the list itself is the size of a page.
        """
        return list(islice(self, limit))
