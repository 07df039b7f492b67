"""The options of a single request, as keyword arguments of every method."""

from __future__ import annotations

from typing import TypedDict


class RequestOptions(TypedDict, total=False):
    max_retries: int
    """The maximum number of retries; by default that of the client."""
    timeout: float
    """How many seconds one try waits for its response; by default that of the client."""


class WriteOptions(RequestOptions, total=False):
    idempotency_key: str
    """Your name for this request. The same request with the same key has no second effect and returns
    the first response, also from another process or after a restart. By default the client creates a
    random key, which covers its own retries."""
    idempotency_ttl_seconds: int
    """How long the service keeps the key: 1 to 2592000 (30 days), by default 86400 (a day). With a
    publishable key at most 86400."""


class WaitOptions(RequestOptions, total=False):
    wait_seconds: int
    """How long the service may wait for a result, at most 60. `timeout` begins after that."""


class AllOptions(WriteOptions, WaitOptions, total=False):
    """What a request may have."""
