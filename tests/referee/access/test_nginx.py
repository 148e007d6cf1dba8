"""The documented nginx in front of the pages, with Debian's nginx: HTTPS, sockets, addresses, sizes."""

# ruff: noqa: E402
from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
websockets = pytest.importorskip("websockets", reason="the pages need the extra 'serve'")
pytest.importorskip("cryptography", reason="the extra 'test' brings cryptography")
sys.path.insert(0, str(Path(__file__).parent))
from test_web_server import TOKEN, certificate, served

from referee.access.access import Access
from referee.access.roles import Role
from referee.console.serving import Serving, listen
from referee.console.web_server import WebServer

__all__ = ["certificate"]  # the fixture
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(NGINX is None, reason="no nginx (apt install nginx)")]
DOCUMENT = Path(__file__).parents[3] / "docs/security.md"
PASSWORD = "chalk and cue 17"


def documented(port: int, pages: int, certificate: tuple[Path, Path]) -> str:
    """The documented servers, with the test's ports, name and certificate in their place."""
    text = DOCUMENT.read_text("utf-8")
    example = re.search(r"^    server \{\n.*?^    map .*?^    \}\n", text, re.DOTALL | re.MULTILINE)
    assert example is not None
    told = example[0]
    for documented, ours in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("cueref.club.example", "localhost"),
        ("/etc/ssl/club.pem", str(certificate[0])),
        ("/etc/ssl/club.key", str(certificate[1])),
        ("127.0.0.1:8765", f"127.0.0.1:{pages}"),
    ):
        assert documented in told, documented
        told = told.replace(documented, ours)
    return told


@pytest.fixture
def behind_nginx(tmp_path: Path, certificate: tuple[Path, Path]) -> Iterator[tuple[WebServer, str, Any]]:
    access = Access()
    serving = Serving(names=("localhost",), proxies=("127.0.0.1",))
    reserved = listen("127.0.0.1", 0)
    port = reserved.getsockname()[1]
    reserved.close()
    with served(serving, access=access) as server:
        config = tmp_path / "nginx.conf"
        config.write_text(
            f"{'user root; ' if os.geteuid() == 0 else ''}"
            f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error.log; worker_processes 1;\n"
            "events { worker_connections 256; }\n"
            "http { access_log off;\n"
            f"client_body_temp_path {tmp_path}/body; proxy_temp_path {tmp_path}/proxy;\n"
            f"fastcgi_temp_path {tmp_path}/f; uwsgi_temp_path {tmp_path}/u; scgi_temp_path {tmp_path}/s;\n"
            f"{documented(port, server.port, certificate)}}}\n"
        )
        assert NGINX is not None
        running = subprocess.Popen([NGINX, "-c", str(config), "-e", str(tmp_path / "error.log")])
        url = f"https://localhost:{port}"
        trusted = ssl.create_default_context(cafile=str(certificate[0]))
        try:
            for _ in range(200):
                try:
                    httpx.get(f"{url}/login", verify=trusted, timeout=10)
                    break
                except httpx.TransportError:
                    assert running.poll() is None, (tmp_path / "error.log").read_text()
                    time.sleep(0.05)
            yield server, url, trusted
        finally:
            running.terminate()
            running.wait(20)


def test_pages_behind_nginx(behind_nginx: tuple[WebServer, str, Any]) -> None:
    """A login over TLS, the socket, the size of a picture, and looking that needs a login."""
    server, url, trusted = behind_nginx
    policy = server._server.config.app.policy
    policy.access.accounts.add("Ann", Role.REFEREE, PASSWORD)
    with httpx.Client(base_url=url, verify=trusted, timeout=60) as client:
        assert client.get("/api/matches").status_code == 401
        answer = client.post("/api/session", json={"name": "Ann", "password": PASSWORD})
        assert answer.headers["set-cookie"].startswith("__Host-") and "Secure" in answer.headers["set-cookie"]
        assert client.get("/api/matches").json() == []
        token = {"x-cueref-token": answer.json()["token"]}
        picture = client.post("/api/matches/none/restore?stroke=1", content=b"x" * 20_000_000, headers=token)
        assert picture.status_code == 404  # it came through; there is no such match
        assert client.post("/api/matches/none/undo", content=b"x" * 300_000, headers=token).status_code == 413
        origin = {"origin": url, **token}
        assert client.post("/api/matches/none/undo", json={"who": "x"}, headers=origin).status_code == 404
        name, value = next(iter(client.cookies.items()))

    async def followed() -> None:
        address = url.replace("https", "wss") + "/ws/none"
        headers = {"cookie": f"{name}={value}", "origin": url}
        with pytest.raises(websockets.InvalidStatus) as refused:  # no such match; the guard let it in
            await websockets.connect(address, ssl=trusted, additional_headers=headers)
        assert refused.value.response.status_code == 403

    asyncio.run(followed())


