"""Growing pauses after wrong passwords, tokens and codes, per address and per account.

Time is the monotonic clock's, so that setting the machine's clock opens nothing. A secret that was tried
before teaches a guesser nothing and is not counted again: a screen left open with last week's token does not
lock its house out.
"""

from __future__ import annotations

import hashlib
import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

FREE_GUESSES = 3
"""Wrong guesses before the first pause: people mistype."""
FORGOTTEN_S = 3600.0
"""After this long without a wrong guess all are forgotten."""
_FIRST_S = 1.0
_MOST_KEYS = 20_000  # 4 MB; the oldest is forgotten first
_MOST_REMEMBERED = 64  # of one key's guesses


@dataclass(slots=True)
class _Guesses:
    count: int = 0
    until_s: float = 0.0
    last_s: float = 0.0
    seen: OrderedDict[bytes, None] = field(default_factory=OrderedDict)


class Pauses:
    """The pauses of one kind of key. Methods may be called from several threads."""

    def __init__(self, longest_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._longest_s, self._clock = longest_s, clock
        self._lock = threading.Lock()
        self._keys: OrderedDict[str, _Guesses] = OrderedDict()

    def left_s(self, key: str) -> float:
        """Seconds until a guess of this key is looked at again; 0: now."""
        with self._lock:
            found = self._keys.get(key)
            return max(0.0, found.until_s - self._clock()) if found is not None else 0.0

    def wrong(self, key: str, secret: str) -> None:
        """Note a wrong guess. The pause doubles with each from the fourth on, up to the longest."""
        now = self._clock()
        mark = _mark(secret)
        with self._lock:
            found = self._keys.get(key)
            if found is None or now - found.last_s > FORGOTTEN_S:
                found = self._keys[key] = _Guesses()
            self._keys.move_to_end(key)
            while len(self._keys) > _MOST_KEYS:
                self._keys.popitem(last=False)
            if mark in found.seen:
                return
            found.seen[mark] = None
            while len(found.seen) > _MOST_REMEMBERED:
                found.seen.popitem(last=False)
            found.count += 1
            found.last_s = now
            found.until_s = self._until_s(found)

    def right(self, key: str, secret: str) -> None:
        """Take back the note of a secret that was right after all. The wrong ones before it still count:
        nobody clears the guesses at somebody else's account by logging in to their own.
        """
        with self._lock:
            found = self._keys.get(key)
            if found is not None and _mark(secret) in found.seen:
                del found.seen[_mark(secret)]
                found.count -= 1
                found.until_s = self._until_s(found)

    def forget(self, key: str) -> None:
        """Forget the wrong guesses of a key: its own secret was given."""
        with self._lock:
            self._keys.pop(key, None)

    def _until_s(self, found: _Guesses) -> float:
        beyond = found.count - FREE_GUESSES
        if beyond <= 0:
            return 0.0
        return found.last_s + min(self._longest_s, _FIRST_S * 2.0 ** min(beyond - 1, 30))


def _mark(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()[:8]


def address_key(address: str) -> str:
    """The key of a network address: of IPv6 the /64, because a house has as many addresses as it likes."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
