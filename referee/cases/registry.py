"""The games that cueref knows: each with its case adapter and the clauses that it implements."""

from __future__ import annotations

from types import ModuleType

from referee.cases import carrom, english_billiards
from referee.cases.model import CaseAdapter
from referee.cases.pool import blackball, eight_ball, fourteen_one, nine_ball, ten_ball, wepf
from referee.cases.snooker import adapter as snooker
from referee.cases.snooker import six_red
from referee.rules.blackball import clauses as blackball_clauses
from referee.rules.carrom import clauses as carrom_clauses
from referee.rules.english_billiards import clauses as english_billiards_clauses
from referee.rules.six_red import clauses as six_red_clauses
from referee.rules.snooker import clauses as snooker_clauses
from referee.rules.wepf import clauses as wepf_clauses
from referee.rules.wpa import (
    eight_ball_clauses,
    fourteen_one_clauses,
    nine_ball_clauses,
    ten_ball_clauses,
)

ADAPTERS: dict[str, CaseAdapter] = {
    "snooker": snooker,
    "six_red": six_red,
    "english_billiards": english_billiards,
    "wpa_8ball": eight_ball,
    "wpa_9ball": nine_ball,
    "wpa_10ball": ten_ball,
    "wpa_14_1": fourteen_one,
    "blackball": blackball,
    "wepf": wepf,
    "carrom": carrom,
}
"""Case adapters by game."""

CLAUSES: dict[str, ModuleType] = {
    "snooker": snooker_clauses,
    "six_red": six_red_clauses,
    "english_billiards": english_billiards_clauses,
    "wpa_8ball": eight_ball_clauses,
    "wpa_9ball": nine_ball_clauses,
    "wpa_10ball": ten_ball_clauses,
    "wpa_14_1": fourteen_one_clauses,
    "blackball": blackball_clauses,
    "wepf": wepf_clauses,
    "carrom": carrom_clauses,
}
"""Declared clauses by game: `CENSUSES`, `IMPLEMENTED`, `NOT_IMPLEMENTED`."""
