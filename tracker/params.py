"""Constants of the tracker, each with where it comes from. Lengths mm, times s."""

from __future__ import annotations

from typing import Final

GRAVITY_MM_S2: Final = 9810.0
SLIDE_MM_S2: Final = 0.2 * GRAVITY_MM_S2
"""Sliding friction of a ball on cloth, coefficient about 0.2 (Marlow, The Physics of Pocket Billiards)."""
ROLL_MM_S2: Final = 0.01 * GRAVITY_MM_S2
"""Rolling resistance, coefficient about 0.01 (same source)."""
DISC_MM_S2: Final = 0.09 * GRAVITY_MM_S2
"""Sliding friction of a disc on a powdered carrom board: coefficients of 0.05 to 0.15 are usual, none is
given by the laws."""
DISC_SLOWEST_MM_S2: Final = 0.05 * GRAVITY_MM_S2
"""The least of it: no disc slides further than this lets it."""
CUSHION_RESTITUTION: Final = 0.8
"""Speed kept across a cushion, for prediction only; fits never use it."""

MIN_CONFIDENCE: Final = 0.35
"""An observation below it is not taken as a ball."""
MUCH_SURER: Final = 0.2
"""Confidence by which one observation must exceed another, or what is usual, to go before it."""
COLOUR_FLOOR: Final = 6.0
"""One picture never argues more than exp(6) for or against a colour: blur and shadow are correlated."""
STIRRED_LOOK: Final = 0.1
"""Weight of a resting ball's colour in a look at what stirs about it; a look at the still table has one."""
MOST_EVIDENCE: Final = 40.0
"""All pictures together never argue more than exp(40) against a colour: a name given wrongly can be taken
back.
"""

FALSE_ALARM_COST: Final = 14.0
"""Negative log-likelihood of an observation that no ball explains."""
BIASED_PART: Final = 0.95
"""Share of an observation's sigma that does not average out over images at rest (highlight, shadow; green on
green most): errors in two pictures of 293 pairs at rest correlate at 0.88 to 0.93. With 0.5, as was assumed,
gaps between balls that had just come to rest (tracks tier, n = 112) were 1.8 of their sigmas wrong.
"""
OTHER_LIGHT_PART: Final = 0.5
"""Share of an observation's sigma by which looks at a ball at rest differ from one hour's light to another's,
or beside an arm. Assumed.
"""

DETOUR_MM: Final = 20.0
"""A way that passes a ball's place of rest by more did not begin there."""
DETOUR_S: Final = 0.3
"""A ball that was struck, or turned, unseen is seen so soon after it."""
LAYOUT_SURE: Final = 0.95
"""Confidence of a ball of a layout: it was seen in many looks."""
SURE_FALLING: Final = 0.6
"""A ball over a drop is seen as surely as any; what is less sure there is the net that swings where it fell.
"""

SETTLE_S: Final = 0.25
"""A ball whose positions over this long agree with one place is at rest."""
CLOSE_S: Final = 0.3
"""A stroke is closed when nothing has moved for this long."""
LOST_S: Final = 0.8
"""A moving ball not seen for this long, in cells that are looked at and uncovered, is gone."""
HIDDEN_S: Final = 6.0
"""A moving ball that went under a cover is waited for this long at most."""
MAX_SPAN_S: Final = 90.0
"""A stroke lasts 15 s or so; after this long the span is closed whatever is seen, so that memory is flat."""
