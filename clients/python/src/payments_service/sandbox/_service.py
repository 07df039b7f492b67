"""Finds the service that runs on this machine, or starts one."""

from __future__ import annotations

import atexit
import http.client
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

DEFAULT_START_TIMEOUT = 600.0
"""Seconds. The first start fetches the Temporal server."""
HEALTH_TIMEOUT = 2.0
STOP_TIMEOUT = 60.0
KEPT_LINES = 200


class SandboxError(Exception):
    """There is no service, it has not started, or it did not do what was asked."""


@dataclass(frozen=True)
class Development:
    """What a running service says about itself in `development.json`."""

    base_url: str
    accounts_url: str
    accounts_token: str


@dataclass(frozen=True)
class RunningService:
    development: Development
    data_dir: Path
    checkout: Path | None
    """The folder of the service, if it is known."""
    stop: Callable[[], None]
    """Ends the service if it was started here."""


def find_service(service: str | None, data_dir: str | None, start_timeout: float) -> RunningService:
    """Joins the service that runs, or starts one. Raises SandboxError if there is none, or it does not start."""
    named_folder = service or os.environ.get("PAYMENTS_SERVICE")
    folder = None if named_folder is None else Path(named_folder)
    named_data_dir = data_dir or os.environ.get("DATA_DIR")
    data = ((folder or Path()) / (named_data_dir or ".data")).absolute()
    named = _read_development(data)
    if named is not None and _is_itself(named) and _is_ready(named):
        return RunningService(named, data, folder, lambda: None)
    if folder is not None:
        return _start_checkout(folder, start_timeout)
    if named_data_dir is None:
        return _start_package(start_timeout)
    raise SandboxError(
        f"No payments service runs from {data}. Start one with npm start in its folder and set DATA_DIR to its .data, "
        "or set PAYMENTS_SERVICE to its folder, so that it is started here. Without both, the package "
        "@payments-service/sandbox is started."
    )


def ask(
    method: str,
    url: str,
    token: str | None = None,
    timeout: float = HEALTH_TIMEOUT,
    body: str | None = None,
) -> tuple[int, str]:
    """Returns the status and the text of a response. No proxy is used, and no redirect followed. Raises OSError."""
    parts = urlsplit(url)
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
    try:
        connection.request(method, parts.path or "/", body=body, headers=headers)
        response = connection.getresponse()
        return response.status, response.read().decode(errors="replace")
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()


def _read_development(data_dir: Path) -> Development | None:
    """Raises SandboxError if another user could have written it."""
    file = data_dir / "development.json"
    try:
        if not (_is_own(file) and _is_own(data_dir)):
            raise SandboxError(
                f"{file} could have been written by another user, so the service that it names is "
                "not joined. Make the file and its folder yours alone (chown, chmod go-w), or name "
                "another DATA_DIR."
            )
        return _development_in(file.read_text())
    except OSError:
        return None


def _is_own(path: Path) -> bool:
    """Whether this user alone can write it. Windows has no such users."""
    if sys.platform == "win32":
        return True
    found = path.stat()
    return found.st_uid == os.getuid() and found.st_mode & 0o022 == 0


def _development_in(text: str) -> Development | None:
    try:
        found: Any = json.loads(text)
        return Development(
            str(found["base_url"]), str(found["accounts_url"]), str(found["accounts_token"])
        )
    except (ValueError, KeyError, TypeError):
        return None


def _is_itself(named: Development) -> bool:
    """Whether the service that wrote this still runs.

    A killed one leaves the file behind, and what has its ports by now does not know its token.
    """
    try:
        status, text = ask("GET", named.accounts_url, named.accounts_token)
    except (OSError, ValueError):
        return False
    return status == 200 and json.dumps(named.base_url) in text


def _is_ready(named: Development) -> bool:
    try:
        return ask("GET", f"{named.base_url}/readyz")[0] == 200
    except (OSError, ValueError):
        return False


def _start_package(timeout: float) -> RunningService:
    """Starts the service of the npm package, with ports and data of its own."""
    installed = shutil.which("payments-sandbox", path="node_modules/.bin") or shutil.which(
        "payments-sandbox"
    )
    program = [installed] if installed else ["npx", "--yes", "@payments-service/sandbox"]
    command = [*program, "--port", "0", "--json", "--end-with-parent"]
    what = "The payments service of @payments-service/sandbox"
    line, stop = _until_ready(command, r"\{.*\}$", timeout, what, env={"NODE_OPTIONS": ""})
    development = _development_in(line)
    if development is None:
        stop()
        raise SandboxError(f"{what} has not said where it is.")
    return RunningService(development, Path(json.loads(line)["data_dir"]), None, stop)


def _start_checkout(folder: Path, timeout: float) -> RunningService:
    """Starts a checkout with ports and data of its own. Its data are deleted when it is stopped."""
    data_dir = Path(tempfile.mkdtemp(prefix="payments-sandbox-"))
    names = ("PORT", "PAGES_PORT", "TEMPORAL_PORT", "TEMPORAL_UI_PORT")
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    env = {"DATA_DIR": str(data_dir), "NODE_OPTIONS": "", **ports}
    what = f"The payments service in {folder}"
    try:
        _, end = _until_ready(["npm", "start"], r"ready: ", timeout, what, cwd=folder, env=env)
    except SandboxError:
        shutil.rmtree(data_dir, ignore_errors=True)
        raise

    def stop() -> None:
        end()
        shutil.rmtree(data_dir, ignore_errors=True)

    development = _read_development(data_dir)
    if development is None:
        stop()
        raise SandboxError(f"{what} has written no development.json.")
    return RunningService(development, data_dir, folder, stop)


def _until_ready(
    command: Sequence[str],
    wanted: str,
    timeout: float,
    what: str,
    *,
    cwd: Path | None = None,
    env: Mapping[str, str],
) -> tuple[str, Callable[[], None]]:
    """Waits for a line on stdout. Returns it, and a function that ends the child.

    The child also gets its signal when this process ends. Raises SandboxError with the output if the
    child ends or is late.
    """
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            cwd=cwd,
            env={**os.environ, **env},
        )
    except OSError as error:
        raise SandboxError(f"{what} cannot be started by {command[0]}: {error.strerror}") from error
    output: deque[str] = deque(maxlen=KEPT_LINES)
    found: queue.Queue[str | None] = queue.Queue()

    def read(stream: IO[str], is_stdout: bool) -> None:
        for line in stream:
            output.append(line)
            if is_stdout and re.match(wanted, line):
                found.put(line)
        if is_stdout:
            found.put(None)

    readers = [
        threading.Thread(target=read, args=(stream, stream is child.stdout), daemon=True)
        for stream in (child.stdout, child.stderr)
    ]
    for reader in readers:
        reader.start()
    atexit.register(child.terminate)

    def stop() -> None:
        atexit.unregister(child.terminate)
        child.terminate()
        try:
            child.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        for reader in readers:
            reader.join(STOP_TIMEOUT)

    try:
        line = found.get(timeout=timeout)
    except queue.Empty:
        line = None
    if line is not None:
        return line, stop
    stop()
    raise SandboxError(f"{what} has not started:\n{''.join(output)}")


def _free_ports(count: int) -> list[str]:
    """Returns ports that are free now. They are held until all are found, so that none is found twice."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [str(server.getsockname()[1]) for server in held]
    for server in held:
        server.close()
    return ports
