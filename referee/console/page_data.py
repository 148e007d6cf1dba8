"""The data of the console's pages: JSON values made from a match document. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from calibration.table.board import origin_of_records_mm
from calibration.table.games import PIECES, counts_points, is_snooker
from calibration.table.lines import surface_lines
from calibration.table.pieces import colour_of
from referee.console.placement import due_place, finding_of
from referee.match.fold import things
from referee.match.games.spotting import spots_of
from referee.match.snooker.calls import STATE_SET
from referee.outputs import words
from referee.outputs.diagram import FILLS, LETTERS, mark_scale, surface_colours
from referee.outputs.document import (
    Match,
    Stroke,
    break_of,
    camera_of_match,
    cue_ball_of,
    frames_won,
    is_declared,
    name_of,
    rate_hz_of,
    record_fault,
    table_of,
)
from referee.outputs.games import scorer_of
from referee.outputs.games.report import figures
from referee.outputs.open_questions import OpenQuestion, hanging_on, open_questions, root_of
from referee.outputs.report import ball_bars, share_words, statistic_rows
from referee.outputs.statistics import PlayerStatistics, statistics_of
from referee.outputs.tracks import Tracks, simplified_indices
from referee.outputs.view import turn_of
from referee.outputs.words import PLAIN, Say
from referee.rules.registry import GAMES, unit_of
from referee.rules.snooker.facts import VALUES

PATH_TOLERANCE_MM = 1.0  # a drawn path may leave out points this near to it


def header(
    match: Match,
    ident: str,
    version: int,
    has_video: bool,
    editable: bool,
    running: bool = False,
    say: Say = PLAIN,
) -> dict[str, Any]:
    """All of a match but its strokes."""
    waiting = [q for q in open_questions(match) if not q.set_aside]
    return {
        "id": ident,
        "version": version,
        "game": match["game"],
        "players": match["players"],
        "score": match["score"],
        "frames": match["frames"],
        "won": frames_won(match["frames"]),
        "start": match["start"],
        "video": {**match["video"], "available": has_video},
        "rate_hz": rate_hz_of(match),
        "warnings": [{**w, "text": words.note_words(match, w, say)} for w in match["warnings"]],
        "calls": sum(s["verdict"] == "call" for s in match["strokes"]),
        "open": len(waiting),
        "hanging": hanging_on(waiting),
        "provisional": sum(any(counts(match, s) for s in (q.stroke, *q.hanging)) for q in waiting),
        "editable": editable,
        "running": running,
        "record_fault": record_fault(match),
        "told": is_declared(match),
        "unit": unit_of(match["game"]),
        "infringements": _infringements(match["game"], say),
        "uncalled_lapses": match["game"] in GAMES and GAMES[match["game"]].uncalled_lapses,
        "judgements": list(GAMES[match["game"]].judgements) if match["game"] in GAMES else [],
        "nominates": bool({"nominated", "called"}.intersection(things(match["game"]))),
        "object_balls": list(PIECES.get(match["game"], PIECES["snooker"]).object_balls),
        **table_shape(match),
    }


def _infringements(game: str, say: Say) -> list[str]:
    """What a person may say that was done wrong in a stroke, as the game's rules call it. Of two words that
    read alike the first is offered.
    """
    known = GAMES[game].infringements if game in GAMES else ()
    return list({say.t(f"fouls.{word}"): word for word in reversed(known)}.values())[::-1]


def table_shape(match: Match) -> dict[str, Any]:
    """The table and the balls' colours, as the diagram draws them.

    Places are in the frame of the match's records; `centre_mm`: how far the table's bottom lies below its
    origin.
    """
    table = table_of(match)
    down = origin_of_records_mm(table)
    return {
        "turn": turn_of(match),
        "pockets_px": _pockets_px(match),
        "letters": LETTERS,
        "fills": FILLS,
        "table": {
            "length_mm": table.length_mm,
            "centre_mm": down,
            "half_width_mm": table.half_width_mm,
            "ball_radius_mm": table.ball_radius_mm,
            "baulk_line_mm": table.baulk_line_mm,
            "lines": [[[round(x, 1), round(y - down, 1)] for x, y in line] for line in surface_lines(table)],
            "colours": surface_colours(table),
            "disc_mm": table.piece_height_mm,
            "mark_scale": mark_scale(table),
            "spots": {name: (x, y - down) for name, (x, y) in table.spots.items()},
            "pockets": [
                {"name": p.name, "x": p.x_mm, "y": p.y_mm - down, "r": p.drop_radius_mm}
                for p in table.pockets
            ],
        },
    }


def _pockets_px(match: Match) -> dict[str, list[float]]:
    """Where the video shows each pocket, in px; empty without a camera."""
    camera, table = camera_of_match(match), table_of(match)
    if camera is None:
        return {}
    places = camera.pixels_from_table([(p.x_mm, p.y_mm, 0.0) for p in table.pockets])
    found = {
        p.name: [round(float(x), 1), round(float(y), 1)]
        for p, (x, y) in zip(table.pockets, places, strict=True)
    }
    return {name: xy for name, xy in found.items() if all(map(math.isfinite, xy))}


def rows(match: Match, say: Say = PLAIN) -> list[dict[str, Any]]:
    """The list of strokes."""
    roots = root_of(open_questions(match))
    return [row(match, s, say, roots.get(s["n"])) for s in match["strokes"]]


def row(match: Match, s: Stroke, say: Say = PLAIN, root: int | None = None) -> dict[str, Any]:
    """One line of the list of strokes. `root`: the stroke on whose question this one hangs."""
    kind = "call" if s["verdict"] == "call" else "foul" if s["foul"] else "points" if s["points"] else "plain"
    return {
        "n": s["n"],
        "frame": s["frame"],
        "side": s["striker"],
        "striker": name_of(match, s["striker"]),
        "start_s": s["start_s"],
        "end_s": s["end_s"],
        "on": words.ball_on_words(s, say),
        "happened": words.happened(s, say),
        "ruling": words.ruling_words(match, s, say),
        "clause": words.clause_of(s),
        "kind": kind,
        "hangs_on": root,
        "score": s["score"],
        "break": break_of(s),
        "fell": [colour_of(p["ball"]) for p in s["potted"]],
        "state_words": _state_words(s, say),
        "decided": s.get("decided"),
    }


def _state_words(s: Stroke, say: Say) -> list[list[str]]:
    """The state after a stroke as label and words, and on which question it hangs."""
    hangs = words.state_hangs_words(s, say)
    return [
        *words.state_words(s.get("state_words", []), say),
        *([[say.t("console.state_after"), hangs]] if hangs else []),
    ]


def stroke_detail(match: Match, s: Stroke, tracks: Tracks, say: Say = PLAIN) -> dict[str, Any]:
    """A stroke with all its facts and the paths of the balls that moved, `[t_s, x_mm, y_mm]` each."""
    paths = []
    for ball, rows in tracks.items():
        path = rows.between(s["start_s"] - 1e-6, s["end_s"] + 1e-6)
        seen = [
            (t, xy)
            for t, xy, state in zip(path.t_s, path.xy_mm, path.state, strict=True)
            if state != "hidden"
        ]
        if sum(state == "moving" for state in path.state) >= 2:
            keep = simplified_indices([xy for _, xy in seen], PATH_TOLERANCE_MM)
            points = [[round(seen[k][0], 3), round(seen[k][1][0], 1), round(seen[k][1][1], 1)] for k in keep]
            paths.append({"ball": ball, "colour": colour_of(ball), "points": points})
    return {
        **s,
        **row(match, s, say, root_of(open_questions(match)).get(s["n"])),
        "cue": cue_ball_of(s),
        "paths": paths,
        "answered_words": words.answered_words(s, say),
        "option_words": [words.choice_words(match, o, say) for o in s["options"]],
        "score_before": score_before(match, s),
    }


def score_before(match: Match, s: Stroke) -> list[int]:
    """The score of the frame when a stroke begins."""
    before = [x for x in match["strokes"] if x["n"] < s["n"] and x["frame"] == s["frame"]]
    if before:
        return list(before[-1]["score"])
    first = not any(x["n"] < s["n"] for x in match["strokes"])
    return list(match["start"]["score"]) if first else [0, 0]


def counts(match: Match, s: Stroke) -> bool:
    """Whether the score hangs on a stroke: not where a person set the state after it."""
    set_s = [w["t_s"] for w in match["warnings"] if w["type"] == STATE_SET and w["t_s"] is not None]
    return s["end_s"] is None or s["end_s"] > max(set_s, default=-math.inf)


def _matters(q: OpenQuestion) -> bool:
    """Whether what follows depends on a question: strokes hang on it, or its answers differ in the score or
    in who plays next.
    """
    means = [c["means"] for c in q.stroke["candidates"] if isinstance(c.get("means"), dict)]
    following = {(tuple(m.get("score") or ()), m.get("next_striker")) for m in means if isinstance(m, dict)}
    return bool(q.hanging) or len(following) != 1


def questions(match: Match, say: Say = PLAIN, newest_first: bool = False) -> list[dict[str, Any]]:
    """Every open question, the one that holds up the game first, those that were set aside last.

    A question comes before the strokes that hang on it, which stand behind it: its `hanging` has their
    numbers, their `hangs_on` has its own. `newest_first`: of a match that is being played, where the last
    stroke decides who goes on.
    """
    found = sorted(open_questions(match), key=lambda q: _place(q, newest_first))
    return [
        shown
        for q in found
        for shown in (
            question(match, q.stroke, say, None, q.hanging),
            *(question(match, s, say, q.stroke["n"]) for s in q.hanging),
        )
    ]


def _place(q: OpenQuestion, newest_first: bool) -> tuple[bool, bool, int]:
    """Where a question stands: one of which a person said that he does not know waits for nobody."""
    n = q.stroke["n"]
    if newest_first:
        return q.set_aside, False, n if q.set_aside else -n
    return q.set_aside, not (q.set_aside or _matters(q)), n


def question(
    match: Match, s: Stroke, say: Say = PLAIN, root: int | None = None, hanging: Sequence[Stroke] = ()
) -> dict[str, Any]:
    """A referee's call: the one question and what each answer would mean for the score.

    `root`: the stroke on whose question this one hangs; `hanging`: the strokes that hang on this one.
    """
    answers, practice = [], s["striker"] is None
    for index, c in enumerate(s["candidates"]):
        means = c.get("means")
        answers.append(
            {
                "index": index,
                "facts": words.facts_words(match, c["facts"], say),
                "labels": c["facts"],
                "weight": c["weight"],
                "means": words.means_words(match, means, say, practice),
                "score": means.get("score") if isinstance(means, dict) and not practice else None,
                "otherwise": [
                    {
                        "facts": words.facts_words(match, o["facts"], say),
                        "weight": o["weight"],
                        "means": words.means_words(match, o["means"], say, practice),
                    }
                    for o in c.get("otherwise", ())
                ],
            }
        )
    return {
        **row(match, s, say, root),
        "hanging": [h["n"] for h in hanging],
        "question": words.question_words(match, s, say, False),
        "answers": answers,
        "measured": len({round(c["weight"], 3) for c in s["candidates"]}) > 1,
        "ball_on": s["ball_on"],
        "score_before": score_before(match, s),
    }


def spots(match: Match, tolerance_mm: float, say: Say = PLAIN) -> list[dict[str, Any]]:
    """Every respot against its due place, with what keeps a colour from its own spot."""
    table, coloured = table_of(match), is_snooker(match["game"])
    named = {spot.name: at for spot, at in spots_of(match["game"], table)}
    marks, out = table.spots if coloured else named, []
    for c in match["spotting"]:
        home = c["ball"] if coloured else c["spot"]
        due, own = due_place(c, marks), marks.get(home)
        beside = own is not None and due is not None and math.dist(own, due) > 1.0
        out.append(
            {
                **c,
                "finding": finding_of(c["offset_mm"], c["sigma_mm"], tolerance_mm),
                "instead": say.t("spots.the_spot", spot=say.ball(c["spot"]))
                if c["spot"] != home
                else say.t("spots.beside")
                if beside
                else None,
                "occupied_by": [say.ball(b) for b in c.get("occupied_by", ())],
                "due": list(due) if due else None,
            }
        )
    return out


def statistics(match: Match, tracks: Tracks, say: Say = PLAIN) -> dict[str, Any]:
    """The figures of both sides, breaks, points over time and what was potted."""
    if is_declared(match):
        return _game_statistics(match)
    stats, scorer = statistics_of(match, tracks), scorer_of(match["game"])
    timeline = [[s["n"], s["frame"], *s["score"]] for s in match["strokes"]]
    return {
        "rows": [list(r) for r in statistic_rows(match["game"], stats, say)],
        "attempts": "pot_success" in scorer.figures,
        "breaks": [
            {
                "player": name_of(match, b.side),
                "side": b.side,
                "frame": b.frame,
                "points": b.points,
                "first": b.first,
                "last": b.last,
                "balls": list(b.balls),
            }
            for b in stats.breaks[:20]
        ],
        "timeline": timeline,
        "bars": [[list(b) for b in ball_bars(s)] for s in stats.sides],
        "visits": [
            [b.first, "AB".index(b.side), b.points, b.frame]
            for b in sorted(stats.breaks, key=lambda b: b.first)
        ],
        "points": [_points_bars(s) if scorer.pots_alone_score else [] for s in stats.sides],
        "pots": [share_words(s.pots, say) for s in stats.sides],
    }


def _points_bars(side: PlayerStatistics) -> list[list[object]]:
    """Where a side's points came from: source, fill, points, share in percent; fouls last."""
    points = dict(side.points_by_ball)
    parts = [(c, FILLS[c], points[c]) for c in LETTERS if points.get(c)]
    parts += [("fouls", "#8a94a0", side.points_from_fouls)] if side.points_from_fouls else []
    whole = sum(n for _, _, n in parts)
    return [[name, fill, n, 100.0 * n / whole] for name, fill, n in parts]


