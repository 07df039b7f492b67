"""A fixture that has a payments service, with an account of its own for each file.

If DATA_DIR is set, the service that runs from that folder is joined. Otherwise one is started for this run:
that of node_modules, or by npx.
"""

import json
import os
import pathlib
import shutil
import subprocess
import time
import urllib.request

import pytest


class Sandbox:
    def __init__(self, development: dict):
        account = self._send(
            "POST", development["accounts_url"], None, development["accounts_token"]
        )
        self.base_url, self.keys = development["base_url"], account["keys"]

    @staticmethod
    def _send(method: str, url: str, body: dict | None, key: str, **headers: str):
        data = None if body is None else json.dumps(body).encode()
        kind = {} if body is None else {"Content-Type": "application/json"}
        request = urllib.request.Request(url, data, {"Authorization": f"Bearer {key}", **kind, **headers}, method=method)
        with urllib.request.urlopen(request, timeout=90) as response:
            return json.load(response)

    def call(self, method: str, path: str, body: dict | None = None, **headers: str):
        """Sends a request with the account's sandbox secret key."""
        return self._send(method, f"{self.base_url}/api/v1{path}", body, self.keys["sandbox_secret"], **headers)

    def clock(self, at: str) -> str:
        """Creates a test clock and returns its id."""
        return self.call("POST", "/test_helpers/test_clocks", {"frozen_time": at})["id"]

    def advance(self, clock: str, to: str) -> dict:
        """Advances a clock, in one or more advances, and waits until its webhooks have been delivered."""
        path = f"/test_helpers/test_clocks/{clock}"
        state = self.call("GET", path)
        while state["frozen_time"] < to:
            self.call("POST", f"{path}/advance", {"frozen_time": min(to, state["max_frozen_time"])})
            state = self.call("GET", path, Prefer="wait=60")
            while state["last_advance"]["webhook_deliveries"]["pending"] > 0:
                time.sleep(0.05)
                state = self.call("GET", path)
        assert state["status"] == "ready", state["failure_reason"]
        return state

    def close(self) -> None:
        for clock in self.call("GET", "/test_helpers/test_clocks")["data"]:
            self.call("DELETE", f"/test_helpers/test_clocks/{clock['id']}")


@pytest.fixture(scope="session")
def service():
    """What the service says about itself: its addresses, and the token for accounts."""
    if folder := os.environ.get("DATA_DIR"):
        yield json.loads((pathlib.Path(folder) / "development.json").read_text())
        return
    installed = shutil.which("payments-sandbox", path="node_modules/.bin")
    program = [installed] if installed else ["npx", "--yes", "@payments-service/sandbox"]
    options = ["--port", "0", "--json", "--end-with-parent"]
    with subprocess.Popen([*program, *options], stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        if not line:
            pytest.fail("The payments service has not started; it says why on stderr.")
        yield json.loads(line)
        process.terminate()


@pytest.fixture(scope="module")
def sandbox(service):
    sandbox = Sandbox(service)
    yield sandbox
    sandbox.close()
