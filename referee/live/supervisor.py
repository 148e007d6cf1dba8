"""Commands of cueref kept running, a process each: a table that ends is started again, the others play on.

On a machine with systemd the unit `cueref-live@.service` does this for each table. This is for everything
else: containers, a club's one machine without root, rehearsals, measuring how many tables a machine bears.
"""

from __future__ import annotations

import ctypes
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from calibration.texts import sentence

ENDS_IN_S = 20.0
"""A live table writes its last state within a second or two of SIGTERM; after this it is killed."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 60.0
"""Before a new start: as the unit waits, doubled each time up to the most that a club notices too late."""
STEADY_S = 60.0
"""What ran as long as this starts with the first pause again."""
_LOOK_S = 0.2
_PR_SET_PDEATHSIG = 1
"""Of linux/prctl.h."""

Say = Callable[[str], None]


@dataclass(slots=True)
class Kept:
    """One command under supervision. `starts`: how often it was started."""

    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    began_s: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    due_s: float = 0.0
    starts: int = 0


@dataclass(slots=True)
class Supervisor:
    """Keeps commands running until it is asked to end.

    `environment`: of every process. `say`: told what starts and ends, one line each.
    """

    environment: Mapping[str, str]
    say: Say
    first_pause_s: float = FIRST_PAUSE_S
    kept: list[Kept] = field(default_factory=list)

    def keep(self, name: str, command: Sequence[str]) -> None:
        """Add a command, an argument list, that `run` starts."""
        self.kept.append(Kept(name, command, pause_s=self.first_pause_s))

    def run(self, ending: threading.Event) -> None:
        """Start everything, and again what ends, until `ending` is set; then end all, in order."""
        try:
            while not ending.is_set():
                for one in self.kept:
                    self._look_after(one, time.monotonic())
                ending.wait(_LOOK_S)
        finally:
            end([one.process for one in self.kept if one.process is not None])

    def _look_after(self, one: Kept, now_s: float) -> None:
        if one.process is None:
            if now_s >= one.due_s:
                one.process = start(one.command, self.environment)
                one.began_s, one.starts = now_s, one.starts + 1
                self.say(sentence("terminal.table_starts", name=one.name, pid=one.process.pid))
            return
        status = one.process.poll()
        if status is None:
            return
        if now_s - one.began_s >= STEADY_S:
            one.pause_s = self.first_pause_s
        one.process, one.due_s = None, now_s + one.pause_s
        pause = f"{one.pause_s:g}"
        if status < 0:
            self.say(sentence("terminal.table_killed", name=one.name, signal=-status, pause=pause))
        else:
            self.say(sentence("terminal.table_ended", name=one.name, status=status, pause=pause))
        one.pause_s = min(2 * one.pause_s, LONGEST_PAUSE_S)


def start(
    command: Sequence[str], environment: Mapping[str, str], words: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    """Start a command of cueref; its log goes to `words`, else to this process's standard error.

    It gets a session of its own: Ctrl-C reaches the first process alone, which ends the others in order.
    Where that one is killed, the kernel asks the others to end, so that a new one finds no folder in use.
    """
    return subprocess.Popen(
        command, env=dict(environment), stderr=words, start_new_session=True, preexec_fn=end_with_parent
    )


def end_with_parent() -> None:
    """To be run in a new process: SIGTERM for it when the *thread* that started it ends (Linux, prctl(2))."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def cueref(*arguments: str) -> list[str]:
    """The argument list that calls this cueref."""
    return [sys.executable, "-m", "referee", *arguments]


def with_one_token(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment with a token for all pages, its own or a new one.

    A browser sends its cookies to every port of a host, so that two tokens would log each other out.
    """
    return {**environment, "CUEREF_TOKEN": environment.get("CUEREF_TOKEN") or secrets.token_urlsafe(24)}


def end(running: Sequence[subprocess.Popen[bytes]]) -> None:
    """Ask all processes to end, and wait; what has not ended after `ENDS_IN_S` is killed."""
    for process in running:
        with suppress(ProcessLookupError):
            process.terminate()
    until_s = time.monotonic() + ENDS_IN_S
    for process in running:
        try:
            process.wait(max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until_asked() -> tuple[threading.Event, set[int]]:
    """An event that SIGINT and SIGTERM set, and which of them came; call it in the main thread."""
    asked: set[int] = set()
    ending = threading.Event()

    def asked_to_end(number: int, _: object) -> None:
        asked.add(number)
        ending.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, asked_to_end)
    return ending, asked
