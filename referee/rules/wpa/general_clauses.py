"""Coverage of the WPA general census for a WPA game; merged by each game's `*_clauses` module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_IMPLEMENTED: dict[str, str] = {
    "wpa 1.2": "wpa_general_acts.lag_winner",
    "wpa 1.2 bad": "wpa_general_acts.Lag.bad",
    "wpa 1.2 relag": "wpa_general_acts.lag_winner returns None",
    "wpa 1.4": "wpa_general.spot_balls; shared_spotting",
    "wpa 1.5": "state.in_hand; event cue_ball_repositioned_by_hand",
    "wpa 1.5 nearest": "choice request_spot_nearest; wpa_general.nearest_behind_string",
    "wpa 1.6": "WpaCall; called_ball_made; an obvious shot counts as called",
    "wpa 1.7": "referee acts ball_settled_into_pocket, settling_ball_affected_shot; event ball_settled",
    "wpa 1.8": "referee act balls_restored",
    "wpa 1.9": "referee acts outside_interference, interference_without_effect, balls_not_restorable",
    "wpa 1.10": "referee act protest_appeal; a ruling is changed by a correction in the journal",
    "wpa 1.11": "events concede, unscrewed_cue; shared_match.match_conceded",
    "wpa 1.12": "referee acts no_progress_three_more_turns, stalemate",
    "wpa 6": "find_fouls names the first and lists all; PoolShot.foul_called False lapses",
    "wpa 6.1": "WpaFoul.SCRATCH, CUE_BALL_OFF",
    "wpa 6.2": "WpaFoul.WRONG_BALL_FIRST; State.legal_first or balls_on",
    "wpa 6.3": "WpaFoul.NO_RAIL, NO_CONTACT",
    "wpa 6.4": "WpaFoul.NO_FOOT_ON_FLOOR, entered",
    "wpa 6.5": "WpaFoul.BALL_OFF_TABLE",
    "wpa 6.6": "WpaFoul.TOUCHED_BALL, entered for a shot or as an event; intentional: 6.17",
    "wpa 6.7": "WpaFoul.DOUBLE_HIT, entered; playing into a touching ball is legal, it counts as contacted",
    "wpa 6.8": "WpaFoul.PUSH_SHOT, entered",
    "wpa 6.9": "WpaFoul.BALLS_MOVING, entered or seen by the tracker",
    "wpa 6.10": "WpaFoul.BAD_PLACEMENT from PoolShot.placed",
    "wpa 6.11": "WpaFoul.BAD_PLAY_BEHIND_STRING",
    "wpa 6.11 second": "WpaFoul.DID_NOT_CROSS_STRING",
    "wpa 6.12": "WpaFoul.CUE_ON_TABLE, entered",
    "wpa 6.13": "WpaFoul.OUT_OF_TURN, by the player of the shot or entered; intentional: 6.17",
    "wpa 6.14": "state.fouls, state.warned",
    "wpa 6.15": "referee acts advised_to_speed_up, shot_clock_imposed; event shot_clock_exceeded",
    "wpa 6.16": "WpaFoul.RACK_TEMPLATE, entered",
    "wpa 6.17": "referee act unsportsmanlike with its penalty",
    "wpa 7.2(a)": "referee act wheelchair_violation",
    "wpa 7.2(b)": "referee act wheelchair_violation",
    "wpa 7.2(c)": "referee act wheelchair_violation",
    "wpa 7.2 pen": "wpa_general_acts.classify_referee: ball in hand, rack, match",
    "wpa 8.1": "PoolMarks; behind_string (the string is not behind itself)",
    "wpa 8.2": "a shot is one fact, from the tip's contact to rest (tracker)",
    "wpa 8.3": "PoolShot.potted (a rebound is not potted: tracker); event ball_settled",
    "wpa 8.4": "shared_pool.rails_reached; state.frozen_declared; a potted or jumped ball reached a rail",
    "wpa 8.5": "PoolShot.off_table",
    "wpa 8.6": "WpaFoul.SCRATCH",
    "wpa 8.7": "one cue-ball for both players: PoolShot.cue_ball",
    "wpa 8.8": "the game's ALL_BALLS; check_shot_balls",
    "wpa 8.9": "shared_match.Match: a set is a match of its own",
    "wpa 8.10": "new_rack or new_game; referee/rules/common/racks.py",
    "wpa 8.11": "state.break_shot or opening_break",
    "wpa 8.12": "state.shooter; Ruling.next_shooter",
    "wpa 8.13": "positions are projections of centres (calibration)",
    "wpa 8.14": "Ruling.respot",
    "wpa 8.15": "referee acts balls_restored, interference_without_effect",
    "wpa 8.16": "a jump shot is legal unless a foul of section 6 is entered",
    "wpa 8.17": "WpaCall(safety=True)",
    "wpa 8.18": "event miscue: logged, no foul; an intentional one is 6.17",
}
_MISSING: dict[str, str] = {
    "wpa 1.1": "N: a player's duty, nothing to decide",
    "wpa 1.3": "N: permitted equipment, nothing to decide; misuse is entered as unsportsmanlike (6.17)",
    "wpa 7.1": "N: eligibility is the tournament's",
    "wpa 7.3": "N: the chair is inspected by the tournament",
}


def general(without: Mapping[str, str], replaced: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(implemented, missing) of the general census for one game.

    `without`: clauses that the game does not have, with the reason; `replaced`: other places.
    """
    implemented = {k: replaced.get(k, v) for k, v in _IMPLEMENTED.items() if k not in without}
    return implemented, {**_MISSING, **without}


def all_clauses() -> Iterable[str]:
    """Every clause id that is declared here."""
    return (*_IMPLEMENTED, *_MISSING)
