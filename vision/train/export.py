"""From trained weights to the ONNX file that ships, with its manifest."""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch
from torch import nn

from vision.train.network import Detector


def folded(net: Detector) -> Detector:
    """A copy whose batch normalisations are folded into the convolutions before them."""
    copy = Detector(net.head.in_channels, len(net.blocks), net.stem[0].out_channels)
    copy.load_state_dict(net.state_dict())
    copy.eval()
    for i in (0, 3):
        copy.stem[i] = nn.utils.fusion.fuse_conv_bn_eval(copy.stem[i], copy.stem[i + 1])
        copy.stem[i + 1] = nn.Identity()
    for block in copy.blocks:
        block.conv = nn.utils.fusion.fuse_conv_bn_eval(block.conv, block.norm)
        block.norm = nn.Identity()
    return copy


def export_onnx(net: Detector, path: Path) -> str:
    """Write the ONNX file (dynamic N, H, W; input `image`, output `maps`); returns its sha256."""
    import warnings

    model = folded(net.eval())
    part = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the classic exporter writes one self-contained file and needs no further package
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, (torch.zeros(1, 3, 64, 64),), str(part), input_names=["image"], output_names=["maps"],
            dynamic_axes={"image": {0: "n", 2: "h", 3: "w"}, "maps": {0: "n", 2: "h2", 3: "w2"}},
            opset_version=17, dynamo=False,
        )
    part.replace(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()
