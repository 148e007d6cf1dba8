"""Who watches the soak's table: a broker with a listener, and a browser. Both go away when told to.

raw/back.jsonl   each time one was there again: kind, and seconds until the newest state reached it
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.live.feeds.mqtt import client_of, parse_broker, topic_of
from referee.live.supervisor import end_with_parent

GIVEN_UP_S = 60.0
"""A feed that is not heard again by then counts as lost for good."""
_UP_S = 20.0
_MOSQUITTO = "/usr/sbin/mosquitto"  # where Debian puts it, outside of the path


def mosquitto() -> str | None:
    """The broker's program; None where there is none, or no client for it."""
    try:
        client_of(parse_broker("mqtt://127.0.0.1"), "")
    except UnusableInput:
        return None
    return shutil.which("mosquitto") or (_MOSQUITTO if Path(_MOSQUITTO).is_file() else None)


class WatchedBroker:
    """A broker of the soak's own, and somebody who listens to the table. `address`: for `cueref live`."""

    def __init__(self, program: str, port: int, table: str) -> None:
        self.address = f"mqtt://127.0.0.1:{port}"
        self._command = [program, "-p", str(port)]  # without a file of settings: this machine alone
        self._process = self._begin()
        self._heard = threading.Event()
        self._client = client_of(parse_broker(self.address), "soak")
        self._client.on_connect = lambda client, *_: client.subscribe(f"{topic_of(table)}/state")
        self._client.on_message = self._take
        self._client.reconnect_delay_set(1, 1)
        self._client.connect_async("127.0.0.1", port, keepalive=10)
        self._client.loop_start()

    def _begin(self) -> subprocess.Popen[bytes]:
        nothing = subprocess.DEVNULL
        return subprocess.Popen(self._command, stdout=nothing, stderr=nothing, preexec_fn=end_with_parent)

    def _take(self, _client: Any, _data: Any, message: Any) -> None:
        self._heard.set()  # a broker that begins again has kept nothing: this is news

    def away(self) -> None:
        """Kill it: nothing that it kept is kept."""
        self._process.kill()
        self._process.wait(_UP_S)

    def again(self) -> float:
        """Begin again; seconds until a state of the table comes by it, at most `GIVEN_UP_S`."""
        self._process = self._begin()
        return _until(self._heard)

    def close(self) -> None:
        """End both."""
        with contextlib.suppress(OSError):
            self._client.disconnect()
        self._client.loop_stop()
        self.away()


class WatchingBrowser:
    """A page of the table that is open. Away it keeps its connection and reads nothing, as a tablet that
    sleeps; then the connection is cut.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._reads, self._end, self._heard = threading.Event(), threading.Event(), threading.Event()
        self._reads.set()
        self._thread = threading.Thread(target=self._watch, name="browser", daemon=True)
        self._thread.start()

    def away(self) -> None:
        """Read nothing from now on."""
        self._reads.clear()

    def again(self) -> float:
        """Open the page anew; seconds until it shows a state, at most `GIVEN_UP_S`."""
        self._heard.clear()
        self._reads.set()
        return _until(self._heard)

    def close(self) -> None:
        """Close the page."""
        self._end.set()
        self._reads.set()
        self._thread.join(_UP_S)

    def _watch(self) -> None:
        from websockets.exceptions import WebSocketException
        from websockets.sync.client import connect

        origin: Any = f"http://127.0.0.1:{self._port}"
        address = f"ws://127.0.0.1:{self._port}/ws/live"
        while not self._end.is_set():
            with (
                contextlib.suppress(OSError, TimeoutError, WebSocketException),
                connect(address, origin=origin, close_timeout=1) as page,
            ):
                self._read(page)
            self._end.wait(0.5)

    def _read(self, page: Any) -> None:
        """Until the page is told to be away, and over that time."""
        while not self._end.is_set():
            if not self._reads.is_set():
                self._reads.wait()
                return
            with contextlib.suppress(TimeoutError):
                if b'"state"' in _bytes(page.recv(0.5)):
                    self._heard.set()


def _bytes(message: str | bytes) -> bytes:
    return message.encode() if isinstance(message, str) else message


def _until(heard: threading.Event) -> float:
    begun = time.monotonic()
    heard.clear()
    heard.wait(GIVEN_UP_S)
    return time.monotonic() - begun
