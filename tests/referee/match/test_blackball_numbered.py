"""Black ball with solids and stripes: the rules of reds and yellows, in the words of its own balls."""

from __future__ import annotations

from calibration.table.games import GAMES, PIECES, in_rules
from calibration.table.specs import BRITISH_POOL_TABLE
from referee.cases import play
from referee.facts.calls import Start
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from referee.outputs.convert import stroke_json
from referee.rules.common.racks import rack
from referee.rules.registry import GAMES as RULES
from tests.support.game_script import GameScript, spread

GAME, TABLE = "blackball_numbered", BRITISH_POOL_TABLE
NUMBERS = [str(n) for n in range(1, 16)]


def judged(*shots: tuple[str, str | None]) -> tuple[JudgedStroke, ...]:
    """Shots inside a rack in which A has the solids: the ball hit first, and the one that falls."""
    script = GameScript(GAME, TABLE, {"cue": (0.0, 300.0), **spread(TABLE, NUMBERS)})
    referee = Referee(TABLE, Start("A", "solids", (0, 0), assumed=False), game=GAME)
    for first, fell in shots:
        referee.feed(script.stroke(first, *([(fell, "TL")] if fell else []), rails=[first]))
    referee.close()
    return referee.match.strokes


def test_each_number_is_a_ball_of_the_rules() -> None:
    """WEPF A(1)(a): 1 to 7 in place of the reds, 9 to 15 in place of the yellows."""
    named = [in_rules(GAME, kind) for kind in PIECES[GAME].object_balls]
    assert named == ["red"] * 7 + ["black"] + ["yellow"] * 7
    assert RULES[GAME] is RULES["blackball"] and GAMES[GAME].groups == ("solids", "stripes")


def test_the_pieces_are_of_the_sizes_of_reds_and_yellows() -> None:
    numbered, coloured = PIECES[GAME], PIECES["blackball"]
    assert numbered.size_share("cue") == coloured.size_share("cue") < 1
    assert numbered.object_diameter_mm == coloured.object_diameter_mm


def test_a_player_goes_on_with_his_own_group_and_fouls_on_the_other() -> None:
    """Black ball 5.6: a ball of the player's group is to be hit first."""
    own, other = judged(("3", "5"), ("11", None))
    assert own.foul is None and own.next_striker == "A" and own.verdict == "certain"
    assert other.foul is not None and other.next_striker == "B"


def test_rulings_and_states_say_solids_and_stripes() -> None:
    start = play.begin(GAME, {"shooter": "A", "groups": {"A": None, "B": None}, "table_open": True}, {})
    values = play.advance(
        GAME, start, {"type": "shot", "by": "A", "first_contact": ["3"], "potted": [{"ball": "3"}]}
    ).values
    assert values["groups"] == {"A": "solids", "B": "stripes"} and values["call"] == ["A is on solids"]
    shown = stroke_json(judged(("3", "5"))[0])
    assert shown["ruling"]["on"] == "solids" and shown["ruling"]["seen"] == "first 3; 5 pocketed TL"
    assert ["Balls on the table", "6 solids, 7 stripes"] in [list(row) for row in shown["state_words"]]


def test_the_rack_has_the_eight_on_the_spot_and_solids_and_stripes_as_reds_and_yellows() -> None:
    """Black ball 5.4: the black is on its spot."""
    numbered, coloured = rack(GAME), rack("blackball")
    for a, b in zip(numbered.balls, coloured.balls, strict=True):
        assert a.xy_mm == b.xy_mm and in_rules(GAME, a.ball) == b.colour
