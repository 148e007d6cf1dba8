"""Which clauses of English billiards are implemented, and where (`cueref cases --coverage
english_billiards`).

`where` names an attribute of a module: `spots.first_free` is `english_billiards_spots.first_free`.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules.english_billiards.acts import NOTED_RULES

CENSUSES: tuple[str, ...] = ("english_billiards", "billiards_commentary")

_AT: Mapping[str, tuple[str, ...]] = {
    "calibration.table.specs.SNOOKER_TABLE": ("1.1(a)", "1.1(c)", "1.1(d)", "1.1(e)", "1.2"),
    "types.Spot": ("1.1(f)",),
    "acts.change_balls": ("1.2(b)",),
    "types.State": ("2.1", "2.3", "2.5", "2.12(a)", "2.12(c)", "2.13(a)"),
    "match.Match": ("2.2",),
    "acts.string_winner": ("2.4",),
    "types.Stroke": ("2.6(a)", "2.6(c)", "2.6(d)"),
    "english_billiards.score_parts": ("2.7", "2.8", "2.10", "3.4(a)", "3.4(b)", "3.4(c)", "3.4(d)"),
    "fouls.is_hazard": ("2.9",),
    "english_billiards.judge_stroke": ("2.6(b)", "2.11", "2.12(b)", "3.1", "3.2(b)", "3.3"),
    "types.RedState": ("2.13(b)", "3.8(e)"),
    "spots.in_baulk": ("2.14",),
    "types.Reason.BALL_OFF_TABLE": ("2.15", "3.14(i)"),
    "fouls.faults": ("2.16", "2.18", "3.14(n)", "3.14(q)", "2.17", "3.16"),
    "spots.occupied": ("2.19",),
    "types.Reason.PUSH_STROKE": ("2.20", "3.14(h)"),
    "types.Reason.JUMP_SHOT": ("2.21", "3.14(g)"),
    "english_billiards.opening": ("3.2", "3.17"),
    "types.Stroke.time_called": ("3.5(a)",),
    "english_billiards.ended_by_time": ("3.5(b)", "3.5(c)"),
    "types.Rules.target": ("3.5(d)",),
    "fouls.improper_in_hand": ("3.6", "3.6(c)", "3.6(d)", "3.6(e)", "3.6(f)", "3.14(e)"),
    "acts.placed_in_d": ("3.6(a)",),
    "acts.tip_touched_cue_ball": ("3.6(b)",),
    "acts.is_in_baulk": ("3.7",),
    "spots.spot_red": ("3.8(a)", "3.8(b)", "3.8(c)", "3.8(g)"),
    "acts.tell": ("3.8(d)", "3.9(b)", "3.10(b)"),
    "acts.red_touched": ("3.8(f)",),
    "fouls.cannon_limit": ("3.9", "3.14(k)"),
    "fouls.hazard_limit": ("3.10", "3.14(j)"),
    "spots.hazard_limit_placement": ("3.10(c)",),
    "acts.edge_fall": ("3.11(a)",),
    "types.EdgeFall": ("3.11(b)", "3.11(c)"),
    "acts.reposition": ("3.12", "3.18"),
    "types.Stroke.touching": ("3.13",),
    "types.Reason.OTHER_BALL_STRUCK": ("3.14(a)",),
    "types.Reason.CUE_BALL_STRUCK_TWICE": ("3.14(b)",),
    "types.Rules.wheelchair": ("3.14(c)",),
    "types.Reason.OUT_OF_TURN": ("3.14(d)",),
    "types.Reason.BALLS_NOT_AT_REST": ("3.14(f)",),
    "types.Reason.BEFORE_SPOTTING": ("3.14(m)",),
    "acts.foul_without_stroke": ("3.14(l)", "3.14(o)", "3.14(p)", "3.15(a)"),
    "types.Ruling.points": ("3.15(b)",),
    "english_billiards.choose": ("3.15(c)(i)", "3.15(c)(ii)"),
    "acts.late_claim": ("3.15(d)",),
    "acts.warn_time_wasting": ("4.1",),
    "acts.award_game": ("4.2", "4.3(a)", "4.3(b)"),
    "acts.concede": ("4.6",),
    "match.record": ("5.3",),
    "types.TABLE_HEIGHT_MM": ("1.1(b)",),
    "types.CUE_LENGTH_LEAST_MM": ("1.3",),
    "acts.note": tuple(sorted(NOTED_RULES)),
}

_COMMENTARY: Mapping[str, tuple[str, ...]] = {
    "types.Rules.target": ("2.1", "2.5.5"),
    "types.State": ("2.2", "2.3.3"),
    "english_billiards.opening": ("2.3",),
    "english_billiards.score_parts": ("2.4.1", "2.4.2", "2.4.3", "2.4.4", "2.5.2", "2.5.3", "2.5.4"),
    "english_billiards.judge_stroke": ("2.4.5", "2.5.1", "2.12.2"),
    "fouls.improper_in_hand": ("2.6.1", "2.6.3", "2.6.4", "2.6.5", "2.6.6"),
    "acts.tip_touched_cue_ball": ("2.6.2",),
    "spots.spot_red": ("2.7.1", "2.7.2", "2.7.3"),
    "fouls.cannon_limit": ("2.8.1",),
    "acts.announce": ("2.8.2", "2.9.3"),
    "fouls.is_hazard": ("2.9.1",),
    "fouls.hazard_limit": ("2.9.2",),
    "spots.hazard_limit_placement": ("2.9.4",),
    "types.Rules.touching_needs_consent": ("2.10",),
    "fouls.faults": ("2.11(1)-(15)",),
    "acts.foul_without_stroke": ("2.12.1",),
    "english_billiards.choose": ("2.12.3",),
    "acts.late_claim": ("2.12.4",),
    "fouls.in_crossing_window": ("2.13.1", "2.13.2"),
    "types.Stroke.crossed_baulk_line": ("2.13.3",),
    "fouls.crossing_missed": ("2.13.4",),
}


def _by_clause() -> dict[str, str]:
    out = {f"billiards {c}": where for where, clauses in _AT.items() for c in clauses}
    out.update({f"billiards001 {c}": where for where, clauses in _COMMENTARY.items() for c in clauses})
    return out


IMPLEMENTED: Mapping[str, str] = _by_clause()

NOT_IMPLEMENTED: Mapping[str, str] = {}
