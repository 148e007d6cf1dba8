"""Evidence for one ruling as one self-contained HTML file, the page that snooker's rule 5.1(c) needs.

A referee who looks again, or an appeals panel, sees on one page: what was ruled by which rule and who decided
it; stills at first contact, at each pot and at rest, enlarged; the first contact in slow motion; the balls'
trails over the real picture; the clip; what was weighed and how sure it is. Pictures and clips are inside the
file, so that it opens and prints without the program, the video or a network.
"""

from __future__ import annotations

import base64
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.files import work_folder
from calibration.texts import clock, unusable_input
from referee.facts.seen import SeenExplanation
from referee.match.explained import Explained, said_alike
from referee.match.weighing import percent
from referee.outputs.annotated import write_annotated
from referee.outputs.convert import means_json
from referee.outputs.diagram import symbols_svg
from referee.outputs.document import Match, Stroke, record_fault, table_of
from referee.outputs.pages import environment
from referee.outputs.report import stroke_view
from referee.outputs.stills import Still, stills_of
from referee.outputs.tracks import Tracks
from referee.outputs.words import Say, clause_of, decided_words, facts_words, means_words, say_of

MARGIN_S = 1.0
MOST_EXPLANATIONS = 16
MOST_SPANS = 8
"""Rulings of the weighed explanations, and explanations of the images, that the page shows; what comes behind
them weighs next to nothing.
"""
SLOWER = 8.0
"""The first contact is shown this many times slower: 25 images a second become three."""
SLOW_BEFORE_S, SLOW_AFTER_S = 0.3, 0.5
"""What is shown of it: the way to the ball, and where both balls go."""
LONGEST_CLIP_S = 90.0
_CLIP = "clip-of-the-stroke-" + secrets.token_hex(16)  # where the clip belongs; nobody's text can hold it
_PIECE_BYTES = 3 << 16  # a multiple of 3, so that pieces of base64 join


def evidence_html(
    match: Match,
    n: int,
    tracks: Tracks,
    video: Path | None,
    journal: Sequence[Mapping[str, Any]] = (),
    blur: bool = False,
    begins_s: float = 0.0,
    weighed: Explained | None = None,
    say: Say | None = None,
) -> str:
    """The page that `write_evidence` writes, as text."""
    with work_folder("cueref-evidence-") as folder:
        page = folder / "page.html"
        write_evidence(
            page, match, n, tracks, video, journal, blur=blur, begins_s=begins_s, weighed=weighed, say=say
        )
        return page.read_text(encoding="utf-8")


def write_evidence(
    target: Path,
    match: Match,
    n: int,
    tracks: Tracks,
    video: Path | None,
    journal: Sequence[Mapping[str, Any]] = (),
    *,
    blur: bool = False,
    begins_s: float = 0.0,
    share: Callable[[float], None] = lambda done: None,
    weighed: Explained | None = None,
    say: Say | None = None,
) -> None:
    """Write the page for stroke `n`; without a readable video it says so instead of showing the clip.

    `weighed`: the explanations that were weighed; `say`: language and turn of the table, else English.
    `journal`: the journal's entries that belong to the stroke, as JSON values. `blur`: people are made
    unrecognisable in the clip. `begins_s`: match time of the video's own 0 (a live stroke's clip). `share`
    is told how much is done. The clip is never in memory as a whole. Raises UnusableInput when there is no
    such stroke, OSError.
    """
    stroke = next((s for s in match["strokes"] if s["n"] == n), None)
    if stroke is None:
        raise unusable_input("errors.one_of_1", n=n, count=len(match["strokes"]))
    told = say or say_of(match)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        clip, seen = None, Pictures((), None)
        if video is not None and video.is_file() and stroke["start_s"] is not None:
            footage = _Footage(video, match, stroke, tracks, blur, begins_s)
            clip, seen = footage.clip(Path(folder), share), footage.pictures(Path(folder), told)
        page = _page(match, stroke, tracks, journal, clip is not None, seen, weighed, told)
        before, _, after = page.partition(_CLIP)
        with target.open("wb") as out:
            out.write(before.encode())
            if clip is not None:
                with clip.open("rb") as file:
                    while piece := file.read(_PIECE_BYTES):
                        out.write(base64.b64encode(piece))
            out.write(after.encode())


