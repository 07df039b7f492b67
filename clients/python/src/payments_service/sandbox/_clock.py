"""A test clock of a sandbox."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from .._client import PaymentsClient
from .._generated import models

DEFAULT_TIMEOUT = 60.0
LOOK_AGAIN_AFTER = 0.05


class SandboxClock:
    """A test clock of a sandbox."""

    def __init__(self, payments: PaymentsClient, state: models.TestClock) -> None:
        self._payments = payments
        self.state = state
        """The clock as last fetched."""

    @property
    def id(self) -> str:
        return self.state["id"]

    def advance(self, to: str | datetime, *, timeout: float = DEFAULT_TIMEOUT) -> models.TestClock:
        """Advances the clock to an instant, in several advances if it is beyond the bound of one.

        Returns the clock when all effects are committed and each webhook about its customers was
        delivered or given up, those of requests included. Raises TimeoutError if a webhook is still pending after `timeout`
        seconds, TestClockError if the clock fails, ValueError if the instant has no time zone.
        """
        clocks = self._payments.test_clocks
        target = instant_of(to)
        now = clocks.get(self.id)
        while True:
            bound = now["max_frozen_time"]
            next_stop = target if bound is None else min(instant_of(bound), target)
            now = clocks.advance_and_wait(self.id, {"frozen_time": text_of(next_stop)})
            now = self._delivered(now, timeout)
            if instant_of(now["frozen_time"]) >= target:
                return now

    def delete(self) -> None:
        """Deletes the clock with all its customers and their objects."""
        self._payments.test_clocks.delete(self.id)

    def _delivered(self, clock: models.TestClock, timeout: float) -> models.TestClock:
        gives_up_at = time.monotonic() + timeout
        while True:
            self.state = clock
            pending = clock["webhook_deliveries"]["pending"]
            if pending == 0:
                return clock
            if time.monotonic() > gives_up_at:
                raise TimeoutError(
                    f"{pending} webhooks of the clock are still pending after {timeout:g} s."
                )
            time.sleep(LOOK_AGAIN_AFTER)
            clock = self._payments.test_clocks.get(self.id)


def instant_of(value: str | datetime) -> datetime:
    """Returns an instant, in whole milliseconds as the API has them. Raises ValueError if it has no time zone."""
    instant = datetime.fromisoformat(value) if isinstance(value, str) else value
    if instant.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def text_of(value: datetime) -> str:
    """Returns an instant as the API writes it: in UTC, with milliseconds."""
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
