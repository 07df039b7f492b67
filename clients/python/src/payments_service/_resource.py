"""The base class of the generated resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

from ._listing import Listing
from ._options import AllOptions
from ._transport import JSON, Request, Transport


class Resource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def _send(
        self,
        method: str,
        path: str,
        *,
        options: Mapping[str, Any],
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        accept: str = JSON,
    ) -> Any:
        request = Request(method=method, path=path, query=query or {}, body=body, accept=accept)
        return self._transport.send(request, cast(AllOptions, options))

    def _pages_of(
        self,
        method: str,
        path: str,
        *,
        options: Mapping[str, Any],
        query: Mapping[str, Any],
        items: str,
        cursor: str,
    ) -> Listing[Any, Any]:
        """Lists pages. The next page starts after the member `cursor` of the last item."""

        def fetch_page(after: str | None) -> Any:
            asked = query if after is None else {**query, "starting_after": after}
            return self._send(method, path, query=asked, options=options)

        return Listing(fetch_page, items, cursor)


def segment(value: str) -> str:
    """Returns an id as a segment of a path.

    Raises ValueError if it would change the path: an empty id names the list, `..` leads out of it.
    """
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"This is not an id: {value!r}")
    return quote(value, safe="")
