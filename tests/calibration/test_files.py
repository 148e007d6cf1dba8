"""Files are whole or not there, links are not followed, and a folder has one writer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from calibration.files import only_writer, open_kept, whole_file, write_text


def test_a_file_is_there_whole_or_as_it_was(tmp_path: Path) -> None:
    target = tmp_path / "match.json"
    write_text(target, "first")
    with pytest.raises(RuntimeError), whole_file(target) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "first" and os.listdir(tmp_path) == ["match.json"]


def test_a_target_that_is_a_link_is_replaced_and_what_it_points_to_is_left(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (tmp_path / "report.html").symlink_to(elsewhere)
    write_text(tmp_path / "report.html", "ours")
    assert elsewhere.read_text() == "theirs" and not (tmp_path / "report.html").is_symlink()


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_kept_file_that_is_a_link_is_refused_and_not_touched(tmp_path: Path, link: object) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    link(elsewhere, tmp_path / "journal")  # type: ignore[operator]
    with pytest.raises(UnusableInput, match="found a link"):
        open_kept(tmp_path / "journal")
    assert elsewhere.read_text() == "theirs"


def test_a_folder_has_one_writer_and_is_free_again_when_that_process_dies(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from calibration.files import only_writer; import time\n"
        f"with only_writer(Path({str(tmp_path)!r}), 'cueref review'):\n"
        "    print('held', flush=True); time.sleep(300)"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    late = threading.Timer(120.0, other.kill)
    late.start()
    try:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        held = rf"cueref review \(process {other.pid}, since \d\d:\d\d\) at work in it"
        with pytest.raises(UnusableInput, match=held), only_writer(tmp_path, "cueref live"):
            pass
    finally:
        late.cancel()
        other.kill()  # as a crash does: nothing is tidied
        other.communicate(timeout=60.0)
    with only_writer(tmp_path, "cueref live"):
        pass
