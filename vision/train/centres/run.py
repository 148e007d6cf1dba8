"""From nothing to the shipped centre and pair networks: render windows, train, export, score, write the
manifest.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from vision.train.centres.fit import (
    CentreFitOptions,
    CentreScores,
    export_windows,
    fit_centres,
    fit_pairs,
    score_centres,
    score_pairs,
)
from vision.train.centres.network import CentreNetwork, PairNetwork
from vision.train.centres.windows import load_pairs, load_windows, make_windows
from vision.train.shards import Sharing, alone
from vision.train.ship import write_section
from vision.train.stored import restored

HELD_OUT_SEED = 9_500_000
"""Pieces from this seed on are for scores only."""
PAIR_NAME = "ball_pair"
_PAIR_SHARE = 0.6  # of the centre network's time: its trunk is trained already

_SECTION = """[{name}]
file = "{file}"
sha256 = "{sha256}"
input = "{input}"
output = "{output}"
trained_on = "{windows} windows of {what} in {pieces} rendered pieces of pictures \
from vision.render, no real picture"
seed = {seed}
training_minutes = {minutes:.1f}

[{name}.scores]
# {s.windows} windows of rendered {what} with seeds never trained on; errors in radii of a ball
before_median = {s.before:.4f}
after_median = {s.after:.4f}
after_95 = {s.after_95:.4f}
within_one_sigma = {s.within_one:.3f}
within_two_sigma = {s.within_two:.3f}
"""
_WINDOW = "a ball whose thought silhouette is the unit circle, 1.6 radii to each side"
_CENTRE = {
    "what": "balls",
    "input": f"image: float32 (N, 3, 32, 32), RGB 0..1, {_WINDOW}",
    "output": (
        "shift: float32 (N, 3): u, v in radii from the thought to the true centre, logarithm of its sigma"
    ),
}
_PAIR = {
    "what": "pairs",
    "input": (
        f"image: float32 (N, 6, 32, 32), RGB 0..1 of both: {_WINDOW}, turned so that the other lies to its"
        " right"
    ),
    "output": (
        "wider: float32 (N, 2): how many radii the gap is wider than that of the thought centres, logarithm"
        " of its sigma"
    ),
}


@dataclass(frozen=True, slots=True)
class CentreTrainOptions:
    """`out`: the centre network's file, the pair network's lies beside it; `work`: folder of the rendered
    windows, kept and used again; `pieces`: rendered pieces of pictures. `start`: the centre network's ONNX
    file to train on from, the pair network from the one beside it, if there is one; None: from nothing.
    """

    out: Path
    work: Path
    pieces: int = 5200
    held_out: int = 200
    fit: CentreFitOptions = CentreFitOptions()  # noqa: RUF009  (frozen)
    start: Path | None = None


def train_centres(
    options: CentreTrainOptions,
    say: Callable[[str], None] = print,
    sharing: Sharing = alone,
) -> tuple[CentreScores, CentreScores]:
    """Render, train both networks, score, write their ONNX files and sections of `manifest.toml`; returns the
    held-out scores. `sharing`: who renders. Raises UnusableInput where the files to go on from are of other
    networks.
    """
    began, seed = time.monotonic(), options.fit.seed
    beside = None if options.start is None else options.start.with_name(f"{PAIR_NAME}.onnx")
    beside = beside if beside is not None and beside.is_file() else None
    for net, start in ((CentreNetwork(), options.start), (PairNetwork(), beside)):
        if start is not None:
            restored(net, start)  # another network's file is told before an hour of rendering
    first = 3_180_000 + 20_000 * (seed % 8)
    folder, held = options.work / f"windows_{first}", options.work / "windows_held_out"
    say(f"rendering {options.pieces} pieces of pictures")
    with sharing() as share:
        make_windows(folder, first, options.pieces, share)
        make_windows(held, HELD_OUT_SEED, options.held_out, share)
    options.out.parent.mkdir(parents=True, exist_ok=True)

    def ship(name: str, text: dict[str, str], sha256: str, windows: int, scores: CentreScores) -> None:
        say(scores.text())
        section = _SECTION.format(
            name=name,
            file=f"{name}.onnx",
            sha256=sha256,
            windows=windows,
            pieces=options.pieces,
            seed=seed,
            s=scores,
            minutes=(time.monotonic() - began) / 60,
            **text,
        )
        write_section(options.out.with_name("manifest.toml"), name, section)

    data = load_windows(folder)
    say(f"training on {len(data)} windows")
    net = fit_centres(data, options.fit, say, options.start)
    scores = score_centres(net, load_windows(held))
    ship(options.out.stem, _CENTRE, export_windows(net, options.out, 3, "shift"), len(data), scores)
    pairs = load_pairs(folder)
    say(f"training on {len(pairs)} pairs")
    fit = replace(options.fit, minutes=_PAIR_SHARE * options.fit.minutes)
    both = fit_pairs(pairs, net, fit, say, beside)
    pair_scores = score_pairs(both, load_pairs(held))
    ship(
        PAIR_NAME,
        _PAIR,
        export_windows(both, options.out.with_name(f"{PAIR_NAME}.onnx"), 6, "wider"),
        len(pairs),
        pair_scores,
    )
    return scores, pair_scores
