"""Probabilities of what no image tells: players, hands, balls that nobody sees. Each with its origin.

The likelihood of what is seen is the tracker's (`tracker.explain.priors`). "Assumed" has not been counted.
"""

from __future__ import annotations

# Players

FOULED, FOULED_OF = 0.02, 50
"""Share of strokes that are fouls, as sure as if so many strokes had shown it: a match's own strokes tell
more. Assumed: one or two a frame of sixty strokes.
"""

NO_FOUL = 0.001
"""Likelihood of what is done only after a foul (a cue-ball taken in hand, or put back where it lay, a
player's choice), where there was none. Assumed.
"""

PLACED_RIGHT = 0.9995
"""Weight, before the camera is asked, that a cue-ball in hand is put where it must be: players know the rule
and like the line, where a measurement alone would leave every second stroke open.
"""

NOMINATED_HIT = 0.97
"""Weight of "he nominated what he hit" where the first contact itself is not certain."""

NOMINATED_NOT_POTTED = 0.8
"""The same where another colour was potted as well: he may have meant that one."""

OBVIOUS = 0.9995
"""Weight that a shot straight into a pocket was the one that was meant (1.6: obvious)."""

NO_PUSH = 0.9995
"""Weight that no push out was announced before a shot that is legal without one."""

PUSHED = 0.5
"""The same before a shot that is a foul without one."""

CHOOSER_PLAYS = 0.7
"""Weight that a player who may choose plays himself, where nobody said what he chose."""

OPEN_TABLE = 0.3
"""Weight that the table is open where nobody told whose the groups are; else they are either player's."""

WARNED = 0.3
"""Weight that a player on two fouls was told so, where nobody said it. Assumed."""

OTHER_SEAT = 0.01
"""Likelihood that a striker is seen on the base line of the player whose turn it is not. Assumed."""

# Hands

PLACED_UNSEEN = 1e-3
"""A hand puts a ball back in no image. Assumed, as in `tracker.explain.priors`."""

TAKEN_FOR_PLACED = 0.1
"""A ball that reappears is told as put down by a hand. Assumed."""

IN_HAND = 0.5
"""In games in which every foul gives the cue-ball in hand, it is put down that did not fall. Assumed."""

PLACED_OUTSIDE = 1e-3
"""A cue-ball in-hand is played from far outside the D (a foul, snooker 3.12). Assumed."""

CHANCE_IN_D = 0.1
"""A cue-ball that comes to rest does so in or near the D: 4 in 100 of the bed, and strikers like it there."""

UNDUE = 0.05
"""Likelihood of a colour that a hand puts on its spot though no ruling sends it there, against one that is
due: it was lifted to be cleaned, or the ruling is wrong. Assumed.
"""

LEFT_LYING = 0.2
"""Likelihood that a player who has the cue-ball in hand plays it from where it lies. Assumed."""

NEW_RACK_INSIDE = 0.001
"""Likelihood that balls are set up anew while a rack goes on, one that another course has over. Assumed."""

# What the images do not show

UNSAID = 0.06
"""Weight of what no explanation says, once a person says what few of them have: of 29 facts of real clips
explanations lacked the true one in one or two.
"""

STILL_HIDDEN = 0.004
"""How likely a ball that did not fall is not found before the next stroke either: doubts shrink by this.
Layouts of sixteen balls are wholly right 97 times in 100 (issue 22)."""

APART = 0.2
"""Weight of contacts and pots each as the record has it in a stroke that is not whole in the pictures, beside
its explanations: of three such strokes in which the two said otherwise the explanations had all right (tracks
tier, seed 9501), (0 + 1) of (3 + 2).
"""

GONE_FELL = 0.5
"""Weight that a ball which is gone, nobody saw how, fell in a stroke that is not whole in the pictures, where
its explanations have it end otherwise: nobody measured it.
"""

RACK_FELL = 0.4
"""Weight that a piece which lies there no more after a rack's first stroke fell, if nothing was seen of it;
else it is hidden. Nobody measured it.
"""

TOUCHES_AS_TAKEN = 0.7
"""Weight of a touching ball, or of none, as the frame goes on with it where a gap does not tell. Assumed."""

SURE_BOUNCE, WEAK_BOUNCE = 0.9997, 0.97
"""Weight that a cushion hit was one: of a ball that came back from it, and of one that stayed there."""

UNSEEN_TOUCH, UNSEEN_NEAR = 0.0007, 0.02
"""Weight that a ball touched a cushion though no bend was seen: of balls that end far from all, and near
one."""

LOST_RAIL = 0.95
"""The same where images were lost: of shots that pot nothing about one in twenty meets no cushion."""

# Balls that should lie there and are not seen

MET_STRAIGHT = 0.2
"""Weight that a cue-ball which met no known ball and nowhere bends met a missing one: 5 of 32 such strokes
of the bench with one colour taken out of the pictures (48 pieces, 384 strokes). Where it bends it was the
missing one in 7 of 8.
"""

MISSING_FELL = 0.25
"""Weight that the missing ball fell if it was hit first: 2 of 14 there, of few."""

UNCHANGED = 0.983
"""Weight that a foul leaves what is seen, where a ball is missing that may snooker or block the way: a path
1 m long and two balls wide is 1.7 % of the cloth.
"""

# Rulings that what follows contradicts

CONTRADICTED = 0.02
"""Likelihood of balls on the table that are not those a ruling left, and of a stroke behind a frame's end:
the ruling is wrong, or they were miscounted. Assumed.
"""

UNCALLED = 0.02
"""Likelihood of a nomination that a state does not have: he was on another ball, or named one that need not
be named. Assumed.
"""

BEHIND_THE_END = 0.02
"""Likelihood of a stroke behind a rack's end, with the balls not set up: as in snooker. Assumed."""