@dataclass(frozen=True, slots=True)
class Pictures:
    """The stills of a stroke and its first contact in slow motion (an MP4 file), None without one."""

    stills: tuple[Still, ...]
    slow: bytes | None


@dataclass(frozen=True, slots=True)
class _Footage:
    """A stroke's video, and what is drawn into it. `blur` and `begins_s`: as of `write_evidence`."""

    video: Path
    match: Match
    stroke: Stroke
    tracks: Tracks
    blur: bool
    begins_s: float

    def pictures(self, folder: Path, say: Say) -> Pictures:
        """The stills, and the first contact in slow motion, made in a folder."""
        stills = stills_of(self.video, self.match, self.stroke, self.tracks, self.blur, self.begins_s)
        contact_s = next((s.moment.t_s for s in stills if s.moment.key == "first_contact"), None)
        if contact_s is None:
            return Pictures(stills, None)
        span_s = (max(0.0, contact_s - SLOW_BEFORE_S), contact_s + SLOW_AFTER_S)
        return Pictures(stills, self._drawn(folder, "slow.mp4", span_s, slow=SLOWER, say=say).read_bytes())

    def clip(self, folder: Path, share: Callable[[float], None]) -> Path:
        """The stroke cut from the video with the overlay drawn, as an MP4 file in a folder."""
        start_s = max(0.0, self.stroke["start_s"] - MARGIN_S)
        end_s = min(self.stroke["end_s"] + MARGIN_S, start_s + LONGEST_CLIP_S)
        video = self.match["video"]
        rate_hz = video["images"] / (video["duration_s"] or 1.0) or 25.0
        first: list[int] = []

        def tell(image: int, of: int) -> None:
            first[:] = first or [image]
            share((image - first[0]) / max(1.0, (end_s - start_s) * rate_hz))

        return self._drawn(folder, "clip.mp4", (start_s, end_s), progress=tell)

    def _drawn(
        self,
        folder: Path,
        name: str,
        span_s: tuple[float, float],
        progress: Callable[[int, int], None] | None = None,
        slow: float = 1.0,
        say: Say | None = None,
    ) -> Path:
        """A part of the video with the overlay drawn, as a file in a folder."""
        return write_annotated(
            self.video,
            folder,
            self.match,
            self.tracks,
            progress,
            span_s=span_s,
            name=name,
            blur=self.blur,
            begins_s=self.begins_s,
            slow=slow,
            say=say,
        )


def _page(
    match: Match,
    stroke: Stroke,
    tracks: Tracks,
    journal: Sequence[Mapping[str, Any]],
    with_clip: bool,
    seen: Pictures,
    weighed: Explained | None,
    say: Say,
) -> str:
    """The page with `_CLIP` where the clip belongs."""
    table = table_of(match)
    spans = said_alike(weighed.spans if weighed is not None else ())[:MOST_SPANS]
    page = environment().get_template("evidence.html.j2")
    return page.render(
        match=match,
        view=stroke_view(match, stroke, table, tracks, say),
        stroke=stroke,
        fault=record_fault(match),
        t=say.t,
        language=say.texts.language,
        symbols=symbols_svg(table),
        clip=_CLIP if with_clip else "",
        slow=base64.b64encode(seen.slow).decode() if seen.slow else "",
        slower=f"{SLOWER:g}",
        stills=[_still_view(s, say) for s in seen.stills],
        weighed=_weighed(match, weighed, say),
        spans=[_span_view(e, weight, say) for e, weight in spans],
        positions=[(say.t(f"evidence.{x}"), _positions(stroke, x, say)) for x in ("before", "after")],
        journal=[_journal_row(e, say) for e in journal],
        clock=clock,
        **_rule(stroke, say),
    )


