"""`LiveState`: the document that a live table publishes and that every screen and feed reads.

Frozen values with tuples; `document` makes them plain JSON values. The JSON Schema
(`referee/outputs/schema/live.schema.json`, version 1) describes the events of the stream: `state`, `ruling`,
`question`, `status`, `frame`, each with a sequence number, `t_s` of the images' clock and the time of day in
UTC (ISO 8601). Unknown is null, never left out; readers ignore keys that they do not know. Positions: table
frame, mm. Sides: `A`, `B`. Balls: `white yellow ... black`, `red_1` to `red_15`; colours say `red` for each.
Later versions only add keys; a change that removes a key or its meaning gets a new number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from referee.facts.judged import Asked
from referee.journal import encode
from referee.match.open_calls import NO_CALLS, MadeCall, OpenCalls
from referee.outputs.digits import meant

LIVE_VERSION = 1

Side = Literal["A", "B"]
StatusCode = Literal[
    "starting",  # no image has been judged yet
    "running",
    "stopped",  # ended by a person; the record is complete
    "camera_lost",  # no images come; reconnecting
    "camera_moved",  # the camera has moved since calibration; positions are wrong until the new view is found
    "picture_covered",  # dark, or most of the table is hidden
    "view_wrong",  # the picture is not this table: cut, zoomed, or another size
    "slow",  # images are skipped: the machine does not keep up
    "disk_nearly_full",
    "recording_stopped",  # no clips are written any more; refereeing goes on
    "match_may_be_over",  # gone on with, though the time of day says that it is old: people decide
    "journal_in_memory",  # the journal cannot be written; it is kept in memory and written when there is room
]
RulingKind = Literal["points", "no_score", "foul", "unruled"]
Phase = Literal["waiting", "practice", "frame", "between_frames", "match_over"]
EventType = Literal["state", "ruling", "question", "status", "frame"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that holds now or has just ended. `text`: one sentence for people, without addresses;
    `said`: the same as a text of `[conditions]` with its values, for pages of other languages.
    """

    code: StatusCode
    since_s: float | None
    since_utc: str
    text: str
    active: bool = True
    said: Asked | None = None


@dataclass(frozen=True, slots=True)
class LivePlayer:
    """One side. `score`: points of this frame; `best_break`: the highest of the match."""

    side: Side
    name: str
    score: int
    frames: int
    best_break: int


@dataclass(frozen=True, slots=True)
class LiveBall:
    """A ball now: at rest, moving (last seen place), or hidden (lies where it last was)."""

    ball: str
    colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    state: Literal["rest", "moving", "hidden"]


@dataclass(frozen=True, slots=True)
class DueColour:
    """A colour to put on the table. `spot`: the spot's colour, None: beside a spot, at the place given.

    `own_spot_free` False: its own spot is occupied, by `occupied_by`. `placed`: it lies there now.
    """

    ball: str
    spot: str | None
    x_mm: float
    y_mm: float
    clause: str
    own_spot_free: bool
    occupied_by: tuple[str, ...]
    placed: bool
    text: str


@dataclass(frozen=True, slots=True)
class LiveWords:
    """Words for people in one language (`en`, `de`), players by name."""

    language: str
    text: str


@dataclass(frozen=True, slots=True)
class LiveFoul:
    """The foul with the highest penalty; `reason` is the rule's stable code."""

    clause: str | None
    reason: str | None
    penalty: int
    penalty_to: Side | None


