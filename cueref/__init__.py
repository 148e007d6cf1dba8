"""cueref as a library: what a recording shows, what the rules say of it, and what was written of it before.

    import cueref
    match = cueref.review("match.mp4", "match.review", table="3569x1778")
    match.score, match.strokes[0].verdict, match.questions

The names in `__all__`, their parameters and the fields of their results follow semantic versioning: they go
or change their meaning only with a new major version, and new ones may come with a minor one. Everything else
in the installed packages is internal. Unusable input raises `UnusableInput` with one sentence.
"""

from calibration.errors import UnusableInput
from calibration.result import Calibration
from cueref.judged import JudgedMatch, RuledLine, judge
from cueref.match import Foul, Frame, Match, Pot, Stroke, open_match
from cueref.seeing import Layout, calibrate, layout, review
from referee import __version__
from referee.bundled import sample_clip
from vision.layout import LayoutBall
from vision.observation import GapSeen

__all__ = [
    "Calibration",
    "Foul",
    "Frame",
    "GapSeen",
    "JudgedMatch",
    "Layout",
    "LayoutBall",
    "Match",
    "Pot",
    "RuledLine",
    "Stroke",
    "UnusableInput",
    "__version__",
    "calibrate",
    "judge",
    "layout",
    "open_match",
    "review",
    "sample_clip",
]
