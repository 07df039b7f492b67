"""A service with an account of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypedDict, cast

from .._client import PaymentsClient
from .._generated import models
from ._clock import SandboxClock, instant_of, text_of
from ._receiver import WebhookReceiver
from ._service import DEFAULT_START_TIMEOUT, RunningService, SandboxError, ask, find_service

TRIGGER_TIMEOUT = 300.0
"""Seconds. `payment_link.throttled` takes a minute or two."""


class SandboxKeys(TypedDict):
    """The keys of an account."""

    sandbox_secret: str
    sandbox_publishable: str
    live_secret: str
    live_publishable: str


@dataclass(frozen=True)
class _Account:
    biller_id: str
    keys: SandboxKeys


class Sandbox:
    """A service with an account of its own. `start_sandbox` makes it."""

    def __init__(
        self, service: RunningService, *, time_zone: str | None = None, country: str | None = None
    ) -> None:
        self._service = service
        self._receivers: list[WebhookReceiver] = []
        self.base_url = service.development.base_url
        self.data_dir = str(service.data_dir)
        """The folder of the service's data: another process joins the service if its DATA_DIR is this."""
        self._begin(time_zone, country)

    @property
    def biller_id(self) -> str:
        return self._account.biller_id

    @property
    def keys(self) -> SandboxKeys:
        return self._account.keys

    @property
    def payments(self) -> PaymentsClient:
        """A client with the account's sandbox secret key."""
        return self._payments

    def clock(self, *, at: str | datetime | None = None, name: str | None = None) -> SandboxClock:
        """Creates a test clock; its time is by default now."""
        body: models.TestClockCreate = {
            "frozen_time": text_of(datetime.now(UTC) if at is None else instant_of(at))
        }
        if name is not None:
            body["name"] = name
        return SandboxClock(self._payments, self._payments.test_clocks.create(body))

    def webhooks(self, *event_types: str) -> WebhookReceiver:
        """Starts a receiver on this machine and creates an endpoint for it; by default for all events."""
        receiver = WebhookReceiver(self._payments, event_types or ("*",))
        self._receivers.append(receiver)
        return receiver

    def trigger(self, event_type: str) -> models.Event:
        """Makes the objects that cause an event of this type. Returns the event.

        Runs `payments trigger` of the npm package @payments-service/client. Raises SandboxError if it
        fails or is not there.
        """
        env = {
            **os.environ,
            "API_KEY": self.keys["sandbox_secret"],
            "BASE_URL": self.base_url,
            "NODE_OPTIONS": "",
        }
        command = [*self._command_line(), "trigger", event_type, "--json"]
        try:
            ran = subprocess.run(
                command, env=env, capture_output=True, text=True, timeout=TRIGGER_TIMEOUT
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SandboxError(f"payments trigger {event_type} did not run: {error}") from error
        if ran.returncode != 0:
            raise SandboxError(f"payments trigger {event_type} failed:\n{ran.stderr.strip()}")
        return cast("models.Event", json.loads(ran.stdout))

    def reset(self, *, time_zone: str | None = None, country: str | None = None) -> None:
        """Deletes the account's clocks and webhook endpoints, and goes on with a fresh account.

        It has other keys and no objects. Its dates begin in `time_zone`, an IANA name, by default UTC.
        `country`, ISO 3166-1 alpha-2, decides which surcharges are allowed; by default it is not stated.
        """
        self._clear()
        self._begin(time_zone, country)

    def stop(self) -> None:
        """Deletes the account's clocks and webhook endpoints. A service that was started here ends."""
        try:
            self._clear()
        finally:
            self._service.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _begin(self, time_zone: str | None, country: str | None) -> None:
        named = self._service.development
        options = {"time_zone": time_zone, "country": country}
        body = json.dumps({name: value for name, value in options.items() if value is not None})
        status, text = ask(
            "POST", named.accounts_url, named.accounts_token, timeout=30.0, body=body
        )
        if status != 201:
            raise SandboxError(f"The service has made no account: {status} {text}")
        made: Any = json.loads(text)
        self._account = _Account(made["biller_id"], made["keys"])
        self._payments = PaymentsClient(
            base_url=self.base_url, api_key=self._account.keys["sandbox_secret"]
        )

    def _clear(self) -> None:
        for receiver in self._receivers:
            receiver.close()
        self._receivers.clear()
        clocks, endpoints = self._payments.test_clocks, self._payments.webhook_endpoints
        for clock in clocks.list(limit=100).to_list():
            clocks.delete(clock["id"])
        for endpoint in endpoints.list(limit=100).to_list():
            endpoints.delete(endpoint["id"])

    def _command_line(self) -> Sequence[str]:
        """The command line `payments`: of the service's folder, of the project's packages, of PATH, or by npx."""
        if self._service.checkout is not None:
            return ["npm", "--prefix", str(self._service.checkout), "run", "--silent", "payments", "--"]
        found = shutil.which("payments", path="node_modules/.bin") or shutil.which("payments")
        if found:
            return [str(Path(found).absolute())]
        return ["npx", "--yes", "--package", "@payments-service/client", "payments"]


def start_sandbox(
    *,
    service: str | None = None,
    data_dir: str | None = None,
    start_timeout: float = DEFAULT_START_TIMEOUT,
    time_zone: str | None = None,
    country: str | None = None,
) -> Sandbox:
    """Joins the payments service that runs on this machine, or starts one, and creates an account.

    `service` is the folder of a checkout, which is started if none runs; by default PAYMENTS_SERVICE.
    Without either, the npm package @payments-service/sandbox is started. `data_dir` is the folder of
    the data of a service that runs; by default DATA_DIR, or `.data` in the service's folder or in this
    one. A start may take `start_timeout` seconds, by default ten minutes, because the first one fetches
    the Temporal server. The account's dates begin in `time_zone`, an IANA name, by default UTC; its
    `country`, ISO 3166-1 alpha-2, decides which surcharges are allowed. Raises SandboxError if no service
    runs and it is not known where one is, or the service does not know the zone or the country.
    """
    running = find_service(service, data_dir, start_timeout)
    try:
        return Sandbox(running, time_zone=time_zone, country=country)
    except BaseException:
        running.stop()
        raise
