"""Which clauses 14.1 implements, and where; see `referee.cases.runner`."""

from __future__ import annotations

from referee.rules.wpa.general_clauses import general

CENSUSES: tuple[str, ...] = ("wpa_14_1", "wpa_general")
_GENERAL, _GENERAL_MISSING = general(
    {
        "wpa 6.2": "not among the fouls of 14.1 (4.9): every ball is a legal target",
        "wpa 8.9": "a game of 14.1 is one match to its target",
    },
    {"wpa 1.11": "events concede, unscrewed_cue"},
)
IMPLEMENTED: dict[str, str] = {
    **_GENERAL,
    "wpa 4": "wpa_14_1.play",
    "wpa 4.1": "wpa_general_acts.lag_winner",
    "wpa 4.2": "referee/rules/common/racks.py; wpa_14_1_rack.rack_outline_mm",
    "wpa 4.3(a)": "new_game: in_hand behind_head_string",
    "wpa 4.3(b)": "_breaking_foul",
    "wpa 4.3(b) opt": "_break_foul options; choose",
    "wpa 4.4": "_legal: target, re-rack",
    "wpa 4.5": "called_ball_made, called_safety",
    "wpa 4.6": "_spot",
    "wpa 4.7": "_legal, _score",
    "wpa 4.8": "wpa_14_1_rack.interferes; Interference as told",
    "wpa 4.8(a)": "rerack_after",
    "wpa 4.8(b)": "rerack_after",
    "wpa 4.8(c)": "wpa_14_1_rack._move_object",
    "wpa 4.8(d)": "wpa_14_1_rack._move_cue",
    "wpa 4.9": "_foul; FOULS_14_1",
    "wpa 4.10": "Reason.BREAKING_FOUL",
    "wpa 4.11": "_foul: WpaFoul.THREE_FOULS",
    "wpa 4.12": "_act stalemate: the players lag again",
}
NOT_IMPLEMENTED: dict[str, str] = {**_GENERAL_MISSING}
