"""From trained weights to the ONNX file that ships, with its manifest."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from vision.train.detector.network import Block, Detector


def folded(net: Detector) -> Detector:
    """A copy whose batch normalisations are folded into the convolutions before them."""
    copy = Detector(*net.size)
    copy.load_state_dict(net.state_dict())
    copy.eval()
    for i in (0, 3):
        conv, norm = copy.stem[i], copy.stem[i + 1]
        assert isinstance(conv, nn.Conv2d) and isinstance(norm, nn.BatchNorm2d)
        copy.stem[i], copy.stem[i + 1] = fuse_conv_bn_eval(conv, norm), nn.Identity()
    for block in (*copy.blocks, *copy.context.blocks):
        assert isinstance(block, Block) and isinstance(block.norm, nn.BatchNorm2d)
        block.conv, block.norm = fuse_conv_bn_eval(block.conv, block.norm), nn.Identity()
    return copy


def export_onnx(net: Detector, path: Path) -> None:
    """Write the ONNX file (dynamic N, H, W; input `image`, output `maps`)."""
    model = folded(net.eval())
    part = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the classic exporter writes one self-contained file and needs no further package
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            (torch.zeros(1, 3, 64, 64),),
            str(part),
            input_names=["image"],
            output_names=["maps"],
            dynamic_axes={"image": {0: "n", 2: "h", 3: "w"}, "maps": {0: "n", 2: "h2", 3: "w2"}},
            opset_version=17,
            dynamo=False,
        )
    part.replace(path)
