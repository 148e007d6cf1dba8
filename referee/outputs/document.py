"""`match.json`: its types, its published JSON Schema, reading and writing.

The schema (draft 2020-12) is package data, `schema/match.schema.json`; `cueref export --schema` prints
it. Unknown is null, never left out; readers ignore keys that they do not know.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NotRequired, TypedDict, cast

import jsonschema_rs

from calibration import json_text
from calibration.camera import Camera
from calibration.files import whole_file
from calibration.result import built_from
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input

MATCH_FILE = "match.json"
UNFILMED_HZ = 25.0
"""Images a second that pages and markers count in where a match has no video."""
_MOST_S = 1e9
"""Thirty years: what a page, a chapter or a marker can still show as a time."""
MAX_MATCH_BYTES = 256 * 2**20
"""A match of 35 frames and 2,000 strokes has about 10 MB; what is far larger is not one of ours."""

_QUOTED = 60  # characters of a value that a message quotes

PositionMm = tuple[float, float, float] | list[float]
"""x_mm, y_mm, sigma_mm."""
LayoutByColour = dict[str, list[PositionMm]]


class FirstContactJson(TypedDict):
    ball: str
    t_s: float | None
    confidence: float
    colour_confidence: NotRequired[float]  # that it was a ball of this colour, where several may have been


class ContactJson(TypedDict):
    balls: list[str]
    t_s: float | None
    confidence: float


class CushionJson(TypedDict):
    ball: str
    cushion: str
    t_s: float | None
    confidence: float | None


class PotJson(TypedDict):
    ball: str
    pocket: str | None
    t_s: float | None
    confidence: float


class PossibleBallJson(TypedDict):
    x_mm: float
    y_mm: float
    probability: float


class FoulJson(TypedDict):
    clause: str | None
    penalty: int
    penalty_to: str | None
    reason: NotRequired[str | None]


class CandidateJson(TypedDict):
    facts: dict[str, Any]
    weight: float
    means: NotRequired[dict[str, Any] | str | None]
    otherwise: NotRequired[list[dict[str, Any]]]


class DecidedJson(TypedDict):
    """Who said the last word on a stroke, and when (UTC). `unknown`: that person does not know either."""

    by: str
    at: str
    unknown: bool


class Stroke(TypedDict):
    """One stroke; the key `break` is read by `break_of`, because it is a word of Python's."""

    n: int
    frame: int
    striker: str | None
    start_s: float
    end_s: float
    ball_on: str | None
    nominated: str | None
    free_ball: bool
    before: LayoutByColour
    after: LayoutByColour
    first_contact: FirstContactJson | None
    contacts: list[ContactJson]
    cushions: list[CushionJson]
    potted: list[PotJson]
    cue_ball: str
    cue_ball_pocket: str | None
    struck: NotRequired[str]  # where the game has two cue-balls
    off_table: list[str]
    touching: list[str]
    touching_gaps: NotRequired[list[TouchingGapJson]]
    may_be: NotRequired[dict[str, dict[str, float]]]
    possible_balls: NotRequired[list[PossibleBallJson]]
    foul: FoulJson | None
    miss: bool | None
    points: int
    score: list[int]
    options: list[str]
    verdict: str
    question: str | None
    candidates: list[CandidateJson]
    gap_before: bool
    entry: NotRequired[int]
    vanished: NotRequired[list[str]]
    next_striker: NotRequired[str | None]
    next_ball_on: NotRequired[str | None]
    next_free_ball: NotRequired[bool]
    remaining: NotRequired[int | None]
    state_hangs_on: NotRequired[int]  # what stands after it hangs on that stroke's question
    answered: NotRequired[float]  # a question that what followed answered, with this weight
    words: NotRequired[list[str]]
    unseen: NotRequired[bool]
    due: NotRequired[list[dict[str, Any]]]
    asked: NotRequired[list[AskedJson]]
    decided: NotRequired[DecidedJson]
    # of declared facts start_s, end_s, free_ball and points may be null
    ruling: NotRequired[dict[str, Any]]  # declared facts only, as are the next two
    game_state: NotRequired[dict[str, Any]]
    state_words: NotRequired[list[list[str]]]


class FrameJson(TypedDict):
    n: int
    first_stroke: int | None
    score: list[int]
    winner: str | None
    ended: NotRequired[str | None]


