"""A receiver of webhooks, for tests."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .._client import PaymentsClient
from .._errors import WebhookVerificationError
from .._generated import models
from .._webhooks import verify_webhook

DEFAULT_TIMEOUT = 30.0


class WebhookReceiver:
    """An endpoint on this machine. It verifies each webhook and keeps its event."""

    def __init__(self, payments: PaymentsClient, event_types: Sequence[str]) -> None:
        self._events: list[models.Event] = []
        self._changed = threading.Condition()
        self._secret = ""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        try:
            self.endpoint = payments.webhook_endpoints.create(
                {"url": self.url, "event_types": list(event_types)}
            )
        except BaseException:
            self.close()
            raise
        self._secret = self.endpoint.get("secret", "")

    @property
    def events(self) -> list[models.Event]:
        """The events that have come, in the order of their `sequence`, each once."""
        with self._changed:
            return sorted(self._events, key=lambda event: event["sequence"])

    def wait_for(
        self, event_type: str, *, about: str | None = None, timeout: float = DEFAULT_TIMEOUT
    ) -> models.Event:
        """Returns the first event of this type, and about this object; waits until it has come.

        Raises TimeoutError if it has not come after `timeout` seconds.
        """
        gives_up_at = time.monotonic() + timeout
        with self._changed:
            while True:
                for event in sorted(self._events, key=lambda one: one["sequence"]):
                    if event["event_type"] == event_type and about in (None, _subject_of(event)):
                        return event
                left = gives_up_at - time.monotonic()
                if left <= 0:
                    came = ", ".join(event["event_type"] for event in self._events) or "nothing"
                    what = event_type if about is None else f"{event_type} of {about}"
                    raise TimeoutError(f"{what} has not come within {timeout:g} s, but {came}.")
                self._changed.wait(left)

    def close(self) -> None:
        """Ends the receiver. The endpoint stays until the account is cleared."""
        self._server.shutdown()
        self._server.server_close()

    def _receive(self, body: bytes, headers: dict[str, str]) -> int:
        try:
            event = verify_webhook(body, headers, self._secret)
        except (WebhookVerificationError, ValueError):
            return 400
        with self._changed:
            if all(known["id"] != event["id"] for known in self._events):
                self._events.append(event)
                self._changed.notify_all()
        return 204

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receive = self._receive

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                self.send_response(receive(body, dict(self.headers.items())))
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def _subject_of(event: models.Event) -> object:
    data: object = event["data"]
    return data.get("id") if isinstance(data, dict) else None
