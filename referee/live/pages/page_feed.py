"""The feed of a live table's pages: the newest state, sentences to speak, and a sign of life.

`PageFeed` is an outlet of the fan-out: events come in on one thread, any number of sockets read on another.
Each socket gets the newest state, never a queue of old ones, so that a slow one delays nobody and shows
nothing old.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections import deque
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect

from calibration.texts import Texts
from referee.live.engine.state import EventType
from referee.live.pages.voice import Announcer

LOOK_S = 0.1
"""Pause between two looks for news; also the most states a second that a page gets is its inverse."""
ALIVE_S = 2.0
"""A socket hears something this often; a page that hears nothing for three such spans says so."""
SEND_S = 5.0  # a page that takes a message no faster is dropped
KEPT_WORDS = 8  # sentences


class PageFeed:
    """The newest state of a table, for its pages. Methods may be called from several threads."""

    name = "pages"

    def __init__(self, texts: Texts) -> None:
        self._announcer = Announcer(texts)
        self._lock = threading.Lock()
        self._state: bytes | None = None
        self._waiting = ""
        self._version = 0
        self._heard_s = time.monotonic()
        self._words: deque[tuple[int, str]] = deque(maxlen=KEPT_WORDS)
        self._said = 0

    def send(self, kind: EventType, body: bytes) -> bool:
        """Take one event of the stream."""
        event = json.loads(body)
        words = self._announcer.hear(event)
        with self._lock:
            if kind == "status":
                self._waiting = event["body"]["text"]
            self._heard_s = time.monotonic()
            if kind == "state":
                self._state, self._version = body, self._version + 1
            if words is not None:
                self._said += 1
                self._words.append((self._said, words))
        return True

    def close(self) -> None:
        """Nothing to close: the pages notice by themselves that the table is gone."""

    @property
    def age_s(self) -> float:
        """Seconds since the last event of the table."""
        return time.monotonic() - self._heard_s

    @property
    def waiting(self) -> str:
        """The status text before there is a state, while the table is searched for."""
        return self._waiting

    @property
    def said(self) -> int:
        """The number of sentences so far."""
        return self._said

    def state(self) -> tuple[int, bytes | None]:
        """The newest state event as JSON, and its count."""
        with self._lock:
            return self._version, self._state

    def words_after(self, count: int) -> list[tuple[int, str]]:
        """The sentences after the first `count`."""
        with self._lock:
            return [w for w in self._words if w[0] > count]

    async def follow(self, socket: WebSocket) -> None:
        """Send one page its messages until it closes."""
        await socket.accept()
        gone = asyncio.create_task(_until_closed(socket))
        version, said, sent_s = 0, self.said, 0.0
        try:
            while not gone.done():
                now_version, state = self.state()
                messages: list[str] = [_say(w) for _, w in self.words_after(said)]
                said = self.said
                if now_version != version and state is not None:
                    version = now_version
                    messages.append(self._with_age(state))
                if not messages and state is None and time.monotonic() - sent_s > 1.0:
                    messages.append(json.dumps({"type": "waiting", "words": self.waiting}))
                if not messages and time.monotonic() - sent_s > ALIVE_S:
                    messages.append(json.dumps({"type": "alive", "age_s": round(self.age_s, 1)}))
                for message in messages:
                    await asyncio.wait_for(socket.send_text(message), SEND_S)
                    sent_s = time.monotonic()
                await asyncio.sleep(LOOK_S)
        except (WebSocketDisconnect, RuntimeError, TimeoutError, OSError):
            pass
        finally:
            gone.cancel()
            with contextlib.suppress(RuntimeError, OSError, WebSocketDisconnect):
                await socket.close()

    def _with_age(self, state: bytes) -> str:
        # adds the age without decoding and encoding the whole event
        return f'{{"age_s":{self.age_s:.1f},{state.decode().lstrip()[1:]}'


def _say(words: str) -> str:
    return json.dumps({"type": "say", "words": words})


async def _until_closed(socket: WebSocket) -> None:
    message: dict[str, Any] = {}
    while message.get("type") != "websocket.disconnect":
        message = dict(await socket.receive())  # pages send nothing this way
