"""A club's own networks go before those that ship, each checked against the manifest beside it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from calibration.table.pieces import POOL_15, SNOOKER
from referee.review import checkpoint
from vision.detect.detector import Detector
from vision.detect.onnx_model import MODELS, OWN_MODELS, model_path, open_model


def own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that holds a copy of one network, as `cueref train --out` leaves it."""
    shipped = model_path("ball_detector")
    shutil.copy(shipped, folder)
    shutil.copy(shipped.with_name("manifest.toml"), folder)
    monkeypatch.setenv(OWN_MODELS, str(folder))
    return folder / shipped.name


def test_what_lies_in_ones_own_folder_is_used_and_the_rest_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = [model_path(name) for name in MODELS]
    assert all(path.is_file() for path in shipped)
    mine = own(tmp_path, monkeypatch)
    assert [model_path(name) for name in MODELS] == [mine, *shipped[1:]]
    assert open_model("ball_detector").get_outputs()[0].name == "maps"


def test_a_network_that_is_not_the_manifests_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = own(tmp_path, monkeypatch)
    mine.write_bytes(mine.read_bytes() + b"x")
    with pytest.raises(UnusableInput, match=re.escape(str(mine))):
        open_model("ball_detector")


def test_a_review_that_other_networks_began_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = checkpoint._code.__wrapped__()
    mine = own(tmp_path, monkeypatch)
    assert checkpoint._code.__wrapped__() == before, "the same network in another folder"
    mine.write_bytes(mine.read_bytes() + b"x")
    assert checkpoint._code.__wrapped__() != before


def test_a_folder_with_one_network_alone_leaves_the_pieces_of_other_games_to_the_shipped_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(model_path("ball_detector"), tmp_path)
    section = re.split(r"(?m)^(?=\[)", model_path("ball_detector").with_name("manifest.toml").read_text())
    own = [part for part in section if part.startswith(("[ball_detector]", "[ball_detector."))]
    (tmp_path / "manifest.toml").write_text("".join(own))
    monkeypatch.setenv(OWN_MODELS, str(tmp_path))
    assert Detector(pieces=SNOOKER).path.parent == tmp_path
    assert Detector(pieces=POOL_15).path.stem == "piece_detector"
