"""Which clauses black ball implements, and where; see `referee.cases.runner`."""

from __future__ import annotations

from referee.rules.wpa.general_clauses import general

CENSUSES: tuple[str, ...] = ("blackball", "wpa_general")
_GENERAL, _GENERAL_MISSING = general(
    {
        "wpa 6.11": "not among the fouls of black ball (5.13): the cue-ball need not leave baulk (5.8)",
        "wpa 6.11 second": "not among the fouls of black ball (5.13, 5.8)",
        "wpa 6.14": "black ball does not include three consecutive fouls",
        "wpa 1.6": "shots are not called in this game",
        "wpa 8.17": "shots are not called in this game",
    },
    {
        "wpa 1.4": "wpa_general.spot_balls with the baulk end as the head; 5.11 gives the order",
        "wpa 6.7": "WpaFoul.DOUBLE_HIT, entered; a touching ball is ruled by 5.9",
        "wpa 8.16": "Reason.JUMP_SHOT (5.13.3)",
        "wpa 8.8": "blackball_types.BALLS",
    },
)
IMPLEMENTED: dict[str, str] = {
    **_GENERAL,
    "wpa 5": "blackball.play",
    "wpa 5.1 free shot": "State.free_shot, FREE_SHOT_OPTIONS",
    "wpa 5.1 baulk": "blackball_types.MARKS",
    "wpa 5.1 snookered": "referee act snooker_declared; State.snookered_declared",
    "wpa 5.1 on": "State.balls_on",
    "wpa 5.2": "blackball_types.BALLS; calibration.table.specs.BRITISH_POOL_TABLE",
    "wpa 5.3": "wpa_general_acts.lag_winner; shared_match.Match",
    "wpa 5.4": "referee/rules/common/racks.py",
    "wpa 5.5(a)": "new_rack: in_hand baulk",
    "wpa 5.5(b)": "Reason.BREAK from string_crossings",
    "wpa 5.5(c)": "_black_on_break",
    "wpa 5.6": "_legal: colour_a",
    "wpa 5.7": "_legal",
    "wpa 5.8": "ShotConditions.in_hand baulk: 6.10 only, any direction",
    "wpa 5.9": "Reason.TOUCHING_BALL; deemed_hit",
    "wpa 5.10": "ShotConditions.rail and contact",
    "wpa 5.11": "_spot",
    "wpa 5.12": "_stalemate; referee act no_legal_shot_position",
    "wpa 5.13": "_foul; FOULS_BLACKBALL",
    "wpa 5.13.1": "Reason.OPPONENTS_BALL",
    "wpa 5.13.2": "Reason.TABLE_INCORRECT",
    "wpa 5.13.3": "Reason.JUMP_SHOT, entered",
    "wpa 5.14(a)": "Reason.BLACK_ILLEGAL",
    "wpa 5.14(b)": "Reason.BLACK_EARLY",
    "wpa 5.14(c)": "Reason.INTENTIONAL_WRONG_BALL",
    "wpa 5.14(d)": "Reason.NO_ATTEMPT",
    "wpa 5.14 conduct": "referee act unsportsmanlike with its penalty",
}
NOT_IMPLEMENTED: dict[str, str] = {**_GENERAL_MISSING}
