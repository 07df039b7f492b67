"""A typed client of the payments service."""

from ._client import PaymentsClient
from ._clocks import TestClocks
from ._errors import (
    ApiConnectionError,
    ApiError,
    PaymentsError,
    TestClockError,
    WebhookVerificationError,
)
from ._generated import models
from ._generated.resources import API_VERSION
from ._listing import Listing
from ._webhooks import sign_webhook, verify_webhook

__all__ = [
    "API_VERSION",
    "ApiConnectionError",
    "ApiError",
    "Listing",
    "PaymentsClient",
    "PaymentsError",
    "TestClockError",
    "TestClocks",
    "WebhookVerificationError",
    "models",
    "sign_webhook",
    "verify_webhook",
]
