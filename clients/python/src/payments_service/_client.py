"""The client."""

from __future__ import annotations

import ssl

from ._clocks import TestClocks
from ._generated.resources import API_VERSION, Resources
from ._transport import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT, Transport


class PaymentsClient(Resources):
    """A client of the payments service, with a member per resource and a method per operation.

    `api_key` is a secret key or a publishable key. The types are those of a secret key; a publishable
    key gets a payment intent as a `PaymentIntentForPayer`. `base_url` is where the service is, such as
    `https://payments.example.com`. Plain `http` is only for this machine; `allow_plain_http` accepts it
    on other machines too, and anyone on the network path can read the key. A request that got no response or a temporary error is repeated up
    to `max_retries` times. One try waits `timeout` seconds for its response. Threads may share a
    client. Raises ValueError if the key or the address is missing or malformed.
    """

    test_clocks: TestClocks

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        max_retries: int = DEFAULT_MAX_RETRIES,
        timeout: float = DEFAULT_TIMEOUT,
        allow_plain_http: bool = False,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        transport = Transport(
            base_url=base_url,
            api_key=api_key,
            max_retries=max_retries,
            timeout=timeout,
            allow_plain_http=allow_plain_http,
            user_agent=f"payments-client-python/{API_VERSION}",
            ssl_context=ssl_context,
        )
        super().__init__(transport)
        self.test_clocks = TestClocks(transport)
        self._transport = transport

    def close(self) -> None:
        """Closes the connection of this thread. The client can still be used."""
        self._transport.close()
