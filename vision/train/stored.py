"""The weights in a network's ONNX file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from calibration.texts import unusable_input

if TYPE_CHECKING:
    from torch import nn

Network = TypeVar("Network", bound="nn.Module")


def stored_weights(path: Path) -> dict[str, NDArray[np.generic]]:
    """A file's weights by their names. Raises UnusableInput when it is no ONNX file."""
    import onnx
    from google.protobuf.message import DecodeError
    from onnx import numpy_helper

    try:
        model = onnx.load(str(path))
    except DecodeError as error:
        raise unusable_input("errors.from_with_an_onnx_file", start=path) from error
    return {i.name: numpy_helper.to_array(i).copy() for i in model.graph.initializer}


def restored(net: Network, path: Path) -> Network:
    """The network with the weights of the ONNX file that it was exported to.

    Raises UnusableInput when the file is of another network.
    """
    import torch

    stored = {name: torch.from_numpy(weight) for name, weight in stored_weights(path).items()}
    own = net.state_dict()
    if {n: v.shape for n, v in stored.items()} != {n: v.shape for n, v in own.items()}:
        raise unusable_input("errors.network_of_the_same_kind", path=path)
    net.load_state_dict(stored)
    return net
