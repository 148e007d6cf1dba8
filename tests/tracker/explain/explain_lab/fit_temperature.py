"""Fits the temperature of the weights: `python -m explain_lab.fit_temperature SEED FIRST LAST`.

Paths as in `measure`. Prints, for each temperature, the mean loss in nats of the first contact's ball and of
the pots over all harms; the least is the temperature at which the stated weights are most nearly true.
"""

from __future__ import annotations

import math
import sys
from dataclasses import replace

from calibration.table.specs import SNOOKER_TABLE
from explain_lab.measure import judged
from explain_lab.spans import HARMS, spans_of
from tracker.explain.priors import TEMPERATURE
from tracker.explain.solver import solve

TEMPERATURES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0)
LEAST = 1e-4
"""An answer that is missing costs as much as one of this weight."""


def losses(seed: int, first: int, last: int) -> dict[float, float]:
    """Mean loss for each temperature."""
    total = dict.fromkeys(TEMPERATURES, 0.0)
    n = 0
    for harm in HARMS:
        for piece in range(first, last):
            for span in spans_of(seed, piece, harm):
                found = solve(span.images, SNOOKER_TABLE)
                n += 1
                for t in TEMPERATURES:
                    weights = [e.weight ** (TEMPERATURE / t) for e in found]
                    cooled = [
                        replace(e, weight=w / sum(weights)) for e, w in zip(found, weights, strict=True)
                    ]
                    for v in judged(span, cooled):
                        if v.fact in ("first ball", "pots"):
                            total[t] -= math.log(max(sum(w for w, right in v.answers if right), LEAST))
    return {t: loss / n for t, loss in total.items()}


if __name__ == "__main__":
    for temperature, loss in losses(*(int(a) for a in sys.argv[1:4])).items():
        print(f"{temperature:.2f} {loss:.4f}")
