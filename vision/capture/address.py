"""Addresses of cameras and services as people type them: without their secrets, and checked."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_NAMED = re.compile(
    r"(?:(?<![\w-])|(?=_channel|_stream))(?=[\w-]*?(?:pas|psw|pwd|pw|token|secret|key|auth))([\w-]++=)"
    r"[^&#\s]*?(?=_channel|_stream|[&#\s]|$)",
    re.I,
)
"""A secret by its name, sought where words begin: from every letter of a name of 5,000 it took seconds."""
_USERINFO = re.compile(r"((?<![a-z0-9+.-])[0-9+.-]*+[a-z][a-z0-9+.-]*+:/+)[^\n]*@", re.I)
"""User and password after a scheme; the password may hold any character, spaces and slashes included."""
_BARE = re.compile(r"(^|\s)[^\s/@:]+:(?!/)[^\s@]+@")
"""User and password where the scheme was forgotten."""


def shown(text: str) -> str:
    """An address, or any text that contains addresses, without user names and passwords.

    Everything between a scheme and the last `@` of the line is replaced, in case a password holds an `@`.
    """
    return _NAMED.sub(r"\1***", _BARE.sub(r"\1***@", _USERINFO.sub(r"\1***@", text)))


def is_stream(address: str) -> bool:
    """Whether the text can be a stream's address: it has a host, a valid port if any, and no spaces."""
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and "@" not in parts.fragment and not any(c.isspace() for c in address)
