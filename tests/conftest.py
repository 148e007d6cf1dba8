"""What holds for every test: how Hypothesis draws, that no account of this machine is touched, that what is
tested is compiled once, and that a process computes in one thread.
"""

import atexit
import os
from contextlib import ExitStack
from pathlib import Path

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
