"""The test clocks, with methods that wait for an advance."""

from __future__ import annotations

import time
from math import ceil
from typing import Unpack, cast

from ._errors import TestClockError
from ._generated import models
from ._generated.resources import TestClocks as GeneratedTestClocks
from ._options import RequestOptions, WriteOptions

DEFAULT_WAIT_TIMEOUT = 300.0
LONGEST_WAIT_SECONDS = 60
"""The service's maximum for `Prefer: wait`."""
LOOK_AGAIN_AFTER = 0.1
"""Seconds between two requests. It limits their rate if a proxy does not let responses wait."""


class TestClocks(GeneratedTestClocks):
    __test__ = False  # no class of tests, for pytest

    def advance_and_wait(
        self,
        id: str,
        body: models.TestClockAdvance,
        *,
        wait_timeout: float = DEFAULT_WAIT_TIMEOUT,
        **options: Unpack[WriteOptions],
    ) -> models.TestClock:
        """Advances a clock and waits until every effect is committed. Returns the clock, which is `ready`.

        `wait_timeout` is the total time to wait, in seconds. Raises TestClockError if the clock fails,
        or is not ready in time, and ValueError for a dry run, which has nothing to wait for.
        """
        if body.get("dry_run"):
            raise ValueError("a dry run has nothing to wait for")
        self.advance(id, body, **options)
        reading = {key: options[key] for key in ("max_retries", "timeout") if key in options}
        return self.wait_until_ready(
            id, wait_timeout=wait_timeout, **cast(RequestOptions, reading)
        )

    def wait_until_ready(
        self,
        id: str,
        *,
        wait_timeout: float = DEFAULT_WAIT_TIMEOUT,
        **options: Unpack[RequestOptions],
    ) -> models.TestClock:
        """Waits while a clock is `advancing`, then returns it.

        Raises TestClockError if the clock has failed, or is still advancing when the time is up.
        """
        gives_up_at = time.monotonic() + wait_timeout
        while True:
            left = max(0.0, gives_up_at - time.monotonic())
            clock = self.get(id, wait_seconds=min(LONGEST_WAIT_SECONDS, ceil(left)), **options)
            if clock["status"] == "failed":
                raise TestClockError(f"The test clock {id} has failed: {clock['failure_reason']}", clock)
            if clock["status"] != "advancing":
                return clock
            if time.monotonic() >= gives_up_at:
                raise TestClockError(
                    f"The test clock {id} is still advancing after {wait_timeout:g} s.", clock
                )
            time.sleep(LOOK_AGAIN_AFTER)
