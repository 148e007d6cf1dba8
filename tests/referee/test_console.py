"""The console's server: who is let in, what is served, and changes that are never lost or overwritten."""

# ruff: noqa: E402
from __future__ import annotations

import json
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path.insert(0, str(Path(__file__).parent))
from console_fixture import TOKEN, correction, frame_events, make_review, serving

from calibration.errors import UnusableInput
from calibration.table import SNOOKER_TABLE
from referee.geometry import BallAt
from referee.journal import Journal
from referee.review import views
from referee.review.corrections import CorrectionBody, FactsBody, UndoBody, facts_of_answer
from referee.review.guard import Policy
from referee.review.looking import decoded, picture_size
from referee.review.opened import OpenedMatch
from referee.review.placing import compare, due_now, finding_of, spots_of_layout

WRITE = {"x-cueref-token": TOKEN}


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("console") / "frame"
    make_review(folder)
    return folder


@pytest.fixture
def match(reviewed: Path, tmp_path: Path) -> Iterator[OpenedMatch]:
    shutil.copytree(reviewed, tmp_path / "frame")
    opened = OpenedMatch("frame", tmp_path / "frame")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    folder = tmp_path_factory.mktemp("site") / "frame"
    shutil.copytree(reviewed, folder)
    (folder.parent / "secret.txt").write_text("secret")
    with serving([folder]) as url, httpx.Client(base_url=url, timeout=20) as client:
        yield client


def raw(client: Any, target: str, host: str | None = None, more: str = "") -> bytes:
    """A request as it stands, which no client library tidies up."""
    address = (client.base_url.host, client.base_url.port)
    with socket.create_connection(address, timeout=10) as s:
        s.sendall(f"GET {target} HTTP/1.1\r\nHost: {host or f'{address[0]}:{address[1]}'}\r\n{more}Connection: close\r\n\r\n".encode())
        return b"".join(iter(lambda: s.recv(65536), b""))


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_a_page_of_another_site_gets_nothing(site: Any) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""):
        assert status(raw(site, "/api/matches", host or " ")) in (400, 421), host
    assert status(raw(site, "/api/matches", "localhost")) == 200
    assert site.get("/api/matches", headers={"origin": "http://evil.example"}).status_code == 403
    assert site.get("/api/matches", headers={"origin": "null"}).status_code == 403
    assert site.get("/api/matches", headers={"origin": str(site.base_url).rstrip("/")}).status_code == 200