def _rule(stroke: Stroke, say: Say) -> dict[str, str]:
    """By which rule a stroke was ruled and who decided it, by the names of the page's template."""
    reason = stroke["foul"].get("reason") if stroke["foul"] else None
    return {
        "clause": clause_of(stroke),
        "rule_name": say.t(f"fouls.{reason}") if reason else "",
        "rule_sentence": say.t(f"rule_sentence.{reason}") if reason else "",
        "decided": decided_words(stroke, say, "watch.open", "watch.certain"),
    }


def _still_view(still: Still, say: Say) -> dict[str, str]:
    m = still.moment
    words = say.t(
        f"evidence.still_{m.key}",
        ball=say.ball(m.ball) if m.ball else "",
        pocket=say.pocket(m.pocket) if m.pocket else "",
    )
    return {
        "words": words,
        "time": f"{still.t_s:.2f} s",
        "picture": base64.b64encode(still.picture).decode(),
        "close_up": base64.b64encode(still.close_up).decode() if still.close_up else "",
    }


def _weighed(match: Match, weighed: Explained | None, say: Say) -> list[dict[str, Any]]:
    """The explanations with their weight in percent, ruling, and what speaks for and against each; those that
    say and mean the same as one.
    """
    if weighed is None:
        return []
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for e in weighed.explanations:
        facts = {k: v for k, v in e.outcome.facts if v not in ("-", "unknown")}
        said = facts_words(match, facts, say)
        ruling = means_words(match, means_json(e.outcome, match["game"]), say)
        grounds = [f"{say.seen(g.seen)} ({percent(g.share)})" for g in (*e.supported, *e.opposed) if g.seen]
        row = found.setdefault(
            (said, ruling),
            {"share": 0.0, "facts": said, "ruling": ruling, "stands": e.agrees, "grounds": grounds},
        )
        row["share"] += e.weight
    rows = sorted(found.values(), key=lambda row: -row["share"])[:MOST_EXPLANATIONS]
    return [row | {"weight": percent(row["share"])} for row in rows]


def _span_view(e: SeenExplanation, weight: float, say: Say) -> dict[str, Any]:
    """An explanation of the images as a whole: weight in percent, what it says, each part for or against."""
    if not e.first_known and e.first_contact is not None:
        said = [say.t("evidence.sets_off", ball=say.ball(e.first_contact))]
    elif e.first_contact is None:
        said = [say.t("evidence.nothing_hit")]
    else:
        said = [say.t("evidence.still_first_contact", ball=say.ball(e.first_contact))]
    said += [say.t("evidence.over", ball=say.ball(ball)) for ball in e.over]
    said += [
        say.t("evidence.still_pot", ball=say.ball(ball), pocket=say.pocket(pocket))
        if pocket is not None
        else say.t("evidence.unseen_pot", ball=say.ball(ball))
        for ball, pocket, _ in e.pots
    ] or [say.t("evidence.nothing_potted")]
    parts = [f"{say.t(f'evidence.part_{name}')} {value:+.1f}" for name, value in e.nats if abs(value) >= 0.05]
    return {"weight": percent(weight), "words": "; ".join(said), "parts": parts}


def _journal_row(entry: Mapping[str, Any], say: Say) -> tuple[str, str, str, str]:
    """Number, time, author and what was written; what the camera saw by its seal in the chain."""
    seal = f"{entry['kind']}, chain {str(entry['chain'])[:16]} …" if "chain" in entry else ""
    at = str(entry.get("at", ""))[:19].replace("T", " ")
    return str(entry.get("entry", "")), at, str(entry["who"]), say.phrase(str(entry.get("words", seal)))


def _positions(stroke: Stroke, when: str, say: Say) -> list[tuple[str, str, str, str]]:
    layout = stroke["before"] if when == "before" else stroke["after"]
    return [
        (say.ball(colour), f"{p[0]:.1f}", f"{p[1]:.1f}", f"{p[2]:.1f}")
        for colour, places in layout.items()
        for p in places
    ]
