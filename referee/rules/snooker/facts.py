"""The vocabulary of facts that the rules judge: strokes, acts without a stroke, choices, referee's acts.

Standard library only. Facts are certain: uncertainty stops at intake. Balls are named by colour
(`red` for every red, `white` the cue-ball); players `A`, `B` or, four-handed, `A1 B1 A2 B2` (the
first letter is the side). What geometry knows (due places of colours, snookered, touching, clear
path) arrives as facts; None means "not known", never "no".

Snooker's words live here; the other games reuse `Placement`, `CueBall` and `FactsError` and define
facts of their own beside their rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from calibration.table.specs import PointMm, TableSpec
from referee.rules.game import FactsError as FactsError

COLOURS: tuple[str, ...] = ("yellow", "green", "brown", "blue", "pink", "black")
"""Snooker's colours in ascending value."""
VALUES: dict[str, int] = {
    "white": 0,
    "red": 1,
    "yellow": 2,
    "green": 3,
    "brown": 4,
    "blue": 5,
    "pink": 6,
    "black": 7,
}
"""Snooker 3.1(a); the cue-ball counts nothing."""


class CueBall(StrEnum):
    """Where the cue-ball is when a stroke is over."""

    ON_TABLE = "on_table"
    POCKETED = "pocketed"
    OFF_TABLE = "off_table"


class Infringement(StrEnum):
    """An infringement seen beside contacts and pots; the clause is snooker 3.12's."""

    SPOTTING_FREE_BALL = "struck_before_free_ball_spotted"  # (a)(i)
    STRUCK_TWICE = "cue_ball_struck_twice"  # (a)(ii)
    FEET_OFF_FLOOR = "both_feet_off_floor"  # (a)(iii)
    OUT_OF_TURN = "out_of_turn"  # (a)(iv)
    INCOMING_TOO_EARLY = "struck_before_balls_at_rest_incoming"  # (a)(iv), 2.6(e)
    FROM_IN_HAND = "improperly_from_in_hand"  # (a)(v)
    JUMP_SHOT = "jump_shot"  # (a)(ix)
    NON_STANDARD_CUE = "non_standard_cue"  # (a)(x)
    CONFERRING = "conferring_with_partner"  # (a)(xi)
    BALLS_MOVING = "struck_while_balls_moving"  # (b)(i)
    SPOTTING_COLOUR = "struck_before_colour_spotted"  # (b)(ii)
    PUSH_STROKE = "push_stroke"  # (b)(v)
    TOUCHED_BALL = "touched_ball"  # (b)(vi)
    BALL_AS_TOOL = "used_ball_off_table"  # (d)(i)
    MEASURED = "used_object_to_measure"  # (d)(ii)
    REDS_SUCCESSIVELY = "played_at_reds_in_successive_strokes"  # (d)(iii)
    RED_AFTER_FREE_BALL = "played_red_after_free_ball_as_red"  # (d)(iii)
    WRONG_CUE_BALL = "used_ball_other_than_white_as_cue_ball"  # (d)(iv)
    NOT_DECLARED_SNOOKERED = "failed_to_declare_when_snookered"  # (d)(v)
    NOT_DECLARED_ASKED = "failed_to_declare_when_requested"  # (d)(v)


@dataclass(frozen=True)
class Infringed:
    """One infringement, with the balls it concerns (the moving ones, the one not yet spotted, ...)."""

    kind: Infringement
    balls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Placement:
    """Where a ball is due. `spot`: the spot's colour, None beside a spot; `clause`: why there. `xy_mm`: on a
    full-size table where it is a spot.
    """

    ball: str
    spot: str | None
    xy_mm: PointMm
    clause: str

    def on(self, table: TableSpec) -> PointMm:
        """Where that is on a table: a spot is where this table has it."""
        return self.xy_mm if self.spot is None else table.spots.get(self.spot, self.xy_mm)


@dataclass(frozen=True)
class Judgement:
    """The referee's answers that the miss rule needs (snooker 3.14); None: not known.

    `clear_path`, `full_ball_available`: before the stroke, to any ball that was or could be on
    (geometry). The others are the referee's opinion.
    """

    clear_path: bool | None = None
    full_ball_available: bool | None = None
    good_enough_attempt: bool | None = None
    intentional: bool | None = None
    possible_to_hit: bool | None = None
    direction_and_strength_sufficient: bool | None = None


JUDGEMENTS = (
    *("snookered", "clear_path", "full_ball"),
    *("good_enough_attempt", "intentional", "possible_to_hit"),
)
"""What a person may say of a stroke for the free ball (3.10) and the miss (3.14)."""


@dataclass(frozen=True)
class After:
    """The position after a stroke, seen by geometry for the next player's ball on.

    `snookering`: effective snookering balls (2.17(b), (c)); `touching`: object balls that the cue-ball
    touches (`red` once, whichever red).
    """

    snookered: bool | None = None
    snookering: tuple[str, ...] | None = None
    touching: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fell:
    """A ball that fell into a pocket without being hit (3.9)."""

    ball: str
    would_have_been_hit: bool