def test_a_guests_forged_address_does_not_get_past_nginx(behind_nginx: tuple[WebServer, str, Any]) -> None:
    """nginx replaces the header: every guess counts for the address that it came from."""
    _, url, trusted = behind_nginx
    with httpx.Client(base_url=url, verify=trusted, timeout=60) as client:
        found = [
            client.get(f"/api/matches?token=guess{k}", headers={"x-forwarded-for": f"203.0.113.{k}"})
            for k in range(14)
        ]
    assert 429 in [f.status_code for f in found] and TOKEN not in "".join(f.text for f in found)


SMUGGLED = {
    "two lengths": (
        "GET /login HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 4\r\nContent-Length: 60\r\n\r\nabcd"
    ),
    "length and chunks": (
        "POST /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 4\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        "GET /api/users HTTP/1.1\r\nHost: localhost:PORT\r\nx-cueref-token: TOKEN\r\n\r\n"
    ),
    "a space before the colon": (
        "POST /api/session HTTP/1.1\r\nHost: localhost:PORT\r\nTransfer-Encoding : chunked\r\n"
        "Content-Length: 5\r\n\r\n0\r\n\r\n"
    ),
    "two hosts": "GET /api/matches HTTP/1.1\r\nHost: localhost:PORT\r\nHost: other.example\r\n\r\n",
    "another host in the request's line": (
        "GET https://other.example/api/matches HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n"
    ),
    "an upgrade that is no socket": (
        "GET /api/matches HTTP/1.1\r\nHost: localhost:PORT\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
        "GET /api/users HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n"
    ),
    "an address in underscores": (
        "GET /api/matches HTTP/1.1\r\nHost: localhost:PORT\r\nX_Forwarded_For: 127.0.0.1\r\n\r\n"
    ),
    "a forged local address": (
        "GET /api/users HTTP/1.1\r\nHost: localhost:PORT\r\nX-Forwarded-For: 127.0.0.1, 127.0.0.1\r\n"
        "X-Forwarded-Proto: http\r\nForwarded: for=127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\n\r\n"
    ),
    "a coded path": "GET /static/%2e%2e%2fapi/users HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
    "a line folded": (
        "GET /api/users HTTP/1.1\r\nHost: localhost:PORT\r\nX-Forwarded-For: 1.2.3.4\r\n 127.0.0.1\r\n\r\n"
    ),
}


@pytest.mark.parametrize("name", SMUGGLED)
def test_a_request_that_proxy_and_server_might_read_differently_gets_nothing(
    behind_nginx: tuple[WebServer, str, Any], name: str
) -> None:
    """Everything is answered with a refusal, and nobody who is not logged in gets a list."""
    _, url, trusted = behind_nginx
    port = url.rsplit(":", 1)[1]
    with (
        socket.create_connection(("127.0.0.1", int(port)), timeout=30) as plain,
        trusted.wrap_socket(plain, server_hostname="localhost") as line,
    ):
        line.sendall(SMUGGLED[name].replace("PORT", port).replace("TOKEN", "guess").encode())
        line.settimeout(3.0)
        heard = b""
        with suppress(TimeoutError):
            while piece := line.recv(65536):
                heard += piece
    answers = [int(s) for s in re.findall(rb"HTTP/1\.[01] (\d{3}) ", heard)]
    assert answers and all(400 <= a < 500 for a in answers), heard[:300]


def test_behind_nginx_a_session_counts_with_the_prefix_of_its_cookie_alone(
    behind_nginx: tuple[WebServer, str, Any],
) -> None:
    """A cookie that another host of the domain planted has no prefix."""
    server, url, trusted = behind_nginx
    server._server.config.app.policy.access.accounts.add("Cy", Role.OWNER, PASSWORD)
    with httpx.Client(base_url=url, verify=trusted, timeout=60) as client:
        client.post("/api/session", json={"name": "Cy", "password": PASSWORD})
        name, value = next(iter(client.cookies.items()))
        for kept in (name, name.removeprefix("__Host-")):
            answer = httpx.get(f"{url}/api/users", verify=trusted, headers={"cookie": f"{kept}={value}"})
            assert answer.status_code == (200 if kept == name else 401)
