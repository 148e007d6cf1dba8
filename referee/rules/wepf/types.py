"""WEPF eightball: its state and its rulings. The rules are in `engine`, `fouls`, `penalties` and `acts`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from referee.rules.common.pool import ClauseEnum, FactsError, Lying, Side, check_side
from referee.rules.common.red_yellow import Colour, RedYellowState
from referee.rules.game import of_both
from referee.rules.records import replace
from referee.rules.wepf.fouls import MARKS, Foul, FoulType, Marks

POSITION_OR_BAULK = ("play_from_where_it_lies", "play_from_baulk")  # I(4)
FOUL_SNOOKER_OPTIONS = ("play_from_where_it_lies_with_nomination", "play_from_baulk")  # Q(3)
OUT_OF_TURN_OPTIONS = ("play_from_where_it_lies", "replay_frame")  # M(1)(b)
NOMINATIONS = ("nominate:red", "nominate:yellow")  # H
CHOICES = of_both(*POSITION_OR_BAULK, *FOUL_SNOOKER_OPTIONS, *OUT_OF_TURN_OPTIONS, *NOMINATIONS)


class Reason(ClauseEnum):
    """Reasons other than fouls."""

    EIGHT_ON_BREAK = ("F(5)", "Eight-ball on the break, re-rack")
    REPLAY_SHOT = ("U(3)(a)", "Balls replaced, the shot is replayed")
    BALL_FELL = ("U(1)", "Ball replaced")
    FELL_IN_SHOT = ("U(2)", "Ball replaced")
    THIRTY_SECONDS = ("I(3)", "Thirty Seconds")
    TIME_OUT = ("I(5)", "Time Out")
    TIME_RUNNING = ("I(6)", "Time Running")
    INTERFERENCE = ("V(1)", "Balls replaced")
    CHALK = ("V(2)", "Please keep the table clear")
    COACHING_WARNING = ("K(12)", "First and Final Warning")
    TOTAL_SNOOKER = ("G(3)(b)", "Total Snooker")
    FOUL_SNOOKER = ("Q(3)", "Foul Snooker")
    NO_FOUL_SNOOKER = ("Q(2)", "No Foul Snooker")
    STALEMATE = ("X", "Stalemate, the frame is replayed")
    CONCEDED = ("C(7)(b)", "Frame conceded")


@dataclass(frozen=True, kw_only=True)
class State(RedYellowState):
    """Before a shot. `colour_a`: A's colours; None: open. `visit` of `visits` in this turn.

    `pending_colour`: nominated after the break but not potted on it (H(2)(c)(ii)). `offered_colours`:
    potted together, one of them has to be nominated while `must_nominate`. `after_foul`: the opponent's last
    shot was a foul and none followed, so that a foul snooker may be asked for (Q(1), Q(2)). `dry_turns`:
    turns in succession without contact (X); `turn_contact`: this turn has had one.
    """

    LAST_BALL: ClassVar[str] = "8"

    player: Side = "A"
    breaker: Side = "A"
    colour_a: Colour | None = None
    reds: int = 7
    yellows: int = 7
    break_shot: bool = True
    from_baulk: bool = True
    visits: int = 1
    visit: int = 1
    must_nominate: bool = False
    offered_colours: frozenset[str] = frozenset()
    pending_colour: Colour | None = None
    after_foul: bool = False
    foul_snooker: bool = False
    total_snooker: bool = False
    touching: frozenset[str] = frozenset()
    serious: tuple[int, int] = (0, 0)
    to_spot: bool = False
    options: tuple[str, ...] = ()
    dry_turns: int = 0
    turn_contact: bool = False
    lying: tuple[Lying, ...] = ()
    marks: Marks = field(default=MARKS)
    winner: Side | None = None

    def __post_init__(self) -> None:
        check_side(self.player, "player")
        self.check_groups("eightball")
        if (self.visits, self.visit) not in ((1, 1), (2, 1), (2, 2), (1, 2)):
            raise FactsError(f"a turn has one or two visits, got visit {self.visit!r} of {self.visits!r}")

    @property
    def open(self) -> bool:
        return self.colour_a is None

    @property
    def last_visit(self) -> bool:
        return self.visit >= self.visits

    @property
    def groups(self) -> tuple[Colour | None, int, int]:
        return self.colour_a, self.reds, self.yellows


@dataclass(frozen=True, kw_only=True)
class Ruling:
    """The ruling on a shot or act. `visits_awarded`: to the next player, 0 while the turn goes on."""

    by: Side | None
    foul: bool
    reason: ClauseEnum | None
    fouls: tuple[ClauseEnum, ...] = ()
    clause: str | None
    foul_type: FoulType | None = None
    next_player: Side | None
    visits_awarded: int = 0
    visit: int = 1
    from_baulk: bool = False
    options: tuple[str, ...] = ()
    must_nominate: bool = False
    foul_snooker: bool = False
    respot: tuple[Lying, ...] = ()
    stay_off: tuple[str, ...] = ()
    balls_replaced: bool = False
    replaced: tuple[str, ...] = ()
    replaced_all: bool = False
    replay: bool = False
    replay_frame: bool = False
    rerack: bool = False
    break_shot: bool = False
    foul_ignored: bool = False
    frame_over: bool = False
    winner: Side | None = None
    breaker: Side | None = None
    words: tuple[str, ...] = ()


def new_frame(breaker: Side = "A", marks: Marks = MARKS, *, visits: int = 1) -> State:
    """Balls racked with the 8 on the spot, cue-ball from baulk (F(1), F(3))."""
    return State(player=breaker, breaker=breaker, marks=marks, visits=visits)


def make_ruling(
    state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any
) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    over = state.winner is not None
    call = reason.call if isinstance(reason, Foul) else ""
    said = (call, reason.words if reason is not None else "", *more.pop("words", ()))
    base = Ruling(
        by=by,
        foul=foul,
        reason=reason,
        fouls=(reason,) if foul and reason is not None else (),
        clause=reason.clause if reason is not None else None,
        next_player=None if over else state.player,
        visit=state.visit,
        from_baulk=state.from_baulk and not over,
        options=state.options,
        must_nominate=state.must_nominate,
        foul_snooker=state.foul_snooker and not over,
        break_shot=state.break_shot,
        frame_over=over,
        winner=state.winner,
        words=tuple(dict.fromkeys(w for w in said if w)),
    )
    return replace(base, **more)