def test_pictures_and_scripts_of_another_site_are_refused_but_links_work(site: Any) -> None:
    """They send no Origin; browsers tell by Sec-Fetch-Site. Another port of this machine counts as well."""
    for origin in ("cross-site", "same-site"):
        fetch = {"sec-fetch-site": origin, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert site.get("/api/matches/frame/evidence/1", headers=fetch).status_code == 403
        link = {"sec-fetch-site": origin, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert site.get("/", headers=link).status_code == 200
        assert site.get("/api/matches/frame/export/json", headers=link).status_code == 403
    assert site.get("/api/matches", headers={"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors"}).status_code == 200


def test_a_socket_of_another_site_is_refused(site: Any) -> None:
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    with socket.create_connection((site.base_url.host, site.base_url.port), timeout=10) as s:
        s.sendall(f"GET /ws/frame HTTP/1.1\r\nHost: 127.0.0.1:{site.base_url.port}\r\nOrigin: http://evil.example\r\n{upgrade}\r\n".encode())
        assert status(s.recv(4096)) == 403
    with socket.create_connection((site.base_url.host, site.base_url.port), timeout=10) as s:
        s.sendall(f"GET /ws/frame HTTP/1.1\r\nHost: 127.0.0.1:{site.base_url.port}\r\nOrigin: http://127.0.0.1:{site.base_url.port}\r\n{upgrade}\r\n".encode())
        assert status(s.recv(4096)) == 101


def test_a_change_needs_the_token_in_its_header(site: Any) -> None:
    body = correction(1, facts={"potted": []})
    for headers in ({}, {"x-cueref-token": "wrong"}, {"cookie": f"cueref_token={TOKEN}"}):
        answer = site.post("/api/matches/frame/corrections", json=body, headers=headers)
        assert answer.status_code == 403, headers
    assert site.post(f"/api/matches/frame/corrections?token={TOKEN}", json=body).status_code == 403
    assert site.get("/api/matches/frame").json()["version"] == 1


def test_another_address_needs_the_token_for_everything(reviewed: Path) -> None:
    with serving([reviewed], open_reading=False) as url, httpx.Client(base_url=url) as client:
        for path in ("/", "/api/matches", "/static/app.js", "/api/matches/frame/video"):
            assert client.get(path).status_code == 401, path
        assert client.get(f"/api/matches?token={TOKEN}").status_code == 200
        assert client.get("/login?token=wrong").status_code == 403
        assert client.get(f"/login?token={TOKEN}").headers["location"] == f"/#token={TOKEN}"
        assert client.get("/api/matches").status_code == 200  # the cookie came with the login


def test_names_of_hosts() -> None:
    closed, loopback = Policy("t", False, ("club.local",)), Policy("t", True)
    assert closed.host_allowed("192.168.1.4:8765") and closed.host_allowed("club.local") and closed.host_allowed("[fe80::1]:80")
    assert not loopback.host_allowed("192.168.1.4") and loopback.host_allowed("[::1]:8765")
    assert not closed.host_allowed("evil.example") and not closed.host_allowed("a b") and not closed.host_allowed("")


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/%00", "/api/matches/..%2fsecret.txt",
     "/api/matches/%2e%2e/video", "/api/matches/frame/export/..%2f..%2fsecret.txt", "/api/matches/frame/journal.sqlite", "/frame/match.json"],
)  # fmt: skip
def test_only_files_of_opened_matches_are_served(site: Any, path: str) -> None:
    answer = raw(site, path)
    assert status(answer) in (404, 422)
    assert b"secret" not in answer.split(b"\r\n\r\n", 1)[1].replace(b"secret.txt", b"") and b"root:" not in answer


def test_the_video_comes_in_ranges(site: Any) -> None:
    whole = site.get("/api/matches/frame/video")
    part = site.get("/api/matches/frame/video", headers={"range": "bytes=100-199"})
    assert part.status_code == 206 and part.content == whole.content[100:200]
    assert part.headers["content-range"] == f"bytes 100-199/{len(whole.content)}"
    assert site.get("/api/matches/frame/video", headers={"range": f"bytes={len(whole.content) + 5}-"}).status_code == 416


def test_answers_allow_no_script_from_elsewhere(site: Any) -> None:
    for path in ("/", "/overlay", "/api", "/api/matches", "/static/app.js", "/nothing"):
        policy = site.get(path).headers["content-security-policy"]
        assert "script-src 'self'" in policy and "default-src 'none'" in policy and "unsafe-eval" not in policy
    sheet = site.get("/api/matches/frame/export/sheet")
    assert "sandbox" in sheet.headers.get_list("content-security-policy")[0] and "&lt;Ace&gt;" in sheet.text
    assert "http" not in "".join(p.read_text() for p in (Path(views.__file__).parent / "static").iterdir()).replace("http://www.w3.org", "").replace("https:", "", 1)


@pytest.mark.parametrize(
    "body",
    [{}, {"stroke": 1}, correction(1), correction(0, facts={"potted": []}), correction(99, facts={"potted": []}), correction(1, facts={"potted": ["mauve"]}),
     correction(1, facts={"striker": "C"}), correction(1, facts={"potted": ["red"] * 23}), correction(1, who="", facts={"potted": []}),
     correction(1, who="x" * 81, facts={"potted": []}), correction(1, facts={"unknown": 1}), correction(1, answer=0), correction(1, choice="concede"),
     correction(1, version=77, facts={"potted": []})],
)  # fmt: skip
def test_every_input_is_validated_before_anything_is_touched(site: Any, body: dict[str, Any]) -> None:
    answer = site.post("/api/matches/frame/corrections", json=body, headers=WRITE)
    assert answer.status_code == 422, answer.text
    assert site.get("/api/matches/frame/history").json() == []