class AskedJson(TypedDict):
    """A sentence of a question: a text of `[questions]` and what fills it in, as `judged.Asked` has them."""

    text: str
    values: dict[str, str]


class TouchingGapJson(TypedDict):
    ball: str
    gap_mm: float
    sigma_mm: float
    verdict: str


class SpottingJson(TypedDict):
    ball: str
    spot: str
    t_s: float
    dx_mm: float
    dy_mm: float
    offset_mm: float
    sigma_mm: float
    ok: bool | None
    due_mm: NotRequired[list[float] | None]
    occupied_by: NotRequired[list[str]]
    reference: NotRequired[str]


class WarningJson(TypedDict):
    type: str
    t_s: float | None
    text: str


class UnusableJson(TypedDict):
    start_s: float
    end_s: float
    reason: str
    text: str


class VideoJson(TypedDict):
    file: str | None
    width: int
    height: int
    images: int
    duration_s: float


class CalibrationJson(TypedDict):
    residual_px: float | None
    residual_mm: float | None
    camera: dict[str, Any] | None
    table: NotRequired[dict[str, Any] | None]
    baulk_certainty: NotRequired[float]


class StartJson(TypedDict):
    striker: str | None
    ball_on: str | None
    score: list[int]
    assumed: bool


class Match(TypedDict):
    """The whole document of `match.json`."""

    schema: int
    game: str
    players: list[str]
    start: StartJson
    video: VideoJson
    calibration: CalibrationJson
    frames: list[FrameJson]
    strokes: list[Stroke]
    hands: list[dict[str, Any]]
    spotting: list[SpottingJson]
    warnings: list[WarningJson]
    score: list[int]
    unusable: NotRequired[list[UnusableJson]]  # a video only
    facts: NotRequired[dict[str, Any]]  # declared facts only, as are the next two
    match: NotRequired[dict[str, Any]]
    rulings: NotRequired[list[dict[str, Any]]]


def is_declared(match: Match) -> bool:
    """Whether the match was judged from declared facts: without positions, perhaps without times."""
    return "facts" in match


RECORD_CHANGED = "journal_changed"
"""Type of the warning that a match's journal was changed after it was written."""


def with_changed_record(match: Match, sentence: str | None) -> Match:
    """The match with the sentence that its journal was changed as the first warning; as it is for None."""
    if sentence is None or record_fault(match) is not None:
        return match
    warning: WarningJson = {"type": RECORD_CHANGED, "t_s": None, "text": sentence}
    return {**match, "warnings": [warning, *match["warnings"]]}


def record_fault(match: Match) -> str | None:
    """The sentence that the match's journal was changed after it was written; None where it was not.

    Every export carries it.
    """
    return next((w["text"] for w in match["warnings"] if w["type"] == RECORD_CHANGED), None)


def frames_won(frames: Iterable[FrameJson]) -> tuple[int, int]:
    """How many of the frames A and B won."""
    winners = [f["winner"] for f in frames]
    return winners.count("A"), winners.count("B")


def break_of(stroke: Stroke) -> int:
    """The striker's break after this stroke (`break` is a Python keyword, so no typed key)."""
    value = cast("Mapping[str, Any]", stroke)["break"]
    return int(value or 0)


def cue_ball_of(stroke: Stroke) -> str:
    """The piece that is struck: snooker's white, pool's cue-ball, carrom's striker, a white of billiards."""
    usual = next((kind for kind in ("striker", "cue") if kind in stroke["before"]), "white")
    return stroke.get("struck", usual)


def schema_text() -> str:
    """The published JSON Schema of `match.json`, as text."""
    return (resources.files("referee.outputs") / "schema" / "match.schema.json").read_text(encoding="utf-8")


@cache
def _validator() -> jsonschema_rs.Validator:
    """A masked message does not quote the value, which may be the whole match."""
    return jsonschema_rs.validator_for(json.loads(schema_text()), mask="it")


def problem_of(document: object) -> str | None:
    """The first thing that the schema finds wrong with a document, as `path: words`; None if it conforms."""
    try:
        _validator().validate(document)
    except jsonschema_rs.ValidationError as error:
        path = "/".join(str(p) for p in error.instance_path) or "(top)"
        return f"{path}: {error.message}, found {repr(error.instance)[:_QUOTED]}"
    return None


def folder_of(path: Path) -> Path:
    """The folder of a match that is given as its folder or as a file in it."""
    return path if path.is_dir() else path.parent


