"""The weights in a network's ONNX file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.texts import unusable_input


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
