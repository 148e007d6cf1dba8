"""Hours of play through `cueref live` in a process of its own, with faults; everything that happens is
written down.

    OUT/raw/played.jsonl   each clip as it was played, with its truth and the Unix time of its first image
    OUT/raw/faults.jsonl   each fault: kind, from, to (Unix)
    OUT/raw/back.jsonl     each time a broker or a browser was there again: seconds until it heard the table
    OUT/raw/events.jsonl   the events that `cueref live` published, states left out but for one in ten
                           seconds; `said_unix`: when, by the right clock
    OUT/raw/samples.jsonl  every five seconds: process, processor time, memory, room
    OUT/journal/           the journals of its matches at the end
    OUT/live.log           what `cueref live` said
    OUT/live/              its own folder (a small tmpfs where that is allowed, so that it can be full)

`referee.quality.soak.score` reads these files; nothing is judged here.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.live.supervisor import end_with_parent
from referee.quality.soak.camera import FakeCamera, free_port
from referee.quality.soak.clips import SoakClip
from referee.quality.soak.journal import copy_journals
from referee.quality.soak.ledger import code_of
from referee.quality.soak.plan import Fault, plan
from referee.quality.soak.set_clock import SetClock, said_unix, set_clock
from referee.quality.soak.watchers import WatchedBroker, WatchingBrowser, mosquitto

_SAMPLE_S = 5.0
_COMES_UP_S = 120.0
_ENDS_S = 20.0
_LEFT_FREE = 64 * 1024
_TABLE = "soak"
_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class SoakOptions:
    """`tmpfs_mb`: size of the disk of `cueref live`, 0 for the folder's own disk (then it is never filled).
    `plain`: the RTSP server in Python. `faults` None: as `soak_plan.plan` makes them from the seed.
    `priority`: nice value of camera and `cueref live`, below 0 where other programs would starve them
    (needs root)."""

    out: Path
    calibration: Path
    seconds: float
    seed: int = 1
    every_s: float = 100.0
    size: tuple[int, int] = (1280, 720)
    other_size: tuple[int, int] = (960, 540)
    tmpfs_mb: int = 3000
    plain: bool = False
    faults: tuple[Fault, ...] | None = None
    linger_s: float = 8.0
    priority: int = 0


@dataclass
class _Run:
    """The live process and the files of the record."""

    options: SoakOptions
    live: Path
    process: subprocess.Popen[bytes] | None = None
    clock: SetClock | None = None
    state_s: float = 0.0
    port: int = field(default_factory=free_port)
    broker: WatchedBroker | None = None
    browser: WatchingBrowser | None = None


def run_soak(
    clips: list[SoakClip],
    options: SoakOptions,
    tell: Callable[[str], None] = lambda text: None,
) -> Path:
    """Play for `seconds` with faults; returns the folder of the record. RuntimeError when `cueref live` does
    not come up.
    """
    raw = options.out / "raw"
    raw.mkdir(parents=True, exist_ok=True)
    live = options.out.resolve() / "live"  # `cueref live` is run in another folder
    live.mkdir(exist_ok=True)
    run = _Run(options, live)
    _prefer(os.getpid(), options.priority)  # the camera is served by this process and its children
    done = threading.Event()
    threads: list[threading.Thread] = []
    with contextlib.ExitStack() as after:  # the last first, each whatever becomes of the others
        mounted = _mount(live, options.tmpfs_mb)
        if mounted:
            after.callback(_command, "umount", "-l", str(live))
        camera = FakeCamera(clips, options.size, options.other_size, options.seed, options.plain)
        after.callback(_keep, run, camera.password)
        after.callback(camera.close)
        after.callback(_end, run)
        after.callback(_join, done, threads)
        program = mosquitto()
        if program is not None:
            run.broker = WatchedBroker(program, free_port(), _TABLE)
            after.callback(run.broker.close)
        run.clock = set_clock(options.out.resolve())  # `cueref live` is run in another folder
        _start(run, camera)
        run.browser = WatchingBrowser(run.port)
        after.callback(run.browser.close)
        begun = time.time()
        _about(raw / "about.jsonl", run, clips, mounted, begun)
        for work in (_watch_events, _sample):
            threads.append(threading.Thread(target=work, args=(run, raw, done), daemon=True))
        threads.append(
            threading.Thread(target=_fail, args=(run, camera, raw, mounted, begun, done), daemon=True)
        )
        for thread in threads:
            thread.start()
        _play(camera, options.seconds, raw, tell)
        time.sleep(options.linger_s)  # the last ruling, the last clip
        _write(raw / "ended.jsonl", {"ended_unix": time.time()})
    return raw


def _join(done: threading.Event, threads: list[threading.Thread]) -> None:
    done.set()
    for thread in threads:
        thread.join(15.0)


def _planned(options: SoakOptions) -> tuple[Fault, ...]:
    return plan(options.seconds, options.every_s, options.seed) if options.faults is None else options.faults


def _about(path: Path, run: _Run, clips: list[SoakClip], mounted: bool, begun: float) -> None:
    options = run.options
    _write(
        path,
        {
            "begun_unix": begun,
            "seconds": options.seconds,
            "seed": options.seed,
            "every_s": options.every_s,
            "size": options.size,
            "other_size": options.other_size,
            "fps": clips[0].fps,
            "tmpfs": mounted,
            "broker": run.broker is not None,
            "clock": run.clock is not None,
            "planned": [f.kind for f in _planned(options)],
            "code": code_of(_ROOT),
            "clips": [c.path.stem for c in clips],
        },
    )


def _keep(run: _Run, password: str) -> None:
    """What must be known of the small disk before it goes."""
    out = run.options.out
    copy_journals(run.live, out / "journal")
    (out / "raw" / "leaks.json").write_text(json.dumps(_leaks(out, password)), encoding="utf-8")


def _play(camera: FakeCamera, seconds: float, raw: Path, tell: Callable[[str], None]) -> None:
    def note() -> None:
        told = 0
        while not camera.stop.wait(0.5):
            for played in camera.played[told:]:
                truth = json.loads(played.clip.path.with_suffix(".json").read_text(encoding="utf-8"))
                facts = {
                    "n": played.n,
                    "clip": played.clip.path.stem,
                    "start_unix": played.start_unix,
                    "end_unix": played.end_unix,
                    "strokes": truth["events"],
                }
                _write(raw / "played.jsonl", facts)
                tell(f"frame {played.n + 1}: {played.clip.path.stem}")
            told = len(camera.played)

    thread = threading.Thread(target=note, daemon=True)
    thread.start()
    camera.play(seconds)
    time.sleep(0.6)
    camera.stop.set()
    thread.join(5.0)


def _start(run: _Run, camera: FakeCamera) -> None:
    command = [
        sys.executable,
        "-m",
        "referee",
        "live",
        "--out",
        str(run.live),
        "--calibration",
        str(run.options.calibration.resolve()),
        "--table-name",
        _TABLE,
        "--port",
        str(run.port),
    ]
    broker = {} if run.broker is None else {"CUEREF_MQTT": run.broker.address}
    # an argument with the camera's password would be seen by every user of the machine
    clock = {} if run.clock is None else run.clock.environment
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUEREF_CAMERA": camera.address, **broker, **clock}
    path = run.options.out / "live.log"
    before = path.stat().st_size if path.exists() else 0
    with path.open("ab") as log:
        run.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=environment,
            cwd=_ROOT,
            start_new_session=True,
            preexec_fn=end_with_parent,  # after kill -9 of the soak nobody else would end it
        )
    _prefer(run.process.pid, run.options.priority)
    deadline = time.monotonic() + _COMES_UP_S
    while b'"starting"' not in path.read_bytes()[before:]:
        if run.process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"cueref live ended with {run.process.returncode} or said nothing; see {path}")
        time.sleep(0.1)


def _prefer(pid: int, priority: int) -> None:
    """Raise a process above others; where that is not allowed it stays as it is."""
    with contextlib.suppress(OSError):
        if priority:
            os.setpriority(os.PRIO_PROCESS, pid, priority)
            Path(f"/proc/{pid}/autogroup").write_text(str(priority))  # where sessions are scheduled as groups


def _end(run: _Run) -> None:
    process = run.process
    if process is None or process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_ENDS_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_ENDS_S)


def _fail(
    run: _Run, camera: FakeCamera, raw: Path, mounted: bool, begun: float, done: threading.Event
) -> None:
    """Make the planned faults happen, and wait for the end."""
    for fault in _planned(run.options):
        able = {"disk": mounted, "broker": run.broker is not None, "clock": run.clock is not None}
        if not able.get(fault.kind, True):
            continue
        if done.wait(max(0.0, begun + fault.at_s - time.time())):
            return
        start = time.time()
        try:
            _one_fault(run, camera, raw, fault, done)
        except Exception as error:
            _write(
                raw / "trouble.jsonl",
                {"unix": time.time(), "text": f"{fault.kind}: {type(error).__name__}: {error}"},
            )
        _write(raw / "faults.jsonl", {"kind": fault.kind, "start_unix": start, "end_unix": time.time()})
    done.wait()  # what this thread started ends with it (`end_with_parent`)


def _one_fault(run: _Run, camera: FakeCamera, raw: Path, fault: Fault, done: threading.Event) -> None:
    watcher = {"broker": run.broker, "browser": run.browser}.get(fault.kind)
    if watcher is not None:
        watcher.away()
        done.wait(fault.span_s)
        _write(raw / "back.jsonl", {"kind": fault.kind, "seconds": watcher.again()})
    elif fault.kind in ("drop", "size"):
        camera.unplug()
        done.wait(fault.span_s)
        camera.plug(fault.kind == "size")
    elif fault.kind in ("stall", "dark"):
        camera.set_mode("stall" if fault.kind == "stall" else "dark")
        done.wait(fault.span_s)
        camera.set_mode("play")
    elif fault.kind == "disk":
        with _Full(run.live, run.options.tmpfs_mb):
            done.wait(fault.span_s)
    elif fault.kind == "clock":
        if run.clock is not None:
            run.clock.next()
    elif run.process is not None:
        run.process.kill()
        run.process.wait(_ENDS_S)
        if not done.wait(fault.span_s):  # after the end nobody would end it
            _start(run, camera)


class _Full:
    """The small disk full to the last bytes, by making it as small as what lies on it; a context manager."""

    def __init__(self, folder: Path, size_mb: int) -> None:
        self._folder, self._size_mb = folder, size_mb

    def __enter__(self) -> None:
        for attempt in range(8):  # others write meanwhile
            state = os.statvfs(self._folder)
            used = (state.f_blocks - state.f_bfree) * state.f_frsize
            if _remount(self._folder, f"{(used + _LEFT_FREE * (1 + attempt)) // 1024}k"):
                return
        raise OSError("the small disk could not be filled")

    def __exit__(self, *_: object) -> None:
        _remount(self._folder, f"{self._size_mb}m")


def _remount(folder: Path, size: str) -> bool:
    return _command("mount", "-o", f"remount,size={size}", str(folder))


def _command(*words: str) -> bool:
    """Whether a command was there and did what it should, within two minutes."""
    try:
        return subprocess.run(words, capture_output=True, timeout=120).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _watch_events(run: _Run, raw: Path, done: threading.Event) -> None:
    """Copy what is published as it comes; the published file is begun anew now and then."""
    path = run.live / "events.jsonl"
    at, inode, rest = 0, None, b""
    while True:
        last = done.is_set()
        try:
            with path.open("rb") as file:
                number = os.fstat(file.fileno()).st_ino
                if number != inode:
                    at, inode, rest = 0, number, b""
                file.seek(at)
                data = file.read()
                at += len(data)
        except OSError:
            data = b""
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            _keep_event(run, raw, line)
        if last:
            return
        done.wait(0.25)


def _keep_event(run: _Run, raw: Path, line: bytes) -> None:
    try:
        event = json.loads(line)
    except ValueError:
        return
    event["said_unix"] = said_unix(event["utc"])
    if event["type"] == "state":
        body = event["body"]
        if time.time() < run.state_s + 10.0:
            return
        run.state_s = time.time()
        wanted = ("status", "score", "frame", "strokes", "camera", "machine", "match_id", "players")
        event = {**event, "body": {k: body[k] for k in wanted}}
    _write(raw / "events.jsonl", event)


def _sample(run: _Run, raw: Path, done: threading.Event) -> None:
    while not done.wait(_SAMPLE_S):
        process = run.process
        found = _process(process.pid) if process is not None and process.poll() is None else None
        if process is not None and found is not None:
            room = os.statvfs(run.live)
            load = os.getloadavg()[0]
            _write(
                raw / "samples.jsonl",
                {
                    "unix": time.time(),
                    "pid": process.pid,
                    **found,
                    "load": load,
                    "free_mb": room.f_bavail * room.f_frsize / 1e6,
                },
            )
        elif process is not None and process.poll() is not None and process.returncode not in (-9, None):
            _write(
                raw / "trouble.jsonl",
                {"unix": time.time(), "text": f"cueref live ended with {process.returncode}"},
            )


def _process(pid: int) -> dict[str, float] | None:
    """Memory and processor time of a process (Linux)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return None
    tick = os.sysconf("SC_CLK_TCK")
    words = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    cpu = (int(stat[11]) + int(stat[12])) / tick
    return {"rss_mb": int(words["VmRSS"].split()[0]) / 1024, "cpu_s": cpu, "threads": int(words["Threads"])}


def _mount(folder: Path, size_mb: int) -> bool:
    if not size_mb:
        return False
    return _command("mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=0700", "cueref-soak", str(folder))


def _leaks(out: Path, password: str) -> list[str]:
    """The files in which the camera's password stands."""
    secret = password.encode()
    return [
        str(p.relative_to(out))
        for p in out.rglob("*")
        if p.is_file() and p.stat().st_size < 1 << 28 and secret in p.read_bytes()
    ]


def _write(path: Path, value: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(value) + "\n")
