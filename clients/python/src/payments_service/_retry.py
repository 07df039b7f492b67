"""When a request is sent again."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime

from ._errors import ApiConnectionError, ApiError

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
LONGEST_RETRY_AFTER = 60.0
"""If `Retry-After` is longer, the error is raised at once, so that no call takes an hour."""


def delay_before_retry(
    error: Exception, retries: int, draw: Callable[[], float] = random.random
) -> float | None:
    """Returns how long to wait before the next try of a request that failed, in seconds.

    Returns None if another try does not help. `retries` is the number of retries so far.

    Every request can be repeated without a second effect: GET, PUT and DELETE by their nature, a
    POST by its Idempotency-Key. The waits grow exponentially, with full jitter, so that clients that
    failed together return at different times. A wait is at least `Retry-After`.
    """
    if not _may_pass(error):
        return None
    jitter = draw() * min(LONGEST_DELAY, FIRST_DELAY * 2**retries)
    asked = error.retry_after_seconds or 0.0 if isinstance(error, ApiError) else 0.0
    return None if asked > LONGEST_RETRY_AFTER else asked + jitter


def _may_pass(error: Exception) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, ApiConnectionError):
        return True
    if not isinstance(error, ApiError):
        return False
    if error.status == 503:
        # The service sends Retry-After with a temporary 503. Others, such as
        # `processor_not_configured`, stay.
        return error.code is None or error.retry_after_seconds is not None
    return error.status in (408, 429, 500, 502, 504) or error.code == "idempotency_key_in_use"


def read_retry_after(header: str | None, now: Callable[[], float] = time.time) -> float | None:
    """Returns a `Retry-After` header in seconds. The header has seconds or a date."""
    if header is None:
        return None
    if re.fullmatch(r"\s*[0-9]+\s*", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now())
    except ValueError:
        return None
