"""Where each clause of six-red is implemented (`cueref cases --coverage six_red`)."""

from __future__ import annotations

CENSUSES: tuple[str, ...] = ("six_red",)
IMPLEMENTED: dict[str, str] = {
    "six_red intro": "referee.rules.six_red.game.options (any number of reds)",
    "six_red 1": "referee.rules.snooker.stroke.options_after_foul",
    "six_red 2": "referee.rules.snooker.stroke._with_choices (Warn.FIFTH_MISS)",
    "six_red 2(i)": "referee.rules.snooker.facts.Choice.PLAY",
    "six_red 2(ii)": "referee.rules.snooker.facts.Choice.AGAIN_LEFT",
    "six_red 2(iii)": "referee.rules.snooker.facts.Choice.PLAY_ANYWHERE, unless snookers are required",
    "six_red 3": "referee.rules.snooker.fouls._behind_free_ball (never_behind_nominated)",
}
NOT_IMPLEMENTED: dict[str, str] = {}
