"""Which laws of carrom are implemented, and where (`cueref cases --coverage carrom`).

`where` names an attribute of a module: `acts.forgo` is `carrom_acts.forgo`.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.rules.carrom_acts import NOTED_LAWS

CENSUSES: tuple[str, ...] = ("carrom",)

_AT: Mapping[str, tuple[str, ...]] = {
    "reasons.Violation.MOVED_SEAT": ("29",),
    "reasons.Violation.BODY_TOUCHED": ("30",),
    "reasons.Violation.BEYOND_ARROWS": ("32",),
    "reasons.Violation.PUSHED": ("33",),
    "reasons.Violation.NOT_FINGER": ("34",),
    "reasons.Violation.ELBOW": ("37",),
    "reasons.Violation.SUPPORT": ("38",),
    "match.toss": ("39(a)", "39(b)", "39(c)"),
    "referee.racks.rack": ("41(a)",),
    "match.next_board": ("42",),
    "carrom.opening": ("43",),
    "types.Stroke.touched": ("44", "45(a)", "45(b)", "45(c)"),
    "acts.call_play": ("46",),
    "acts.appeal": ("121(a)",),
    "carrom.lose_board": ("91", "126(b)", "121(b)"),
    "types.State.play_called": ("47",),
    "carrom.judge_stroke": (
        "48", "64(b)", "72(a)", "72(b)", "73", "74", "75", "76", "77(a)", "77(b)", "92", "95(a)", "95(b)", "95(d)",
        "96", "97(a)", "97(b)", "98(a)", "98(b)", "99(a)", "99(b)", "100(a)", "100(b)", "101(a)", "101(b)",
        "116", "123", "125(a)",
    ),
    "carrom.has_queen_right": ("95(c)",),
    "match.breaker": ("49(a)",),
    "match.doubles_next": ("49(b)",),
    "clock.too_late": ("50",),
    "clock.clock_start_s": ("124(a)", "124(b)"),
    "acts.played_out_of_turn": ("51",),
    "ends.board_end": (
        "52(a)", "53(a)", "53(b)", "53(c)", "102(a)", "102(b)", "103(a)", "103(b)", "104(a)", "104(b)",
        "105(a)", "105(b)", "106(a)", "106(b)", "107(a)", "107(b)", "108(a)", "108(b)", "109(a)", "109(b)",
        "110(a)", "110(b)", "111(a)", "111(b)", "112(a)", "112(b)",
    ),
    "ends.queen_points": ("52(b)", "54"),
    "carrom.end_board": ("55",),
    "carrom.game_state": ("56(a)",),
    "match.toss_extra": ("56(b)",),
    "match.change_of_sides_due": ("60(b)", "60(c)"),
    "reasons.Violation": ("62",),
    "acts.violation": ("63(a)", "63(b)", "64(a)"),
    "placing.placings": ("65(a)", "65(b)", "65(c)", "65(d)"),
    "types.Fall": ("66(a)", "66(b)"),
    "acts.left_as_it_is": ("67", "68"),
    "acts.restored": ("69(a)", "70(a)", "120", "141"),
    "acts.striker_removed_from_piece": ("69(b)",),
    "acts.piece_removed_from_striker": ("70(b)",),
    "acts.fell_at_mouth": ("71", "113"),
    "carrom.take_out": ("72(c)", "78(a)"),
    "match.doubles_placer": ("78(b)",),
    "acts.no_space_to_place": ("79", "81"),
    "acts.decline_placing": ("80",),
    "reasons.Violation.OWN_PLACED": ("82",),
    "acts.next_stroke_without_return": ("83",),
    "placing.due_place_allowed": ("84(a)", "85", "86", "89(b)"),
    "reasons.Violation.HELD_WHILE_PLACING": ("84(b)",),
    "acts.forgo": ("87(a)",),
    "acts.demand_extra": ("87(b)",),
    "acts.placing_time_expired": ("88",),
    "acts.request_set_off": ("89(a)",),
    "placing.queen_place": ("93", "94"),
    "reasons.Violation.DUE_FOR_QUEEN": ("114",),
    "reasons.Violation.UNCERTIFIED_STRIKER": ("115",),
    "reasons.Violation.POWDER": ("122",),
    "reasons.Violation.EARLY_STROKE": ("124(c)",),
    "acts.noticed_later": ("125(b)",),
    "reasons.Violation.TAPPED_BOARD": ("126(a)",),
    "acts.striker_slipped": ("127(a)", "127(b)"),
    "placing.touches_both_base_lines": ("130(a)",),
    "reasons.Violation.BASE_CIRCLE": ("130(b)",),
    "reasons.Violation.PARTNERS_TALKED": ("131",),
    "reasons.Violation.HELD_SOLID": ("133",),
    "reasons.Violation.PIECES_MOVED": ("134",),
    "reasons.Violation.TESTED_STRIKER": ("135",),
    "reasons.Violation.STRIKER_ON_FRAME": ("136",),
    "acts.pass_turn": ("137",),
    "acts.concede": ("139",),
    "acts.replay_board": ("140", "142"),
    "acts.lose_match": ("143",),
    "acts.protest": ("147", "148"),
}

IMPLEMENTED: Mapping[str, str] = {
    **{f"carrom {clause}": where for where, clauses in _AT.items() for clause in clauses},
    **{f"carrom {clause}": "acts.note" for clause in NOTED_LAWS},
}

NOT_IMPLEMENTED: Mapping[str, str] = {}
