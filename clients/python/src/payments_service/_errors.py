"""The errors of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ._generated import models


class PaymentsError(Exception):
    """The base class of this client's errors."""


class ApiError(PaymentsError):
    """The service refused a request. Use `code`; the text is for people and may change."""

    def __init__(
        self,
        envelope: dict[str, Any],
        *,
        status: int,
        method: str,
        path: str,
        request_id: str | None,
        retry_after_seconds: float | None,
    ) -> None:
        default = f"The response has the status {status} and does not come from the service."
        super().__init__(envelope.get("message", default))
        self.status = status
        """The HTTP status."""
        self.type: str = envelope.get("type", "api_error")
        self.code: str | None = envelope.get("code")
        """None if the response did not come from the service, but for example from a proxy."""
        self.details = cast("list[models.ErrorDetail]", envelope.get("details", []))
        """Every field error of the request, with `validation_failed`."""
        self.request_id: str | None = envelope.get("request_id", request_id)
        """Quote it when you contact us about the request."""
        self.method = method
        self.path = path
        self.max_frozen_time: str | None = envelope.get("max_frozen_time")
        """With `advance_bound_exceeded`: the latest possible target of one advance."""
        self.mandate_id: str | None = envelope.get("mandate_id")
        """With `mandate_exists`: the mandate of the bank account that has not ended."""
        self.retry_after_seconds = retry_after_seconds
        """How long to wait before the next request."""


class ApiConnectionError(PaymentsError):
    """No complete response came in time. Whether the request took effect is unknown."""


class WebhookVerificationError(PaymentsError):
    """The request is not a webhook of the service, was changed on the way, or is too old."""


class TestClockError(PaymentsError):
    """A test clock did not become ready: it failed, or was still `advancing` when the time was up."""

    __test__ = False  # no class of tests, for pytest

    def __init__(self, message: str, clock: models.TestClock) -> None:
        super().__init__(message)
        self.clock = clock
        """The clock as last fetched."""
        self.failure_reason: str | None = clock["failure_reason"]
        """Why the clock failed, in the service's words; None if it did not."""
