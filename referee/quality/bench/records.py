"""Records of the bench: one frozen record for each measured item, as a line of JSON. Standard library only.

Records are written by the pixel tier (`pixels`) camera by camera and read by everything else: the
report, the plots, the track tier, which resamples their errors. Positions are ball centres on the cloth,
mm in the table's frame; errors are "said minus true"; `None` is "not said". What cannot be seen even in
truth is recorded with its visible share and counted apart by the reader, never left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

from calibration.files import write_text
from calibration.texts import unusable_input

Method = Literal["cueref", "hough"]
"""Who said it: cueref, or the Hough-and-HSV baseline on the same picture."""

Told = Literal["all", "size", "nothing"]
"""What a table's owner tells of it: playing area and nose height, the playing area, nothing."""

FalseCause = Literal["stands", "afterimage", "unknown"]
"""Why there is a detection of what is no ball: something stands there, a ball was there, or unknown."""

VISIBLE = 0.25
"""A ball less of whose outline than this is in sight (under an arm, outside the picture) counts apart."""


@dataclass(frozen=True, slots=True)
class Where:
    """The circumstances of a measurement. `camera`: number of the camera, the unit of resampling.

    `seed`: the camera's own, derived from the run's; `source`: a clip or a single picture, and `item`:
    its number at this camera; `scene`: words for lamps, rails, pockets; `image_hz` 0: a single picture;
    `mm_per_px`: at the middle of the table (a record of one place has its own).
    """

    camera: int
    seed: int
    source: Literal["clip", "layout"]
    item: int
    scene: str
    cloth: str
    width_px: int
    height_px: int
    image_hz: float
    exposure_s: float
    mm_per_px: float
    height_mm: float
    tilt_deg: float
    lens_deg: float
    compression: str
    told: Told


@dataclass(frozen=True, slots=True)
class BallAtRest:
    """A ball that lies still in truth. `visible`: share of its outline in sight at that moment.

    `method` cueref: from `cueref layout` or the layout before a stroke. `said_colour`, `dx_mm`, `dy_mm`,
    `sigma_mm` None: missed. `gap_mm`: to the nearest other ball's surface (None: it is alone).
    `stroke`: number of the true stroke that it precedes in a clip. `cushion_mm`: from its edge to the nearest
    nose; `lit`: light on the cloth about it as a share of the table's median; None: not known.
    """

    where: Where
    method: Method
    stroke: int | None
    colour: str
    x_mm: float
    y_mm: float
    visible: float
    mm_per_px: float
    gap_mm: float | None
    said_colour: str | None
    dx_mm: float | None
    dy_mm: float | None
    sigma_mm: float | None
    cushion_mm: float | None = None
    lit: float | None = None


@dataclass(frozen=True, slots=True)
class ExtraBall:
    """A ball said where none is. `near_person`: something lies over the table within 150 mm."""

    where: Where
    method: Method
    stroke: int | None
    said_colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    near_person: bool


@dataclass(frozen=True, slots=True)
class LayoutJudged:
    """All balls of a moment of rest. `right`: every visible ball found in its colour, none extra.

    `stroke` None: a single picture. `hidden`: balls that nobody can see there (found or not: no matter).
    """

    where: Where
    method: Method
    stroke: int | None
    balls: int
    missed: int
    extra: int
    wrong_colour: int
    hidden: int
    right: bool


@dataclass(frozen=True, slots=True)
class BallInMotion:
    """A ball at one image's time while it moves. `state`: tracks.csv's word; errors None: no row for it.

    `sigma_mm` None with errors: a row that claims none.
    """

    where: Where
    stroke: int
    t_s: float
    ball: str
    colour: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    visible: float
    mm_per_px: float
    state: str | None
    dx_mm: float | None
    dy_mm: float | None
    sigma_mm: float | None


@dataclass(frozen=True, slots=True)
class StrokeJudged:
    """A stroke and whether it was seen at all. `true_stroke` None: invented. `verdict`: certain or call."""

    where: Where
    true_stroke: int | None
    said_stroke: int | None
    start_s: float
    d_start_s: float | None
    d_end_s: float | None
    verdict: str | None


@dataclass(frozen=True, slots=True)
class Identity:
    """Identities through one stroke: balls followed from rest to rest, and how many changed names."""

    where: Where
    stroke: int
    balls: int
    contacts: int
    swaps: int


