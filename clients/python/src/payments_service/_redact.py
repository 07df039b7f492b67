"""Removes from an error's text what it must not contain."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote_plus

_CUT = "[redacted]"
_MAYBE_QUERY = re.compile(r"\?[^\s\"'<>`]*")
_ANY_SECRET = re.compile(r"(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}")


def redact(value: Any, query: str) -> Any:
    """Returns a copy without the query of the request, any other query, keys and client secrets.

    The query may have a `client_secret`, a name or an address, and a proxy may quote it.
    """
    if isinstance(value, dict):
        return {key: redact(member, query) for key, member in value.items()}
    if isinstance(value, list):
        return [redact(item, query) for item in value]
    if not isinstance(value, str):
        return value
    for quoted in (query, unquote_plus(query)):
        if quoted:
            value = value.replace(quoted, _CUT)
    # With the `=` in the pattern, a text of many `?` would take its length squared.
    value = _MAYBE_QUERY.sub(lambda found: _CUT if "=" in found[0] else found[0], value)
    return _ANY_SECRET.sub(rf"\g<1>{_CUT}", value)
