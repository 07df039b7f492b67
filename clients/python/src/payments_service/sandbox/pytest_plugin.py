"""Fixtures for pytest. pytest loads this by itself where the package is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from . import Sandbox


@pytest.fixture(scope="session")
def payments_service_sandbox() -> Iterator[Sandbox]:
    """The service of this run, joined or started. Tests take `payments_sandbox`."""
    from . import start_sandbox

    with start_sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def payments_account() -> dict[str, str]:
    """The `time_zone` and `country` of the account of a test. Override it in your conftest.py."""
    return {}


@pytest.fixture
def payments_sandbox(
    payments_service_sandbox: Sandbox, payments_account: dict[str, str]
) -> Iterator[Sandbox]:
    """A payments service with a fresh account for this test."""
    if payments_account:
        payments_service_sandbox.reset(**payments_account)
    yield payments_service_sandbox
    payments_service_sandbox.reset()
