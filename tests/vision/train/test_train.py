"""Targets, turns and the exported network keep the detector's contract. Needs torch (extra `train`)."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from vision.detect.detector import decode
from vision.train.detector.data import PatchSet, load_patches, make_patches

# torch is imported by the tests themselves: only the worker that runs them waits for it
if find_spec("torch") is None or find_spec("onnx") is None:
    pytest.skip("the extra 'train' brings them", allow_module_level=True)
if TYPE_CHECKING:
    import torch


def balls(*rows: tuple[float, float, int, float]) -> torch.Tensor:
    import torch

    out = torch.full((1, 40, 6), float("nan"))
    for k, row in enumerate(rows):
        out[0, k] = torch.tensor([*row, 0.0, 0.0])
    return out


def test_perfect_maps_decode_to_the_balls_they_were_made_from() -> None:
    import torch

    from vision.train.detector.targets import make_targets

    truth = balls((30.3, 41.7, 4, 1.0), (42.4, 41.9, 1, 0.9), (90.0, 20.0, 7, 0.2))
    t = make_targets(truth, torch.zeros(1, 64, 64, dtype=torch.uint8))
    maps = np.full((12, 64, 64), -8.0, np.float32)
    maps[0] = np.log(
        np.clip(t.heat[0].numpy(), 1e-4, 0.9999) / (1 - np.clip(t.heat[0].numpy(), 1e-4, 0.9999))
    )
    maps[1:3] = t.offset[0].numpy()
    for k in range(8):
        maps[3 + k] = np.where(t.label[0].numpy() == k, 8.0, -8.0)
    found = sorted(decode(maps), key=lambda d: d.u_px)
    # the third ball is mostly hidden: neither taught as a ball nor as empty cloth
    assert [(round(d.u_px, 2), round(d.v_px, 2)) for d in found] == [(30.3, 41.7), (42.4, 41.9)]
    assert [int(np.argmax(d.look_logp)) for d in found] == [4, 1]
    assert float(t.weight[0, 10, 45]) == 0.0 and float(t.weight[0, 40, 5]) == 1.0


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
@pytest.mark.parametrize("flip", [False, True])
def test_turned_pictures_and_truth_stay_together(quarter: int, flip: bool) -> None:
    import torch

    from vision.train.detector.targets import turn

    image = torch.zeros(1, 3, 128, 128)
    image[0, :, 40, 100] = 1.0
    covers = torch.zeros(1, 64, 64, dtype=torch.uint8)
    covers[0, 20, 50] = 255
    turned, masks, truth = turn(image, covers, balls((100.0, 40.0, 2, 1.0)), quarter, flip)
    v, u = (int(i) for i in np.argwhere(turned[0, 0].numpy() > 0)[0])
    assert (float(truth[0, 0, 0]), float(truth[0, 0, 1])) == (u, v)
    i, j = (int(k) for k in np.argwhere(masks[0].numpy() > 0)[0])
    assert abs(2 * i + 0.5 - v) <= 1 and abs(2 * j + 0.5 - u) <= 1


def test_export_agrees_with_torch_and_crops_agree_with_the_whole(tmp_path: Path) -> None:
    import onnxruntime as ort
    import torch

    from vision.train.detector.export import export_onnx
    from vision.train.detector.network import Detector

    torch.manual_seed(3)
    net = Detector()
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.uniform_(-0.3, 0.3)
            module.running_var.uniform_(0.5, 2.0)
    net.eval()
    export_onnx(net, tmp_path / "m.onnx")
    session = ort.InferenceSession(str(tmp_path / "m.onnx"), providers=["CPUExecutionProvider"])
    picture = np.random.default_rng(1).random((1, 3, 160, 192), dtype=np.float32)
    whole = session.run(["maps"], {"image": picture})[0]
    assert whole.shape == (1, 12, 80, 96)
    with torch.no_grad():
        assert np.abs(net(torch.from_numpy(picture)).numpy() - whole).max() < 1e-3
    crop = session.run(["maps"], {"image": picture[:, :, 32:128, 40:160]})[0]
    # beyond the receptive field's half (24 px, 12 cells) from a crop's border nothing differs
    assert np.abs(crop[..., 12:-12, 12:-12] - whole[..., 28:52, 32:68]).max() < 1e-4
    assert (tmp_path / "m.onnx").stat().st_size < 2_000_000


def test_whole_numbers_say_what_the_trained_network_says(tmp_path: Path) -> None:
    import onnxruntime as ort
    import torch

    from vision.train.detector.export import export_onnx, quantize
    from vision.train.detector.network import Detector

    torch.manual_seed(4)
    net = Detector(channels=16, depth=2).eval()
    path = tmp_path / "m.onnx"
    export_onnx(net, path)
    images = np.random.default_rng(2).integers(0, 256, (12, 64, 64, 3), dtype=np.uint8)
    plain = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    sha256 = quantize(path, images)
    assert sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    small = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    x = np.ascontiguousarray(images[:1].transpose(0, 3, 1, 2), np.float32) / np.float32(255)
    a, b = plain.run(["maps"], {"image": x})[0], small.run(["maps"], {"image": x})[0]
    # steps of a 7-bit weight and an 8-bit value are each under a hundredth of their range
    assert np.abs(a - b).max() < 0.05 * np.ptp(a)
    assert np.abs(a - b).max() > 0  # it is another file


def test_a_few_steps_on_rendered_patches_lower_the_loss(tmp_path: Path) -> None:
    import torch

    from vision.train.detector.fit import FitOptions, fit, loss_of
    from vision.train.detector.network import Detector
    from vision.train.detector.targets import make_targets

    make_patches(tmp_path, 77, 8)
    data = load_patches(tmp_path)
    assert isinstance(data, PatchSet) and len(data) == 8
    images = torch.from_numpy(data.images).permute(0, 3, 1, 2).float() / 255
    targets = make_targets(torch.from_numpy(data.balls), torch.from_numpy(data.covers))
    torch.manual_seed(1)
    with torch.no_grad():
        before, _ = loss_of(Detector().train()(images), targets)
    net, _ = fit(data, FitOptions(steps=40, batch=8, minutes=2.0, threads=1), say=lambda text: None)
    with torch.no_grad():
        after, _ = loss_of(net.train()(images), targets)
    assert float(after) < 0.5 * float(before)


def test_a_centre_network_goes_on_from_its_file_and_from_no_other(tmp_path: Path) -> None:
    import torch

    from calibration.errors import UnusableInput
    from vision.train.centres.fit import export_windows
    from vision.train.centres.network import CentreNetwork, PairNetwork
    from vision.train.stored import restored

    torch.manual_seed(4)
    net, path = CentreNetwork().eval(), tmp_path / "ball_centre.onnx"
    export_windows(net, path, 3, "shift")
    again = restored(CentreNetwork(), path).eval()
    images = torch.rand(5, 3, 32, 32)
    assert torch.equal(net(images), again(images))
    with pytest.raises(UnusableInput, match="found another one"):
        restored(PairNetwork(), path)


def test_a_file_that_is_no_network_is_told_in_a_sentence(tmp_path: Path) -> None:
    from calibration.errors import UnusableInput
    from vision.train.stored import stored_weights

    (path := tmp_path / "notes.md").write_text("# no network", encoding="utf-8")
    with pytest.raises(UnusableInput, match="ONNX file"):
        stored_weights(path)
