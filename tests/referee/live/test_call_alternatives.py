"""A ruling that is a call tells at once what may be so and what each of that would mean."""

from __future__ import annotations

import jsonschema_rs
import pytest
from script import Scene

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.corrections import Correction
from referee.journal import Journal
from referee.live.engine.rulings import PublishedRulings
from referee.live.engine.state import LiveAnswer, LiveQuestion, LiveRuling, LiveWords, document, event
from referee.live.feeds.schema import published
from referee.match.referee import Referee
from tracker.events import TrackerEvent

NAMES = ("Ann", "Bo")


class Table:
    """A referee without a camera, and what is published of it. Ann has potted a red and the black and then
    missed; Bo is on a red.
    """

    def __init__(self) -> None:
        self.scene = Scene()
        self.referee = Referee(SNOOKER_TABLE, journal=Journal(":memory:"))
        self.published = PublishedRulings(lambda t_s: f"{t_s:.1f}")
        s = self.scene
        self.see(s.rack(), s.stroke("red_1", ["red_1"]), s.stroke("black", ["black"]))
        self.see(s.hand("respot", "black"), s.stroke("red_2"))

    def see(self, *events: TrackerEvent) -> None:
        for seen in events:
            self.published.take(self.referee.feed(seen), NAMES, self.scene.t_s)
            self.published.settle(self.referee.standing[0], NAMES)

    def ahead(self, seen: TrackerEvent) -> LiveRuling:
        """The provisional ruling of a stroke that is held back for a doubt."""
        self.see(seen)
        (ruling,) = self.published.look_ahead(self.referee.outlook[1], NAMES, self.scene.t_s)
        assert isinstance(ruling, LiveRuling) and ruling.provisional
        return ruling

    @property
    def last(self) -> LiveRuling:
        return self.published.rulings[-1]

    @property
    def open_facts(self) -> list[LiveQuestion]:
        return [q for q in self.published.questions if q.kind == "facts"]


@pytest.fixture
def table() -> Table:
    return Table()


def in_german(words: tuple[LiveWords, ...]) -> str:
    (text,) = [w.text for w in words if w.language == "de"]
    return text


def told(alternatives: tuple[LiveAnswer, ...]) -> list[tuple[str, int, str]]:
    return [(a.label, round(100 * a.weight), a.means) for a in alternatives]


def test_a_provisional_ruling_tells_both_first_contacts_with_weight_and_meaning(table: Table) -> None:
    ruling = table.ahead(table.scene.stroke({"pink": 0.4, "red_3": 0.6}, vanished=["red_3"]))
    assert ruling.verdict == "call"
    assert told(ruling.alternatives) == [
        ("hit red first", 60, "no score; next Ann, red on"),
        ("hit pink first", 40, "Foul, 6 to Ann; a miss; next Ann, red on"),
    ]
    assert [a.score for a in ruling.alternatives] == [(8, 0), (14, 0)]


def test_alternatives_are_said_in_german_too(table: Table) -> None:
    ruling = table.ahead(table.scene.stroke({"pink": 0.4, "red_3": 0.6}, vanished=["red_3"]))
    assert [(in_german(a.said), in_german(a.means_said)) for a in ruling.alternatives] == [
        ("zuerst Rot getroffen", "keine Punkte; weiter Ann auf Rot"),
        ("zuerst Pink getroffen", "Foul, 6 für Ann; ein Miss; weiter Ann auf Rot"),
    ]


@pytest.mark.parametrize("weights", [{"red_3": 0.6, "pink": 0.4}, {"red_3": 0.3, "pink": 0.7}])
def test_a_confirmed_call_tells_the_answers_of_its_question_likeliest_first(
    table: Table, weights: dict[str, float]
) -> None:
    table.see(table.scene.stroke(weights))
    (asked,) = table.open_facts
    assert not table.last.provisional and set(table.last.alternatives) == set(asked.answers)
    shown = [a.weight for a in table.last.alternatives]
    assert shown == sorted(shown, reverse=True) and shown[0] == pytest.approx(max(weights.values()))
    assert all(asked.answers[a.index] == a for a in table.last.alternatives), "pressed by the same number"


def test_a_certain_ruling_tells_no_alternatives(table: Table) -> None:
    held = table.ahead(table.scene.stroke("red_3", vanished=["red_3"]))
    assert (held.verdict, held.alternatives) == ("certain", ())
    assert {(r.verdict, r.alternatives) for r in table.published.rulings} == {("certain", ())}


def test_an_answered_call_tells_no_alternatives_any_more(table: Table) -> None:
    table.see(table.scene.stroke({"red_3": 0.6, "pink": 0.4}))
    entry = table.referee.match.strokes[-1].entry
    table.referee.correct(Correction(entry, first_contact=("pink",)), "Rea")
    changes = table.published.rebuilt(table.referee.outputs, NAMES, table.scene.t_s)
    assert {(r.verdict, r.alternatives) for r in changes if isinstance(r, LiveRuling)} == {("certain", ())}


def test_a_ruling_that_hangs_on_another_question_names_its_stroke_instead(table: Table) -> None:
    """Who came to the table behind it stays open: the answer to the first question answers both."""
    table.see(table.scene.stroke({"red_3": 0.5, "brown": 0.5}, ["red_3"]))
    asked = table.last
    table.see(table.scene.stroke("black"))
    assert asked.hangs_on is None and len(asked.alternatives) == 2
    assert (table.last.hangs_on, table.last.alternatives) == (asked.stroke, ())


def test_a_ruling_with_alternatives_is_an_event_of_the_schema(table: Table) -> None:
    table.see(table.scene.stroke({"red_3": 0.6, "pink": 0.4}))
    made = document(event(7, 470.0, "2026-11-21T20:00:00+00:00", "Table 3", table.last))
    check = jsonschema_rs.validator_for(published())
    check.validate(made)
    bare = [{k: v for k, v in a.items() if k != "means"} for a in made["body"]["alternatives"]]
    assert not check.is_valid({**made, "body": {**made["body"], "alternatives": bare}})
