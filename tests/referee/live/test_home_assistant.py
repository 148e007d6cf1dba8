"""Home Assistant finds a table on the broker; the example of a light strip takes the table's events."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from live_samples import ruling_event, state, state_event
from test_feeds import _until, broker  # noqa: F401  (a fixture)

from calibration.errors import UnusableInput
from referee.live.engine.state import Phase, StatusCode, document
from referee.live.feeds.home_assistant import (
    STATES,
    board_of,
    discovery,
    discovery_topic,
    object_id,
)
from referee.live.feeds.mqtt import MqttOutlet, client_of, parse_broker, parse_prefix, topic_of
from referee.live.feeds.webhooks import Webhook

ROOT = Path(__file__).parents[3]


def shown(component: dict[str, Any], board: dict[str, Any]) -> str:
    """What Home Assistant makes of a component's template: it renders Jinja over the message's JSON."""
    return jinja2.Template(component["value_template"]).render(value_json=json.loads(json.dumps(board)))


def test_the_entities_show_score_ball_on_and_state() -> None:
    told = json.loads(discovery("Table 1", "cueref/Table_1", "http://table:8765"))
    board = board_of(document(state(score=(12, 4), break_points=9)))
    parts = told["components"]
    assert shown(parts["score"], board) == "12-4" and shown(parts["ball_on"], board) == "red"
    assert shown(parts["state"], board) == "frame" and shown(parts["striker"], board) == "Ann"
    assert shown(parts["break"], board) == "9" and shown(parts["winner"], board) == "None"
    assert shown(parts["camera"], board) == "ON" and shown(parts["free_ball"], board) == "OFF"
    assert told["state_topic"] == "cueref/Table_1/board" and told["payload_available"] == "true"
    assert told["device"]["configuration_url"] == "http://table:8765"
    ids = [c["unique_id"] for c in parts.values()]
    assert len(set(ids)) == len(parts) and all(
        c["platform"] in ("sensor", "binary_sensor") for c in parts.values()
    )


def test_every_state_of_a_table_is_one_that_home_assistant_was_told() -> None:
    """An enum sensor refuses a value that is not among its options."""
    codes = {*get_args(Phase), *get_args(StatusCode)} - {"running"}
    assert set(STATES) == codes
    for code in get_args(StatusCode):
        assert board_of(document(state(status=code)))["state"] in STATES


@given(st.text(max_size=30))
def test_topics_have_no_space_and_ids_only_what_home_assistant_takes(name: str) -> None:
    topic = topic_of(name)
    assert not re.search(r"[\s+#$\x00]", topic) and topic.count("/") == 1
    assert re.fullmatch(r"[A-Za-z0-9_-]+", object_id(topic))
    assert json.loads(discovery(name, topic, None))["state_topic"] == f"{topic}/board"


def test_tables_of_different_names_are_different_devices() -> None:
    names = ("Tisch Ä", "Tisch Ö", "table 1", "table-1", "台")
    assert len({object_id(topic_of(n)) for n in names}) == len(names)


def test_a_prefix_that_is_no_topic_is_one_sentence() -> None:
    assert parse_prefix("homeassistant/") == "homeassistant" and parse_prefix("") == "homeassistant"
    for wrong in ("a b", "home/#", "a//b"):
        with pytest.raises(UnusableInput, match="--home-assistant"):
            parse_prefix(wrong)


def test_the_broker_keeps_the_discovery_and_a_board_that_is_sent_when_it_changes(broker: int) -> None:  # noqa: F811
    where = parse_broker(f"mqtt://127.0.0.1:{broker}")
    heard: list[tuple[str, bytes, bool]] = []
    home = client_of(where, "")
    home.on_message = lambda _c, _d, m: heard.append((m.topic, m.payload, bool(m.retain)))
    home.on_connect = lambda c, *_: c.subscribe([("homeassistant/device/#", 1), ("cueref/+/board", 1)])

    outlet = MqttOutlet(where, "Table 1", home_assistant="homeassistant")
    assert _until(lambda: outlet._client.is_connected())
    for event in (
        state_event(1),
        state_event(2),
        state_event(3, moving=True),
        state_event(4, break_points=8),
    ):
        assert outlet.send("state", json.dumps(document(event)).encode())
    home.connect(where.host, where.port)
    home.loop_start()  # opened later: it learns from what is retained
    topic = discovery_topic("cueref/Table_1")
    assert _until(lambda: {t for t, _, _ in heard} == {topic, "cueref/Table_1/board"})
    assert all(retained for _, _, retained in heard)
    assert json.loads(next(p for t, p, _ in heard if t == topic))["device"]["name"] == "Table 1"

    heard.clear()
    same = state_event(5, break_points=8)
    assert outlet.send("state", json.dumps(document(state_event(4, break_points=15))).encode())
    assert outlet.send("state", json.dumps(document(same)).encode())
    assert outlet.send("state", json.dumps(document(same)).encode())
    assert _until(lambda: len(heard) >= 2)
    home.publish("homeassistant/status", b"online")  # it was started anew, and asks for what it has lost
    assert _until(lambda: any(t == topic for t, _, _ in heard))
    assert [t for t, _, _ in heard].count("cueref/Table_1/board") == 2  # the third state showed nothing new
    outlet.close()
    home.disconnect()
    home.loop_stop()


def test_what_was_kept_under_a_name_with_spaces_is_cleared(broker: int) -> None:  # noqa: F811
    where = parse_broker(f"mqtt://127.0.0.1:{broker}")
    heard: dict[str, bytes] = {}
    other = client_of(where, "")
    other.on_message = lambda _c, _d, m: heard.update({m.topic: m.payload})
    other.on_connect = lambda c, *_: c.subscribe("cueref/#", 1)
    other.connect(where.host, where.port)
    other.loop_start()
    for name in ("state", "online", "pages"):
        other.publish(f"cueref/Table 1/{name}", b"old", qos=1, retain=True)
    assert _until(lambda: len(heard) == 3)
    outlet = MqttOutlet(where, "Table 1")
    assert _until(lambda: all(not heard[f"cueref/Table 1/{n}"] for n in ("state", "online", "pages")))
    assert _until(lambda: heard.get("cueref/Table_1/online") == b"true")
    outlet.close()
    other.disconnect()
    other.loop_stop()


def test_the_example_paints_the_ball_on_and_takes_nothing_unsigned() -> None:
    spec = importlib.util.spec_from_file_location("light_strip", ROOT / "docs/examples/light_strip.py")
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    painted: list[Any] = []

    class Strip(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            painted.append(json.loads(self.rfile.read(int(self.headers["content-length"])))["seg"][0]["col"])
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    secret = "a secret of sixteen"
    strip = ThreadingHTTPServer(("127.0.0.1", 0), Strip)
    board = example.Board(f"http://127.0.0.1:{strip.server_port}")
    receiver = example.server(board, secret, 0)
    for server in (strip, receiver):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{receiver.server_port}/"
    hook = Webhook(url, secret, lambda _: None)
    for kind, event in (
        ("state", state_event(1)),
        ("ruling", ruling_event()),
        ("state", state_event(2, ball_on="black")),
    ):
        assert hook.send(kind, json.dumps(document(event)).encode())
    assert painted == [[list(example.COLOURS["red"])], [list(example.FOUL)], [list(example.COLOURS["black"])]]
    assert board.texts["/score"] == "Ann 12 - 4 Bob" and board.texts["/on"] == "black"
    forger = Webhook(url, "another secret of it", lambda _: None)
    assert not forger.send("state", json.dumps(document(state_event(3, ball_on="blue"))).encode())
    assert board.texts["/on"] == "black"
    hook.close()
    forger.close()
    for server in (strip, receiver):
        server.shutdown()
        server.server_close()


DEVICE = {"connections", "identifiers", "manufacturer", "model", "model_id", "name", "hw_version"} | {
    "serial_number",
    "sw_version",
    "via_device",
    "suggested_area",
    "configuration_url",
}
SHARED = {"availability", "availability_mode", "availability_template", "availability_topic"} | {
    "command_topic",
    "payload_available",
    "payload_not_available",
    "state_topic",
    "qos",
    "encoding",
}
ENTITY = {"unique_id", "name", "value_template", "icon", "device_class", "entity_category"} | {"object_id"}
ONLY = {"sensor": {"options", "state_class", "suggested_display_precision"}, "binary_sensor": {"payload_on"}}
CLASSES = {"sensor": {"enum"}, "binary_sensor": {"running", "connectivity", "moving"}}


def test_the_discovery_has_only_what_home_assistants_own_schema_takes() -> None:
    """Keys and rules of `components/mqtt/schemas.py`, `sensor.py`, `binary_sensor.py` of 2025.4.4."""
    told = json.loads(discovery("Table 1", "cueref/Table_1", "http://table:8765"))
    assert set(told) <= {"device", "origin", "components"} | SHARED
    assert set(told["device"]) <= DEVICE and told["device"]["identifiers"]
    assert set(told["origin"]) <= {"name", "sw_version", "support_url"} and told["origin"]["name"]
    for part in told["components"].values():
        kind = part["platform"]
        assert set(part) <= {"platform"} | ENTITY | ONLY[kind], part
        assert part.get("device_class") in CLASSES[kind] | {None}
        if "options" in part:
            assert part["options"] and part["device_class"] == "enum" and "state_class" not in part
        jinja2.Environment().parse(part["value_template"])
