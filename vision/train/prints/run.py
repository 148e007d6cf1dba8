"""From nothing to the shipped print network: render windows, train, export, score, write the manifest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vision.train.prints.fit import (
    PrintFitOptions,
    PrintScores,
    export_prints,
    fit_prints,
    from_onnx,
    score_prints,
)
from vision.train.prints.windows import load_windows, make_windows
from vision.train.shards import Sharing, alone
from vision.train.ship import write_section

HELD_OUT_SEED = 9_600_000
"""Pieces from this seed on are for scores only."""

_SECTION = """[{name}]
file = "{name}.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, 40, 40), RGB 0..1, the balls of one look, each with its silhouette the unit \
circle, 1.2 radii to each side; known: float32 (K, 96), tokens of balls of earlier looks"
output = "logits: float32 (N, 17), the cue-ball, 1 to 15, no ball; tokens: float32 (N, 96)"
trained_on = "{windows} windows of balls in {pieces} rendered pieces of pictures from vision.render, no real \
picture"
seed = {seed}
training_minutes = {minutes:.1f}

[{name}.scores]
# {held} rendered pieces with seeds never trained on
balls = {s.balls}
right = {s.right}
sure = {s.sure}
sure_right = {s.sure_right}
"""


@dataclass(frozen=True, slots=True)
class PrintTrainOptions:
    """`out`: the network's file; `work`: folder of the rendered windows, kept and used again; `pieces`:
    rendered pieces of pictures. `start`: the ONNX file to train on from; None: from nothing.
    """

    out: Path
    work: Path
    pieces: int = 7000
    held_out: int = 400
    fit: PrintFitOptions = PrintFitOptions()  # noqa: RUF009  (frozen)
    start: Path | None = None


def train_prints(
    options: PrintTrainOptions, say: Callable[[str], None] = print, sharing: Sharing = alone
) -> PrintScores:
    """Render, train, score, write the ONNX file and its section of `manifest.toml`; returns the held-out
    scores. `sharing`: who renders. Raises UnusableInput where `start` is another network's file.
    """
    began, seed = time.monotonic(), options.fit.seed
    start = None if options.start is None else from_onnx(options.start)
    first = 3_000_000 + 50_000 * (seed % 8)
    folder, held = options.work / f"prints_{first}", options.work / "prints_held_out"
    say(f"rendering {options.pieces} pieces of pictures")
    with sharing() as share:
        make_windows(folder, first, options.pieces, share)
        make_windows(held, HELD_OUT_SEED, options.held_out, share)
    data = load_windows(folder)
    say(f"training on {len(data.prints)} balls")
    net = fit_prints(data, options.fit, say, start)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    sha256, scores = export_prints(net, options.out), score_prints(net, load_windows(held))
    say(scores.text())
    section = _SECTION.format(
        name=options.out.stem,
        sha256=sha256,
        windows=data.images.shape[0] * data.images.shape[1],
        pieces=options.pieces,
        seed=seed,
        minutes=(time.monotonic() - began) / 60,
        held=options.held_out,
        s=scores,
    )
    write_section(options.out.with_name("manifest.toml"), options.out.stem, section)
    return scores