def overlay(match: Match, until: int | None = None, say: Say = PLAIN) -> dict[str, Any]:
    """The scoreboard after stroke `until` (default: the last one)."""
    strokes = [s for s in match["strokes"] if until is None or s["n"] <= until]
    shown = _overlay_before(match)
    if strokes:
        last = strokes[-1]
        shown |= {
            "frame": last["frame"],
            "score": list(last["score"]),
            "side": last.get("next_striker") or last["striker"],
            "ruling": words.ruling_words(match, last, say) if last["foul"] else "",
            "clause": words.clause_of(last),
            "stroke": last["n"],
        }
    if is_declared(match):
        return shown | _declared_overlay(match, strokes, shown["frame"])
    return shown | _snooker_overlay(match, strokes, shown)


def _overlay_before(match: Match) -> dict[str, Any]:
    """The scoreboard before the first stroke."""
    return {
        "players": match["players"],
        "frames": [0, 0],
        "frame": 1,
        "score": list(match["start"]["score"]),
        "side": match["start"]["striker"],
        "break": 0,
        "balls": [],
        "remaining": None,
        "snookers": 0,
        "ruling": "",
        "clause": "",
        "call": False,
        "stroke": 0,
        "fills": FILLS,
        "letters": LETTERS,
    }


def _snooker_overlay(match: Match, strokes: list[Stroke], shown: dict[str, Any]) -> dict[str, Any]:
    """What snooker adds to the scoreboard `shown`: frames won, the break and its balls, points remaining."""
    frames = [f for f in match["frames"] if f["n"] <= shown["frame"]]
    won = {"frames": frames_won(frames)}
    if not strokes:
        return won
    last, remaining = strokes[-1], points_remaining(strokes[-1])
    carries_on = shown["side"] == last["striker"] and not last["foul"]
    run = break_of(last) if carries_on else 0
    return won | {
        "break": run,
        "balls": _balls_of_break(strokes) if run else [],
        "remaining": remaining,
        "snookers": snookers_required(shown["score"], remaining, last.get("next_ball_on")),
        "call": last["verdict"] == "call",
    }


