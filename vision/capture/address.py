"""Addresses of cameras and services as people type them: what may be shown of them, and which are none."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_NAMED = re.compile(
    r"([\w-]*(?:pas|psw|pwd|pw|token|secret|key|auth)[\w-]*=)[^&#\s]*?(?=_channel|_stream|[&#\s]|$)", re.I
)
_USERINFO = re.compile(
    r"([a-z][a-z0-9+.-]*:/+)[^\n]*@", re.I
)  # a password may hold anything, spaces and slashes too
_BARE = re.compile(r"(^|\s)[^\s/@:]+:(?!/)[^\s@]+@")  # the scheme was forgotten


def shown(text: str) -> str:
    """An address, or any text that contains addresses, without user names and passwords.

    Rather too little than too much: between an address and the last `@` of its line nothing is shown.
    """
    return _NAMED.sub(r"\1***", _BARE.sub(r"\1***@", _USERINFO.sub(r"\1***@", text)))


def is_stream(address: str) -> bool:
    """Whether it can be the address of a stream: a host, a port if any, and no character that ends the
    password early.
    """
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return named and "@" not in parts.fragment and not any(c.isspace() for c in address)
