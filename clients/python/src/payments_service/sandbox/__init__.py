"""A payments service for your own tests, with an account of their own.

`start_sandbox` joins the service that runs on this machine, or starts one.
"""

from ._clock import SandboxClock
from ._receiver import WebhookReceiver
from ._sandbox import Sandbox, SandboxKeys, start_sandbox
from ._service import SandboxError

__all__ = [
    "Sandbox",
    "SandboxClock",
    "SandboxError",
    "SandboxKeys",
    "WebhookReceiver",
    "start_sandbox",
]