@dataclass(frozen=True)
class StrokeFacts:
    """One stroke. `potted` and `off_table` hold object balls only, each red as `red`, and none of `fell`.

    `first_contact`: none, one, or several balls hit simultaneously. `jumped`: balls that the cue-ball
    passed over before it struck any ball, or the struck ball itself (2.20). `touching_moved`: touching
    balls that the striker's stroke moved. `called`: the referee called, or the non-striker claimed,
    any foul there was (3.11(c)). `excused`: whether the referee excuses a wrong first contact because a
    ball fell untouched; None: he does when the cue-ball then hit nothing (3.9(b)(i)); False: he does not, and
    a wrong first contact is a foul, though no miss, since only the fall caused it (3.9(b)(ii)).
    `points_available`: the referee's count of the points on the table before the stroke.
    """

    by: str
    first_contact: tuple[str, ...]
    potted: tuple[str, ...] = ()
    off_table: tuple[str, ...] = ()
    cue_ball: CueBall = CueBall.ON_TABLE
    nominated: str | None = None
    infringements: tuple[Infringed, ...] = ()
    jumped: tuple[str, ...] = ()
    touching_moved: tuple[str, ...] = ()
    fell: tuple[Fell, ...] = ()
    excused: bool | None = None
    called: bool = True
    judgement: Judgement = Judgement()
    after: After = After()
    placements: tuple[Placement, ...] = ()
    points_available: int | None = None


class Act(StrEnum):
    """Acts without a stroke."""

    TOUCHED_BALL = "touched_ball"
    PICKED_UP_BALL = "picked_up_ball"
    TOUCHED_MARKER = "touched_ball_marker"
    TIP_TOUCHED_CUE_BALL = "tip_touched_cue_ball_while_positioning"
    USED_BALL_OFF_TABLE = "used_ball_off_table"
    MEASURED = "used_object_to_measure"
    CONFERRED = "conferred_with_partner"
    LATE_CLAIM = "late_claim_of_foul"
    CLAIM = "claim_of_foul"
    BALL_FELL = "ball_fell_untouched"
    MISPLACED_COLOURS = "misplaced_colours_noticed"
    COLOUR_SPOTTED_IN_ERROR = "colour_spotted_in_error"
    MISSING_COLOUR = "missing_colour_noticed"
    EQUIPMENT_FAILED = "provided_equipment_touched_ball"
    DISTURBED = "ball_disturbed_by_other"
    BALL_CLEANED = "ball_cleaned"
    BALL_CHANGED = "ball_changed"
    TOUCHED_IN_CONSULTATION = "touched_ball_in_consultation"
    NOTED = "noted"


@dataclass(frozen=True)
class ActFacts:
    """An act without a stroke; `by` None when nobody is to blame.

    `nominated`: the colour declared before the act. `cue_ball_on_table`: whether a cue-ball in-hand
    lay on the table (2.9(b)(ii)). `after_stroke`: a stroke has been played since the mistake.
    `early`: a colour is missing because the striker played before it was spotted (3.7(c)(ii)).
    `note`: what is only logged (clauses of category N), with the clause it concerns.
    """

    act: Act
    by: str | None = None
    ball: str | None = None
    nominated: str | None = None
    cue_ball_on_table: bool | None = None
    out_of_turn: bool = False
    after_stroke: bool = True
    early: bool = False
    note: str | None = None
    after: After = After()
    placements: tuple[Placement, ...] = ()


class Choice(StrEnum):
    """A choice or a request of a player; also the names of a ruling's options."""

    PLAY = "play_self"
    FREE_BALL = "nominate_free_ball"
    AGAIN_LEFT = "ask_offender_to_play_again_from_position_left"
    AGAIN_ORIGINAL = "ask_offender_to_play_again_from_original_position"
    AGAIN_ALL_REPLACED = "replace_all_and_ask_offender_to_play_again"
    PLAY_IN_HAND = "play_self_from_in_hand"
    PLAY_ANYWHERE = "play_self_cue_ball_anywhere_on_table"
    LOTS = "lots_winner_chooses_who_plays"
    OPPONENT_FIRST = "opponent_plays_first"
    CONCEDE = "concede"
    ACCEPT_CONCESSION = "accept_concession"
    REFUSE_CONCESSION = "refuse_concession"
    CLAIM_FRAME = "claim_frame"
    SAME_STROKE = "same_stroke"
    DIFFERENT_STROKE = "different_stroke"


@dataclass(frozen=True)
class ChoiceFacts:
    """A player's choice. `replaced`: object balls that the referee replaces with the cue-ball (3.14(f)).

    `first_player`: who of the pair plays, four-handed, at a re-spotted black (3.17(d)).
    """

    by: str
    choice: Choice
    replaced: tuple[str, ...] = ()
    first_player: str | None = None


class RefereeAct(StrEnum):
    """An act of the referee alone."""

    WRONG_STARTER = "wrong_starter_discovered"
    STALEMATE = "stalemate_declared"
    AWARD_FRAME = "award_frame"
    AWARD_GAME = "award_game"
    WARN = "warn"
    LOTS_DRAWN = "lots_drawn"


@dataclass(frozen=True)
class RefereeFacts:
    """A referee's act; `against` the player it concerns (who won, for lots)."""

    act: RefereeAct
    against: str | None = None


Facts = StrokeFacts | ActFacts | ChoiceFacts | RefereeFacts
