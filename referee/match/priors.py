"""Prior probabilities of what images do not show: players, hands, hidden balls. Each with its origin.

Likelihoods of what images show are the tracker's (`tracker.explain.priors`). "Assumed" values were not
measured.
"""

from __future__ import annotations

# Players

FOULED, FOULED_OF = 0.02, 50
"""Share of strokes that are fouls, and the number of strokes that this prior is worth beside a match's own.
Assumed: one or two fouls a frame of sixty strokes.
"""

NO_FOUL = 0.001
"""Likelihood of an act that follows only on a foul (the cue-ball taken in hand or put back, a player's
choice) where there was no foul. Assumed."""

PLACED_RIGHT = 0.9995
"""Prior probability that a cue-ball in hand is placed where it must be. Players know the rule and often play
from the line itself, where a measurement alone would leave every second stroke open.
"""

NOMINATED_HIT = 0.97
"""Weight of "he nominated what he hit" where the first contact itself is not certain."""

NOMINATED_NOT_POTTED = 0.8
"""The same weight where another colour was potted as well: he may have nominated that one."""

OBVIOUS = 0.9995
"""Weight that a shot straight into a pocket was the one that was meant (1.6: obvious)."""

NO_PUSH = 0.9995
"""Weight that no push out was announced before a shot that is legal without one."""

PUSHED = 0.5
"""Weight that a push out was announced before a shot that is a foul without one."""

CHOOSER_PLAYS = 0.7
"""Weight that a player who may choose plays himself, where nobody said what he chose."""

OPEN_TABLE = 0.3
"""Weight that the table is open where nobody said whose the groups are; else either player has either group.
"""

WARNED = 0.3
"""Weight that a player on two fouls was warned, where the recording does not say it. Assumed."""

OTHER_SEAT = 0.01
"""Likelihood that the striker lies on the base line of the player who is not at turn. Assumed."""

# Hands

PLACED_UNSEEN = 1e-3
"""Probability that a hand puts a ball back unseen. Assumed, as in `tracker.explain.priors`."""

TAKEN_FOR_PLACED = 0.1
"""Probability that a ball that reappears is recorded as put down by a hand. Assumed."""

IN_HAND = 0.5
"""Probability that a cue-ball that did not fall is put down by a hand, where every foul gives ball in hand.
Assumed."""

PLACED_OUTSIDE = 1e-3
"""Probability that a cue-ball in-hand is played from far outside the D (a foul, snooker 3.12). Assumed."""

CHANCE_IN_D = 0.1
"""Probability that a cue-ball comes to rest in or near the D: 4 % of the bed, and strikers aim for it."""

UNDUE = 0.05
"""Likelihood of a colour that a hand puts on its spot though no ruling sends it there, against one that is
due: it was lifted to be cleaned, or the ruling is wrong. Assumed.
"""

LEFT_LYING = 0.2
"""Likelihood that a player who has the cue-ball in hand plays it from where it lies. Assumed."""

NEW_RACK_INSIDE = 0.001
"""Likelihood that balls are set up anew during a rack that is over in another course. Assumed."""

# What the images do not show

UNSAID = 0.06
"""Probability that no explanation is true, once a person says what few of them say. In real clips the true
one was missing for one or two of 29 facts. Of a stroke that is not whole in the pictures explanations are
taken to say no more than half."""

STILL_HIDDEN = 0.004
"""Probability that a ball that did not fall is not found before the next stroke either. Layouts of sixteen
balls are wholly right 97 times in 100 (issue 22)."""

APART = 0.2
"""Weight of the record's own contacts and pots, beside the explanations, in a stroke that is not whole in the
pictures. In three such strokes that differed the explanations were right each time (tracks tier, seed 9501):
(0 + 1) of (3 + 2).
"""

GONE_FELL = 0.5
"""Weight that a ball fell that disappeared unseen in a stroke that is not whole in the pictures, though its
explanations do not say so. Not measured.
"""

RACK_FELL = 0.4
"""Weight that a piece fell that is missing after a rack's first stroke, if nothing was seen of it; otherwise
it is hidden. Not measured."""

TOUCHES_AS_TAKEN = 0.7
"""Weight that balls touch, or do not, as the match assumes, where the measured gap does not decide. Assumed.
"""

SURE_BOUNCE, WEAK_BOUNCE = 0.9997, 0.97
"""Weight that a recorded cushion hit happened: of a ball that came back from it, and of one that stayed
there."""

UNSEEN_TOUCH, UNSEEN_NEAR = 0.0007, 0.02
"""Weight that a ball touched a cushion though no bend was seen: of balls that end far from all, and near
one."""

LOST_RAIL = 0.95
"""Weight of a cushion contact where images were lost: one in twenty shots that pot nothing meets no cushion.
"""

# Balls that should lie there and are not seen

MET_STRAIGHT = 0.2
"""Weight that a cue-ball which met no known ball and nowhere bends met a missing one: 5 of 32 such strokes
of the bench with one colour taken out of the pictures (48 pieces, 384 strokes). Where it bends it was the
missing one in 7 of 8.
"""

MISSING_FELL = 0.25
"""Weight that the missing ball fell if it was hit first: 2 of 14 there, of few."""

UNCHANGED = 0.983
"""Weight that a missing ball neither snookers nor blocks the way after a foul: a path 1 m long and two balls
wide is 1.7 % of the cloth.
"""

# Rulings that what follows contradicts

CONTRADICTED = 0.02
"""Likelihood of balls on the table that contradict a ruling, and of a stroke after the frame's end: the
ruling is wrong, or the balls were miscounted. Assumed."""

UNCALLED = 0.02
"""Likelihood of a nomination that a state does not allow: the player was on another ball, or named one that
need not be named. Assumed.
"""

BEHIND_THE_END = 0.02
"""Likelihood of a stroke after a rack's end, before the balls are set up: as in snooker. Assumed."""
