"""The web server: HTTPS, a proxy's headers, limits of time and number, files that others cannot read."""

# ruff: noqa: E402
from __future__ import annotations

import asyncio
import contextlib
import datetime
import socket
import ssl
import stat
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
websockets = pytest.importorskip("websockets", reason="the pages need the extra 'serve'")
x509 = pytest.importorskip("cryptography.x509", reason="the extra 'test' brings cryptography")
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from calibration.errors import UnusableInput
from referee.access.access import Access
from referee.console import guard, web_server
from referee.console.app import create_app
from referee.console.guard import Policy
from referee.console.serving import Serving, listen, login_link, read_token, screen_query
from referee.console.web_server import WebServer

TOKEN = "a token of the tests"


@contextlib.contextmanager
def served(serving: Serving | None = None, **policy: Any) -> Iterator[WebServer]:
    serving = serving or Serving()
    listening = listen("127.0.0.1", 0)
    app = create_app([], Policy(TOKEN, serving.open_reading, serving.names, **policy))
    server = WebServer(app, [listening], serving=serving)
    server.start()
    try:
        yield server
    finally:
        server.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    cert, private = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return cert, private


def test_pages_are_served_over_tls_with_a_cookie_for_tls_alone(certificate: tuple[Path, Path]) -> None:
    cert, key = certificate
    with served(Serving(tls_cert=cert, tls_key=key)) as server:
        trusted = ssl.create_default_context(cafile=str(cert))
        with httpx.Client(base_url=f"https://localhost:{server.port}", verify=trusted, timeout=30) as client:
            answer = client.post("/api/session", json={"token": TOKEN})
            cookie = answer.headers["set-cookie"]
            assert cookie.startswith("__Host-") and "Secure" in cookie and "HttpOnly" in cookie
            assert client.get("/api/session").json()["role"] == "owner"

        async def followed() -> None:
            address = f"wss://localhost:{server.port}/ws/none"
            with pytest.raises((websockets.ConnectionClosed, websockets.InvalidStatus)):
                async with websockets.connect(address, ssl=trusted) as found:
                    await found.recv()

        asyncio.run(followed())
        trusted.maximum_version = ssl.TLSVersion.TLSv1_2
        with (
            socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain,
            trusted.wrap_socket(plain, server_hostname="localhost") as found,
        ):
            name, _, _ = found.cipher() or ("none", "", 0)
            assert "GCM" in name or "CHACHA20" in name, "a cipher that authenticates what it hides"
        old = ssl.create_default_context(cafile=str(cert))
        old.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with (
            socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain,
            pytest.raises(OSError),  # ssl.SSLError is one
        ):
            old.wrap_socket(plain, server_hostname="localhost")


