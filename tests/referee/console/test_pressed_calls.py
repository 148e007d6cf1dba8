"""Calls that a person enters for a stroke of a finished review: offered, journalled, judged, taken back."""

# ruff: noqa: E402
from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

httpx = pytest.importorskip("httpx", reason="the extra 'test' brings httpx")
pytest.importorskip("uvicorn", reason="the console needs the extra 'serve'")

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
from browser_sites import SIZES, opened, until, violations
from console_fixture import TOKEN, make_carrom, make_review, make_ten_ball, serving

from calibration.errors import UnusableInput
from referee.console.change_bodies import CallBody, CorrectionBody, FactsBody, StateBody, UndoBody
from referee.console.match_view import MatchView
from referee.console.reviews import open_review
from referee.match.open_calls import NO_CALLS, MadeCall

pytest_plugins = ("chromium",)
SHOTS = os.environ.get("CUEREF_SHOTS")
HEADER = {"x-cueref-token": TOKEN}


@pytest.fixture
def ten_ball(tmp_path: Path) -> Iterator[MatchView]:
    make_ten_ball(tmp_path / "ten")
    match = open_review("ten", tmp_path / "ten")
    yield match
    match.close()


def verdicts(match: MatchView) -> list[str]:
    return [s["verdict"] for s in match.document["strokes"]]


def test_a_push_out_said_after_the_break_settles_what_was_asked(ten_ball: MatchView) -> None:
    """WPA 9.4: a push out only on the shot after the break."""
    offered, called = ten_ball.calls_before(2)
    assert (offered.by, called) == ("B", ())
    assert offered.push_out and offered.safety and offered.pockets
    assert not ten_ball.calls_before(1)[0].balls and not ten_ball.calls_before(1)[0].safety  # the break
    assert not ten_ball.calls_before(3)[0].push_out
    assert verdicts(ten_ball)[:2] == ["certain", "call"]
    ten_ball.call(CallBody(stroke=2, who="Rea", type="push_out"))
    stroke = ten_ball.document["strokes"][1]
    assert (stroke["verdict"], stroke["foul"]) == ("certain", None)
    (made,) = ten_ball.calls_before(2)[1]
    assert made == MadeCall(made.entry, "push_out", "B") and made.entry is not None


def test_a_ball_and_its_pocket_said_for_a_stroke_are_judged_and_taken_back(ten_ball: MatchView) -> None:
    ten_ball.call(CallBody(stroke=2, who="Rea", type="push_out"))
    ten_ball.correct(CorrectionBody(stroke=2, who="Rea", choice="shoot"))
    before = ten_ball.document["strokes"]
    assert before[2]["verdict"] == "call"
    for pocket, goes_on in (
        ("CL", "A"),
        ("TR", None),
    ):  # not as called: the other may choose (9.6)
        ten_ball.call(CallBody(stroke=3, who="Rea", type="nominate", ball="1", pocket=pocket))
        stroke = ten_ball.document["strokes"][2]
        assert stroke["verdict"] == "certain"
        assert (stroke["options"] == []) == (goes_on == "A")
    (made,) = ten_ball.calls_before(3)[1]  # the last word counts
    assert (made.kind, made.by, made.ball, made.pocket) == ("nominate", "A", "1", "TR")
    push_out, _, *said = ten_ball.history()
    assert (push_out["who"], push_out["stroke"], push_out["words"]) == ("Rea", 2, "call: Bo, Push out")
    assert [(h["who"], h["stroke"], h["words"]) for h in said] == [
        ("Rea", 3, "call: Ann, 1, CL"),
        ("Rea", 3, "call: Ann, 1, TR"),
    ]
    again = open_review("again", ten_ball.folder)
    assert again.document["strokes"] == ten_ball.document["strokes"]
    again.close()
    ten_ball.undo(UndoBody(who="Bea", entry=made.entry))
    assert ten_ball.calls_before(3)[1][0].pocket == "CL"
    ten_ball.undo(UndoBody(who="Bea"))
    assert ten_ball.calls_before(3)[1] == () and ten_ball.document["strokes"] == before


def test_what_is_not_open_there_is_refused_in_one_sentence_and_nothing_is_journalled(
    ten_ball: MatchView, tmp_path: Path
) -> None:
    for body, said in (
        (
            CallBody(stroke=3, who="Rea", type="push_out"),
            "stroke 3: expected a call that is open there",
        ),
        (CallBody(stroke=1, who="Rea", type="safety"), r"\(none\), found safety"),
        (CallBody(stroke=2, who="Rea", type="nominate", ball="12"), "stroke 2: expected a ball among 1, 2"),
        (CallBody(stroke=2, who="Rea", type="push_out", by="A"), "by player B, who is at the table"),
        (CallBody(stroke=2, who="Rea", type="nominate"), "stroke 2: .*no ball"),
        (CallBody(stroke=2, who="Rea", type="safety", ball="3"), "unknown ball"),
        (CallBody(stroke=9, who="Rea", type="safety"), "expected one of the match's strokes"),
        (CallBody(stroke=2, who="Rea", type="safety", version=0), "changed meanwhile"),
    ):
        with pytest.raises(UnusableInput, match=said):
            ten_ball.call(body)
    ten_ball.correct(CorrectionBody(stroke=2, who="Rea", answer=1))
    with pytest.raises(UnusableInput, match=r"stroke 2: .* take that back first"):
        ten_ball.call(CallBody(stroke=2, who="Rea", type="push_out"))
    assert [h["kind"] for h in ten_ball.history()] == ["correction"]
    (tmp_path / "ten" / "journal.sqlite").rename(tmp_path / "gone.sqlite")
    told = open_review("told", tmp_path / "ten")
    assert told.calls_before(2) == (NO_CALLS, ())
    told.close()


