"""Which clauses ten ball implements, and where; see `referee.cases.runner`."""

from __future__ import annotations

from referee.rules.wpa.general_clauses import general

CENSUSES: tuple[str, ...] = ("wpa_10ball", "wpa_general")
_GENERAL, _GENERAL_MISSING = general(
    {
        "wpa 6.11": "not among the game's fouls (9.10): the incoming player has the ball in hand anywhere",
        "wpa 6.11 second": "not among the game's fouls (9.10)",
        "wpa 1.5 nearest": (
            "the cue-ball is in hand behind the head string only for the break, when the rack is in front"
            " of it"
        ),
    },
    {"wpa 6.2": "State.lowest"},
)
IMPLEMENTED: dict[str, str] = {
    **_GENERAL,
    "wpa 9": "wpa_10ball.play",
    "wpa 9.1": "wpa_general_acts.lag_winner; shared_match.Match",
    "wpa 9.2": "referee/rules/common/racks.py; calibration.table.specs.WPA_TABLE",
    "wpa 9.3(a)": "new_rack: in_hand behind_head_string",
    "wpa 9.3(b)": "Reason.BREAK from object_rails",
    "wpa 9.4": "second_shot, WpaShot.push_out, choose",
    "wpa 9.5": "WpaCall; an obvious shot counts as called",
    "wpa 9.6": "Reason.SAFETY_POT",
    "wpa 9.7": "Reason.WRONG_POT",
    "wpa 9.8": "_rule",
    "wpa 9.9": "_after: only the ten is spotted",
    "wpa 9.10": "_foul; FOULS_10BALL",
    "wpa 9.11": "_foul: WpaFoul.THREE_FOULS",
    "wpa 9.12": "_act stalemate, read as nine ball 2.9 (the text is cut off)",
}
NOT_IMPLEMENTED: dict[str, str] = {**_GENERAL_MISSING}
