"""What holds for every test: how Hypothesis draws, and that no account of this machine is touched."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

# a busy machine is no fault of a law: no limit of time for one example, nor for drawing them
settings.register_profile("cueref", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("cueref")

os.environ["CUEREF_LANG"] = "en"  # of this process and of commands that a test starts
if "CUEREF_ACCESS" not in os.environ:  # commands that a test starts inherit it
    _accounts = tempfile.mkdtemp(prefix="cueref-accounts-")
    os.environ["CUEREF_ACCESS"] = str(Path(_accounts) / "access.sqlite")
    atexit.register(shutil.rmtree, _accounts, ignore_errors=True)
