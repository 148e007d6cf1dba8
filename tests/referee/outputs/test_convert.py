"""Facts of a stroke as the match file's."""

from __future__ import annotations

from dataclasses import replace

from calibration.table.specs import WPA_TABLE
from referee.facts.calls import Start
from referee.match.referee import Referee
from referee.outputs.convert import stroke_json
from tests.support.game_script import GameScript, spread


def test_times_solved_to_lie_before_the_first_image_are_that_images() -> None:
    """A clip that begins as the cue-ball leaves: the schema knows no time below zero."""
    balls = {"cue": (0.0, 400.0), **spread(WPA_TABLE, [str(n) for n in range(1, 10)])}
    stroke = GameScript("wpa_9ball", WPA_TABLE, balls).stroke("1", rails=["1"])
    early = 0.002 + max(stroke.start_s, *(x.t_s for x in (*stroke.contacts, *stroke.cushions)))
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), game="wpa_9ball")
    referee.feed(
        replace(
            stroke,
            start_s=stroke.start_s - early,
            contacts=tuple(replace(c, t_s=c.t_s - early) for c in stroke.contacts),
            cushions=tuple(replace(c, t_s=c.t_s - early) for c in stroke.cushions),
        )
    )
    referee.close()
    (judged,) = referee.match.strokes
    written = stroke_json(judged)
    times = [written["start_s"], *(x["t_s"] for x in (*written["contacts"], *written["cushions"]))]
    assert written["contacts"] and written["cushions"] and set(times) == {0.0}
