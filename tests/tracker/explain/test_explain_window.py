"""A span is cut from the stream with what lay there before it, and its explanations reach the record."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from explain_lab.scenes import after, cells, film, rolling, seen, still

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import (
    Contact,
    FirstContact,
    HandMove,
    Layout,
    PlacedBall,
    Pot,
    SpanExplanation,
    StrokeRecord,
)
from tracker.explain.before import with_layout, with_layout_after
from tracker.explain.detections import without_doubles, without_streaks
from tracker.explain.interactions import Interaction
from tracker.explain.joining import Ending
from tracker.explain.posterior import (
    fall_denied,
    may_have_met,
    meetings,
    named,
    rest_denied,
    span_explanations,
    with_posterior,
    without_times,
)
from tracker.explain.solver import NAMELESS, Explanation, Story, solve
from tracker.explain.trajectory import Way
from tracker.explain.window import BEFORE_S, Window
from tracker.params import HIDDEN_S
from tracker.stroke.span import Span, lost_up_to_contact
from vision.observation import ImageObservations, Observation

D = SNOOKER_TABLE.ball_diameter_mm


def placed(name: str, x_mm: float, y_mm: float) -> PlacedBall:
    return PlacedBall(name, name.partition("_")[0], x_mm, y_mm, 0.4, 0.999)


def test_a_thing_that_lay_there_before_and_is_no_ball_of_the_layout_is_left_out() -> None:
    wrist = seen("white", 600.0, 1000.0, confidence=0.5)
    window = Window()
    for image in film({"red_1": still(0.0, 800.0)}, until_s=0.2):
        window.take(replace(image, observations=(*image.observations, wrist)), moving=False)
    for image in film({"red_1": rolling(0.0, 800.0, 0.0, 900.0, 0.0)}, until_s=0.2):
        later = replace(image, t_s=image.t_s + 0.2, looked=cells((0.0, 800.0)))
        window.take(replace(later, observations=(*image.observations, wrist)), moving=True)
    places = {
        (o.x_mm, o.y_mm) for i in window.span((placed("red_1", 0.0, 800.0),), ()) for o in i.observations
    }
    assert (600.0, 1000.0) not in places and len(places) > 5


def test_while_all_lies_still_memory_does_not_grow() -> None:
    window = Window()
    for image in film({"red_1": still(0.0, 800.0)}, until_s=20.0):
        window.take(image, moving=False)
    assert window.images[0].t_s >= 19.9 - BEFORE_S and len(window.images) <= 30


def test_two_detections_nearer_than_a_diameter_are_one_ball() -> None:
    ends = seen("white", 0.0, 0.0, 0.7), seen("white", 30.0, 0.0, 0.9)
    other = seen("red", 500.0, 0.0)
    (one, red) = without_doubles(ImageObservations(0, 0.0, (*ends, other), None, None), 42.0).observations
    assert (one.x_mm, one.y_mm, one.confidence) == (15.0, 0.0, 0.9) and red == other


def test_the_ends_of_a_streak_are_one_ball_though_two_have_room_between_them() -> None:
    """Of the white there is one; what lies still beside it, and reds, of which there are more, stay as they
    are.
    """

    def image(k: int, *found: Observation) -> ImageObservations:
        return ImageObservations(k, k / 25, found, None, None)

    reds = seen("red", 500.0, 0.0), seen("red", 560.0, 0.0)
    net = seen("white", 350.0, 0.0, 0.6)
    images = [
        image(k, seen("white", 120.0 * k, 0.0), seen("white", 120.0 * k + 60.0, 0.0), *reds, net)
        for k in range(3)
    ]
    for k, told in enumerate(without_streaks(images, SNOOKER)):
        places = sorted(o.x_mm for o in told.observations)
        assert places == sorted([120.0 * k + 30.0, 350.0, 500.0, 560.0])


def test_a_ball_of_the_layout_after_is_accounted_for() -> None:
    """The white goes under an arm on its way to a pocket, and lies before it when all is still again."""
    white = rolling(-500.0, 3200.0, -290.0, 275.0, 0.4, until_s=1.2)
    images = film(
        {"white": white},
        until_s=2.4,
        covered=lambda t_s: cells((-760.0, 3440.0), (-860.0, 3540.0)) if t_s > 1.1 else None,
    )
    before: Layout = (placed("white", -500.0, 3200.0),)
    seen_again = with_layout_after(with_layout(images, before), [placed("white", -790.0, 3475.0)])
    lies = 0.0
    for e in solve(seen_again, SNOOKER_TABLE):
        ends = [(round(s.way.end[0]), round(s.way.end[1])) for s in e.stories if s.end.kind == "rest"]
        lies += e.weight * ((-790, 3475) in ends)
    assert lies > 0.99
    assert any(
        s.end.kind == "potted" for e in solve(with_layout(images, before), SNOOKER_TABLE) for s in e.stories
    )


def explanation(
    weight: float, *pots: tuple[str, str, float], first: str | None = "red_1", known: bool = True
) -> SpanExplanation:
    return SpanExplanation(weight, first, known, 1.0, pots, "on_table", (), ())  # type: ignore[arg-type]


def record(pots: tuple[Pot, ...], vanished: tuple[str, ...], *found: SpanExplanation) -> StrokeRecord:
    first = (FirstContact("red_1", 1.0, 1.0),)
    return StrokeRecord(0.0, 3.0, (), (), first, (), (), pots, (), vanished, (), explanations=found)


def test_a_fall_that_the_tracker_denies_is_asked_about() -> None:
    """A brown fell, a streak in every image, and was put back on its spot: "never moved", nothing potted, for
    certain, and the score went on for the other player.
    """
    lost = (Pot("red_1", "TL", 1.0, 0.999),)
    brown = explanation(0.6, ("brown", "BR", 2.0), ("red_2", "TL", 1.0)), explanation(0.4)
    assert fall_denied(record(lost, (), *brown))
    assert not fall_denied(record(lost, ("brown",), *brown))
    only_red = explanation(0.6, ("red_2", "TL", 1.0)), explanation(0.4)
    assert not fall_denied(record(lost, (), *only_red))  # the red that fell is the one that is lost
    rarely = explanation(0.005, ("brown", "BR", 2.0)), explanation(0.995)
    assert not fall_denied(record((), (), *rarely))


def test_a_ball_that_came_to_rest_and_is_nowhere_is_asked_about() -> None:
    """Black and white exchanged names in a pack: the black lies where a white was seen, "nothing potted"."""
    before: Layout = (placed("white", 0.0, 1000.0), placed("black", 0.0, 1000.0 + D))
    balls = {
        "white": rolling(0.0, 1000.0, 0.0, 100.0, 0.4),
        "black": rolling(0.0, 1000.0 + D, 0.0, 200.0, 0.4),
    }
    found = named(solve(with_layout(film(balls), before), SNOOKER_TABLE), before)
    assert rest_denied(record((), ("black",)), found)
    assert not rest_denied(record((), ()), found) and not rest_denied(record((), ("pink",)), found)


def test_a_first_contact_weighs_what_the_explanations_that_have_it_weigh() -> None:
    """The tracker's own contact, a red, has no say in it."""
    two = record((), (), explanation(0.9, first="brown"), explanation(0.1, first="red_2"))
    assert {f.ball: f.weight for f in with_posterior(two).first_contact} == pytest.approx(
        {"brown": 0.9, "red_2": 0.1}
    )