@dataclass(frozen=True, slots=True)
class Pot:
    """A pot, true or said. `true_pocket` None: none fell (false). `said_pocket` None: missed.

    `certain`: the pot was said without a question. `hands`: in a false one, hands were on the table then.
    """

    where: Where
    stroke: int | None
    ball: str
    true_pocket: str | None
    said_pocket: str | None
    certain: bool
    hands: bool


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The cue-ball's first contact. `true_ball`, `said_ball`: a colour, or None for no ball hit.

    `certain`: said without a question and with confidence 0.99 or more; `question`: the stroke became a
    referee's call about it.
    `dt_s`: said minus true; None: no time said. `allowed_s`: 5 ms or the time to roll 2 mm, the longer.
    """

    where: Where
    stroke: int
    true_ball: str | None
    said_ball: str | None
    right: bool
    certain: bool
    question: bool
    dt_s: float | None
    allowed_s: float


@dataclass(frozen=True, slots=True)
class TouchingPair:
    """Cue-ball (or any ball, in single pictures) beside another. Gaps between the surfaces, mm.

    `verdict`: yes, no, unknown; `not_seen` when one of the two balls was missed.
    """

    where: Where
    balls: tuple[str, str]
    x_mm: float
    y_mm: float
    true_gap_mm: float
    gap_mm: float | None
    sigma_mm: float | None
    verdict: Literal["yes", "no", "unknown", "not_seen"]


@dataclass(frozen=True, slots=True)
class Respot:
    """A colour put back. Offsets from its spot, mm; `against`: the visible mark or the computed spot.

    `verdict`: flagged (off its spot), ok, undecided, not_seen (no check was made).
    """

    where: Where
    ball: str
    true_dx_mm: float
    true_dy_mm: float
    dx_mm: float | None
    dy_mm: float | None
    sigma_mm: float | None
    verdict: Literal["flagged", "ok", "undecided", "not_seen"]
    against: Literal["mark", "computed"] | None

    @property
    def true_offset_mm(self) -> float:
        return float((self.true_dx_mm**2 + self.true_dy_mm**2) ** 0.5)


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing said of a clip that can be right or wrong. `fact`: first_contact, pot, no_pot, cue_ball,
    ball_at_rest, touching, respot, foul, points, ...; `certain`: said without a question."""

    where: Where
    stroke: int | None
    fact: str
    certain: bool
    right: bool
    said: str
    true: str


@dataclass(frozen=True, slots=True)
class CalibrationJudged:
    """The table found without help; what its owner told is in `where`.

    Over a grid of places on the table: worst and root-mean-square error of the ball plane, the sigma
    claimed where it is worst, and the largest ratio of an error to its claimed sigma. None: refused.
    """

    where: Where
    refused: bool
    reason: str
    worst_mm: float | None
    worst_x_mm: float | None
    worst_y_mm: float | None
    worst_sigma_mm: float | None
    rms_mm: float | None
    worst_ratio: float | None


@dataclass(frozen=True, slots=True)
class Knock:
    """The camera turned a little at `at_s` of a clip in which nothing else happens: the picture moves by
    `shift_mm` on the cloth (root mean square over the table).

    `flagged_s`, `healed_s`: how long after it the review knew, and had the new pose; None: never.
    `before_mm`, `after_mm`: median error of the balls at rest before it and at the clip's end;
    `false_before`: it told of a knock before there was one.
    """

    where: Where
    at_s: float
    shift_mm: float
    flagged_s: float | None
    healed_s: float | None
    before_mm: float | None
    after_mm: float | None
    false_before: bool


@dataclass(frozen=True, slots=True)
class Repeat:
    """One ball that lies still, fitted in `images` independent pictures of it (noise anew in each).

    `spread_mm`: root mean square distance of the single fits from their mean, per axis.
    """

    where: Where
    colour: str
    x_mm: float
    y_mm: float
    mm_per_px: float
    images: int
    spread_mm: float


