"""The print network compares the balls of a look with one another, in whatever order and company."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.detect.print_net import PRINTS, WINDOW_PX
from vision.train.prints.windows import load_windows, make_windows, piece_windows

# torch is imported by the tests themselves: only the worker that runs them waits for it
if find_spec("torch") is None or find_spec("onnx") is None:
    pytest.skip("the extra 'train' brings them", allow_module_level=True)
if TYPE_CHECKING:
    from vision.train.prints.network import PrintNetwork


@pytest.fixture(scope="module")
def net() -> PrintNetwork:
    import torch

    from vision.train.prints.network import PrintNetwork

    torch.manual_seed(4)
    net = PrintNetwork().eval()
    with torch.no_grad():  # an untrained network's equal weights would be one in its file
        for p in net.parameters():
            p.add_(0.02 * torch.randn_like(p))
    return net


def test_names_go_with_the_balls_in_whatever_order_they_come(net: PrintNetwork) -> None:
    import torch

    images, none = torch.rand(7, 3, WINDOW_PX, WINDOW_PX), torch.zeros(0, len(net.earlier))
    order = torch.randperm(7)
    with torch.no_grad():
        a, b = net(images, none)[0], net(images[order], none)[0]
    assert torch.allclose(a[order], b, atol=1e-4)


def test_what_pads_a_look_to_the_size_of_others_tells_nothing(net: PrintNetwork) -> None:
    import torch

    tokens = torch.randn(1, 9, len(net.earlier))
    there = torch.ones(1, 9)
    there[0, 5:] = 0
    with torch.no_grad():
        alone, padded = net.compared(tokens[:, :5], there[:, :5]), net.compared(tokens, there)
    assert torch.allclose(alone, padded[:, :5], atol=1e-4)


def test_the_file_says_what_the_network_says_and_can_be_trained_on(net: PrintNetwork, tmp_path: Path) -> None:
    import onnxruntime
    import torch

    from vision.train.prints.fit import export_prints, from_onnx

    file = tmp_path / "ball_print.onnx"
    export_prints(net, file)
    session = onnxruntime.InferenceSession(file)
    images, again = np.random.default_rng(0).random((4, 3, WINDOW_PX, WINDOW_PX), np.float32), from_onnx(file)
    for known in (0, 3):
        tokens = np.random.default_rng(1).normal(size=(known, len(net.earlier))).astype(np.float32)
        said = session.run(["logits", "tokens"], {"image": images, "known": tokens})
        for same in (net, again):
            with torch.no_grad():
                told = same(torch.from_numpy(images), torch.from_numpy(tokens))
            for a, b in zip(said, told, strict=True):
                assert np.allclose(a, b.numpy(), atol=1e-3)


def test_windows_are_the_same_for_a_seed_and_show_balls_that_are_there_once() -> None:
    images, prints = piece_windows(12)
    again, _ = piece_windows(12)
    assert np.array_equal(images, again)
    assert images.shape[0] == len(prints)
    balls = prints[prints != PRINTS.index("none")]
    assert len(set(balls.tolist())) == len(balls)


def test_training_learns_from_rendered_windows(tmp_path: Path) -> None:
    from vision.train.prints.fit import PrintFitOptions, fit_prints, score_prints
    from vision.train.prints.network import PrintNetwork

    make_windows(tmp_path, 40, 12)
    data = load_windows(tmp_path)
    untrained = score_prints(PrintNetwork().eval(), data)
    net = fit_prints(data, PrintFitOptions(epochs=60, looks=6, seed=2, threads=1), lambda _: None)
    trained = score_prints(net, data)
    assert trained.balls == untrained.balls
    assert trained.right > untrained.right + 0.2 * trained.balls