def test_uploads_have_a_limit_and_must_be_pictures(site: Any) -> None:
    path = "/api/matches/frame/restore?stroke=3"
    assert site.post(path, content=b"x" * 1000, headers=WRITE).status_code == 422
    address = (site.base_url.host, site.base_url.port)
    with socket.create_connection(address, timeout=10) as s:
        s.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nx-cueref-token: {TOKEN}\r\nContent-Length: 1000000000\r\n\r\n".encode())
        assert status(s.recv(4096)) == 413
    chunks = (b"x" * 2**20 for _ in range(26))  # no length in the head
    assert site.post(path, content=chunks, headers=WRITE).status_code == 413
    assert site.post(path, content=b"x", headers={}).status_code == 403


def test_a_picture_that_claims_to_be_huge_is_not_decoded() -> None:
    import cv2
    import numpy as np

    png = cv2.imencode(".png", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    jpeg = cv2.imencode(".jpg", np.zeros((48, 64, 3), np.uint8))[1].tobytes()
    assert picture_size(png) == picture_size(jpeg) == (64, 48) and decoded(jpeg).shape == (48, 64, 3)
    bomb = png[:16] + (60000).to_bytes(4) + (60000).to_bytes(4) + png[24:]
    for data in (bomb, b"GIF89a", b"", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"):
        with pytest.raises(UnusableInput):
            decoded(data)


def test_a_pot_taken_away_re_scores_what_follows_and_comes_back(match: OpenedMatch) -> None:
    before = match.document
    done = match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    assert done["score_before"] == before["score"] != done["score_after"] and 1 in done["changed"] and len(done["changed"]) > 2
    assert match.document["strokes"][0]["potted"] == [] and match.document["strokes"][1]["striker"] == "B"
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"] and match.document["score"] == before["score"]


def test_changes_of_one_stroke_add_up_and_are_undone_one_by_one(match: OpenedMatch) -> None:
    states = [json.dumps(match.document["strokes"][2])]
    for facts in (FactsBody(first_contact=["red"]), FactsBody(cue_ball="on_table"), FactsBody(potted=["red"])):
        match.correct(CorrectionBody(stroke=3, who="Ref", facts=facts))
        states.append(json.dumps(match.document["strokes"][2]))
    assert len(set(states)) == 4
    for expected in reversed(states[:-1]):
        match.undo(UndoBody(who="Ref"))
        assert json.dumps(match.document["strokes"][2]) == expected
    with pytest.raises(UnusableInput, match="found none"):
        match.undo(UndoBody(who="Ref"))


def test_the_journal_only_grows_and_says_who_and_when(match: OpenedMatch) -> None:
    lengths, chains = [], []
    for work in (lambda: match.correct(CorrectionBody(stroke=5, who="Eve", facts=FactsBody(potted=[]))), lambda: match.undo(UndoBody(who="Adam"))):
        work()
        with Journal(match.folder / "journal.sqlite") as journal:
            lengths.append(len(list(journal.entries())))
            chains.append([e.chain for e in journal.entries()])
            assert journal.verify()
    assert lengths[1] == lengths[0] + 1 and chains[1][: lengths[0]] == chains[0]
    assert [(h["who"], h["in_force"], h["stroke"]) for h in match.history()] == [("Eve", False, 5), ("Adam", False, 5)]
    assert all(h["at"].endswith("+00:00") for h in match.history())


def test_a_killed_server_loses_nothing(match: OpenedMatch) -> None:
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    shutil.copytree(match.folder, match.folder.parent / "after_kill")  # as the disk is at this moment
    again = OpenedMatch("again", match.folder.parent / "after_kill")
    assert again.document["strokes"] == match.document["strokes"] and again.document["score"] == match.document["score"]
    again.close()


def test_match_json_follows_the_journal(match: OpenedMatch) -> None:
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    match.close()
    from referee.outputs.match_json import read_match

    again = OpenedMatch("again", match.folder)
    assert read_match(match.folder)["strokes"] == again.document["strokes"]
    again.close()
    match.__init__("frame", match.folder)  # type: ignore[misc]  # the fixture closes it once more


def test_one_answer_settles_a_question(match: OpenedMatch) -> None:
    stroke = match.document["strokes"][1]
    assert stroke["verdict"] == "call" and len(stroke["candidates"]) == 2
    other = next(k for k, c in enumerate(stroke["candidates"]) if c["facts"]["nominated"] == "black")
    match.correct(CorrectionBody(stroke=2, who="Ref", answer=other))
    assert match.document["strokes"][1]["nominated"] == "black"
    match.correct(CorrectionBody(stroke=2, who="Ref", facts=FactsBody(first_contact=["pink"])))
    decided = match.document["strokes"][1]
    assert decided["verdict"] == "certain" and decided["foul"] is not None and decided["foul"]["penalty"] == 7


@pytest.mark.parametrize(
    ("labels", "facts"),
    [({"first_contact": "none"}, {"first_contact": []}), ({"first_contact": "red and blue"}, {"first_contact": ["red", "blue"]}),
     ({"potted": "red_3, blue"}, {"potted": ["red", "blue"]}), ({"snookered": "yes"}, {"snookered": True}), ({"in_d": "no"}, {"in_d": False}),
     ({"attempt": "a miss"}, {"good_enough_attempt": False}), ({"clear_path": "unknown"}, {})],
)  # fmt: skip
def test_an_answers_words_become_facts(labels: dict[str, str], facts: dict[str, Any]) -> None:
    assert facts_of_answer(labels).model_dump(exclude_unset=True) == facts


def test_a_choice_can_be_made_and_withdrawn(match: OpenedMatch) -> None:
    before = match.document["strokes"]
    match.correct(CorrectionBody(stroke=3, who="Ref", choice="ask_offender_to_play_again_from_position_left"))
    assert match.document["strokes"][3]["striker"] == "B" and before[3]["striker"] == "A"
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before


def test_a_false_stroke_goes_and_a_missed_one_comes(match: OpenedMatch) -> None:
    from referee.review.corrections import MissedBody

    before = match.document
    match.correct(CorrectionBody(stroke=4, who="Ref", facts=FactsBody(drop=True)))
    assert len(match.document["strokes"]) == len(before["strokes"]) - 1
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"]
    end = before["strokes"][0]["end_s"]
    with pytest.raises(UnusableInput, match="span"):
        match.add(MissedBody(who="Ref", start_s=end - 1, end_s=end + 1, first_contact="red"))
    match.add(MissedBody(who="Ref", start_s=end + 0.5, end_s=end + 1.5, first_contact="black", potted=["black"]))
    assert [s["n"] for s in match.document["strokes"]] == list(range(1, len(before["strokes"]) + 2))
    assert match.document["strokes"][1]["points"] == 7
    again = OpenedMatch("again", match.folder)  # the journal alone gives the same order
    assert again.document["strokes"] == match.document["strokes"]
    again.close()
    match.undo(UndoBody(who="Ref"))
    assert match.document["strokes"] == before["strokes"]


def test_two_readers_see_the_same_state(site: Any, reviewed: Path) -> None:
    with httpx.Client(base_url=site.base_url) as other:
        site.post("/api/matches/frame/corrections", json=correction(6, facts={"potted": ["red"]}), headers=WRITE).raise_for_status()
        assert other.get("/api/matches/frame").json() == site.get("/api/matches/frame").json()
        other.post("/api/matches/frame/undo", json={"who": "Ref"}, headers=WRITE).raise_for_status()
        assert site.get("/api/matches/frame").json()["score"] == [14, 0]


def test_what_another_process_adds_is_seen_and_the_chain_holds(match: OpenedMatch) -> None:
    from referee.corrections import Correction
    from referee.referee import open_referee

    with Journal(match.folder / "journal.sqlite") as journal:
        other = open_referee(journal)
        other.correct(Correction(match.document["strokes"][0]["entry"], potted=()), "Live")
        assert match.document["strokes"][0]["points"] == 1
        assert match.refresh() and not match.refresh()
        assert match.document["strokes"][0]["points"] == 0
        other.correct(Correction(match.document["strokes"][0]["entry"], undo=True), "Live")
        match.correct(CorrectionBody(stroke=4, who="Ref", facts=FactsBody(potted=[])))
    with Journal(match.folder / "journal.sqlite") as journal:
        assert journal.verify() and [e.who for e in journal.entries("correction")] == ["Live", "Live", "Ref"]
    assert (match.document["strokes"][0]["points"], match.document["strokes"][3]["points"]) == (1, 0)


def test_a_journal_of_an_older_version_opens(match: OpenedMatch, tmp_path: Path) -> None:
    """A field that came with a default since does not make it the journal of something else."""
    import sqlite3

    shutil.copytree(match.folder, tmp_path / "older")
    with Journal(match.folder / "journal.sqlite") as journal:
        first = next(iter(journal.entries()))
    table, start, options, calls = first.payload
    del options["deciding_frame" if "deciding_frame" in options else sorted(options)[0]]
    with sqlite3.connect(tmp_path / "older" / "journal.sqlite") as db:
        db.execute("DROP TRIGGER entries_are_never_changed")
        db.execute("UPDATE entries SET payload = ? WHERE id = ?", (json.dumps([table, start, options, calls]), first.id))
    older = OpenedMatch("older", tmp_path / "older")
    assert older.document["strokes"] == match.document["strokes"]
    older.close()


def test_a_hand_that_was_not_there_can_be_denied(match: OpenedMatch) -> None:
    from referee.review.corrections import HandBody

    placed, black = match.hands()
    assert (placed["type"], black["ball"], len(match.document["spotting"])) == ("in_hand", "black", 1)
    match.deny_hand(HandBody(entry=black["entry"], who="Ref"))
    assert match.document["spotting"] == [] and [h["counts"] for h in match.hands()] == [True, False]
    match.undo(UndoBody(who="Ref"))
    assert len(match.document["spotting"]) == 1
    with pytest.raises(UnusableInput, match="hand"):
        match.deny_hand(HandBody(entry=1, who="Ref"))


def test_what_only_a_person_saw_can_be_added(match: OpenedMatch) -> None:
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody.model_validate({"infringements": ["push_stroke"]})))
    foul = match.document["strokes"][0]["foul"]
    assert foul is not None and foul["penalty"] == 4 and foul["clause"] == "snooker 3.12(b)(v)"


