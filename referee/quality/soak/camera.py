"""The soak's camera: plays clip after clip into an RTSP server, on time, and breaks when told to.

The world goes on while the camera is gone: a stroke that is played during a fault was played.
"""

from __future__ import annotations

import os
import secrets
import select
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from referee.quality.soak.clips import HOLD_S, SoakClip, camera_tape, dark_tape
from referee.quality.soak.rtsp import HEADER, PATH

SYSTEM_PYTHON = "/usr/bin/python3"
BETWEEN_S = 3.0
"""Between two clips: a new frame is set up."""
_USER = "referee"
_SOON_S = 60.0
"""The longest that a server takes to come up, to read a message, or to be gone when it is killed."""
_ENDS_S = 5.0
"""How long it has to end by itself."""


@dataclass(frozen=True, slots=True)
class PlayedClip:
    """A clip as it was played: `start_unix` is the moment of its first image of play, the still before it
    left out.
    """

    n: int
    clip: SoakClip
    start_unix: float
    end_unix: float


def has_gstreamer() -> bool:
    """Whether Debian's GStreamer RTSP server is installed."""
    probe = "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import GstRtspServer"
    try:
        return subprocess.run([SYSTEM_PYTHON, "-c", probe], capture_output=True, timeout=20).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class FakeCamera:
    """A camera that plays clips in random order by `seed`. `address`: how it is reached, with a password.

    `play` blocks until the clips of a number of seconds are over; `fault` may be called from another thread.
    """

    def __init__(
        self,
        clips: list[SoakClip],
        size: tuple[int, int],
        other_size: tuple[int, int],
        seed: int,
        plain: bool = False,
    ) -> None:
        """`plain`: the RTSP server in Python instead of GStreamer's. `other_size` may be `size`: it is
        rendered once.
        """
        self.clips, self.played = clips, list[PlayedClip]()
        self._rng = np.random.default_rng(seed)
        self._sizes = (size, other_size)
        self._tapes = {(c.path, s): camera_tape(c, *s) for c in clips for s in self._sizes}
        folder, fps = clips[0].path.parent, clips[0].fps
        self._dark = {s: dark_tape(folder, *s, fps) for s in self._sizes}
        self._fps = fps
        self._size = 0
        self._mode: Literal["play", "stall", "dark"] = "play"
        self._need_key = True
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self.stop = threading.Event()
        self.password = secrets.token_urlsafe(9)
        self._port = free_port()
        self._server = self._start_server(plain)
        self.address = f"rtsp://{_USER}:{self.password}@127.0.0.1:{self._port}{PATH}"

    def _start_server(self, plain: bool) -> subprocess.Popen[bytes]:
        script = Path(__file__).with_name("rtsp_plain.py" if plain else "rtsp.py")
        python = sys.executable if plain else SYSTEM_PYTHON
        command = [python, str(script), str(self._port), _USER, self.password]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        assert server.stdin is not None and server.stdout is not None
        os.set_blocking(server.stdin.fileno(), False)
        late = threading.Timer(_SOON_S, server.kill)
        late.start()
        ready = False
        try:
            ready = server.stdout.readline().strip() == b"ready"
        finally:
            late.cancel()
            if not ready:
                server.kill()
                _ended(server)
        if not ready:
            raise RuntimeError(f"{script.name}: the RTSP server did not start")
        return server

    def add(self, clip: SoakClip) -> None:
        """Play this clip too, from the next round on."""
        tapes = {(clip.path, s): camera_tape(clip, *s) for s in self._sizes}
        with self._lock:
            self._tapes.update(tapes)
            self.clips = [*self.clips, clip]

    def set_mode(self, mode: Literal["play", "stall", "dark"]) -> None:
        """What is sent from now on: the play, nothing, or a dark picture."""
        with self._lock:
            self._mode, self._need_key = mode, True

    def unplug(self) -> None:
        """Throw every client out."""
        self._send(b"K")

    def plug(self, other_size: bool = False) -> None:
        """Answer again; `other_size`: with images of the other size than until now."""
        with self._lock:
            self._size ^= int(other_size)
            self._need_key = True
        self._send(b"O")

    def play(self, seconds: float) -> None:
        """Play whole clips until `seconds` have passed or `stop` is set."""
        start = time.time() + 0.2
        for _ in range(2):  # so that the camera is found before the first frame
            self._between(start)
            start += BETWEEN_S
        until = start + seconds
        n = 0
        order: list[int] = []
        while start < until and not self.stop.is_set():
            if not order:
                order = [int(k) for k in self._rng.permutation(len(self.clips))]
            clip = self.clips[order.pop()]
            end = start + len(self._tapes[clip.path, self._sizes[0]].units) / self._fps
            self.played.append(PlayedClip(n, clip, start + HOLD_S, end))
            self._play_clip(clip, start)
            self._between(end)
            start, n = end + BETWEEN_S, n + 1

    def _between(self, start: float) -> None:
        """The table's lamp is off, as where it goes by coins; when it is on again the balls are set up."""
        data = {s: self._dark[s].path.read_bytes() for s in self._sizes}
        for k in range(round(BETWEEN_S * self._fps)):
            due = start + k / self._fps
            if self.stop.wait(max(0.0, due - time.time())):
                return
            with self._lock:
                size = self._sizes[self._size]
                if self._mode == "stall":
                    continue
            at, length, _ = self._dark[size].units[k]
            self._send(b"A", data[size][at : at + length], round(due * 1e6))

    def _play_clip(self, clip: SoakClip, start: float) -> None:
        data = {s: self._tapes[clip.path, s].path.read_bytes() for s in self._sizes}
        dark = {s: self._dark[s].path.read_bytes() for s in self._sizes}
        self._need_key = True
        for k in range(len(self._tapes[clip.path, self._sizes[0]].units)):
            due = start + k / self._fps
            if self.stop.wait(max(0.0, due - time.time())):
                return
            with self._lock:
                size, mode = self._sizes[self._size], self._mode
                if mode == "stall":
                    continue
                tape, source = (
                    (self._dark[size], dark[size])
                    if mode == "dark"
                    else (self._tapes[clip.path, size], data[size])
                )
                at, length, key = tape.units[k % len(tape.units)]
                if self._need_key and not key:
                    continue
                self._need_key = False
            self._send(b"A", source[at : at + length], round(due * 1e6))

    def _send(self, kind: bytes, data: bytes = b"", at_us: int = 0) -> None:
        """TimeoutError when the server reads no more; a camera that is being closed lets go of the
        message.
        """
        pipe = self._server.stdin
        assert pipe is not None
        rest = memoryview(HEADER.pack(kind, len(data), at_us) + data)
        end = time.monotonic() + _SOON_S
        with self._sending:
            while rest and not pipe.closed:
                room = select.poll()
                room.register(pipe, select.POLLOUT)
                if room.poll(500):
                    rest = rest[os.write(pipe.fileno(), rest) :]
                elif self.stop.is_set():
                    return
                elif time.monotonic() > end:
                    raise TimeoutError("the RTSP server reads no more")

    def close(self) -> None:
        """Stop the server. Who waits for it to read lets go of the pipe within half a second."""
        self.stop.set()
        assert self._server.stdin is not None
        try:
            with self._sending:
                self._server.stdin.close()
        finally:
            _ended(self._server)


def _ended(server: subprocess.Popen[bytes]) -> None:
    try:
        server.wait(_ENDS_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait(_SOON_S)
    if server.stdout is not None:
        server.stdout.close()


def free_port() -> int:
    """A port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
