"""What holds for every test: how Hypothesis draws, that no account of this machine is touched, that what is
tested is compiled once, that a process computes in one thread, that the collector of garbage leaves what is
imported alone, and that files that take long come first.
"""

import atexit
import gc
import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from calibration.files import work_folder

# a busy machine is no fault of a law: no limit of time for one example, nor for drawing them
settings.register_profile("cueref", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cueref")

os.environ["CUEREF_LANG"] = "en"  # of this process and of commands that a test starts
if "CUEREF_ACCESS" not in os.environ:  # commands that a test starts inherit it
    _accounts = ExitStack()  # what a killed run leaves, the next one deletes
    os.environ["CUEREF_ACCESS"] = str(
        _accounts.enter_context(work_folder("cueref-accounts-")) / "access.sqlite"
    )
    atexit.register(_accounts.close)
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # each worker, and each of some hundred commands, would compile all that it imports; nothing is written
    # beside the sources, as was asked
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / ".pytest_cache" / "compiled")
for variable in ("OMP_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(variable, "1")  # the workers have the cores; more threads would only wait

gc.disable()  # until all tests are found: what is imported stays, and to look through it finds no garbage

LONGEST = (
    "referee/test_workers.py",
    "referee/commands/test_demo.py",
    "faults/test_faults.py",
    "referee/review/test_review.py",
    "footage/test_real_strokes.py",
    "calibration/solve/test_solve.py",
    "referee/quality/synthetic/test_synth_games.py",
    "test_wheel.py",
    "referee/quality/bench/test_rooms_pictures.py",
    "referee/quality/soak/test_soak_camera.py",
    "referee/match/test_lost_images.py",
    "referee/pages/test_every_page.py",
    "footage/test_real_clips.py",
    "referee/review/test_odd_videos.py",
    "referee/quality/bench/test_tracks.py",
    "footage/test_real_stills.py",
    "test_api.py",
    "referee/match/test_recording_ends.py",
    "referee/live/test_engine.py",
    "referee/live/test_web.py",
    "referee/console/test_browser.py",
    "referee/access/test_login.py",
    "vision/capture/test_capture_v4l2.py",
    "referee/match/test_referee.py",
    "vision/train/test_train_model.py",
    "tracker/test_snapshots.py",
    "test_german_commands.py",
    "referee/review/test_six_red_review.py",
    "vision/locate/test_pairs.py",
    "vision/train/test_train.py",
    "tracker/test_contact_times.py",
    "tracker/test_strokes.py",
)
"""The files that take more than about fifteen seconds, as measured on 27 November 2026."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A worker takes file after file: what takes long comes first, so that none has it left at the end."""
    place = {Path(__file__).parent / name: k for k, name in enumerate(LONGEST)}
    if gone := [file.name for file in place if not file.is_file()]:
        raise pytest.UsageError(f"tests/conftest.py: LONGEST names {', '.join(gone)}, which is not there")
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """Every module and test is there to the end: the collector need not look through them again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
