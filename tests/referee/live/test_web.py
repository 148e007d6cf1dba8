"""The pages of a live table: who may read and ask, and that nobody waits for anybody."""

# ruff: noqa: E402
from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
websockets = pytest.importorskip("websockets", reason="the pages need the extra 'serve'")
from live_script import BLACKBALL_FOUL, RULING, STATE
from web_fixture import TOKEN, Site, serving_live

from referee.live.engine.requests import Answer, AskFrame, Undo

HEADER = {"x-cueref-token": TOKEN}
ask_get, ask_post, ask_delete = (partial(f, timeout=60) for f in (httpx.get, httpx.post, httpx.delete))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving_live(tmp_path_factory.mktemp("live") / "match") as served:
        yield served


def ask(site: Site, body: dict[str, Any], **headers: str) -> Any:
    return ask_post(f"{site.url}/api/live/requests", json=body, headers={**HEADER, **headers})


def test_a_request_needs_the_token_and_a_name_and_reaches_the_table_as_it_is(site: Site) -> None:
    body = {"type": "answer", "question": "facts-12", "index": 1, "who": "Rea"}
    assert ask(site, body, **{"x-cueref-token": "guess"}).status_code == 403
    assert ask(site, body, origin="http://elsewhere.test").status_code == 403
    assert ask(site, {**body, "who": ""}).status_code == 422
    assert ask(site, {**body, "more": 1}).status_code == 422
    assert site.table.asked == []
    assert ask(site, body).json() == {"words": "done"}
    assert ask(site, {"type": "frame", "act": "concede", "by": "B", "who": "Bo"}).status_code == 200
    assert ask(site, {"type": "undo", "who": "Bo"}).status_code == 200
    assert site.table.asked == [
        (Answer("facts-12", 1), "Rea"),
        (AskFrame("concede", "B"), "Bo"),
        (Undo(), "Bo"),
    ]


def test_a_refused_request_says_why(site: Site) -> None:
    for body in (
        {"type": "nominate", "ball": "brown"},
        {"type": "nominate", "ball": "purple"},
        {"type": "frame", "act": "concede"},
    ):
        answer = ask(site, {**body, "who": "Rea"})
        assert answer.status_code == 422 and "expected" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"type": "dance"}, "erwartet: eines von answer, nominate"),
        ({}, "die Anfrage: erwartet: ein"),
        ({"type": "best_of", "frames": "x"}, "frames: erwartet: eine ganze Zahl; gefunden: Text"),
    ],
)
def test_a_request_of_the_wrong_shape_is_told_in_the_pages_language(
    site: Site, body: dict[str, Any], words: str
) -> None:
    answer = ask(site, {**body, "who": "Rea"}, **{"accept-language": "de"})
    assert answer.status_code == 422 and words in answer.json()["detail"]


def test_metrics_are_served_beside_the_pages(site: Site) -> None:
    site.publish(STATE)
    answer = ask_get(f"{site.url}/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    assert f'cueref_strokes_total{{table="{STATE.table}"}} {float(STATE.strokes)}' in answer.text


def test_clips_are_played_in_pieces_and_deleted_with_the_token(site: Site, tmp_path: Path) -> None:
    for n in (3, 4):
        (tmp_path / f"{n}.mp4").write_bytes(bytes(range(200)))
        site.table.clips[n] = tmp_path / f"{n}.mp4"
    part = ask_get(f"{site.url}/api/live/clips/3", headers={"range": "bytes=10-19"})
    assert (
        part.status_code == 206
        and part.content == bytes(range(10, 20))
        and part.headers["content-type"] == "video/mp4"
    )
    assert ask_get(f"{site.url}/api/live/clips/99").status_code == 404
    assert ask_delete(f"{site.url}/api/live/clips/3").status_code == 403
    assert ask_delete(f"{site.url}/api/live/clips/3", headers=HEADER).json() == {"deleted": 1}
    assert ask_delete(f"{site.url}/api/live/clips", headers=HEADER).json() == {"deleted": 1}
    made = f"{site.url}/api/matches/match/made/score-sheet.pdf"
    assert ask_get(made).status_code == 200
    assert ask_get(f"{made}/progress").json()["state"] == "ready"
    assert ask_delete(f"{site.url}/api/live/clips", headers=HEADER).json() == {"deleted": 0}
    assert ask_get(f"{made}/progress").json() is None, "evidence and films would show the clip"
    assert list(tmp_path.iterdir()) == [] and ask_get(f"{site.url}/api/live/clips/3").status_code == 404


def test_every_socket_gets_the_newest_state_and_a_sleeping_one_delays_nobody(site: Site) -> None:
    address = site.url.replace("http", "ws") + "/ws/live"

    async def heard(socket: Any, kind: str) -> Any:
        while True:
            message = json.loads(await asyncio.wait_for(socket.recv(), 30))
            if message["type"] == kind:
                return message

    async def scene() -> None:
        async with websockets.connect(address) as awake, websockets.connect(address, max_queue=1) as asleep:
            site.publish()
            assert (await heard(awake, "state"))["body"]["table"] == "Table 3"
            for k in range(300):
                site.publish(replace(STATE, strokes=k))
            while (await heard(awake, "state"))["body"]["strokes"] != 299:
                pass  # while the other socket has not read a single one
            site.publish(replace(RULING, stroke=300))
            assert (await heard(awake, "say"))["words"] == "9"
            assert (await heard(awake, "alive"))["age_s"] >= 1.0  # without news, a sign of life
            while (await heard(asleep, "state"))["body"]["strokes"] != 299:
                pass

    asyncio.run(asyncio.wait_for(scene(), 120))


def test_on_a_public_address_everything_needs_the_token_and_a_television_no_login(
    tmp_path: Path,
) -> None:
    with serving_live(tmp_path / "match", open_reading=False) as site:
        for path in ("/", "/tv", "/phone", "/api/live", "/api/live/texts", "/static/tv.js"):
            assert ask_get(site.url + path).status_code == 401, path
        with httpx.Client(base_url=site.url, timeout=60) as television:
            assert television.get(f"/tv?token={TOKEN}").status_code == 200
            assert (
                television.get("/static/tv.js").status_code == 200
                and television.get("/api/live").status_code == 200
            )
            assert television.post("/api/live/requests", json={"type": "undo", "who": "x"}).status_code == 403
        phone = ask_get(f"{site.url}/login?token={TOKEN}&to=/phone")
        assert phone.status_code == 303 and phone.headers["location"] == "/phone"
        aside = ask_get(f"{site.url}/login?token={TOKEN}&to=//elsewhere.test/")
        assert aside.headers["location"] == "/"


def test_a_foul_of_black_ball_is_served_with_its_words_in_each_language(site: Site) -> None:
    site.publish(
        replace(STATE, game="blackball", last_ruling=BLACKBALL_FOUL, rulings=(BLACKBALL_FOUL,), questions=())
    )
    served = ask_get(f"{site.url}/api/live", headers=HEADER).json()["state"]["body"]["last_ruling"]
    assert {w["language"]: w["text"] for w in served["said"]} == {
        "de": "Foul, falsche Kugel zuerst, Freistoß; weiter Bo",
        "en": "Foul, wrong ball first, Free shot; next Bo",
    }
