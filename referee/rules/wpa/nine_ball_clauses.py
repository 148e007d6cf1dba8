"""Which clauses nine ball implements, and where; see `referee.cases.runner`."""

from __future__ import annotations

from referee.rules.wpa.general_clauses import general

CENSUSES: tuple[str, ...] = ("wpa_9ball", "wpa_general")
_GENERAL, _GENERAL_MISSING = general(
    {
        "wpa 6.11": "not among the game's fouls (2.7): the incoming player has the ball in hand anywhere",
        "wpa 6.11 second": "not among the game's fouls (2.7)",
        "wpa 1.5 nearest": (
            "the cue-ball is in hand behind the head string only for the break, when the rack is in front"
            " of it"
        ),
        "wpa 1.6": "shots are not called in this game",
        "wpa 8.17": "shots are not called in this game",
    },
    {"wpa 6.2": "State.lowest"},
)
IMPLEMENTED: dict[str, str] = {
    **_GENERAL,
    "wpa 2": "wpa_9ball.play",
    "wpa 2.1": "wpa_general_acts.lag_winner; shared_match.Match",
    "wpa 2.2": "referee/rules/common/racks.py; calibration.table.specs.WPA_TABLE",
    "wpa 2.3(a)": "new_rack: in_hand behind_head_string",
    "wpa 2.3(b)": "Reason.BREAK from object_rails",
    "wpa 2.3(c)": "Reason.DRY_BREAK, option three_point_break",
    "wpa 2.4": "second_shot, WpaShot.push_out, choose",
    "wpa 2.5": "_rule",
    "wpa 2.6": "_after: only the nine is spotted",
    "wpa 2.7": "_foul; FOULS_9BALL",
    "wpa 2.8": "_foul: WpaFoul.THREE_FOULS",
    "wpa 2.9": "_act stalemate: the original breaker breaks again",
}
NOT_IMPLEMENTED: dict[str, str] = {**_GENERAL_MISSING}
