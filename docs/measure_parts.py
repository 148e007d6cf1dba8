"""What parts of others would do in the place of ours: the measured figures of docs/parts.md.

    pip install limits hypercorn webvtt-py pysubs2 starsessions && python docs/measure_parts.py

None of these is a dependency; what is not installed is left out. Times are of one core and depend on it.
"""

from __future__ import annotations

import asyncio
import importlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.middleware.trustedhost import TrustedHostMiddleware

from referee.access.access import Access
from referee.access.pauses import Pauses
from referee.console.guard import Guard, Policy
from referee.console.web_server import WebServer
from referee.outputs.exports import _cue_text

REPEATS = 2000
WATCHED_S = 40.0
"""How long a client that sends a byte of its head each second is watched; ours is closed after 15 s."""
HOST = "127.0.0.1"


def microseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The time of one call, mean of many, after a first that does not count."""
    work()
    start_s = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start_s) / repeats * 1e6


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers at once."""
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def guards() -> None:
    """One request through the guard, through Starlette's check of the host, and bare."""
    access = Access()
    policy = Policy("x" * 24, False, access=access)
    applications = {
        "bare": nothing,
        "TrustedHostMiddleware": TrustedHostMiddleware(nothing, [HOST]),
        "ours": Guard(nothing, policy),
    }
    session = access.sessions.begin(None)
    cookie = f"{access.sessions.cookie_name}={session.cookie}".encode()
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/matches",
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"cookie", cookie)],
        "client": (HOST, 5),
    }

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b""}

    async def send(_: object) -> None:
        pass

    with asyncio.Runner() as runner:
        for name, app in applications.items():
            took = microseconds(lambda app=app: runner.run(app(dict(scope), receive, send)))
            print(f"guard, a request: {name} {took:.0f} us")
    print(f"session looked up: ours {microseconds(lambda: access.sessions.find(session.cookie)):.0f} us")


def pauses() -> None:
    """A wrong guess noted; what a window of `limits` makes of the same wrong guess sent again."""
    ours = Pauses(900.0)
    print(f"wrong guess noted: ours {microseconds(lambda: ours.wrong('192.0.2.1', 'same')):.1f} us")
    ours = Pauses(900.0)
    for _ in range(20):
        ours.wrong("192.0.2.1", "same")
    print(f"one secret sent 20 times: ours pauses {ours.left_s('192.0.2.1'):.0f} s")
    limits: Any = optional("limits")
    if limits is not None:
        window = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())
        rule = limits.parse("3/hour")
        hits = [window.hit(rule, "192.0.2.1") for _ in range(20)]
        print(f"the same: limits refuses {hits.count(False)} of 20, each for the same hour")
        print(f"wrong guess noted: limits {microseconds(lambda: window.hit(rule, '192.0.2.2')):.1f} us")


def optional(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])


def until_open(port: int) -> None:
    """Wait until a server listens. Raises TimeoutError after half a minute."""
    end_s = time.monotonic() + 30.0
    while time.monotonic() < end_s:
        try:
            socket.create_connection((HOST, port)).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"nothing listens at port {port}")


def dripped_s(port: int) -> float:
    """How long a server bears a head that comes a byte a second."""
    with socket.create_connection((HOST, port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nx: ")
        client.settimeout(1.0)
        start_s = time.monotonic()
        while time.monotonic() - start_s < WATCHED_S:
            try:
                client.sendall(b"a")
                if not client.recv(100):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - start_s


def slow_connections() -> None:
    """Ours, uvicorn alone, and hypercorn with its read timeout."""
    listening = socket.create_server((HOST, 0))
    server = WebServer(Guard(nothing, Policy("x" * 24, False)), [listening])
    server.start()
    print(f"a byte a second: ours {dripped_s(listening.getsockname()[1]):.0f} s")
    server.close()
    port = free_port()
    plain = uvicorn.Server(uvicorn.Config(nothing, host=HOST, port=port, log_level="error"))
    threading.Thread(target=plain.run, daemon=True).start()
    until_open(port)
    print(f"a byte a second: uvicorn {dripped_s(port):.0f} s (watched for {WATCHED_S:.0f})")
    plain.should_exit = True
    if optional("hypercorn") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "hypercorn.toml"
        settings.write_text("read_timeout = 15\n")
        port = free_port()
        call = [sys.executable, "-m", "hypercorn", "-c", str(settings), "-b", f"{HOST}:{port}"]
        other = subprocess.Popen([*call, "measure_parts:nothing"], cwd=Path(__file__).parent)
        try:
            until_open(port)
            print(f"a byte a second: hypercorn, read_timeout 15: {dripped_s(port):.0f} s")
        finally:
            other.terminate()
            other.wait()


def captions(folder: Path) -> None:
    """A name that is markup, through each writer of WebVTT, with its identifier."""
    name = "A <b> & {c} --> d"
    print("ours:", _cue_text(name))
    webvtt: Any = optional("webvtt")
    if webvtt is not None:
        for text in (name, name.replace(" -->", "")):
            cue = webvtt.Caption("00:00:01.000", "00:00:02.000", text, identifier="stroke-1")
            target = folder / "a.vtt"
            try:
                webvtt.WebVTT(captions=[cue]).save(str(target))
                print("webvtt-py:", target.read_text().splitlines()[2:])
            except ValueError as error:
                print("webvtt-py refuses:", error)
    pysubs2: Any = optional("pysubs2")
    if pysubs2 is not None:
        subs = pysubs2.SSAFile()
        subs.append(pysubs2.SSAEvent(start=1000, end=2000, text=name))
        print("pysubs2:", subs.to_string("vtt").splitlines()[2:])


def main() -> None:
    guards()
    pauses()
    with tempfile.TemporaryDirectory() as folder:
        captions(Path(folder))
    slow_connections()


if __name__ == "__main__":
    main()