@dataclass(frozen=True, slots=True)
class RestAgain:
    """One ball in two rests at the same place, apart in time: distance between the two said places."""

    where: Where
    colour: str
    x_mm: float
    y_mm: float
    apart_s: float
    difference_mm: float


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of wall clock (and of this process's processor where `_cpu_s`) for one clip or picture.

    `decode_s`: PyAV to native planes alone; `review_s`: the whole review with the table found;
    `calibrate_s`: finding the table alone (None where it was refused); `baseline_s` per image: Hough and HSV.
    """

    where: Where
    images: int
    video_s: float
    decode_s: float | None
    decode_cpu_s: float | None
    calibrate_s: float | None
    review_s: float | None
    review_cpu_s: float | None
    baseline_s: float | None


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A clip or picture on which the program gave up (refused the table) or broke. `crash`: not one
    sentence.
    """

    where: Where
    what: Literal["review", "layout", "baseline"]
    crash: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Detection:
    """Anything that the detector takes for a ball in a picture, however unsure it is. `ball`: it is one.

    `people`: somebody is in the picture; `near_person`: over this place, or within 150 mm of it.
    """

    where: Where
    confidence: float
    ball: bool
    x_mm: float
    y_mm: float
    people: bool
    near_person: bool


@dataclass(frozen=True, slots=True)
class StreakSeen:
    """A ball in flight in the open, in one image. `where.exposure_s`: of this film; `confidence`: of the
    surest detection on its way during the exposure, 0 where there is none of 0.1 or more.
    """

    where: Where
    t_s: float
    colour: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    confidence: float


@dataclass(frozen=True, slots=True)
class FlightImage:
    """An image with so many balls in flight."""

    where: Where
    t_s: float
    streaks: int


@dataclass(frozen=True, slots=True)
class FalseInFlight:
    """A detection, of confidence 0.1 or more, that is no ball, in an image with balls in flight.

    `in_open`: as far from every cushion as those balls are. `cause`: it was there before they flew, or a ball
    was there up to two images before (noise reduction over time leaves an afterimage), or neither.
    """

    where: Where
    t_s: float
    confidence: float
    x_mm: float
    y_mm: float
    in_open: bool
    cause: FalseCause


@dataclass(frozen=True, slots=True)
class Visit:
    """Somebody over the table for more than a second in one short film. `pose`: what they do there."""

    where: Where
    pose: str
    seconds: float


@dataclass(frozen=True, slots=True)
class FalseRest:
    """A ball that the tracker holds to lie where none is, in a film of a `Visit`. `confidence`: mean of its
    detections'; `seconds`: for how long it is held.
    """

    where: Where
    pose: str
    colour: str
    x_mm: float
    y_mm: float
    confidence: float
    seconds: float


Record = (
    BallAtRest
    | ExtraBall
    | LayoutJudged
    | BallInMotion
    | StrokeJudged
    | Identity
    | Pot
    | FirstContact
    | TouchingPair
    | Respot
    | Fact
    | CalibrationJudged
    | Knock
    | Repeat
    | RestAgain
    | Timing
    | NotJudged
    | Detection
    | StreakSeen
    | FlightImage
    | FalseInFlight
    | Visit
    | FalseRest
)
RECORDS: dict[str, type[Any]] = {
    t.__name__: t
    for t in (
        BallAtRest,
        ExtraBall,
        LayoutJudged,
        BallInMotion,
        StrokeJudged,
        Identity,
        Pot,
        FirstContact,
        TouchingPair,
        Respot,
        Fact,
        CalibrationJudged,
        Knock,
        Repeat,
        RestAgain,
        Timing,
        NotJudged,
        Detection,
        StreakSeen,
        FlightImage,
        FalseInFlight,
        Visit,
        FalseRest,
    )
}


def to_line(record: Record) -> str:
    """One line of JSON: `{"record": name, ...fields}`, without a newline."""
    return json.dumps(
        {"record": type(record).__name__, **asdict(record)}, separators=(",", ":"), allow_nan=False
    )


def from_line(line: str, source: str = "records") -> Record:
    """The record that `to_line` wrote. Raises UnusableInput when it is none."""
    expected = f"{source}: expected a line of the bench's records"
    try:
        values = json.loads(line)
        kind = RECORDS[values.pop("record")]
        values["where"] = Where(**values["where"])
        values |= {k: tuple(v) for k, v in values.items() if isinstance(v, list)}
        later = {f.name for f in fields(kind) if f.default is not MISSING}  # older runs do not have them
        record: Record = kind(
            **{f.name: values[f.name] for f in fields(kind) if f.name in values or f.name not in later}
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise unusable_input(
            "errors.found_not", expected=expected, line=repr(line[:80]), error=error
        ) from error
    return record


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records as lines, whole or not at all (temporary name, then renamed)."""
    write_text(path, "".join(to_line(r) + "\n" for r in records))


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file, in order. Raises UnusableInput for a line that is none."""
    with path.open(encoding="utf-8") as lines:
        for n, line in enumerate(lines, 1):
            if line.strip():
                yield from_line(line, f"{path} line {n}")
