"""A ruling: its reason with a stable code and its clause, warnings, options, and the referee's words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum

from referee.rules.snooker.facts import Choice, Placement
from referee.rules.snooker.state import ANY_COLOUR


class Reason(Enum):
    """Why the ruling is as it is: a stable code and the clause of `snooker-wpbsa.txt` (3.12: penalties)."""

    FAIR = ("fair", "3.3(e)")
    FREE_BALL_NOT_SPOTTED = ("struck_before_free_ball_spotted", "3.12(a)(i)")
    STRUCK_TWICE = ("cue_ball_struck_twice", "3.12(a)(ii)")
    FEET = ("both_feet_off_floor", "3.12(a)(iii)")
    OUT_OF_TURN = ("out_of_turn", "3.12(a)(iv)")
    FROM_IN_HAND = ("improperly_from_in_hand", "3.12(a)(v)")
    MISSED_ALL = ("missed_all_balls", "3.12(a)(vi)")
    IN_OFF = ("cue_ball_pocketed", "3.12(a)(vii)")
    BEHIND_FREE_BALL = ("snookered_behind_free_ball", "3.12(a)(viii)")
    JUMP_SHOT = ("jump_shot", "3.12(a)(ix)")
    NON_STANDARD_CUE = ("non_standard_cue", "3.12(a)(x)")
    CONFERRING = ("conferring_with_partner", "3.12(a)(xi)")
    BALLS_MOVING = ("struck_while_balls_moving", "3.12(b)(i)")
    COLOUR_NOT_SPOTTED = ("struck_before_colour_spotted", "3.12(b)(ii)")
    POTTED_NOT_ON = ("ball_not_on_pocketed", "3.12(b)(iii)")
    HIT_NOT_ON = ("ball_not_on_hit_first", "3.12(b)(iv)")
    PUSH_STROKE = ("push_stroke", "3.12(b)(v)")
    TOUCHED_BALL = ("ball_touched", "3.12(b)(vi)")
    OFF_TABLE = ("ball_forced_off_table", "3.12(b)(vii)")
    TWO_AT_ONCE = ("two_balls_hit_simultaneously", "3.12(c)")
    BALL_AS_TOOL = ("ball_off_table_used", "3.12(d)(i)")
    MEASURED = ("object_used_to_measure", "3.12(d)(ii)")
    REDS_SUCCESSIVELY = ("reds_in_successive_strokes", "3.12(d)(iii)")
    WRONG_CUE_BALL = ("wrong_cue_ball", "3.12(d)(iv)")
    NOT_DECLARED = ("failed_to_declare", "3.12(d)(v)")
    BEFORE_NOMINATION = ("foul_before_nomination", "3.12(d)(vi)")
    CONDONED = ("condoned", "3.11(c)")
    REPLAY = ("ball_fell_replay", "3.9(b)(i)")
    BALL_FELL = ("ball_fell_replaced", "3.9(a)")
    NOT_A_STROKE = ("not_a_stroke", "3.5(b)")
    NOT_STARTED = ("frame_not_started", "3.3(c)")
    NO_FOUL_OTHERS = ("moved_by_other_than_striker", "3.15")
    NO_FOUL_EQUIPMENT = ("provided_equipment_failed", "3.18(b)")
    SPOTTED_WRONGLY = ("counts_as_spotted", "3.7(c)")
    SPOTTED_IN_ERROR = ("spotted_in_error_removed", "3.7(b)")
    MISSING_COLOUR = ("missing_colour_spotted", "3.7(c)(i)")
    BALL_CLEANED = ("ball_cleaned", "3.2(b)")
    NOTED = ("noted", "5.3")
    BALL_CHANGED = ("ball_changed", "1.2(b)")
    PLAYS_SELF = ("plays_self", "3.11(f)")
    AGAIN_LEFT = ("play_again_from_position_left", "3.13")
    AGAIN_ORIGINAL = ("play_again_from_original_position", "3.14(a)")
    AGAIN_ALL_REPLACED = ("play_again_all_replaced", "3.14(d)(v)")
    PLAYS_IN_HAND = ("plays_from_in_hand", "commentary 14.1*")
    PLAYS_ANYWHERE = ("plays_from_anywhere", "six_red 2(iii)")
    LOTS = ("lots", "3.4(b)(ii)")
    CONCEDES = ("concedes", "4.5(a)")
    CONCEDED = ("conceded", "2.1(a)")
    CONCESSION_REFUSED = ("concession_refused", "4.5(a)")
    CLAIMED = ("claimed", "2.1(b)")
    REQUEST_REFUSED = ("request_refused", "3.13")
    CLAIM_REFUSED = ("claim_refused", "2.1(b)")
    RESTARTED = ("restarted_correct_starter", "3.3(d)(i)")
    WRONG_STARTER_STANDS = ("wrong_starter_stands", "3.3(d)(ii)")
    STALEMATE = ("stalemate", "3.16")
    FRAME_AWARDED = ("frame_awarded", "4.2(a)")
    GAME_AWARDED = ("game_awarded", "4.2(b)")
    WARNED = ("warned", "4.1(a)")

    def __init__(self, code: str, clause: str) -> None:
        self.code = code
        self.clause = clause


class Miss(StrEnum):
    """`referee`: the facts leave it to the referee, who is asked (3.14)."""

    NONE = "none"
    CALLED = "called"
    REFEREE = "referee"


class Warn(StrEnum):
    """Things said to a player or noted, with no consequence yet."""

    THIRD_MISS_LOSES_FRAME = "third_miss_loses_frame"  # 3.14(c)(ii)
    THIRD_MISS_IN_HAND = "third_miss_gives_in_hand"  # amateur 14.1*
    FIFTH_MISS = "fifth_miss_gives_options"  # six-red 2
    CONDUCT = "conduct"  # 4.1(a)(v)
    CONCEDED_EARLY = "conceded_without_snookers_required"  # 4.5(c)


class FrameEnd(Enum):
    """How a frame ended: a stable code and its clause."""

    FINAL_BLACK = ("final_black", "3.4(a)")
    CLAIMED = ("claimed", "2.1(b)")
    CONCEDED = ("conceded", "2.1(a)")
    THIRD_MISS = ("third_miss", "3.14(c)(ii)")
    AWARDED = ("awarded", "4.2(a)")
    SNOOKERS_REQUIRED = ("four_snookers_required", "commentary 3.4(d)*")

    def __init__(self, code: str, clause: str) -> None:
        self.code = code
        self.clause = clause


@dataclass(frozen=True)
class FoulPart:
    """One infringement found in a stroke, with the penalty it would carry alone (3.11(g))."""

    reason: Reason
    penalty: int
    ball: str | None = None


@dataclass(frozen=True)
class Ruling:
    """The referee's decision about one fact. `penalty_to`, `winner`: sides; `next_striker`: a player.

    `next_striker` None: nobody (frame over, or lots must be drawn: `options` says so). `respot`:
    where each colour is due, in the order of placing. `free_ball`: called for the next player.
    `accepted`: False when a choice was not open. `replaced`: balls put back, `("all",)` for all.
    `adjustment`: points taken back or given otherwise than by points and penalty (sides A, B).
    `questions`: facts that would change the ruling and that nobody has given.
    """

    reason: Reason
    foul: bool = False
    parts: tuple[FoulPart, ...] = ()
    penalty: int = 0
    penalty_to: str | None = None
    points: int = 0
    adjustment: tuple[int, int] = (0, 0)
    scores: tuple[int, int] = (0, 0)
    break_points: int = 0
    respot: tuple[Placement, ...] = ()
    stay_off: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    next_striker: str | None = None
    next_ball_on: str | None = None
    cue_ball_in_hand: bool = False
    free_ball: bool = False
    touching: tuple[str, ...] = ()
    miss: Miss = Miss.NONE
    options: tuple[Choice, ...] = ()
    warnings: tuple[Warn, ...] = ()
    frame_over: bool = False
    frame_end: FrameEnd | None = None
    winner: str | None = None
    replay: bool = False
    restart: bool = False
    accepted: bool = True
    condoned: bool = False
    questions: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def clause(self) -> str:
        """The clause of the reason, as `3.12(b)(iv)`."""
        return self.reason.clause


_WARNINGS: dict[Warn, str] = {
    Warn.THIRD_MISS_LOSES_FRAME: "Warning: a third miss will lose the frame",
    Warn.THIRD_MISS_IN_HAND: "Warning: a third miss gives your opponent the cue-ball in-hand",
    Warn.FIFTH_MISS: "Warning: a fifth miss gives your opponent the cue-ball anywhere",
    Warn.CONDUCT: "Warning: the frame will be awarded to your opponent",
}
_ACTS: dict[Reason, str] = {
    Reason.REPLAY: "Balls replaced, play again",
    Reason.AGAIN_LEFT: "Play again",
    Reason.AGAIN_ORIGINAL: "Play again, cue-ball replaced",
    Reason.AGAIN_ALL_REPLACED: "Play again, balls replaced",
    Reason.CONCEDED: "Frame conceded",
    Reason.STALEMATE: "Stalemate, re-rack",
    Reason.RESTARTED: "Re-rack, wrong player to break",
    Reason.FRAME_AWARDED: "Frame awarded",
    Reason.GAME_AWARDED: "Game awarded",
    Reason.CONDONED: "Condoned",
}


def say(ruling: Ruling) -> tuple[str, ...]:
    """The referee's words, in order: the foul or the break, touching ball, free ball, warnings, the end."""
    said: list[str] = []
    if ruling.foul:
        name = "Foul and a miss" if ruling.miss is Miss.CALLED else "Foul"
        said.append(f"{name}, {ruling.penalty}")
    elif ruling.points:
        said.append(str(ruling.break_points))
    elif ruling.reason is Reason.FAIR and ruling.break_points:
        said.append(f"Break, {ruling.break_points}")
    elif ruling.reason in _ACTS and ruling.accepted:
        said.append(_ACTS[ruling.reason])
    said += _position(ruling)
    said += [_WARNINGS[w] for w in ruling.warnings if w in _WARNINGS]
    if ruling.frame_over:
        said.append(f"Frame to {ruling.winner}" if ruling.winner else "Frame over, scores level")
    elif ruling.next_striker is None:
        said.append("Black re-spotted")
    return tuple(said)


def _position(ruling: Ruling) -> list[str]:
    said = []
    on = ruling.next_ball_on
    touched = [b for b in ruling.touching if b == on or (on == ANY_COLOUR and b != "red")]
    if touched and not ruling.frame_over:
        said.append("Touching ball")
        if on == ANY_COLOUR:
            said.append("Declare")  # 3.8(a)
    if ruling.free_ball and ruling.foul:
        said.append("Free ball")
    return said
