"""From trained weights to the ONNX file that ships, with its manifest, in whole numbers.

8-bit convolutions run twice as fast on a processor and say nearly the same. Weights are kept to 7 bits
(`reduce_range`), so that processors without 8-bit dot products, whose 16-bit sums would overflow, give the
same answer. The first convolution (colours of the picture) and the last (positions to a hundredth of a
pixel) stay in floating point. Jacob et al. 2018, "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference".
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
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


SEEN = 240
"""Patches from which the range of each layer's values is taken."""


class _Patches(CalibrationDataReader):
    """`SEEN` of the patches as the network takes them, one at a time."""

    def __init__(self, images: NDArray[np.uint8]) -> None:
        self._left: Iterator[NDArray[np.uint8]] = iter(images[:: max(1, len(images) // SEEN)][:SEEN])

    def get_next(self) -> dict[str, NDArray[np.float32]] | None:
        image = next(self._left, None)
        if image is None:
            return None
        planes = np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32)
        return {"image": planes / np.float32(255)}


def quantize(path: Path, images: NDArray[np.uint8]) -> str:
    """Replace an ONNX file of the detector by its quantised form; returns the new sha256.

    `images` (N, P, P, 3) uint8 RGB: patches of the kind that it was trained on.
    """
    import onnx

    # the quantiser logs advice for other kinds of network to the root
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "small.onnx"
        quant_pre_process(str(path), str(plain), skip_symbolic_shape=True)
        convolutions = [n.name for n in onnx.load(str(plain)).graph.node if n.op_type == "Conv"]
        quantize_static(
            str(plain),
            str(small),
            _Patches(images),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=[convolutions[0], convolutions[-1]],
        )
        data = small.read_bytes()
    part = path.with_suffix(".part")
    part.write_bytes(data)
    part.replace(path)
    return hashlib.sha256(data).hexdigest()
