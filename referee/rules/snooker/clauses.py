"""Where each clause of snooker's census is implemented (`cueref cases --coverage snooker`)."""

from __future__ import annotations

CENSUSES: tuple[str, ...] = ("snooker", "snooker_variants")

_TABLE = "calibration.table.specs"
_LOG = "logged: Act.NOTED with its clause"
_BY_PLACE: dict[str, str] = {
    f"{_TABLE}.TableSpec": "1.1(a) 1.1(d) 1.1(e) 1.2",
    f"{_TABLE}.TableSpec.spots": (
        "1.1(f)(i) 1.1(f)(ii) 1.1(f)(iii) 1.1(f)(iv) 1.1(f)(v) 3.2(a)(ii) 3.2(a)(iii) 3.2(a)(iv) 3.2(a)(v)"
        " 3.2(a)(vi) 3.2(a)(vii)"
    ),
    f"{_TABLE}.TableSpec.pockets": "1.1(c)(i) 1.1(c)(ii)",
    "referee.rules.snooker.rack.reds_triangle": "3.2(a)(i)",
    "referee.rules.snooker.facts.VALUES": "3.1(a)",
    "referee.rules.snooker.facts.Act.BALL_CHANGED": "1.2(b)",
    "referee.rules.snooker.facts.Infringement.NON_STANDARD_CUE": "1.3",
    _LOG: "1.4 3.1(e) 3.2(b)(i) 3.14(g) 3.14(i) 3.19(a) 3.19(b)(ii) 4.3 4.4 5.1(a) 5.1(b) 5.2 5.4(a)",
    "referee.rules.snooker.choices (concede, claim_frame)": "2.1(a) 2.1(b) 4.5(a) 4.5(b) 4.5(c)",
    "referee.rules.snooker.turn.end_on_black": (
        "2.1(c) 2.9(a)(iv) 3.1(f)(i) 3.4(a) 3.4(b)(i) 3.4(b)(iii) 3.4(b)(iv) 3.4(c)"
    ),
    "referee.rules.snooker.choices._lots": "3.4(b)(ii) 3.17(d)",
    "referee.rules.snooker.turn.end_frame": "2.1(d) 3.1(f)(ii) 3.1(f)(iii)",
    "referee.rules.snooker.match": "2.2 2.3 3.1(g)(i) 3.1(g)(ii) 3.1(h) 3.3(b) 3.17(a)",
    "referee.rules.snooker.match.forfeit_game": "3.1(g)(iii) 4.2(b)(i) 4.2(b)(ii) 4.2(b)(iii)",
    "referee.rules.snooker.match.breaks": "2.8 5.3",
    "referee.rules.snooker.state.State (balls by colour; white is the cue-ball)": (
        "2.4(a) 2.4(b) 2.10(a) 2.10(b)"
    ),
    "referee.rules.snooker.stroke._fair": (
        "2.6(b) 2.7 3.1(b) 3.1(c) 3.3(e) 3.3(f) 3.3(g)(i) 3.3(g)(ii) 3.3(g)(iii) 3.3(i) 3.7 2.5(a) 2.10(c)"
    ),
    "referee.rules.snooker.stroke._foul": (
        "2.5(b) 2.15 2.16 3.1(d) 3.3(h) 3.11 3.11(b) 3.11(e) 3.11(f) 3.11(h)(i) 2.9(b)(ii)"
    ),
    "referee.rules.snooker.stroke._unscored": "3.3(g)(iv)",
    "referee.rules.snooker.stroke._struck (in_hand, started)": (
        "2.9(a)(ii) 2.9(a)(iii) 2.9(b)(i) 2.9(c) 3.3(c)(i)"
    ),
    "referee.rules.snooker.state.new_frame": "2.9(a)(i) 3.3",
    "tracker strokes: start, rest and end (StrokeRecord)": "2.6(a) 2.6(c)(i) 2.6(d)(i) 2.6(d)(ii)",
    "referee.rules.snooker.facts.StrokeFacts (entered by the referee)": "2.6(c)(ii) 2.6(c)(iii)",
    "referee.rules.snooker.words.say": "2.6(c)(iv) 3.8(e)",
    "referee.rules.snooker.facts.Infringement.INCOMING_TOO_EARLY": "2.6(e)",
    "referee.rules.snooker.turn.after_foul": "2.5 3.3(a) 3.17(c)",
    "referee.rules.snooker.on.what_is_on": (
        "2.11 2.12(a) 2.13 3.10(a)(i) 3.10(a)(ii) 3.13(a)(i) 3.13(a)(ii) 3.13(b)"
    ),
    "referee.rules.snooker.facts.Infringement.NOT_DECLARED_ASKED": "2.12(b)",
    "referee.rules.snooker.fouls._off": "2.14",
    "referee.geometry.snookered": "2.17 2.17(b)(i) 2.17(b)(ii) 2.17(c) 2.17(d) 2.17(e)",
    "referee.geometry.snookered_in_hand": "2.17(a)",
    "referee.geometry.spot_occupied": "2.18",
    "referee.rules.snooker.facts.Infringement.PUSH_STROKE": "2.19(a) 2.19(b)",
    "referee.rules.snooker.facts.StrokeFacts.jumped": "2.20 2.20(a) 2.20(b) 2.20(c)",
    "referee.rules.snooker.facts.Judgement.good_enough_attempt": "2.21",
    "referee.rules.snooker.facts.Act.BALL_CLEANED": "3.2(b)",
    "referee.rules.snooker.acts._order_unchanged": "3.14(h)",
    "referee.rules.snooker.state.State.started": "3.3(c)(ii)",
    "referee.rules.snooker.decisions._wrong_starter": "3.3(d)(i) 3.3(d)(ii)",
    "referee.rules.snooker.decisions._stalemate": "3.3(d)(iii) 3.16",
    "tracker pots: a ball on the bed at rest was not potted": "3.3(j)",
    "referee.geometry.in_d": "3.5 3.5(a)",
    "referee.rules.snooker.acts._tip": "3.5(b)",
    "referee.rules.snooker.fouls._lawful": "3.6 3.10(b)(i)",
    "referee.rules.snooker.acts._misplaced": "3.7(a) 3.11(d)",
    "referee.rules.snooker.acts._in_error": "3.7(b)",
    "referee.rules.snooker.acts._missing": "3.7(c)(i) 3.7(c)(ii)",
    "referee.geometry.spot_colours": "3.7(d) 3.7(e) 3.7(f) 3.7(g) 3.7(h)",
    "referee.rules.snooker.ruling.Ruling.respot (the hand is watched: HandMove)": "3.7(i)",
    "referee.rules.snooker.words._position": "3.8(a)",
    "referee.rules.snooker.facts.StrokeFacts.touching_moved": "3.8(b) 3.8(f)",
    "referee.rules.snooker.fouls._contact": "3.8(c)(i) 3.8(c)(ii) 3.8(c)(iii) 3.8(d)",
    "referee.rules.snooker.facts.Act.DISTURBED": "3.8(g) 3.15 3.15(a) 3.15(b)",
    "referee.rules.snooker.acts (ball_fell_untouched), stroke (fell)": "3.9(a)",
    "referee.rules.snooker.stroke._again": "3.9(b)(i)",
    "referee.rules.snooker.stroke._foul (fell)": "3.9(b)(ii)",
    "tracker pots: dropping late is potted": "3.9(c)",
    "referee.rules.snooker.stroke._with_choices": "3.10 3.11(h)(ii) 3.14(a)",
    "referee.rules.snooker.fouls._behind_free_ball": "3.10(b)(ii)",
    "referee.rules.snooker.stroke._points": "3.10(c) 3.10(d) 3.10(e)",
    "referee.rules.snooker.choices._again_left": "3.10(f) 2.5(c) 3.13",
    "referee.rules.snooker.acts._turn_over": "3.2(b)(ii) 3.11(a)",
    "referee.rules.snooker.engine._claimed, acts._late_claim": "3.11(c)",
    "referee.rules.snooker.fouls.deciding": "3.11(g)",
    "referee.rules.snooker.fouls.penalty_for": "3.12",
    "referee.rules.snooker.fouls": (
        "3.12(a)(i) 3.12(a)(ii) 3.12(a)(iii) 3.12(a)(iv) 3.12(a)(v) 3.12(a)(vi) 3.12(a)(vii) 3.12(a)(viii)"
        " 3.12(a)(ix) 3.12(a)(x) 3.12(a)(xi) 3.12(b)(i) 3.12(b)(ii) 3.12(b)(iii) 3.12(b)(iv) 3.12(b)(v)"
        " 3.12(b)(vi) 3.12(b)(vii) 3.12(c) 3.12(d)(i) 3.12(d)(ii) 3.12(d)(iii) 3.12(d)(iv) 3.12(d)(v)"
        " 3.12(d)(vi) 3.19(b)(i)"
    ),
    "referee.rules.snooker.miss._call": "3.14 3.14(b) 3.14(b)(i) 3.14(b)(ii) 3.14(c)(i) 3.14(e)",
    "referee.rules.snooker.miss.judge": "3.14(c)",
    "referee.rules.snooker.choices._again_original": "3.14(a)(i) 3.14(a)(ii) 3.14(a)(iii) 3.14(d)(v) 3.14(f)",
    "referee.rules.snooker.choices._warned, stroke._with_choices": "3.14(c)(ii)",
    "referee.rules.snooker.choices._again_left (sequence)": "3.14(c)(iii)",
    "referee.rules.snooker.acts._choices, choices._again_left": (
        "3.14(d) 3.14(d)(i) 3.14(d)(ii) 3.14(d)(iii) 3.14(d)(iv) 3.14(d)(vi)"
    ),
    "referee.rules.snooker.state.new_frame (order)": "3.17(b)",
    "referee.rules.snooker.facts.Infringement.CONFERRING, Act.CONFERRED": "3.17(e)",
    "referee.rules.snooker.facts.Act.TOUCHED_BALL (by the player's own equipment too)": "3.18(a)",
    "referee.rules.snooker.facts.Act.EQUIPMENT_FAILED": "3.18(b) 3.18(c)",
    "referee.rules.snooker.facts.StrokeFacts.called (whoever acts as referee)": "3.19(c)",
    "referee.rules.snooker.decisions._warn": "4.1(a) 4.1(b)",
    "referee.rules.snooker.decisions._award, match.forfeit_game": "4.1(c) 4.1(d) 4.2(a)(i) 4.2(a)(ii)",
    "cueref review: the video and its evidence": "5.1(c)",
}
_VARIANTS: dict[str, str] = {
    "snooker-commentary.txt 14.1*": "option amateur_14_1_star",
    "snooker-commentary.txt 14.1*(a)": "option amateur_14_1_star; conduct: RefereeAct.WARN",
    "snooker-commentary.txt 3.4(d)*(i)": "option amateur_3_4_d_star",
    "snooker-commentary.txt 3.4(d)*(ii)": "option amateur_3_4_d_star with State.deciding_frame",
    "snooker-commentary.txt 14(b) old": "option miss_rule = old",
    "snooker-commentary.txt short rules 2": (
        "option club_rules: value of the ball hit; the final black as official"
    ),
    "snooker-sixred-billiards-wpa.txt women 1": (
        "referee.geometry.spot_colours: the highest free spot, as official"
    ),
    "snooker-sixred-billiards-wpa.txt women 2": "option club_rules",
    "snooker-sixred-billiards-wpa.txt women 3": "option club_rules",
    "snooker-sixred-billiards-wpa.txt women 4": "option club_rules",
    "snooker-sixred-billiards-wpa.txt women 5": "referee.rules.snooker.stroke._with_choices: as official",
}


def _implemented() -> dict[str, str]:
    table = {f"snooker {clause}": place for place, clauses in _BY_PLACE.items() for clause in clauses.split()}
    return {**table, **_VARIANTS}


IMPLEMENTED: dict[str, str] = _implemented()
NOT_IMPLEMENTED: dict[str, str] = {
    "snooker 1.1(b)": (
        "height of the table from the floor: a camera above cannot see it and no ruling depends on it"
    ),
    "snooker 1.2(a)": "weight of the balls: equipment, no ruling depends on it",
    "snooker-commentary.txt 14(d) old": "older text of 3.14(d); the printed one is taken (readings.md)",
    "snooker-commentary.txt 17(c) old": "older text of 3.17(c); the printed one is taken (readings.md)",
    "snooker-commentary.txt 12(a) old": "older numbering of 3.12(a) only; the same fouls",
    "snooker-commentary.txt 4.1 old": "older text of 4.1; a warning, then the frame, is RefereeAct.WARN",
    "snooker-commentary.txt 3.3(b) comment": "a comment against the rule 3.3(d), which has no penalty",
    "snooker-commentary.txt short rules": (
        "60 seconds a stroke is not official; a referee may warn (4.1(a)(i))"
    ),
}