def _balls_of_break(strokes: list[Stroke]) -> list[str]:
    """The colours potted in the break that the last stroke continues, in order."""
    side, frame = strokes[-1]["striker"], strokes[-1]["frame"]
    same = takewhile(
        lambda s: s["striker"] == side and s["frame"] == frame and not s["foul"], reversed(strokes)
    )
    return [colour_of(p["ball"]) for s in reversed(list(same)) for p in s["potted"]]


def _declared_overlay(match: Match, strokes: list[Stroke], frame: int) -> dict[str, Any]:
    """What a game judged from a facts file adds to the scoreboard: its unit, frames won, the break."""
    at_end = not strokes or strokes[-1] is match["strokes"][-1]
    frames = [f for f in match["frames"] if at_end or f["n"] < frame]
    return {
        "unit": unit_of(match["game"]),
        "frames": frames_won(frames),
        "break": break_of(strokes[-1]) if strokes and counts_points(match["game"]) else 0,
    }


def points_remaining(s: Stroke) -> int | None:
    """The value of the balls still to be potted after a stroke, without fouls (snooker 3.1(a)).

    A match.json of an older version lacks it: then each red on the table counts 8, the colours 27, and a
    colour on after a red 7.
    """
    if "remaining" in s:
        return s["remaining"]
    on = s.get("next_ball_on")
    if on is None:
        return None
    if on in VALUES and on != "red":
        return sum(v for v in VALUES.values() if v >= VALUES[on])
    return 8 * len(s["after"].get("red", [])) + 27 + (7 if on == "any_colour" else 0)


def snookers_required(score: list[int], remaining: int | None, ball_on: str | None = None) -> int:
    """How many fouls of the least penalty the side behind needs to level; 0 when the balls are enough.

    The least penalty is 4, or the value of the ball on when that is higher (snooker 3.11).
    """
    if remaining is None:
        return 0
    return max(0, math.ceil((abs(score[0] - score[1]) - remaining) / max(4, VALUES.get(ball_on or "", 0))))


def _game_statistics(match: Match) -> dict[str, Any]:
    """The statistics of strokes from a facts file, in the shape of a video match's statistics."""
    return {
        "rows": [list(r) for r in figures(match)],
        "attempts": False,
        "breaks": [],
        "timeline": [[s["n"], s["frame"], *s["score"]] for s in match["strokes"]],
        "bars": [[], []],
        "pots": ["–", "–"],
        "visits": [],
        "points": [[], []],
    }
