"""Sends requests, with retries."""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import selectors
import ssl
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from ._errors import ApiConnectionError, ApiError
from ._options import AllOptions
from ._redact import redact
from ._retry import delay_before_retry, read_retry_after

JSON = "application/json"
DEFAULT_MAX_RETRIES = 2
DEFAULT_TIMEOUT = 30.0
_CHUNK_BYTES = 65536


@dataclass(frozen=True)
class Request:
    """A request as the generated methods pass it."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Any
    accept: str
    """The media type of the response."""


class Transport:
    """Sends requests to one service, with one key. Each thread has a connection of its own."""

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        max_retries: int,
        timeout: float,
        allow_plain_http: bool,
        user_agent: str,
        ssl_context: ssl.SSLContext | None,
    ) -> None:
        if not isinstance(api_key, str) or api_key == "":
            raise ValueError("api_key is missing")
        # http.client would quote a header that it refuses, with the key in it.
        if re.search(r"[^\x21-\x7e]", api_key):
            raise ValueError("api_key has characters that are not allowed in a key")
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must be an address such as https://payments.example.com")
        if parts.username is not None or parts.password is not None:
            raise ValueError("base_url must not contain credentials")
        if parts.scheme == "http" and not (allow_plain_http or _is_this_machine(parts.hostname)):
            raise ValueError(
                "base_url must begin with https://, because the key is sent to it. With allow_plain_http, "
                "http:// is accepted too"
            )
        self._host = parts.hostname
        self._port = parts.port
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._base_path = parts.path.rstrip("/")
        self._ssl = (ssl_context or ssl.create_default_context()) if parts.scheme == "https" else None
        self._api_key = api_key
        self._max_retries = max_retries
        self._timeout = timeout
        self._user_agent = user_agent
        self._local = threading.local()

    def send(self, request: Request, options: AllOptions) -> Any:
        """Returns the response's body: JSON, or text of another media type.

        Raises ApiError if the service refuses the request, ApiConnectionError if no response comes.
        """
        # All tries send the same headers: the same Idempotency-Key prevents a second effect.
        headers = self._headers(request, options)
        timeout = options.get("timeout", self._timeout) + options.get("wait_seconds", 0)
        max_retries = options.get("max_retries", self._max_retries)
        retries = 0
        while True:
            try:
                return self._send_once(request, headers, timeout)
            except (ApiError, ApiConnectionError) as error:
                delay = delay_before_retry(error, retries) if retries < max_retries else None
                if delay is None:
                    raise
            time.sleep(delay)
            retries += 1

    def close(self) -> None:
        """Closes the connection of this thread."""
        self._drop()

    def _headers(self, request: Request, options: AllOptions) -> dict[str, str]:
        headers = {
            "Accept": request.accept,
            "Authorization": f"Bearer {self._api_key}",
            "User-Agent": self._user_agent,
        }
        if request.body is not None:
            headers["Content-Type"] = JSON
        if request.method == "POST":
            headers["Idempotency-Key"] = options.get("idempotency_key") or str(uuid.uuid4())
        if "idempotency_ttl_seconds" in options:
            headers["Idempotency-TTL"] = str(options["idempotency_ttl_seconds"])
        if "wait_seconds" in options:
            headers["Prefer"] = f"wait={options['wait_seconds']}"
        return headers

    def _send_once(self, request: Request, headers: dict[str, str], timeout: float) -> Any:
        query = urlencode(
            {name: _text(value) for name, value in request.query.items() if value is not None}
        )
        path = self._base_path + request.path
        body = None if request.body is None else json.dumps(request.body).encode()
        try:
            response, content = self._exchange(
                request.method, f"{path}?{query}" if query else path, body, headers, timeout
            )
        except (OSError, http.client.HTTPException) as error:
            self._drop()
            reason = f"{timeout:g} s have passed" if isinstance(error, TimeoutError) else str(error)
            reason = redact(reason or type(error).__name__, query)
            raise ApiConnectionError(
                f"{request.method} {self._origin}{path} got no response: {reason}"
            ) from None
        return _read(request, response, content, query)

    def _exchange(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], timeout: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """`timeout` is for all of it, in seconds."""
        ends_at = time.monotonic() + timeout
        connection = self._connection(timeout)
        connection.request(method, target, body, headers)
        sock = connection.sock
        sock.settimeout(_left(ends_at))
        response = connection.getresponse()
        content = bytearray()
        while True:
            sock.settimeout(_left(ends_at))
            chunk = response.read1(_CHUNK_BYTES)
            if not chunk:
                break
            content += chunk
        if response.length:  # the connection ended before the body
            raise http.client.IncompleteRead(b"", response.length)
        response.close()  # else the connection would refuse the next request
        if response.will_close:
            self._drop()
        return response, bytes(content)

    def _connection(self, timeout: float) -> http.client.HTTPConnection:
        """Returns this thread's connection, or a new one if that was closed or belongs to a parent process."""
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        if connection is not None and self._local.process == os.getpid() and _is_open(connection):
            connection.sock.settimeout(timeout)
            return connection
        if self._ssl is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        else:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=timeout, context=self._ssl
            )
        self._local.connection = connection
        self._local.process = os.getpid()
        return connection

    def _drop(self) -> None:
        connection: http.client.HTTPConnection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        if connection is not None and self._local.process == os.getpid():
            connection.close()


def _is_this_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_open(connection: http.client.HTTPConnection) -> bool:
    """Whether the connection can be used again: an idle one that is readable was closed by the service."""
    if connection.sock is None:
        return False
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return not selector.select(0)


def _left(ends_at: float) -> float:
    """Returns the seconds left. Raises TimeoutError if there are none."""
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(
    request: Request, response: http.client.HTTPResponse, content: bytes, query: str
) -> Any:
    """Raises ApiError unless the response is a success of the requested media type."""
    is_expected = (response.getheader("Content-Type") or "").startswith(request.accept)
    is_success = 200 <= response.status < 300 and is_expected
    if is_success and request.accept != JSON:
        return content.decode(errors="replace")
    body = _parse(content)
    if is_success and body is not None:
        return body
    error = body.get("error") if isinstance(body, dict) else None
    raise ApiError(
        redact(error, query) if isinstance(error, dict) else {},
        status=response.status,
        method=request.method,
        path=request.path,
        request_id=response.getheader("Request-Id"),
        retry_after_seconds=read_retry_after(response.getheader("Retry-After")),
    )


def _parse(content: bytes) -> Any:
    """Returns None if the content is not JSON."""
    try:
        return json.loads(content)
    except ValueError:
        return None