@dataclass(frozen=True, slots=True)
class LiveAnswer:
    """What may be so: an answer to press, an alternative of a ruling. `index`: the number that the answer's
    request sends; `means`: its consequences in words; `weight`: its share of all that may be so, 0 to 1.
    `said`, `means_said`: label and consequences in every language of the pages.
    """

    index: int
    label: str
    means: str
    weight: float
    score: tuple[int, int] | None
    said: tuple[LiveWords, ...] = ()
    means_said: tuple[LiveWords, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveRuling:
    """A stroke as ruled. A ruling with the same `stroke` takes the place of the one before it.

    `provisional`: published as soon as the balls were at rest; the confirmed ruling follows and may differ.
    `ready_s`: the images' time at which it was published. `text`: the whole in a referee's words, in English;
    `said`: the same in every language of the pages. `entry`: the journal's, for corrections; None while
    provisional. `free_ball`, `touching`, `next_*`, `options`: for
    the player who comes to the table. `verdict` "call": a question about it is or was open; `hangs_on`: the
    stroke on whose question that hangs. `alternatives`: what may be so, the likeliest first, as the question
    offers it; empty where the ruling is certain or hangs on another stroke's question.
    """

    stroke: int
    frame: int
    entry: int | None
    provisional: bool
    start_s: float
    end_s: float
    ready_s: float
    end_utc: str
    kind: RulingKind
    striker: Side | None
    ball_on: str | None
    nominated: str | None
    first_contact: str | None
    potted: tuple[str, ...]
    foul: LiveFoul | None
    miss: bool | None
    points: int
    score: tuple[int, int]
    break_points: int
    free_ball: bool
    touching: tuple[str, ...]
    next_striker: Side | None
    next_ball_on: str | None
    options: tuple[str, ...]
    verdict: Literal["certain", "call"]
    text: str
    hangs_on: int | None = None
    said: tuple[LiveWords, ...] = ()
    alternatives: tuple[LiveAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """A question that only a person can answer; refereeing goes on meanwhile. `start_s`, `end_s`: the span of
    the clip to look at. `text`: the question in English; `asked`: its sentences as texts of `[questions]`,
    players by name. `striker`: who played the stroke, None where nobody is known. `counts`: whether the score
    hangs on it; not where a person set the state after its stroke. `hangs_on`: the stroke on whose
    question this one hangs, None where on none; `hanging`: the strokes that hang on this one.

    `kind` facts: what happened in a stroke; choice: what the player wants after a foul. `clip`: the file's
    name within the table's folder of clips, None while or where there is none. `open` False: answered, by a
    person or by what followed (`closed_by`).
    """

    id: str
    kind: Literal["facts", "choice"]
    stroke: int
    entry: int
    text: str
    answers: tuple[LiveAnswer, ...]
    start_s: float
    end_s: float
    clip: str | None
    since_utc: str
    open: bool = True
    closed_by: Literal["person", "later_events"] | None = None
    asked: tuple[Asked, ...] = ()
    striker: Side | None = None
    counts: bool = True
    hangs_on: int | None = None
    hanging: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveFrame:
    """A frame of the match. `ended`: how: won, conceded, abandoned, reracked, unfinished (a new triangle)."""

    n: int
    first_stroke: int | None
    starter: Side | None
    score: tuple[int, int]
    winner: Side | None
    ended: Literal["won", "conceded", "abandoned", "reracked", "unfinished"] | None


@dataclass(frozen=True, slots=True)
class LiveCamera:
    """The stream of images. `delay_ms`: from an image's moment to its ball positions (median of the last
    seconds).

    `rate_hz`: images judged a second; `skipped`: images left out since the start because the machine was
    slow;
    `reconnects`: times that the camera was lost and found again; `ok` False: no images come now.
    """

    ok: bool
    width_px: int
    height_px: int
    rate_hz: float | None
    delay_ms: float | None
    images: int
    skipped: int
    reconnects: int


@dataclass(frozen=True, slots=True)
class LiveMachine:
    """This process: `cpu_share` of one core, memory, free disk space; None where not known."""

    cpu_share: float | None
    memory_mb: float | None
    disk_free_mb: float | None


@dataclass(frozen=True, slots=True)
class LiveState:
    """Everything a scoreboard, console or feed shows of one table now.

    `seq` grows with every event of the stream, also over restarts. `t_s`: time of the last image judged.
    `status`: the gravest of `conditions`, else `running`. `phase`: practice has facts and no rulings.
    `best_of` None: open-ended. `striker`, `ball_on` (`red`, a colour, `any_colour`), `free_ball`,
    `touching`: for the stroke to come; `balls_on`: the colours that may be struck first. `remaining`:
    points that the balls left can bring; `snookers_required`: fouls that the side behind needs, 0 when the
    balls are enough. `moving`: a stroke is under way. `rulings`: the last ones, newest last (`last_ruling`
    is the newest). `options`: what the player may choose now (after a foul). `respots`: colours to be
    placed. `questions`: the newest that are open and hang on no other; `questions_more`: how many such wait
    beside them. `open_calls`: what the player at the table may call for the stroke to come; `called`: what
    was called for it.
    """

    version: int
    seq: int
    t_s: float
    utc: str
    table: str
    match_id: str
    game: str
    started_utc: str
    status: StatusCode
    conditions: tuple[Condition, ...]
    phase: Phase
    players: tuple[LivePlayer, LivePlayer]
    best_of: int | None
    winner: Side | None
    frames: tuple[LiveFrame, ...]
    frame: int
    score: tuple[int, int]
    break_points: int
    striker: Side | None
    ball_on: str | None
    balls_on: tuple[str, ...]
    free_ball: bool
    touching: tuple[str, ...]
    in_hand: bool
    reds: int | None
    remaining: int | None
    lead: int
    leader: Side | None
    snookers_required: int
    strokes: int
    moving: bool
    last_ruling: LiveRuling | None
    rulings: tuple[LiveRuling, ...]
    options: tuple[str, ...]
    respots: tuple[DueColour, ...]
    questions: tuple[LiveQuestion, ...]
    balls: tuple[LiveBall, ...]
    camera: LiveCamera
    machine: LiveMachine
    questions_more: int = 0
    open_calls: OpenCalls = NO_CALLS
    called: tuple[MadeCall, ...] = ()


Body = LiveState | LiveRuling | LiveQuestion | Condition | LiveFrame
_TYPES: tuple[tuple[EventType, type], ...] = (
    ("state", LiveState),
    ("ruling", LiveRuling),
    ("question", LiveQuestion),
    ("status", Condition),
    ("frame", LiveFrame),
)


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """One element of the stream; `type` follows from the body."""

    type: EventType
    seq: int
    t_s: float
    utc: str
    table: str
    body: Body


def event(seq: int, t_s: float, utc: str, table: str, body: Body) -> LiveEvent:
    """The event that carries `body`."""
    kind = next(name for name, cls in _TYPES if isinstance(body, cls))
    return LiveEvent(kind, seq, t_s, utc, table, body)


def document(value: LiveEvent | Body) -> dict[str, Any]:
    """Plain JSON values, as the schema describes them: an event with `version`, or a body alone."""
    found: Any = meant(encode(value))
    return {"version": LIVE_VERSION, **found} if isinstance(value, LiveEvent) else found
