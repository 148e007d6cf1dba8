"""Serving pages, for every command that does: address, port, token, packages."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING

from calibration.errors import UnusableInput

if TYPE_CHECKING:
    from referee.console.guard import Policy

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LEAST_TOKEN = 16  # characters


def need_packages(command: str, extra: str = "serve") -> None:
    """Raises UnusableInput when the packages that serve pages are not installed."""
    try:
        import fastapi
        import uvicorn
        import websockets
    except ImportError as error:
        raise UnusableInput(
            f"{command}: expected the packages of the extra {extra!r} (pip install 'cueref[{extra}]'), found"
            f" no {error.name}"
        ) from None
    del fastapi, uvicorn, websockets


def check_token(token: str | None) -> None:
    """Raises UnusableInput for a token that can be guessed; None is one that is still to be made."""
    if token is not None and len(token) < LEAST_TOKEN:
        raise UnusableInput(f"--token: expected at least {LEAST_TOKEN} characters, found fewer")


def policy_of(host: str, names: Iterable[str], token: str | None) -> Policy:
    """The access policy; a token is made where none was given. Raises UnusableInput for one that can be
    guessed.
    """
    from referee.console.guard import Policy

    check_token(token or None)  # an empty variable is none
    return Policy(token or secrets.token_urlsafe(24), host in LOOPBACK, tuple(n.lower() for n in names))


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address. Raises UnusableInput when it is taken or not this machine's."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        found = error.strerror or error
        raise UnusableInput(
            f"--host {host} --port {port}: expected a free address of this machine, found {found}"
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