def test_a_first_contact_has_the_time_of_the_contact_which_hangs_on_whole_ways() -> None:
    later = replace(explanation(1.0, first="red_1"), first_t_s=1.02)
    met = Contact(("red_1", "white"), 1.0, 0.001, 1.0)
    for contacts, t_s in (((met,), 1.0), ((), 1.02), ((replace(met, t_s=2.0),), 1.02)):
        found = with_posterior(replace(record((), (), later), contacts=contacts))
        assert [(f.ball, f.t_s) for f in found.first_contact] == [("red_1", t_s)]


def test_of_explanations_that_do_not_know_half_is_the_ball_that_set_off() -> None:
    """A ball set off and nobody saw why, or the cue-ball turned: it is asked."""
    unknown = replace(
        explanation(0.4, first="pink", known=False), may_have_met=may_have_met("pink", None, [])
    )
    found = explanation(0.6, first="brown"), unknown
    assert {f.ball: f.weight for f in with_posterior(record((), (), *found)).first_contact} == pytest.approx(
        {"brown": 0.6, "pink": 0.2, None: 0.2}
    )


def test_no_time_is_claimed_over_lost_images() -> None:
    over = replace(record((), (), explanation(1.0)), contacts=(Contact(("red_1", "white"), 1.0, 0.001, 1.0),))
    found = without_times(with_posterior(over))
    assert [(f.ball, f.t_s) for f in found.first_contact] == [("red_1", None)] and found.contacts == ()


