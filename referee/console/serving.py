"""Serving of pages, for every command that does it: address, token, certificate, proxy, printed lines."""

from __future__ import annotations

import ipaddress
import os
import secrets
import socket
import ssl
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from calibration.files import write_text
from calibration.texts import unusable_input

if TYPE_CHECKING:
    from referee.console.guard import Policy

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LEAST_TOKEN = 16  # characters


@dataclass(frozen=True, slots=True)
class Serving:
    """`host` other than loopback: every page needs a login. `names`: host names under which the server may be
    addressed. `token` None: that of `token_file`, else a new one. `proxies`: addresses whose X-Forwarded
    headers are believed. `public`: scores are shown to everyone. `address`: where people reach the pages
    through a proxy, `https://HOST[:PORT]`; its host is one of `names`.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    names: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)
    token_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    proxies: tuple[str, ...] = ()
    public: bool = False
    address: str = ""

    def __post_init__(self) -> None:
        """Everything that can be checked before the work begins."""
        check_token(self.token or None)
        if not 0 <= self.port <= 65535:
            raise unusable_input("errors.0_to_65535", port=self.port)
        for proxy in self.proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise unusable_input("errors.address_such_as_127_0_0_1", proxy=repr(proxy)) from None
        check_certificate(self.tls_cert, self.tls_key)
        if self.address:
            object.__setattr__(
                self, "names", tuple(dict.fromkeys((host_of_address(self.address), *self.names)))
            )

    @property
    def scheme(self) -> str:
        """Of the addresses that people open."""
        return "https" if self.tls_cert is not None else "http"

    @property
    def open_reading(self) -> bool:
        """Whether looking needs no login: on this machine alone, under no name and behind no proxy."""
        return self.host in LOOPBACK and not self.names and not self.proxies

    @property
    def warning(self) -> str:
        """What a person should know of how they serve; empty where nothing."""
        if self.host in LOOPBACK or self.tls_cert is not None or self.proxies:
            return ""
        return (
            "without HTTPS (--tls-cert, or a --proxy) others in the same network can listen, to passwords too"
        )

    def policy(self, table: str | None = None, token: str | None = None) -> Policy:
        """Who may do what. `table`: whose pages these are; `token`: one that is known already.

        Raises UnusableInput for a token file that others can read, or accounts that cannot be opened.
        """
        from referee.access.access import open_access
        from referee.console.guard import Policy

        told = token or self.token or (read_token(self.token_file) if self.token_file is not None else None)
        return Policy(
            told or secrets.token_urlsafe(24),
            self.open_reading,
            tuple(n.lower() for n in self.names),
            self.public,
            table,
            open_access(),
        )

    def house_url(self, port: int) -> str:
        """The address by which another machine of the house reaches the pages."""
        if self.address:
            return self.address.rstrip("/")
        everywhere = self.host in ("0.0.0.0", "::")
        name = self.names[0] if self.names else socket.gethostname() if everywhere else ""
        return f"{self.scheme}://{name or shown_address(self.host)}:{port}"

    def url(self, port: int) -> str:
        """The address to type into a browser."""
        return self.address.rstrip("/") or f"{self.scheme}://{shown_address(self.host)}:{port}"


def host_of_address(address: str) -> str:
    """The host of `https://HOST[:PORT]`. Raises UnusableInput for what is no such address."""
    try:
        parts = urlsplit(address)
        plain = parts.scheme in ("http", "https") and parts.path in ("", "/") and "@" not in parts.netloc
        if plain and parts.hostname and not (parts.query or parts.fragment) and parts.port != 0:
            return parts.hostname
    except ValueError:  # a port that is no number
        pass
    raise unusable_input("errors.address_of_pages", address=repr(address))


def login_link(policy: Policy, url: str, to: str = "") -> str:
    """The link that logs the owner in, once and within the hour.

    In the journal of systemd others could read it: there the command is named that makes one.
    """
    if os.environ.get("JOURNAL_STREAM"):
        return f"{url}/login (a link: cueref users link)"
    code = policy.access.sessions.link(None)
    return f"{url}/login#code={code}{f'&to={to}' if to else ''}"


def screen_query(policy: Policy) -> str:
    """What a screen's address ends with where looking needs a login; empty in the journal of systemd."""
    if policy.open_reading or policy.public or os.environ.get("JOURNAL_STREAM"):
        return ""
    return f"?token={policy.screen_key}"


def need_packages(command: str, extra: str = "serve") -> None:
    """Raises UnusableInput when the packages that serve pages are not installed."""
    try:
        import argon2
        import fastapi
        import itsdangerous
        import segno
        import uvicorn
        import websockets
    except ImportError as error:
        raise unusable_input(
            "errors.packages_of_the_extra_pip_install", command=command, extra=extra, name=error.name
        ) from None
    del argon2, fastapi, itsdangerous, segno, uvicorn, websockets


def check_token(token: str | None) -> None:
    """Raises UnusableInput for a token that can be guessed; None is one that is still to be made."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise unusable_input("errors.least_characters", least_token=LEAST_TOKEN)


def read_token(path: Path) -> str:
    """The token in a file, which is made with a new one where it is missing, readable by its owner only.

    Raises UnusableInput for a file that others can read, or that holds no token.
    """
    try:
        if not path.exists():
            write_text(path, secrets.token_urlsafe(24) + "\n", 0o600)
        found = path.stat()
        text = path.read_text("utf-8").strip() if found.st_size < 1000 else ""
    except (OSError, UnicodeDecodeError) as error:
        raise unusable_input("errors.file_with_a_token", path=path, error=error) from None
    if stat.S_IMODE(found.st_mode) & 0o077:
        raise unusable_input("errors.file_that_its_owner_alone_can_read", path=path)
    if len(text) < LEAST_TOKEN or len(text.split()) != 1:
        raise unusable_input("errors.one_word_of_at_least_characters", path=path, least_token=LEAST_TOKEN)
    return text


def check_certificate(cert: Path | None, key: Path | None) -> None:
    """Raises UnusableInput for a certificate without its key, or one that cannot be used."""
    if cert is None and key is None:
        return
    if cert is None or key is None:
        raise unusable_input("errors.both_files")
    for option, path in (("--tls-cert", cert), ("--tls-key", key)):
        if not path.is_file():
            raise unusable_input("errors.file_in_pem_format", option=option, path=path)
    try:
        # an empty password instead of a question that no service could answer
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password=lambda: "")
    except (ssl.SSLError, OSError) as error:
        raise unusable_input(
            "errors.certificate_with_its_own_key_pem",
            cert=cert,
            which=key,
            error=getattr(error, "reason", None) or error.strerror or error,
        ) from None


_WAITING = 128
"""Connections that wait to be taken; a browser opens up to six."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at the address: who comes before the server runs waits instead of being refused.

    Raises UnusableInput when the address is taken or not this machine's.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_WAITING)
    except OSError as error:
        listening.close()
        found = error.strerror or error
        raise unusable_input(
            "errors.free_address_of_this_machine", host=host, port=port, found=found
        ) from None
    return listening


def shown_address(host: str) -> str:
    """The address to type into a browser for one that was bound to."""
    return _address() if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host


def _address() -> str:
    """This machine's address in the local network; no packet is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            # an address of documentation: connecting a datagram socket only picks a route
            s.connect(("192.0.2.1", 9))
            return str(s.getsockname()[0])
        except OSError:
            return "127.0.0.1"
