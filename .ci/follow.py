"""Follow a page on this machine: every line of docs/tutorial.md that a reader types, in order.

    python3 .ci/follow.py docs/tutorial.md --camera rtsp://127.0.0.1:8554/table --recording clip.mp4

Meant for an empty Debian: it needs Python alone, and installs by the page's own lines. Commands that serve
pages are opened as a browser would, `cueref setup` is led through its steps up to a running live table, and
Ctrl-C ends them. What a reader has and a test machine lacks is replaced: the camera and the recording. Exit
status 1: a line did not do what the page says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOKEN = "the-token-of-the-followed-page"
SERVING = re.compile(r"^cueref (demo|serve|setup|live)\b")
FINDING = re.compile(r"^cueref (certify|doctor|bench)\b")
"""Commands whose exit status 1 is a finding about the camera, the machine or the networks, not a fault."""
ADDRESS = re.compile(r"https?://[^\s#]+")
LONGEST_S = 900.0


@dataclass(frozen=True, slots=True)
class Done:
    """What a line did: exit status, seconds, and what was looked at while it ran."""

    line: str
    status: int
    took_s: float
    said: str = ""

    @property
    def well(self) -> bool:
        wanted = (130,) if SERVING.match(self.line) else (0, 1) if FINDING.match(self.line) else (0,)
        return self.status in wanted


def lines_of(page: str, chosen: str) -> list[str]:
    """The lines that a reader types. Of sections with headings `### ...` those with the word `chosen`."""
    typed, wanted = [], True
    for line in page.splitlines():
        if line.startswith("#"):
            wanted = not line.startswith("### ") or chosen in line
        if wanted and line.startswith("    ") and line.strip():
            typed.append(line.strip())
    return typed


class Shell:
    """One shell of the reader's: what a line exports, and its folder, are there for the next."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state = Path(tempfile.mkdtemp(prefix="follow-")) / "state"
        self._state.write_text(f"cd {folder}\nexport CUEREF_TOKEN={TOKEN}\n")

    def start(self, line: str, out: Any) -> subprocess.Popen[bytes]:
        keep = f'{{ export -p; echo cd "$PWD"; }} > {self._state}'
        script = f"source {self._state}\n" + (f"exec {line}" if SERVING.match(line) else f"{line} && {keep}")
        return subprocess.Popen(
            ["bash", "-c", script],
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def follow(line: str, shell: Shell) -> Done:
    """Type one line and wait for its end, or look at its pages and end it by Ctrl-C."""
    start_s = time.monotonic()
    with tempfile.NamedTemporaryFile() as out:
        process = shell.start(line, out)
        said = ""
        try:
            if SERVING.match(line):
                said = visit(line, process, lambda: Path(out.name).read_text("utf-8", "replace"))
                os.kill(process.pid, signal.SIGINT)
            status = process.wait(LONGEST_S)
        except (OSError, TimeoutError, ValueError, subprocess.TimeoutExpired) as error:
            status, said = -1, f"{type(error).__name__}: {error}"
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
        done = Done(line, status, time.monotonic() - start_s, said)
        if not done.well:
            print(Path(out.name).read_text("utf-8", "replace")[-3000:], file=sys.stderr)
    return done


def visit(line: str, process: subprocess.Popen[bytes], said: Callable[[], str]) -> str:
    """Open each address that the command prints; lead `cueref setup` to a running table."""
    wanted = 2 if "demo" in line else 1

    def printed() -> list[str]:
        return sorted({a.rstrip(".,;") for a in ADDRESS.findall(said())})

    until(lambda: len(printed()) >= wanted, process)
    addresses = printed()
    for address in addresses:
        until(lambda a=address: answers(a), process)
    if "setup" in line:
        return set_up(root_of(addresses[0]), process)
    return f"{len(addresses)} addresses answer"


def root_of(address: str) -> str:
    found = re.match(r"https?://[^/]+", address)
    assert found is not None
    return found[0]


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def set_up(root: str, process: subprocess.Popen[bytes]) -> str:
    """What a person does on the set-up pages: wait for the lights, find the table, save, begin to referee."""
    until(lambda: asked(f"{root}/api/setup")["advice"], process)
    form = asked(f"{root}/api/setup/defaults")
    table = {k: form[k] for k in ("length_mm", "width_mm", "ball_mm", "measured")}
    asked(f"{root}/api/setup/calibrate", table)
    until(lambda: asked(f"{root}/api/setup")["found"], process, 300.0)
    names = ("table_name", "game", "player_a", "player_b", "best_of", "breaks", "keep_days", "language")
    asked(f"{root}/api/setup/save", {**table, **{n: form[n] for n in names}, "start": True})
    until(lambda: seen_live(root), process, 300.0)
    return "table found, match begun, the live table answers"


def seen_live(root: str) -> bool:
    try:
        return bool(asked(f"{root}/api/live"))
    except OSError:
        return False


def asked(address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """A JSON answer; with `body` a change."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"x-cueref-token": TOKEN, "content-type": "application/json"}
    try:
        request = urllib.request.Request(address, data, headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            told: dict[str, Any] = json.load(answer)
            return told
    except urllib.error.HTTPError as error:
        raise OSError(f"{address}: {error.code} {error.read(500)!r}") from error


def until(holds: Callable[[], Any], process: subprocess.Popen[bytes], seconds: float = 300.0) -> None:
    end_s = time.monotonic() + seconds
    while not holds():
        if process.poll() is not None:
            raise ValueError("it ended by itself")
        if time.monotonic() > end_s:
            raise TimeoutError(f"not within {seconds:.0f} s")
        time.sleep(0.5)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path)
    parser.add_argument("--camera", default="", help="stands in for /dev/video0")
    parser.add_argument("--recording", default="", help="stands in for recording.mp4 and match.mp4")
    parser.add_argument(
        "--instead", action="append", default=[], metavar="THIS=>THAT", help="what else stands in"
    )
    parser.add_argument("--way", default="checkout", help="a word of the heading of the way to install")
    parser.add_argument("--without", action="append", default=[], help="leave out lines with this")
    told = parser.parse_args()
    shell, failed = Shell(Path.cwd()), 0
    stand_ins = [
        ("/dev/video0", told.camera),
        ("recording.mp4", told.recording),
        ("match.mp4", told.recording),
    ]
    stand_ins += [(this, that) for this, _, that in (text.partition("=>") for text in told.instead)]
    for line in lines_of(told.page.read_text("utf-8"), told.way):
        if any(word in line for word in told.without):
            continue
        typed = line
        for this, that in stand_ins:
            typed = typed.replace(this, that)
        done = follow(typed, shell)
        failed += not done.well
        print(
            f"{'ok' if done.well else 'FAILED':6} {done.took_s:5.0f} s  {line}  {done.said}".rstrip(),
            flush=True,
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
