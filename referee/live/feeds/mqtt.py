"""MQTT: a table's state is retained on a broker, so that a later subscriber gets it at once.

Topics, under `cueref/TABLE/`:
    state           LiveState, retained
    board           the few values that a scoreboard or a light shows (`home_assistant.py`), retained
    online          true or false, retained; false also by the broker itself when the process dies (last will)
    event/ruling, event/question, event/status, event/frame     events as they happen, not retained
Payloads are the events of `live.schema.json`.
"""

from __future__ import annotations

import contextlib
import json
import re
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from calibration.texts import unusable_input
from referee.live.engine.state import EventType
from referee.live.feeds.home_assistant import BIRTH, PREFIX, board_of, discovery, discovery_topic

ROOT = "cueref"
_ACK_S = 5.0  # for the broker's acknowledgement
_MEANING = re.compile(r"[/+#\x00$\s]")
_REMEMBERED = 64  # the last states sent: half a minute of play
_KEEPALIVE_S = 15  # a broker announces a dead table after 1.5 times this


@dataclass(frozen=True, slots=True)
class Broker:
    """Where a broker is; `repr` leaves the password out."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None

    def __repr__(self) -> str:
        return f"Broker({self.host}:{self.port}, tls={self.tls})"


def parse_broker(address: str) -> Broker:
    """`mqtt://[user:password@]host[:port]` or `mqtts://...`. UnusableInput otherwise, without the address."""
    try:
        parts = urlsplit(address if "://" in address else f"mqtt://{address}")
        port = parts.port
    except ValueError:
        raise unusable_input("errors.address_of_a_broker") from None
    if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path not in ("", "/"):
        raise unusable_input("errors.address_of_a_broker")
    tls = parts.scheme == "mqtts"
    user = unquote(parts.username) if parts.username else None
    return Broker(
        parts.hostname,
        port or (8883 if tls else 1883),
        tls,
        user,
        unquote(parts.password) if parts.password else None,
    )


def topic_of(table: str) -> str:
    """A table's name as a level of a topic: spaces, and characters with a meaning in MQTT (`/ + #`), become
    `_`.
    """
    return f"{ROOT}/{_MEANING.sub('_', table.strip()) or 'table'}"


def _former_topics(table: str, base: str) -> list[str]:
    """What a version before kept under the table's name with its spaces: else it stays there as offline."""
    former = f"{ROOT}/{re.sub(r'[/+#$]', '_', table).strip()}"
    names = ("state", "online", "pages") if former != base and "\x00" not in former else ()
    return [f"{former}/{name}" for name in names]


def client_of(broker: Broker, name: str) -> Any:
    """A paho client with the broker's credentials, reconnecting by itself; not yet connected."""
    try:
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion
    except ImportError:
        raise unusable_input("errors.mqtt_extra_live_pip_install_cueref_live") from None
    client = paho.Client(CallbackAPIVersion.VERSION2, client_id=name)
    if broker.user is not None:
        client.username_pw_set(broker.user, broker.password)
    if broker.tls:
        client.tls_set()
    client.reconnect_delay_set(min_delay=1, max_delay=30)
    return client


class MqttOutlet:
    """Publishes one table. A broker that is away is tried again for ever; the newest state is sent on
    connection.
    """

    def __init__(
        self,
        broker: Broker,
        table: str,
        shared: Callable[[], object] = lambda: None,
        pages: str | None = None,
        home_assistant: str | None = None,
    ) -> None:
        """`shared`: called once, from the client's thread, when somebody else publishes under this table's
        name. `pages`: the address of the table's pages, for the club's page. `home_assistant`: the prefix
        under which the table describes itself to Home Assistant; None: it does not.
        """
        self._pages, self._table, self._prefix = pages, table, home_assistant
        self.name = f"mqtt {broker.host}"
        self.trouble = "no answer"
        self._base = topic_of(table)
        self._shared, self._said = shared, False
        self._state: bytes | None = None
        self._board: bytes | None = None
        self._sent: deque[bytes] = deque(maxlen=_REMEMBERED)
        self._lock = threading.Lock()
        self._client = client_of(broker, "")
        self._client.will_set(f"{self._base}/online", b"false", qos=1, retain=True)
        self._client.on_connect = self._connected
        self._client.on_connect_fail = self._refused
        self._client.on_message = self._heard
        self._client.connect_async(broker.host, broker.port, keepalive=_KEEPALIVE_S)
        self._client.loop_start()

    def send(self, kind: EventType, body: bytes) -> bool:
        """Publish one event; False when the broker did not take it in time (a state follows on reconnect)."""
        board = None
        if kind == "state":
            made = json.dumps(board_of(json.loads(body)["body"]), ensure_ascii=False).encode()
            with self._lock:
                board = made if made != self._board else None
                self._state, self._board = body, made
                self._sent.append(body)
        if not self._client.is_connected():
            return False
        if board is not None:
            self._client.publish(f"{self._base}/board", board, qos=1, retain=True)
        topic = f"{self._base}/state" if kind == "state" else f"{self._base}/event/{kind}"
        message = self._client.publish(topic, body, qos=1, retain=kind == "state")
        try:
            message.wait_for_publish(_ACK_S)
        except (ValueError, RuntimeError):  # the connection went meanwhile
            return False
        return bool(message.is_published())

    def close(self) -> None:
        """Publish that the table is offline, and disconnect."""
        if self._client.is_connected():
            message = self._client.publish(f"{self._base}/online", b"false", qos=1, retain=True)
            with contextlib.suppress(ValueError, RuntimeError):
                message.wait_for_publish(_ACK_S)
        self._client.disconnect()
        self._client.loop_stop()

    def _refused(self, _client: Any, _data: Any) -> None:
        self.trouble = "no broker answers there"

    def _heard(self, client: Any, _data: Any, message: Any) -> None:
        """Home Assistant has started, or: a message under our own topic that is not retained and not ours
        comes from another table of that name.
        """
        if message.topic != f"{self._base}/state":
            self._describe(client)
            return
        with self._lock:
            other = not message.retain and message.payload not in self._sent
        if other and not self._said:
            self._said = True
            self._shared()

    def _connected(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self.trouble = str(reason)
            return
        self.trouble = "the connection was lost"
        client.publish(f"{self._base}/online", b"true", qos=1, retain=True)
        if self._pages is not None:
            client.publish(f"{self._base}/pages", self._pages.encode(), qos=1, retain=True)
        for left in _former_topics(self._table, self._base):
            client.publish(left, b"", qos=1, retain=True)
        client.subscribe(f"{self._base}/state", 0)
        if self._prefix is not None:
            client.subscribe(f"{self._prefix}/{BIRTH}", 0)
        self._describe(client)
        with self._lock:
            retained = {"state": self._state, "board": self._board}
        for name, body in retained.items():
            if body is not None:
                client.publish(f"{self._base}/{name}", body, qos=1, retain=True)

    def _describe(self, client: Any) -> None:
        """Publish the table's entities for Home Assistant, where that is wanted."""
        if self._prefix is not None:
            described = discovery(self._table, self._base, self._pages)
            client.publish(discovery_topic(self._base, self._prefix), described, qos=1, retain=True)


def parse_prefix(text: str) -> str:
    """Home Assistant's discovery prefix as an option says it. Raises UnusableInput for no topic."""
    prefix = text.strip("/") or PREFIX
    if re.search(r"[+#\x00$\s]", prefix) or "//" in prefix:
        raise unusable_input("broadcast.error_prefix", prefix=PREFIX, text=repr(text))
    return prefix
