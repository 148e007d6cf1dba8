"""A second process in a table's folder would write the same journal: it is refused, and the first is not
disturbed.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from referee.live.engine.lock import only_one


def test_a_folder_has_one_process_and_is_free_again_after_it(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from referee.live.engine.lock import only_one; import time\nwith"
        f" only_one(Path({str(tmp_path)!r})): print('held', flush=True); time.sleep(300)"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    late = threading.Timer(120.0, other.kill)
    late.start()
    try:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(UnusableInput, match="another cueref live"), only_one(tmp_path):
            pass
    finally:
        late.cancel()
        other.kill()  # as a crash does: nothing is tidied
        other.communicate(timeout=60.0)
    with only_one(tmp_path):
        pass
