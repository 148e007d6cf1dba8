"""A network to train on from the file that ships: its 8-bit weights back in floating point.

Batch normalisation was folded away at export. It is put back so that it changes nothing on pictures of the
kind trained on: each channel is scaled by its own spread and shifted to its own mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from calibration.table.pieces import SNOOKER
from calibration.texts import unusable_input
from vision.train.detector.network import Detector
from vision.train.stored import stored_weights


def from_onnx(path: Path, images: NDArray[np.uint8], looks: Sequence[str] = SNOOKER.names) -> Detector:
    """The detector of an ONNX file. `images` (N, P, P, 3) uint8 RGB give the spread of each channel.

    Parts that the file does not have, a network of before, keep their first values, which change nothing. A
    look that the file's network does not tell apart begins as the look that resembles it most. Raises
    UnusableInput when the file has no weight of the trunk.
    """
    stored = stored_weights(path)
    net = Detector(looks=len(looks)).eval()
    batch = torch.from_numpy(images[:: max(1, len(images) // 64)][:64]).permute(0, 3, 1, 2).float() / 255
    found = 0
    with torch.no_grad():
        for name, conv, norm in _convolutions(net):
            weight = _value(stored, f"{name}.weight")
            if weight is None:
                continue
            found += 1
            bias = _value(stored, f"{name}.bias")
            assert bias is not None
            if name == "head":
                weight, bias = _head_for(looks, weight, bias)
            conv.weight.copy_(torch.from_numpy(weight))
            if norm is None:
                assert conv.bias is not None
                conv.bias.copy_(torch.from_numpy(bias))
            else:
                _neutral(net, conv, norm, torch.from_numpy(bias), batch)
    if not found:
        raise unusable_input("errors.detector_of_cueref_train", path=path)
    return net


_RESEMBLES = {"purple": "blue", "orange": "red", "maroon": "brown", "striker": "white"}
"""Which of snooker's looks a new look begins as; stripes and discs begin as their tint."""
_NEW_LOGIT = -1.5  # added to the bias of a new look, so that the known ones keep their probabilities at first


def _head_for(
    looks: Sequence[str], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The head's weights and biases for more looks; four channels, a pixel of 2 x 2 each, make one map."""
    known = SNOOKER.names
    if len(bias) == 4 * (4 + len(looks)):
        return weight, bias
    rows, shift = [0, 1, 2], [0.0, 0.0, 0.0]
    for look in looks:
        tint = look.split()[0]
        rows.append(3 + known.index(look if look in known else _RESEMBLES.get(tint, tint)))
        shift.append(0.0 if look in known else _NEW_LOGIT)
    rows, shift = [*rows, len(bias) // 4 - 1], [*shift, 0.0]
    take = np.concatenate([np.arange(4) + 4 * r for r in rows])
    return weight[take], bias[take] + np.repeat(np.array(shift, np.float32), 4)


def _convolutions(net: Detector) -> list[tuple[str, nn.Conv2d, nn.BatchNorm2d | None]]:
    """Every convolution in the order of the forward pass, with its name in the file and its normalisation."""
    out: list[tuple[str, nn.Conv2d, nn.BatchNorm2d | None]] = []
    modules = dict(net.named_modules())
    blocks = [f"blocks.{k}" for k in range(len(net.blocks))]
    blocks[2:2] = [f"context.blocks.{k}" for k in range(len(net.context.blocks))]
    pairs = [("stem.0", "stem.1"), ("stem.3", "stem.4"), *((f"{b}.conv", f"{b}.norm") for b in blocks)]
    for conv_name, norm_name in pairs:
        conv, norm = modules[conv_name], modules[norm_name]
        assert isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d)
        out.append((conv_name, conv, norm))
    out += [("context.out", net.context.out, None), ("head", net.head, None)]
    return out


def _value(stored: dict[str, NDArray[np.generic]], name: str) -> NDArray[np.float32] | None:
    """A weight or bias, made floating point where it was stored in whole numbers with a scale a channel."""
    if name in stored:
        return np.array(stored[name], np.float32)
    whole = stored.get(f"{name}_quantized")
    if whole is None:
        return None
    scale = stored.get(f"{name}_scale", stored.get(f"{name}_quantized_scale"))
    assert scale is not None
    spread = np.asarray(scale, np.float32).reshape(-1, *(1,) * (whole.ndim - 1))
    return np.asarray(whole, np.float32) * spread


def _neutral(net: Detector, conv: nn.Conv2d, norm: nn.BatchNorm2d, bias: Tensor, batch: Tensor) -> None:
    """Set a normalisation after `conv` to add `bias` only, by the spread of the channels over `batch`."""
    seen: list[Tensor] = []
    handle = conv.register_forward_hook(lambda _module, _inputs, out: seen.append(out))
    net(batch)
    handle.remove()
    out = seen[0].transpose(0, 1).flatten(1)
    mean, variance = out.mean(1), out.var(1)
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(variance)
    norm.weight.copy_((variance + norm.eps).sqrt())
    norm.bias.copy_(bias + mean)
