"""The web server of all pages: uvicorn with limits of time and number, so that idle connections cost nothing.

uvicorn closes a connection that is idle between requests, and a WebSocket that does not answer pings. It
waits for ever for the first request, for the rest of a head and of a body; `LimitedProtocol` does not.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from calibration.texts import unusable_input
from referee.console.guard import Guard
from referee.console.serving import Serving
from vision import process

HEAD_S = 15.0
"""From the first sign of a request (or the connection's beginning) to the end of its head."""
BODY_S = 120.0
"""For a whole body: a phone's picture of 8 MB at 0.6 Mbit/s."""
KEEP_ALIVE_S = 20
"""Between two requests of one connection; pages ask every few seconds."""
PING_S, PONG_S = 20.0, 20.0
"""A WebSocket is asked for a sign of life this often, and closed when none comes in time."""
MOST_CONNECTIONS = 300
"""Below the 1,024 open files that a process has by default: the referee's files share them."""
MOST_OF_ONE_ADDRESS = 64
"""A browser opens six; a proxy is not counted."""
MOST_HEAD_BYTES = 32 * 1024
TLS_1_2_CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""uvicorn's own choice leaves CBC with SHA-1 alone where a client speaks TLS 1.2; TLS 1.3 has its own."""
_GONE_AFTER_S = 60
"""A peer that acknowledges nothing for this long is gone, even in the middle of an answer."""


class LimitedProtocol(H11Protocol):
    """One connection, closed when its request does not come in time, or when there are too many."""

    _timer: asyncio.TimerHandle | None = None
    _awaited: str = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        notice_dead_peers(transport.get_extra_info("socket"))
        if self._too_many():
            transport.abort()
            return
        self._watch()

    def _too_many(self) -> bool:
        if len(self.connections) > MOST_CONNECTIONS:
            return True
        host = self.client[0] if self.client else None
        if host is None or host in getattr(self.config, "proxy_addresses", ()):
            return False
        same = sum(c.client is not None and c.client[0] == host for c in self.connections)  # type: ignore[union-attr]
        return same > MOST_OF_ONE_ADDRESS

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._await("")
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._await("upgraded")
        super().handle_websocket_upgrade(event)

    def _watch(self) -> None:
        """Await what is missing of the request: its head, its body, or nothing."""
        if self._awaited == "upgraded" or self.transport.is_closing():
            return
        if self.conn.their_state is h11.SEND_BODY:
            self._await("body")
        elif self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None:
            self._await("head")
        else:
            self._await("")

    def _await(self, what: str) -> None:
        """Begin the time of what is awaited; more bytes of the same do not prolong it."""
        if what == self._awaited:
            return
        self._awaited = what
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if what in ("head", "body"):
            self._timer = self.loop.call_later(HEAD_S if what == "head" else BODY_S, self.transport.abort)


def notice_dead_peers(connection: socket.socket | None) -> None:
    """Have the system close a connection whose peer is gone: a video may be paused for hours, but lives."""
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", _GONE_AFTER_S),
        ("TCP_KEEPINTVL", _GONE_AFTER_S // 4),
        ("TCP_KEEPCNT", 4),
        ("TCP_USER_TIMEOUT", _GONE_AFTER_S * 1000),
    ):
        if hasattr(socket, name):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def server_config(app: Guard, serving: Serving | None = None) -> uvicorn.Config:
    """How an application is served. `serving` None: plainly, for a test."""
    serving = serving or Serving()
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        log_level="warning",
        access_log=False,  # an address may hold a screen's key
        server_header=False,
        # headers of a proxy are believed from the proxies that were told, and from nobody else
        proxy_headers=bool(serving.proxies),
        forwarded_allow_ips=",".join(serving.proxies) or "",
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        ws_max_size=4096,  # pages send nothing
        ws_max_queue=4,
        ws_ping_interval=PING_S,
        ws_ping_timeout=PONG_S,
        ws_per_message_deflate=False,
        ssl_certfile=serving.tls_cert,
        ssl_keyfile=serving.tls_key,
        ssl_ciphers=TLS_1_2_CIPHERS,
    )
    config.proxy_addresses = serving.proxies  # type: ignore[attr-defined]  # what LimitedProtocol does not count
    return config


class WebServer:
    """An application served on a thread of its own; refereeing does not depend on it."""

    def __init__(
        self,
        app: Guard,
        listening: Sequence[socket.socket],
        stopped: Callable[[], None] | None = None,
        serving: Serving | None = None,
    ) -> None:
        """`stopped` is called when serving has ended, for whatever reason."""
        self._server = uvicorn.Server(server_config(app, serving))
        self._listening, self._stopped = list(listening), stopped
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)

    def start(self, timeout_s: float = 30.0) -> None:
        """Start, and return when requests are answered. Raises UnusableInput when the server does
        not start.
        """
        self._thread.start()
        deadline = time.monotonic() + timeout_s
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise unusable_input("errors.consoles_server_to_start")
            time.sleep(0.02)

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return int(self._listening[0].getsockname()[1])

    def close(self) -> None:
        """Stop answering; open pages show that they have lost the table."""
        self._server.should_exit = True
        self._thread.join(timeout=6.0)

    def _run(self) -> None:
        try:
            self._server.run(sockets=self._listening)
        finally:
            if self._stopped is not None:
                self._stopped()


def serve_until_stopped(app: Any, serving: Serving, listening: socket.socket) -> None:
    """Serve on this thread until SIGINT or SIGTERM."""
    process.few_arenas()
    uvicorn.Server(server_config(app, serving)).run(sockets=[listening])
