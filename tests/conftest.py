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
    "referee/review/test_review.py",
    "referee/test_workers.py",
    "footage/test_wrong_game_clips.py",
    "faults/test_faults.py",
    "footage/test_real_clips.py",
    "referee/pages/test_every_page.py",
    "referee/review/test_odd_videos.py",
    "referee/match/test_lost_images.py",
    "vision/locate/test_pairs.py",
    "referee/console/test_browser.py",
    "tracker/test_snapshots.py",
    "footage/test_real_strokes.py",
    "referee/console/test_made.py",
    "referee/quality/bench/test_tracks.py",
    "calibration/solve/test_solve.py",
    "vision/train/test_train.py",
    "referee/commands/test_demo.py",
    "test_german_commands.py",
    "referee/live/test_engine.py",
    "tracker/test_contact_times.py",
    "footage/test_real_stills.py",
    "referee/access/test_login.py",
    "vision/train/test_train_model.py",
    "test_wheel.py",
    "calibration/find/test_board.py",
    "referee/quality/soak/test_soak_camera.py",
    "referee/console/test_going_on_browser.py",
    "referee/match/test_referee.py",
    "referee/access/test_every_route.py",
    "referee/review/test_declared_review.py",
    "test_texts.py",
    "referee/match/test_recording_ends.py",
    "referee/quality/certify/test_certify.py",
    "referee/quality/synthetic/test_synth_games.py",
    "referee/review/test_folder.py",
    "referee/live/test_web.py",
    "referee/console/test_questions_and_state.py",
    "referee/live/test_same_as_review.py",
    "vision/locate/test_centres.py",
    "referee/console/test_beyond_browser.py",
    "tracker/test_strokes.py",
)
"""The files that take more than about fifteen seconds, as measured on 27 November 2026, those of
footage on 1 December. The first reviews the sample for those that read it (`reviewed_sample`).
"""


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
