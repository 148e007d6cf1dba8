"""From nothing to a shipped model: render patches, train, export, score, write the manifest."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from vision.train.detector.export import export_onnx, quantize
from vision.train.detector.fit import FitOptions, fit
from vision.train.detector.rendered import rendered
from vision.train.detector.resume import from_onnx
from vision.train.detector.scores import Scores, confusion_text, one_thread, score_patches
from vision.train.shards import Sharing, alone
from vision.train.ship import BALL_DETECTOR, Network, detector_section, write_section
from vision.train.stored import stored_weights


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """`work`: folder of the rendered patches, kept and used again; `scored`: held-out patches.

    `start`: an ONNX file of a detector that is trained on; None: from nothing. `network`: which detector.
    """

    out: Path
    work: Path
    patches: int = 12000
    scored: int = 500
    fit: FitOptions = FitOptions()  # noqa: RUF009  (frozen)
    start: Path | None = None
    network: Network = BALL_DETECTOR


def train(options: TrainOptions, say: Callable[[str], None] = print, sharing: Sharing = alone) -> Scores:
    """Train and write the ONNX file and `manifest.toml` beside it; returns the held-out scores.

    `sharing`: who renders. The same seed and options give the same patches and the same order of steps.
    Raises UnusableInput where `start` is no ONNX file.
    """
    began = time.monotonic()
    if options.start is not None:
        stored_weights(options.start)  # a file that is none is told before an hour of rendering
    say(f"rendering {options.patches} patches")
    data, held_out = rendered(
        options.network, options.work, options.fit.seed, options.patches, options.scored, sharing
    )
    say(f"training on {len(data)} patches")
    looks = options.network.looks
    start = None if options.start is None else from_onnx(options.start, data.images, looks)
    net, steps = fit(data, replace(options.fit, looks=len(looks)), say, start)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    export_onnx(net, options.out)
    sha256 = quantize(options.out, data.images)
    one_thread()
    scores = score_patches(options.out, held_out)
    say(scores.text())
    say(confusion_text(scores))
    section = detector_section(
        options.network,
        sha256,
        patches=len(data),
        seed=options.fit.seed,
        steps=steps,
        batch=options.fit.batch,
        scored=len(held_out),
        minutes=(time.monotonic() - began) / 60,
        scores=scores,
    )
    write_section(options.out.with_name("manifest.toml"), options.out.stem, section)
    return scores
