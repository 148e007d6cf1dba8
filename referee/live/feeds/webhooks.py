"""Webhooks: each event as one signed POST. A slow or absent receiver delays its own later events only.

The body is the event as published (`live.schema.json`). `Cueref-Signature: t=UNIX,v1=HEX` signs it:
HMAC-SHA256 under the shared secret over `UNIX.` and the body, so that a body cannot be forged and an old
one cannot be sent again unnoticed (the receiver compares `t` with its clock).
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from calibration.texts import unusable_input

SIGNATURE = "Cueref-Signature"
PAUSES_S = (0.5, 2.0, 8.0)
"""Pauses before the second, third and last try of one event; `Fanout` drops the oldest events meanwhile."""

_LEAST_SECRET = 16  # characters


def signature(secret: str, body: bytes, at_unix_s: int) -> str:
    """The value of the header for a body sent at this time."""
    digest = hmac.new(secret.encode(), f"{at_unix_s}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at_unix_s},v1={digest}"


def verified(secret: str, body: bytes, header: str, now_unix_s: float, within_s: float = 300.0) -> bool:
    """Whether a received body is genuine and fresh: the check that a receiver makes."""
    parts = dict(p.split("=", 1) for p in header.split(",") if "=" in p)
    if not parts.get("t", "").isdigit():
        return False
    at = int(parts["t"])
    fresh = abs(now_unix_s - at) <= within_s
    return fresh and hmac.compare_digest(signature(secret, body, at), header)


class Webhook:
    """One receiver. `send` blocks until it was delivered or given up; call it from a thread of its own.

    Raises UnusableInput when made with an address that is no http(s) one or a secret under 16 characters.
    """

    def __init__(self, url: str, secret: str, sleep: Callable[[float], object] = time.sleep) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise unusable_input("errors.http_or_https_address")
        if len(secret) < _LEAST_SECRET:
            raise unusable_input(
                "errors.characters_or_more_to_sign", least_secret=_LEAST_SECRET, count=len(secret)
            )
        self._url, self._secret, self._sleep = url, secret, sleep
        self.name = f"webhook {parts.hostname}"
        self.trouble = ""
        self._client: object | None = None

    def send(self, kind: str, body: bytes) -> bool:
        """Deliver one event; whether it was taken (any 2xx). Refused ones (4xx) are not tried again."""
        import httpx

        if self._client is None:
            self._client = httpx.Client(timeout=5.0, follow_redirects=False)
        assert isinstance(self._client, httpx.Client)
        for pause in (*PAUSES_S, None):
            headers = {
                "content-type": "application/json",
                "user-agent": "cueref",
                "cueref-event": kind,
                SIGNATURE: signature(self._secret, body, int(time.time())),
            }
            try:
                answer = self._client.post(self._url, content=body, headers=headers)
                if answer.is_success:
                    return True
                self.trouble = f"the answer was {answer.status_code}"
                if answer.is_client_error and answer.status_code not in (408, 425, 429):
                    return False
            except httpx.HTTPError as error:  # its text may hold the address with its password
                self.trouble = type(error).__name__
            if pause is None:
                return False
            self._sleep(pause)
        return False

    def close(self) -> None:
        """Close the connection."""
        import httpx

        if isinstance(self._client, httpx.Client):
            self._client.close()