@pytest.mark.parametrize("case", ["key alone", "no such file", "another's key", "no certificate"])
def test_a_certificate_that_cannot_be_used_is_told_before_anything_begins(
    certificate: tuple[Path, Path], tmp_path: Path, case: str
) -> None:
    cert, key = certificate
    other = tmp_path / "other.pem"
    other.write_bytes(
        ec.generate_private_key(ec.SECP256R1()).private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    files = {
        "key alone": (None, key),
        "no such file": (tmp_path / "none.pem", key),
        "another's key": (cert, other),
        "no certificate": (key, key),
    }[case]
    with pytest.raises(UnusableInput, match="--tls"):
        Serving(tls_cert=files[0], tls_key=files[1])


def pauses_after(server: WebServer, senders: list[str]) -> list[int]:
    """The answers to guesses, each with its own X-Forwarded-For."""
    found = []
    client = httpx.Client(timeout=30)
    for k, sender in enumerate(senders):
        answer = client.get(
            f"http://127.0.0.1:{server.port}/api/matches?token=guess{k}",
            headers={"x-forwarded-for": sender, "host": "club.example"},
        )
        found.append(answer.status_code)
    return found


def cookie_over_tls(server: WebServer) -> str:
    """The cookie of a login that says it came through a proxy with TLS."""
    answer = httpx.get(
        f"http://127.0.0.1:{server.port}/login?token={TOKEN}",
        headers={"x-forwarded-proto": "https", "x-forwarded-for": "198.51.100.90", "host": "club.example"},
        timeout=30,
    )
    assert answer.status_code == 303
    return answer.headers["set-cookie"]


def test_a_proxys_headers_count_only_where_the_proxy_was_told() -> None:
    """Else a guesser would invent a new address for each guess, and plain HTTP would pass for TLS."""
    addresses = [f"198.51.100.{k}" for k in range(14)]
    with served(Serving(names=("club.example",))) as server:
        assert "Secure" not in cookie_over_tls(server)
        assert 429 in pauses_after(server, addresses)
    with served(Serving(names=("club.example",), proxies=("127.0.0.1",))) as server:
        assert "Secure" in cookie_over_tls(server)
        assert 429 not in pauses_after(server, addresses)
        # the guest's own header stands left of what the proxy adds, and is not believed
        assert 429 in pauses_after(server, [f"203.0.113.{k}, 198.51.100.77" for k in range(14)])
    for proxy in ("localhost", "127.0.0.1/33", "*", ""):
        with pytest.raises(UnusableInput, match="--proxy"):
            Serving(proxies=(proxy,))


def test_links_name_the_address_that_people_reach_and_its_host_is_let_in() -> None:
    """Behind a proxy neither the port nor the scheme of the pages is what a browser needs."""
    behind = Serving("0.0.0.0", 8765, ("other.example",), address="https://club.example:8443/")
    assert behind.house_url(8765) == behind.url(8765) == "https://club.example:8443"
    assert behind.names == ("club.example", "other.example") and not behind.open_reading
    for wrong in (
        "club.example",
        "ftp://club.example",
        "https://club.example/x",
        "https://a@b",
        "https://h:x",
    ):
        with pytest.raises(UnusableInput, match="--address"):
            Serving(address=wrong)


def still_open(connection: socket.socket, wait_s: float) -> bool:
    connection.settimeout(wait_s)
    try:
        while connection.recv(4096):
            pass
    except TimeoutError:
        return True
    except OSError:
        return False
    return False


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HT",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
        b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{",
        b"GET /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /api/ses",
    ],
    ids=["nothing", "half a line", "half a head", "half a body", "half a second request"],
)
def test_a_connection_whose_request_does_not_come_is_closed(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(web_server, "HEAD_S", 0.5)
    monkeypatch.setattr(web_server, "BODY_S", 0.5)
    monkeypatch.setattr(web_server, "KEEP_ALIVE_S", 1)
    with served() as server, socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(sent)
        begun = time.monotonic()
        assert not still_open(connection, 10.0)
        assert time.monotonic() - begun >= 0.4


def test_bytes_that_trickle_do_not_prolong_a_head(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "HEAD_S", 1.0)
    with served() as server, socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        begun = time.monotonic()
        with contextlib.suppress(OSError):
            while time.monotonic() - begun < 8.0:
                connection.sendall(b"a")
                time.sleep(0.1)
        assert time.monotonic() - begun < 6.0


def test_one_address_cannot_take_all_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_server, "MOST_OF_ONE_ADDRESS", 5)
    with served() as server, contextlib.ExitStack() as held:
        held_open = [
            held.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            for _ in range(8)
        ]
        deadline = time.monotonic() + 10
        while sum(still_open(c, 0.05) for c in held_open) > 5 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert sum(still_open(c, 0.05) for c in held_open) == 5
        for c in held_open:
            c.close()
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with contextlib.suppress(httpx.TransportError):
                assert httpx.get(f"http://127.0.0.1:{server.port}/login").status_code == 200
                break
        else:
            raise AssertionError("the server does not answer any more")


def test_a_socket_ends_with_its_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The club's page: a spectator who was removed hears nothing more, without loading the page anew."""
    from referee.live.pages.club import Club, create_club_app

    monkeypatch.setattr(guard, "LOOKED_AGAIN_S", 0.0)
    access, club = Access(), Club()
    session = access.begin(None)
    policy = Policy(TOKEN, False, access=access)
    server = WebServer(create_club_app(club, policy), [listen("127.0.0.1", 0)])
    server.start()

    async def followed() -> None:
        cookie = f"{access.sessions.cookie_name}={session.cookie}"
        address = f"ws://127.0.0.1:{server.port}/ws"
        async with websockets.connect(address, additional_headers={"cookie": cookie}) as found:
            await asyncio.wait_for(found.recv(), 20)
            access.sessions.end(session.cookie)
            club.heard(True)
            with pytest.raises(websockets.ConnectionClosed):
                while True:
                    await asyncio.wait_for(found.recv(), 20)

    try:
        asyncio.run(followed())
    finally:
        server.close()


