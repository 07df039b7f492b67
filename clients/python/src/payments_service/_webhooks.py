"""Verifies and signs webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ._errors import WebhookVerificationError

if TYPE_CHECKING:
    from ._generated import models

TOLERANCE_SECONDS = 300


def verify_webhook(
    body: str | bytes, headers: Mapping[str, Any], secret: str | Sequence[str]
) -> models.Event:
    """Returns the event of a webhook, if its signature is right and its timestamp at most five minutes off.

    `body` must be as received: JSON that was parsed and written again does not match the signature.
    While an endpoint's secret is being replaced, pass both; one valid signature is enough. The same
    event can arrive twice: recognise it by its `id`.

    Raises WebhookVerificationError otherwise: return 400 then. Raises ValueError if a secret is
    malformed.
    """
    keys = [_key_of(each) for each in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise ValueError("secret is missing")
    raw = body.encode() if isinstance(body, str) else bytes(body)
    given = {name.lower(): str(value) for name, value in headers.items()}
    id, timestamp, signatures = (
        given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature")
    )
    if not (id and timestamp and signatures):
        raise WebhookVerificationError("The headers of a webhook are missing.")
    _check_age(timestamp)
    expected = [_signature(key, id, timestamp, raw).encode() for key in keys]
    found = [_bytes(signature) for signature in signatures.split(" ")]
    # Every pair is compared, so that the time does not tell which one is right.
    if not any([hmac.compare_digest(one, other) for one in expected for other in found]):
        raise WebhookVerificationError("No signature is right.")
    return cast("models.Event", json.loads(raw))


def sign_webhook(
    body: str | bytes, secret: str, *, id: str | None = None, at: float | None = None
) -> dict[str, str]:
    """Signs a body as the service does, for tests of your receiver. Returns the headers.

    `at` is in seconds since 1970, by default now. Raises ValueError if the secret is malformed.
    """
    id = id or f"evt_{uuid.uuid4().hex}"
    timestamp = str(int(time.time() if at is None else at))
    raw = body.encode() if isinstance(body, str) else bytes(body)
    return {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": _signature(_key_of(secret), id, timestamp, raw),
    }


def _check_age(timestamp: str) -> None:
    # Longer numbers are refused by `int`, or are too large for a difference of times.
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise WebhookVerificationError("The timestamp is not a number.")
    age = time.time() - int(timestamp)
    if age > TOLERANCE_SECONDS:
        raise WebhookVerificationError("The timestamp is too old.")
    if age < -TOLERANCE_SECONDS:
        raise WebhookVerificationError("The timestamp is too new.")


def _signature(key: bytes, id: str, timestamp: str, body: bytes) -> str:
    digest = hmac.new(key, _bytes(f"{id}.{timestamp}.") + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def _bytes(text: str) -> bytes:
    """Headers may hold halves of characters: a server puts them where it cannot decode a byte."""
    return text.encode(errors="surrogatepass")


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise ValueError("the secret is malformed") from None
    if not key:
        raise ValueError("the secret is malformed")
    return key