def test_a_folder_without_a_journal_can_be_watched_only(reviewed: Path, tmp_path: Path) -> None:
    shutil.copy(reviewed / "match.json", tmp_path / "match.json")
    plain = OpenedMatch("plain", tmp_path)
    assert not plain.editable and plain.video is None and plain.history() == []
    with pytest.raises(UnusableInput, match=r"journal\.sqlite"):
        plain.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=[])))
    plain.close()


def test_the_scoreboard_counts_what_is_left(match: OpenedMatch) -> None:
    first = views.overlay(match.document, until=1)
    assert (first["break"], first["balls"], first["side"], first["remaining"]) == (1, ["red"], "A", 8 * 2 + 27 + 7)
    foul = views.overlay(match.document, until=3)
    assert foul["break"] == 0 and foul["ruling"].startswith("Foul, 5") and foul["score"] == [6, 0]
    assert views.snookers_required([50, 0], 27) == 6 and views.snookers_required([27, 0], 27) == 0
    assert views.snookers_required([40, 0], 13, "pink") == 5  # fouls on the pink count 6


def test_spots_are_judged_against_tolerance_and_uncertainty() -> None:
    assert [finding_of(o, 0.5, 2.0) for o in (1.9, 2.9, 3.1)] == ["on", "unsure", "off"]
    x, y = SNOOKER_TABLE.spots["blue"]
    found = spots_of_layout([BallAt("blue", "blue", x + 3.0, y - 4.0, 0.2), BallAt("pink", "pink", 300.0, 900.0, 0.2)], SNOOKER_TABLE)
    assert [(f.ball, round(f.offset_mm, 6), f.finding) for f in found] == [("blue", 5.0, "off")]