def test_bodies_have_the_size_that_their_route_needs() -> None:
    with served() as server:
        url = f"http://127.0.0.1:{server.port}"
        large = b'{"name": "' + b"x" * 300_000 + b'"}'
        headers = {"content-type": "application/json"}
        assert httpx.post(f"{url}/api/session", content=large, headers=headers).status_code == 413
        pieces = iter([large[:200_000], large[200_000:]])  # no length in the head
        assert httpx.post(f"{url}/api/session", content=pieces, headers=headers).status_code == 413
        with contextlib.suppress(httpx.TransportError):  # closed while the rest is still being sent
            assert httpx.get(f"{url}/login", headers={"x-large": "x" * 600_000}).status_code == 400


def test_the_token_is_kept_in_a_file_that_nobody_else_reads(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = read_token(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and read_token(path) == token and len(token) >= 16
    path.chmod(0o640)
    with pytest.raises(UnusableInput, match="chmod 600"):
        read_token(path)
    path.chmod(0o600)
    for text in ("", "short", "two words that are long enough"):
        path.write_text(text)
        with pytest.raises(UnusableInput, match="token"):
            read_token(path)


def test_what_is_printed_gives_nothing_away_that_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy(TOKEN, False)
    monkeypatch.delenv("JOURNAL_STREAM", raising=False)
    said = login_link(policy, "http://192.0.2.7:8765") + screen_query(policy)
    assert TOKEN not in said and TOKEN not in repr(policy)
    code = said.split("#code=")[1].split("?")[0]
    assert policy.access.sessions.open(code) is not None and policy.access.sessions.open(code) is None
    monkeypatch.setenv("JOURNAL_STREAM", "8:12345")
    said = login_link(policy, "http://192.0.2.7:8765") + screen_query(policy)
    assert "code=" not in said and "token=" not in said and "cueref users link" in said


def test_under_a_name_or_behind_a_proxy_looking_needs_a_login() -> None:
    assert Serving().open_reading
    assert not Serving(names=("club.example",)).open_reading
    assert not Serving(proxies=("127.0.0.1",)).open_reading
    assert not Serving(host="0.0.0.0").open_reading
    assert "HTTPS" in Serving(host="0.0.0.0").warning and not Serving().warning
    assert not Serving(host="0.0.0.0", proxies=("192.0.2.1",)).warning


def test_many_idle_connections_leave_files_for_the_referee(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages share their process with the referee, which opens files for journal and clips."""
    monkeypatch.setattr(web_server, "MOST_OF_ONE_ADDRESS", 10_000)
    monkeypatch.setattr(web_server, "MOST_CONNECTIONS", 20)
    with served() as server, contextlib.ExitStack() as held:
        for _ in range(60):
            with contextlib.suppress(OSError):
                held.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
        deadline = time.monotonic() + 10
        kept = 60
        while kept > 20 and time.monotonic() < deadline:
            kept = len(server._server.server_state.connections)
            time.sleep(0.05)
        assert kept <= 20
    assert threading.active_count() < 50


RAW: dict[str, tuple[bytes, bytes]] = {
    "another host": (b"GET /api/matches HTTP/1.1\r\nHost: evil.example\r\n\r\n", b"421"),
    "two hosts": (b"GET /api/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", b"400"),
    "another origin": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://evil.example\r\n\r\n", b"403"),
    "no origin of its own": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: null\r\n\r\n", b"403"),
    "coded dots": (b"GET /static/%2e%2e/guard.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"404"),
    "a coded slash": (b"GET /static/..%2fguard.py HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"404"),
    "two lengths": (
        b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}",
        b"400",
    ),
    "100 GB": (
        b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999\r\n\r\n",
        b"413",
    ),
    "a name with a space": (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Real-Ip : 1.2.3.4\r\n\r\n", b"400"),
    "a forged proxy": (
        b"GET /api/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n",
        b"401",
    ),
}


@pytest.fixture(scope="module")
def running() -> Iterator[int]:
    """The port of pages that show their match to this machine without a login."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    server = WebServer(create_app([], Policy("token", True)), [listening])
    server.start()
    yield server.port
    server.close()


@pytest.mark.parametrize("name", RAW)
def test_a_request_that_no_browser_sends_is_refused(running: int, name: str) -> None:
    request, status = RAW[name]
    with socket.create_connection(("127.0.0.1", running), 10.0) as connection:
        connection.sendall(request)
        assert connection.recv(4096).split(b" ")[1] == status