def rate_hz_of(match: Match) -> float:
    """Images a second of the match's video; `UNFILMED_HZ` without one."""
    video = match["video"]
    return video["images"] / video["duration_s"] if video["duration_s"] else UNFILMED_HZ


def read_match(path: Path) -> Match:
    """Read and validate a `match.json`, given as file or as the folder that holds it.

    Raises UnusableInput when it is missing, too large, no JSON or not as the schema wants it.
    """
    file = path / MATCH_FILE if path.is_dir() else path
    if not file.is_file():
        raise unusable_input("errors.reviews_folder", path=path, match_file=MATCH_FILE)
    size = file.stat().st_size
    if size > MAX_MATCH_BYTES:
        raise unusable_input(
            "errors.most_bytes_of_match_json", file=file, max_match_bytes=MAX_MATCH_BYTES, size=size
        )
    try:
        document = json_text.loads(file.read_bytes())
    except ValueError as error:
        raise unusable_input("errors.json_as_cueref_review_writes_it", file=file, error=error) from None
    problem = problem_of(document) or _odd_span(document)
    if problem is not None:
        raise unusable_input("errors.match_json_of_schema_1", file=file, problem=problem)
    return cast("Match", document)


def _odd_span(document: Match) -> str | None:
    """The first stroke with half a span, or a time that no clock shows; None without one."""
    for k, s in enumerate(document["strokes"]):
        span = s["start_s"], s["end_s"]
        if (span[0] is None) != (span[1] is None):
            return f"strokes/{k}: start_s and end_s belong together"
        if any(t is not None and abs(t) > _MOST_S for t in span):
            return f"strokes/{k}: a time of more than {_MOST_S:g} s"
    return None


def match_bytes(match: Match) -> bytes:
    """The document as bytes, one stroke, hand or warning a line: the same match gives the same file.

    Nothing is rounded here: a document has its digits since it was made (`digits.meant`).
    """
    parts = [f"{json.dumps(key)}: {_lines(value)}" for key, value in match.items()]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8")


def _lines(value: object) -> str:
    """JSON text; the elements of a list of objects stand on lines of their own (and C encodes each)."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(_json(v) for v in value) + "\n]"
    return _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def write_match(out_dir: Path, match: Match, *, check: bool = True) -> Path:
    """Write `match.json` into `out_dir` (made when missing), whole or not at all.

    Raises ValueError when the document does not conform to the schema: the caller's mistake.
    """
    data = match_bytes(match)
    problem = problem_of(json.loads(data)) if check else None
    if problem is not None:
        raise ValueError(f"match does not conform to its schema: {problem}")
    target = out_dir / MATCH_FILE
    with whole_file(target) as temporary:
        temporary.write_bytes(data)
    return target


def table_of(match: Match) -> TableSpec:
    """The table that the match was reviewed on; the full-size table when the file does not say."""
    given = match["calibration"].get("table")
    if not given:
        return TableSpec()
    known = {k: v for k, v in given.items() if k in TableSpec.__dataclass_fields__}
    try:
        spec: TableSpec = built_from(TableSpec, known)
        return spec
    except (TypeError, ValueError, ArithmeticError):
        return TableSpec()


def camera_from_record(record: Mapping[str, Any] | None) -> Camera | None:
    """The camera that `calibration.camera` of a match describes; None when there is none or it is odd."""
    if not record:
        return None
    known: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v
        for k, v in record.items()
        if k in Camera.__dataclass_fields__
    }
    try:
        camera: Camera = built_from(Camera, known)
        return camera
    except (TypeError, ValueError, ArithmeticError):
        return None


def camera_of_match(match: Match) -> Camera | None:
    """The camera of a match; None where its record has none."""
    return camera_from_record(match["calibration"]["camera"])


def name_of(match: Match, side: str | None) -> str:
    """The player's name for side A or B; a dash when nobody is known."""
    return match["players"]["AB".index(side)] if side in ("A", "B") else "–"


def _plain(value: object) -> object:
    """Numbers of numpy as Python's; anything else is a mistake of the caller."""
    item = getattr(value, "item", None)
    if callable(item):
        plain = item()
        if isinstance(plain, float) and not math.isfinite(plain):
            raise ValueError(f"expected a finite number, got {plain!r}")
        return plain
    raise TypeError(f"expected plain JSON values, got {type(value).__name__}")