def test_a_ball_declared_frozen_before_a_stroke_is_told_of_its_rail(ten_ball: MatchView) -> None:
    """WPA 8.4."""
    ten_ball.call(CallBody(stroke=2, who="Rea", type="frozen", ball="3", rail="left"))
    (made,) = ten_ball.calls_before(2)[1]
    assert (made.kind, made.by, made.ball, made.rail) == ("frozen", None, "3", "left")
    assert ten_ball.calls_before(3)[1] == ()


def test_in_snooker_a_colour_is_nominated_where_one_is_due(tmp_path: Path) -> None:
    """Snooker 2.12: after a red; no ball is named while a red is on."""
    make_review(tmp_path / "frame", video=False)
    match = open_review("frame", tmp_path / "frame")
    assert match.calls_before(1)[0].balls == ()
    offered, _ = match.calls_before(2)
    assert set(offered.balls) == {"yellow", "green", "brown", "blue", "pink", "black"} and not offered.pockets
    assert not offered.safety and not offered.frozen
    match.call(CallBody(stroke=2, who="Rea", type="nominate", ball="pink"))
    assert match.document["strokes"][1]["nominated"] == "pink"
    with pytest.raises(UnusableInput, match="expected a ball that may be called \\(yellow"):
        match.call(CallBody(stroke=2, who="Rea", type="nominate", ball="red"))
    match.close()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    make_ten_ball(tmp_path / "ten")
    with serving([tmp_path / "ten"]) as url:
        yield url


def test_a_call_by_http_needs_the_token_and_shows_at_its_stroke(site: str) -> None:
    body: dict[str, Any] = {"stroke": 2, "who": "Rea", "type": "push_out"}
    with httpx.Client(base_url=f"{site}/api/matches/ten", timeout=90) as client:
        assert client.post("/calls", json=body).status_code == 403
        assert client.post("/calls", json=body | {"type": "choice"}, headers=HEADER).status_code == 422
        before = client.get("/strokes/2").json()
        assert before["open_calls"]["push_out"] and before["called"] == []
        done = client.post("/calls", json=body, headers=HEADER)
        assert done.status_code == 200 and 2 in done.json()["changed"]
        (made,) = client.get("/strokes/2").json()["called"]
        assert (made["kind"], made["by"]) == ("push_out", "B")
        undone = client.post("/undo", json={"who": "Rea", "entry": made["entry"]}, headers=HEADER)
        assert undone.json()["undone"]["stroke"] == 2
        assert client.get("/strokes/2").json()["called"] == []


@pytest.mark.slow  # a browser
@pytest.mark.parametrize("size", SIZES)
def test_calls_are_entered_at_a_stroke_by_pressing(browser: Any, site: str, size: tuple[int, int]) -> None:
    page = opened(browser, site, size)
    page.goto(f"{site}/#/watch/2")
    page.locator("[data-call=push_out]").click()
    page.wait_for_selector("[data-call=push_out].chosen")
    assert page.locator(".ruling.big").inner_text() != "A referee's call"
    page.goto(f"{site}/#/watch/3")
    until(page, "document.querySelector('.facts h2')?.textContent.startsWith('3')")
    assert page.locator("[data-call=push_out]").count() == 0
    page.locator(".calls [data-ball='1']").click()
    until(page, "document.activeElement.dataset.pocket !== undefined")  # the keyboard goes on there
    page.locator("[data-pocket=CL]").press("Enter")
    page.wait_for_selector(".callmade")
    assert page.locator("button.callmade").inner_text().startswith("1 into ")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page, ".callsbefore") == []
    if SHOTS:
        page.locator(".callsbefore").scroll_into_view_if_needed()
        page.screenshot(path=f"{SHOTS}/calls_{size[0]}.png")
    page.locator("button.callmade").click()
    until(page, "!document.querySelector('.callmade')")
    assert page.errors == []
    page.context.close()


def test_another_games_ball_and_a_state_that_the_game_has_not_are_refused_in_a_sentence(
    ten_ball: MatchView,
) -> None:
    with pytest.raises(UnusableInput, match="expected a ball among 1, 2"):
        ten_ball.correct(CorrectionBody(stroke=2, who="Rea", facts=FactsBody(potted=["red"])))
    with pytest.raises(UnusableInput, match="has no ball on"):
        ten_ball.set_state(StateBody(who="Rea", stroke=2, striker="B", ball_on="red", score=(0, 0)))
    assert ten_ball.history() == []


def test_what_was_changed_calls_the_pieces_as_the_game_does(tmp_path: Path) -> None:
    """White is a C/m of carrom, and the cue-ball elsewhere."""
    make_carrom(tmp_path / "carrom")
    with (
        serving([tmp_path / "carrom"]) as url,
        httpx.Client(base_url=url, headers=HEADER) as site,
    ):
        site.get("/", params={"token": TOKEN})
        (stroke,) = site.get("/api/matches/carrom/strokes").json()
        body = {"stroke": stroke["n"], "who": "Rea", "facts": {"first_contact": ["white"]}}
        made = site.post("/api/matches/carrom/corrections", json=body)
        assert made.status_code == 200, made.text
        for language, word in (("en", "white"), ("de", "Weiß")):
            (change,) = site.get("/api/matches/carrom/history", headers={"accept-language": language}).json()
            assert change["words"].endswith(word)
