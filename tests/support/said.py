"""What commands say: reads lists of arguments (JSON) and writes [status, output] for each, in one process.

CUEREF_LANG=de python said.py < calls.json
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from referee.cli import main


def said(arguments: list[str]) -> tuple[object, str]:
    """The exit status of a command, and all that it printed."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(arguments)
        except SystemExit as ended:
            return ended.code, out.getvalue()
    return None, out.getvalue()


if __name__ == "__main__":
    json.dump([said(arguments) for arguments in json.load(sys.stdin)], sys.stdout)