def test_an_occupied_spot_gives_the_one_that_is_due_instead() -> None:
    """Snooker 3.7(d): the highest value spot that is free."""
    x, y = SNOOKER_TABLE.spots["blue"]
    layout = [BallAt("red_1", "red", x + 20.0, y, 0.1), BallAt("blue", "blue", *SNOOKER_TABLE.spots["black"], 0.1)]
    assert due_now(layout, SNOOKER_TABLE)["blue"].spot == "black"
    (found,) = spots_of_layout(layout, SNOOKER_TABLE)
    assert (found.ball, found.spot, found.occupied_by) == ("blue", "black", ("red_1",))


def test_restoring_pairs_reds_by_least_way_and_names_what_is_missing() -> None:
    target = {"red": [[0.0, 0.0, 0.1], [100.0, 0.0, 0.1]], "white": [[5.0, 5.0, 0.1]], "blue": [[*SNOOKER_TABLE.spots["blue"], 0.1]]}
    now = {"red": [[101.0, 0.0, 0.1], [0.0, 3.0, 0.1]], "blue": [[0.0, 1700.0, 0.1]], "pink": [[9.0, 9.0, 0.1]]}
    balls = compare(target, now, SNOOKER_TABLE)
    reds = sorted((b.left_mm or 0.0, b.done) for b in balls if b.colour == "red")
    assert reds == [(1.0, True), (3.0, False)]
    white, pink, blue = (next(b for b in balls if b.colour == c) for c in ("white", "pink", "blue"))
    assert white.now_mm is None and pink.target_mm is None and not white.done and not pink.done
    assert blue.was_on_spot and blue.left_mm == pytest.approx(84.5)
    loose = compare({"red": [[0, 0, 2.0]]}, {"red": [[5, 0, 2.0]]}, SNOOKER_TABLE)
    assert loose[0].done  # 5 mm is within two standard deviations of 2.8 mm


