"""Where the table looks otherwise than when it was last still: what tells a ball that is hidden from one that
is gone.

The network knows covers by their kind, and a sleeve of the cloth's colour is none to it. Where a ball lay
and is not seen, the cloth around it decides: as it was, the ball has left; otherwise something is there,
and the ball may be.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.change.gate import Cells, take_over
from vision.io.picture import U8

_SHARE = 0.3  # of a cell's pixels that differ: a cue over it, or a ball beside it, are less
_TAKEN_OVER_S = 20.0  # what has not stirred for so long belongs to the table: people never stand that still
_OTHER_LIGHT = 0.6  # of the table's cells: lamps, not people


@dataclass
class StillView:
    """The gate's luma as the table last looked at rest, cell by cell, with what stands on it for a while left
    out.
    """

    luma: U8 | None = None
    calm_since_s: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))

    def altered(self, luma: U8, changed: Cells, step: float, t_s: float, whole: bool) -> Cells:
        """Cells (rows, columns) that look otherwise than at rest by more than `step` grey levels.

        `luma`: of the gate; `changed`: cells that changed since they were last examined; `whole`: nothing
        has stirred for a moment and all is examined: what looks as before is taken as the rest that later
        images are held against.
        """
        if self.luma is None:
            self.luma, self.calm_since_s = luma.copy(), np.full(changed.shape, t_s)
            return np.zeros_like(changed)
        self.calm_since_s[changed] = t_s
        differs = (cv2.absdiff(luma, self.luma) > step).view(np.uint8)
        share = cv2.resize(differs * np.uint8(255), changed.shape[::-1], interpolation=cv2.INTER_AREA)
        found: Cells = share > 255 * _SHARE
        if whole:
            taken = ~found | (t_s - self.calm_since_s > _TAKEN_OVER_S)
            if found.mean() > _OTHER_LIGHT:
                taken[:] = True
            take_over(self.luma, luma, taken)
        return found