def test_images_lost_up_to_the_first_contact_leave_a_question_later_ones_do_not() -> None:
    """What was met first may be in none that is left: each way to tell it was sure and wrong in some strokes
    that lost 0.4 s.
    """
    span = Span(0.0, ())
    met = (explanation(1.0),)  # at 1 s
    assert not lost_up_to_contact(span, met)
    span.losses.append((1.2, 1.6))
    assert not lost_up_to_contact(span, met)
    none_met = (replace(explanation(1.0, first=None), first_t_s=None),)
    assert lost_up_to_contact(span, none_met) and lost_up_to_contact(span, ())
    span.losses.append((0.5, 0.9))
    assert lost_up_to_contact(span, met)


def test_a_contact_has_the_weight_of_all_explanations_that_have_it_about_then() -> None:
    white = rolling(0.0, 800.0, 0.0, 1500.0, 0.4)
    hit_s = next(k / 1000 for k in range(400, 3000) if (white(k / 1000) or (0.0, 0.0))[1] >= 1500.0)
    red = rolling(0.0, 1500.0 + D, 0.0, 1200.0, hit_s)
    at = white(hit_s)
    assert at is not None
    images = film({"white": lambda t: white(t) if t < hit_s else at, "red_1": red}, until_s=2.0)
    before: Layout = (placed("white", 0.0, 800.0), placed("red_1", 0.0, 1500.0 + D))
    contacts, cushions = meetings(named(solve(images, SNOOKER_TABLE), before), SNOOKER_TABLE)
    assert [c.balls for c in contacts] == [("red_1", "white")] and cushions == ()
    assert contacts[0].confidence > 0.99 and contacts[0].t_s == pytest.approx(hit_s, abs=0.01)


def test_a_stroke_without_explanations_stays_as_it_is() -> None:
    plain = record((Pot("red_1", "TL", 2.0, 0.9),), ("black",))
    assert with_posterior(plain) == plain