def test_changing_one_frame_of_many_is_quick_and_exact(tmp_path: Path) -> None:
    """Later frames are carried over, not judged again; a whole replay of the journal gives the same."""
    import time

    from script import Scene

    scene, events = Scene(), []
    for _ in range(6):
        events.append(scene.rack())
        events += [scene.stroke("red_1", ["red_1"]), scene.stroke("blue"), scene.stroke("red_2"), scene.stroke("red_2", ["red_2"])]
    make_review(tmp_path, events, video=False)
    match = OpenedMatch("long", tmp_path)
    begun = time.perf_counter()
    match.correct(CorrectionBody(stroke=1, who="Ref", facts=FactsBody(potted=["red", "red"])))
    match.correct(CorrectionBody(stroke=2, who="Ref", facts=FactsBody(drop=True)))
    spent = time.perf_counter() - begun
    again = OpenedMatch("again", tmp_path)
    assert again.document == match.document
    assert match.document["frames"][0]["score"] != [1, 0] and match.document["frames"][5]["first_stroke"] == 20
    assert spent < 1.0
    again.close()
    match.close()


def test_the_fixture_reads_as_meant(reviewed: Path) -> None:
    match = json.loads((reviewed / "match.json").read_text())
    assert len([e for e in frame_events() if type(e).__name__ == "StrokeRecord"]) == len(match["strokes"]) == 6
    assert match["score"] == [14, 0] and match["strokes"][1]["verdict"] == "call" and match["strokes"][2]["foul"]["penalty"] == 5
