"""Feeds: nothing that listens holds up the referee, bodies are signed, what is retained is true."""

from __future__ import annotations

import contextlib
import http.server
import json
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_samples import condition, ruling_event, state, state_event

from calibration.errors import UnusableInput
from referee.live.engine.state import EventType, document
from referee.live.feeds.fanout import QUEUE, Fanout
from referee.live.feeds.metrics import Metrics
from referee.live.feeds.mqtt import MqttOutlet, parse_broker, topic_of
from referee.live.feeds.outlets import FeedOptions, Feeds
from referee.live.feeds.schema import published
from referee.live.feeds.webhooks import SIGNATURE, Webhook, signature, verified
from vision.capture.address import shown

SECRET = "a secret of the club"


def _until(holds: Callable[[], bool], within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return holds()


class _Stuck:
    """An outlet whose first delivery takes until it is let go."""

    name = "stuck"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.got: list[tuple[str, dict[str, object]]] = []

    def send(self, kind: EventType, body: bytes) -> bool:
        self.go.wait(20)
        self.got.append((kind, json.loads(body)))
        return True

    def close(self) -> None:
        self.got.append(("closed", {}))


def test_a_hanging_outlet_delays_nobody_and_keeps_the_newest_state() -> None:
    stuck = _Stuck()
    fanout = Fanout([stuck])
    last = 3 * QUEUE
    events = [state_event(seq) if seq % 2 else ruling_event(seq) for seq in range(1, last + 1)]
    begun = time.monotonic()
    for event in events:
        fanout.publish(event)
    assert time.monotonic() - begun < 5.0  # half a thousand events, delivered or not
    stuck.go.set()
    fanout.close()
    states = [b["seq"] for k, b in stuck.got if k == "state"]
    rulings = [b["seq"] for k, b in stuck.got if k == "ruling"]
    assert states[-1] == last - 1 and len(states) <= 2  # one in hand, and the newest
    assert rulings == sorted(rulings) and rulings[-1] == last  # of what was lost, the oldest
    assert QUEUE - 1 <= len(rulings) <= QUEUE + 1 and fanout.counts()[0].dropped == last // 2 - len(rulings)
    assert stuck.got[-1][0] == "closed"


def test_an_absent_receiver_and_its_return_are_reported_once_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.live.feeds.fanout._AWAY_S", 0.1)
    here, said = threading.Event(), list[tuple[str, bool, str]]()

    class Away:
        name, trouble = "mqtt broker", "Not authorized"

        def send(self, kind: EventType, body: bytes) -> bool:
            return here.is_set()

        def close(self) -> None:
            pass

    fanout = Fanout([Away()], lambda *told: said.append(told))
    fanout.publish(ruling_event(1))
    assert _until(lambda: fanout.counts()[0].failed == 1) and not said  # a connection being made is no news
    time.sleep(0.15)
    for seq in (2, 3):
        fanout.publish(ruling_event(seq))
    assert _until(lambda: fanout.counts()[0].failed == 3)
    here.set()
    for seq in (4, 5):
        fanout.publish(ruling_event(seq))
    assert _until(lambda: fanout.counts()[0].delivered == 2)
    assert said == [("mqtt broker", False, "Not authorized"), ("mqtt broker", True, "")]
    fanout.close()


def test_two_receivers_on_one_host_are_counted_apart() -> None:
    feeds = Feeds(
        FeedOptions(
            "table-1",
            webhooks=("http://127.0.0.1:9/a", "http://127.0.0.1:9/b", "http://[::1]:9/"),
            webhook_secret=SECRET,
        )
    )
    assert feeds.metrics is not None
    text = feeds.metrics.text()[0].decode()
    series = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(set(series)) == len(series) and sum("delivered" in s for s in series) == 3
    feeds.close()


def test_events_as_published_fit_the_schema() -> None:
    for event in (state_event(conditions=(condition(),)), ruling_event()):
        jsonschema.validate(json.loads(json.dumps(document(event))), published())


@given(st.binary(max_size=200), st.integers(0, 2**33), st.integers(0, 7))
def test_a_signed_body_is_genuine_and_any_other_is_not(body: bytes, at: int, bit: int) -> None:
    header = signature(SECRET, body, at)
    assert verified(SECRET, body, header, at + 1.0)
    assert not verified(SECRET, body + bytes([bit]), header, at)
    assert not verified(SECRET + "x", body, header, at)
    assert not verified(SECRET, body, header, at + 1000.0)  # sent again later
    assert not verified(SECRET, body, header.replace(f"t={at}", f"t={at + 1}"), at)


class _Receiver(http.server.BaseHTTPRequestHandler):
    answers: list[int]
    got: list[tuple[dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(self.answers.pop(0) if self.answers else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[tuple[str, type[_Receiver]]]:
    handler = type("Receiver", (_Receiver,), {"answers": [], "got": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", handler
    server.shutdown()


def test_a_webhook_signs_and_tries_again_after_a_failing_server_but_not_after_a_refusal(
    receiver: tuple[str, type[_Receiver]],
) -> None:
    url, seen = receiver
    pauses: list[float] = []
    hook = Webhook(url, SECRET, pauses.append)
    seen.answers[:] = [503, 429, 200, 400]
    body = json.dumps(document(ruling_event())).encode()
    assert hook.send("ruling", body)
    assert len(seen.got) == 3 and len(pauses) == 2 and pauses == sorted(pauses)
    assert not hook.send("ruling", body) and len(seen.got) == 4
    for headers, received in seen.got:
        assert received == body and headers["cueref-event"] == "ruling"
        assert verified(SECRET, received, headers[SIGNATURE.lower()], time.time())
    hook.close()


def test_a_receiver_that_is_away_is_given_up_in_time() -> None:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    hook = Webhook(f"http://user:hidden@127.0.0.1:{port}/", SECRET, lambda _: None)
    assert not hook.send("status", b"{}")
    assert "hidden" not in hook.name


@pytest.mark.parametrize("address", ["ftp://h/x", "http://", "/tmp/x"])
def test_a_wrong_webhook_is_one_sentence(address: str) -> None:
    with pytest.raises(UnusableInput, match="http"):
        Webhook(address, SECRET)
    with pytest.raises(UnusableInput, match="16"):
        Webhook("https://example.invalid/", "short")


def test_brokers_are_read_and_passwords_not_shown() -> None:
    found = parse_broker("mqtts://club:p%40ss@broker.local")
    assert (found.host, found.port, found.tls, found.user, found.password) == (
        "broker.local",
        8883,
        True,
        "club",
        "p@ss",
    )
    assert "p@ss" not in repr(found)
    assert parse_broker("broker.local").port == 1883
    for wrong in ("http://x", "mqtt://", "mqtt://h:port", "mqtt://h/topic"):
        with pytest.raises(UnusableInput) as error:
            parse_broker(wrong)
        assert "mqtt://" in str(error.value) and shown(str(error.value)) == str(error.value)


@given(st.text(max_size=20))
def test_a_tables_name_never_becomes_more_than_one_level_of_a_topic(name: str) -> None:
    level = topic_of(name).removeprefix("cueref/")
    assert level and not set(level) & set("/+#$\x00")


def test_metrics_show_the_state_of_the_table() -> None:
    metrics = Metrics()
    metrics.observe(state_event(strokes=7, conditions=(condition(),)))
    first = ruling_event(stroke=7, end_s=10.0, ready_s=10.4, provisional=True)
    metrics.observe(first)
    metrics.observe(
        ruling_event(stroke=7, end_s=10.0, ready_s=12.0)
    )  # confirmed: the players heard the first
    text = metrics.text()[0].decode()
    assert 'cueref_strokes_total{table="table-1"} 7.0' in text
    assert 'cueref_delay_seconds{table="table-1"} 0.08' in text
    assert 'cueref_condition{condition="camera_lost",table="table-1"} 1.0' in text
    assert 'cueref_time_to_rule_seconds_count{table="table-1"} 1.0' in text
    assert 'cueref_time_to_rule_seconds_bucket{le="0.5",table="table-1"} 1.0' in text
    assert 'cueref_rulings_total{kind="foul",table="table-1",verdict="certain"} 1.0' in text


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[int]:
    found = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
    if found is None:
        pytest.skip("no mosquitto")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = int(s.getsockname()[1])
    conf = tmp_path / "mosquitto.conf"
    conf.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
    process = subprocess.Popen([found, "-c", str(conf)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert _until(lambda: _open(port), 60.0)
        yield port
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5.0)
    finally:
        process.kill()
        process.wait(60.0)


def _open(port: int) -> bool:
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def test_the_broker_retains_the_state_and_announces_a_dead_table(broker: int) -> None:
    from referee.live.pages.club import Club, follow

    where = parse_broker(f"mqtt://127.0.0.1:{broker}")
    outlet = MqttOutlet(where, "table-1")
    fanout = Fanout([outlet])
    fanout.publish(state_event(1))
    assert _until(lambda: outlet._client.is_connected())
    fanout.publish(state_event(2, score=(13, 4)))
    assert _until(lambda: sum(c.delivered for c in fanout.counts()) >= 1)

    club = Club()  # opened later: it learns from what is retained
    end = follow(club, where)
    assert _until(lambda: bool(club.document()["tables"]) and bool(club.document()["tables"][0]["state"]))
    table = club.document()["tables"][0]
    assert table["online"] and table["state"]["score"] == [13, 4] and table["state"]["seq"] == 2

    dead = MqttOutlet(where, "table-2")
    assert _until(lambda: any(t["topic"] == "table-2" and t["online"] for t in club.document()["tables"]))
    dead._client._sock.shutdown(socket.SHUT_RDWR)  # the process dies: no goodbye
    dead._client.loop_stop()
    assert _until(lambda: any(t["topic"] == "table-2" and not t["online"] for t in club.document()["tables"]))

    fanout.close()
    assert _until(lambda: not any(t["online"] for t in club.document()["tables"]))
    end()


def test_two_tables_with_the_same_name_are_reported(broker: int) -> None:
    """Both would take turns on the club's page."""
    where, said = parse_broker(f"mqtt://127.0.0.1:{broker}"), list[str]()

    def publishes(outlet: MqttOutlet, *seqs: int) -> None:
        assert _until(lambda: outlet._client.is_connected())
        assert all(outlet.send("state", json.dumps(document(state_event(seq))).encode()) for seq in seqs)

    first = MqttOutlet(where, "table", lambda: said.append("first"))
    publishes(first, 1, 2, 3)
    alone = MqttOutlet(where, "table 2", lambda: said.append("alone"))
    publishes(alone, 1)
    time.sleep(0.2)
    assert not said
    second = MqttOutlet(where, "table", lambda: said.append("second"))
    publishes(second, 7)  # the retained state of the first is no sign: it may be one that has died
    publishes(first, 4, 5)
    assert _until(lambda: sorted(said) == ["first", "second"])
    for outlet in (first, second, alone):
        outlet.close()


def test_the_clubs_page_shows_that_the_broker_refuses_the_login() -> None:
    from referee.live.pages.club import Club

    club = Club()
    club.heard(False, "Not authorized")
    assert (club.document()["connected"], club.document()["refused"]) == (False, "Not authorized")
    club.heard(True)
    assert (club.document()["connected"], club.document()["refused"]) == (True, "")


def test_the_club_ignores_malformed_messages() -> None:
    from referee.live.pages.club import MAX_TABLES, Club

    club = Club()
    good = json.dumps(document(state_event(1))).encode()
    for topic, payload in [
        ("cueref/x/state", b"[]"),
        ("cueref/x/state", b"{" * 9000),
        ("cueref/x/state", b'{"type":"state","version":9,"body":{}}'),
        ("other/x/state", good),
        ("cueref/x/y/state", good),
        ("cueref/x/state", b" " * 10**6),
        # neither can be sent to a page: one such message ended the page of every table
        ("cueref/x/state", good.replace(b'"body": {', b'"body": {"x": NaN, ', 1)),
        ("cueref/x/state", good.replace(b'"body": {', b'"body": {"x": "\\ud800", ', 1)),
    ]:
        club.take(topic, payload)
    assert club.document()["tables"] == []
    for k in range(2 * MAX_TABLES):
        club.take(f"cueref/t{k}/state", good)
    assert len(club.document()["tables"]) == MAX_TABLES
    club.take("cueref/t1/state", b"")  # cleared on the broker
    assert len(club.document()["tables"]) == MAX_TABLES - 1


def test_the_club_page_is_guarded_like_the_console() -> None:
    from fastapi.testclient import TestClient

    from referee.console.guard import Policy
    from referee.live.pages.club import Club, create_club_app

    club = Club()
    club.take("cueref/table-1/state", json.dumps(document(state_event(1))).encode())
    client = TestClient(create_club_app(club, Policy(SECRET, False)), base_url="http://192.0.2.7:8780")
    assert client.get("/api/tables").status_code == 401
    assert client.get(f"/api/tables?token={SECRET}").json()["tables"][0]["state"]["table"] == state().table
    assert client.get("/api/tables", headers={"host": "evil.example"}).status_code == 421
    assert client.get(f"/static/club.js?token={SECRET}").status_code == 200
    assert client.get(f"/static/..%2Fclub.py?token={SECRET}").status_code == 404