def test_the_record_of_a_stroke_has_its_explanations_with_the_names_of_the_layout() -> None:
    white = rolling(0.0, 800.0, 0.0, 1500.0, 0.4)
    at = white(0.6)
    assert at is not None
    balls = {
        "white": after(white, 0.6, still(*at)),
        "red_1": rolling(at[0], at[1] + D, 0.0, 1480.0, 0.6, until_s=1.2),
        "red_2": still(500.0, 1000.0),
        "black": still(300.0, 3245.0),
    }
    tracker = Tracker(SNOOKER_TABLE)
    events = [e for image in film(balls, until_s=4.0) for e in tracker.feed(image)] + tracker.close()
    (stroke,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert stroke.explanations
    assert stroke.explanations[0].first_contact == stroke.first_contact[0].ball
    assert 0.9 < sum(e.weight for e in stroke.explanations) <= 1.0 + 1e-9
    assert span_explanations(named((), stroke.before)) == ()


def test_a_ball_for_which_no_name_is_left_is_met_or_gone_as_an_unknown_one() -> None:
    """In an end view a ball too many was met: "nameless" stood in the match, which then fitted no schema."""

    def lay(key: int, name: str, end: Ending) -> Story:
        place = (100.0 * key, 900.0, 0.5)
        return Story(key, name, False, Way(place, place, (), (), 0.0), end)

    white = lay(1, "white", Ending("rest", None, 5.0, 0.0))
    for end in (Ending("potted", "TL", 4.0, 0.0), Ending("vanished", None, 4.0, 0.0)):
        met = Interaction("contact", (1, 2), 1.0, 0.001, None)
        told = Explanation(1.0, (white, lay(2, NAMELESS, end)), (met,), ())
        (one,) = span_explanations(named((told,), ()))
        assert (one.first_contact, one.first_known, one.pots, one.gone) == (None, False, (), ())


UNDER = tuple((x, y) for x in (-100.0, 0.0, 100.0) for y in (1200.0, 1300.0, 1400.0, 1500.0, 1600.0))
"""Places that somebody leans over, from 0.6 to 2 s."""


def strokes_under_a_cover(
    red_stays: bool, white_back_s: float, until_s: float = 2.0
) -> list[tuple[float, StrokeRecord]]:
    """The white rolls under a cover, to a red, and comes to light on the left, `white_back_s` behind it."""
    white = rolling(0.0, 800.0, 0.0, 900.0, 0.4)
    balls = {
        "white": after(white, 1.0, rolling(-300.0, 1500.0, -250.0, 60.0, 1.0)),
        "red_1": after(still(0.0, 1600.0), 1.0, still(0.0, 1600.0) if red_stays else lambda t_s: None),
        "red_2": still(500.0, 1000.0),
        "black": still(300.0, 3245.0),
    }

    def hidden(ball: str, t_s: float) -> bool:
        white_hidden = ball == "white" and 0.9 < t_s < until_s + white_back_s
        return white_hidden or (ball == "red_1" and 0.6 < t_s < until_s)

    tracker = Tracker(SNOOKER_TABLE)
    images = film(
        balls, until_s + 5.0, hidden=hidden, covered=lambda t: cells(*UNDER) if 0.6 < t < until_s else None
    )
    events = [(image.t_s, e) for image in images for e in tracker.feed(image)]
    events += [(math.inf, e) for e in tracker.close()]
    return [(t_s, e) for t_s, e in events if isinstance(e, StrokeRecord)]


def test_a_ball_that_came_out_from_under_a_cover_unseen_is_waited_for() -> None:
    """It had been told as potted as soon as the cover was off the place where it was seen last."""
    ((_, one),) = strokes_under_a_cover(red_stays=True, white_back_s=0.4)
    assert not one.pots and {b.colour for b in one.after} >= {"white", "red", "black"}


def test_a_ball_that_was_hidden_and_is_not_there_any_more_does_not_lie_there() -> None:
    """Kept as hidden, it had lain in the layouts of five strokes, with nobody near."""
    ((_, one),) = strokes_under_a_cover(red_stays=False, white_back_s=0.0)
    assert all(math.dist((b.x_mm, b.y_mm), (0.0, 1600.0)) > D for b in one.after)
    assert [b for b in (*one.vanished, *(p.ball for p in one.pots)) if b.startswith("red")]


def test_a_ball_under_a_cover_that_stays_is_waited_for_some_seconds_only() -> None:
    """Somebody who leans on the table for long does not hold the ruling up."""
    told_s, first = strokes_under_a_cover(red_stays=True, white_back_s=0.0, until_s=14.0)[0]
    assert HIDDEN_S < told_s < HIDDEN_S + 1.5 and first.vanished == ("white",)


def test_what_sets_off_while_the_white_is_hidden_on_its_way_is_in_its_stroke() -> None:
    """The red leaves from the cover's edge 1.1 s behind the white's last sight: the white met it there."""
    white = after(rolling(0.0, 800.0, 0.0, 900.0, 0.4), 1.0, rolling(0.0, 1290.0, 0.0, 330.0, 1.0))
    red = rolling(260.0, 1400.0, 100.0, 490.0, 2.0)  # comes to rest short of all cushions
    wide = tuple((x, y) for x in (-200.0, -100.0, 0.0, 100.0, 200.0) for y in {y for _, y in UNDER})
    images = film(
        {"white": white, "red_1": red, "black": still(300.0, 3245.0)},
        8.0,
        hidden=lambda ball, t_s: ball == "white" and 0.9 < t_s < 3.0,
        covered=lambda t_s: cells(*wide) if 0.6 < t_s < 3.0 else None,
    )
    tracker = Tracker(SNOOKER_TABLE)
    events = [e for image in images for e in tracker.feed(image)] + tracker.close()
    (one,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert one.first_contact[0].ball == "red_1" and not one.vanished


def test_a_lost_white_that_comes_from_beside_a_cover_is_known_once_it_is_clear_of_it() -> None:
    """It was turned where nobody saw it, and is seen again elsewhere, near an arm: no hand has placed it."""
    turned = rolling(500.0, 1400.0, -200.0, 500.0, 1.0)
    white = after(rolling(0.0, 800.0, 0.0, 900.0, 0.4), 1.0, turned)
    arm = cells((400.0, 1400.0), (500.0, 1300.0), (500.0, 1400.0), (600.0, 1300.0), (600.0, 1400.0))
    images = film(
        {"white": white, "black": still(-300.0, 3245.0)},
        10.0,
        hidden=lambda ball, t_s: ball == "white" and 0.98 < t_s < 1.1,
        covered=lambda t_s: arm,
    )
    tracker = Tracker(SNOOKER_TABLE)
    events = [e for image in images for e in tracker.feed(image)] + tracker.close()
    assert not [e for e in events if isinstance(e, HandMove)]
    (one,) = [e for e in events if isinstance(e, StrokeRecord)]
    (end,) = [b for b in one.after if b.ball == "white"]
    assert math.dist((end.x_mm, end.y_mm), turned(10.0) or (0.0, 0.0)) < 2.0
