"""Which clauses eight ball implements, and where; see `referee.cases.runner`."""

from __future__ import annotations

from referee.rules.wpa.general_clauses import general

CENSUSES: tuple[str, ...] = ("wpa_8ball", "wpa_general")
_GENERAL, _GENERAL_MISSING = general(
    {"wpa 6.14": "eight ball does not include three consecutive fouls (6.14, 3.10)"}, {}
)
IMPLEMENTED: dict[str, str] = {
    **_GENERAL,
    "wpa 3": "wpa_8ball.play",
    "wpa 3.1": "wpa_general_acts.lag_winner; shared_match.Match",
    "wpa 3.2": "referee/rules/common/racks.py; calibration.table.specs.WPA_TABLE",
    "wpa 3.3(a)": "new_rack: in_hand behind_head_string",
    "wpa 3.3(b)": "State.legal_first is None on the break",
    "wpa 3.3(c)": "_break: the table stays open",
    "wpa 3.3(d)": "ILLEGAL_BREAK_OPTIONS from object_rails",
    "wpa 3.3(e)": "EIGHT_ON_BREAK_OPTIONS",
    "wpa 3.3(f)": "EIGHT_AND_SCRATCH_OPTIONS",
    "wpa 3.3(g)": "Reason.BALL_OFF_ON_BREAK, BREAK_FOUL_OPTIONS",
    "wpa 3.3(h)": "BREAK_FOUL_OPTIONS",
    "wpa 3.4": "_normal: group_a; State.legal_first",
    "wpa 3.5": "_normal",
    "wpa 3.6": "called_ball_made; the eight needs a shot of its own",
    "wpa 3.7": "_spot_eight; stay_off",
    "wpa 3.8(a)": "Reason.EIGHT_AND_FOUL",
    "wpa 3.8(b)": "Reason.EIGHT_EARLY",
    "wpa 3.8(c)": "Reason.EIGHT_UNCALLED",
    "wpa 3.8(d)": "Reason.EIGHT_OFF_TABLE",
    "wpa 3.9": "_normal: in_hand anywhere; FOULS_8BALL",
    "wpa 3.10": "Reason 3.8; referee act unsportsmanlike with its penalty",
    "wpa 3.11": "_act stalemate: the original breaker breaks again",
}
NOT_IMPLEMENTED: dict[str, str] = {**_GENERAL_MISSING}
