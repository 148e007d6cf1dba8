r"""What parts of others would do in the place of ours: the measured figures of docs/parts.md.

    pip install limits hypercorn webvtt-py pysubs2 msgspec cattrs filelock structlog tenacity \
        opentimelineio otio-cmx3600-adapter
    python docs/measure_parts.py out/match.review

None of these is a dependency; what is not installed is left out. Times are of one core and depend on it.
"""

from __future__ import annotations

import asyncio
import importlib
import io
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.middleware.trustedhost import TrustedHostMiddleware

from calibration.errors import UnusableInput
from calibration.files import only_writer
from referee.access.access import Access
from referee.access.pauses import Pauses
from referee.console.guard import Guard, Policy
from referee.console.web_server import WebServer
from referee.facts.seen import SeenStroke
from referee.journal import Journal, canonical, decode
from referee.live.engine.log import LiveLog
from referee.outputs.exports import _cue_text

REPEATS = 2000
WATCHED_S = 40.0
"""How long a client that sends a byte of its head each second is watched; ours is closed after 15 s."""
HOST = "127.0.0.1"


def microseconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """The time of one call, mean of many, after a first that does not count."""
    work()
    start_s = time.perf_counter()
    for _ in range(repeats):
        work()
    return (time.perf_counter() - start_s) / repeats * 1e6


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    """An application that reads the body, if there is one, and answers."""
    if scope["type"] == "http":
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})


def guards() -> None:
    """One request through the guard, through Starlette's check of the host, and bare."""
    access = Access()
    policy = Policy("x" * 24, False, access=access)
    applications = {
        "bare": nothing,
        "TrustedHostMiddleware": TrustedHostMiddleware(nothing, [HOST]),
        "ours": Guard(nothing, policy),
    }
    session = access.sessions.begin(None)
    cookie = f"{access.sessions.cookie_name}={session.cookie}".encode()
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/api/matches",
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"cookie", cookie)],
        "client": (HOST, 5),
    }

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b""}

    async def send(_: object) -> None:
        pass

    with asyncio.Runner() as runner:
        for name, app in applications.items():
            took = microseconds(lambda app=app: runner.run(app(dict(scope), receive, send)))
            print(f"guard, a request: {name} {took:.0f} us")
    print(f"session looked up: ours {microseconds(lambda: access.sessions.find(session.cookie)):.0f} us")


def pauses() -> None:
    """A wrong guess noted; what a window of `limits` makes of the same wrong guess sent again."""
    ours = Pauses(900.0)
    print(f"wrong guess noted: ours {microseconds(lambda: ours.wrong('192.0.2.1', 'same')):.1f} us")
    ours = Pauses(900.0)
    for _ in range(20):
        ours.wrong("192.0.2.1", "same")
    print(f"one secret sent 20 times: ours pauses {ours.left_s('192.0.2.1'):.0f} s")
    limits: Any = optional("limits")
    if limits is not None:
        window = limits.strategies.MovingWindowRateLimiter(limits.storage.MemoryStorage())
        rule = limits.parse("3/hour")
        hits = [window.hit(rule, "192.0.2.1") for _ in range(20)]
        print(f"the same: limits refuses {hits.count(False)} of 20, each for the same hour")
        print(f"wrong guess noted: limits {microseconds(lambda: window.hit(rule, '192.0.2.2')):.1f} us")


def optional(name: str) -> Any:
    """A module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])


def until_open(port: int) -> None:
    """Wait until a server listens. Raises TimeoutError after half a minute."""
    end_s = time.monotonic() + 30.0
    while time.monotonic() < end_s:
        try:
            socket.create_connection((HOST, port)).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(f"nothing listens at port {port}")


HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nx: "
BODY = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\ncontent-length: 10000\r\n\r\n"


def dripped_s(port: int, start: bytes) -> float:
    """How long a server bears a head or a body that goes on with a byte a second."""
    with socket.create_connection((HOST, port)) as client:
        client.sendall(start)
        client.settimeout(1.0)
        start_s = time.monotonic()
        while time.monotonic() - start_s < WATCHED_S:
            try:
                client.sendall(b"a")
                if not client.recv(100):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        return time.monotonic() - start_s


def dripped(name: str, port: int) -> None:
    head_s, body_s = dripped_s(port, HEAD), dripped_s(port, BODY)
    print(f"a byte a second, watched for {WATCHED_S:.0f} s: {name} head {head_s:.0f} s, body {body_s:.0f} s")


def slow_connections() -> None:
    """Ours, uvicorn alone, and hypercorn with its read timeout."""
    listening = socket.create_server((HOST, 0))
    server = WebServer(nothing, [listening])
    server.start()
    dripped("ours", listening.getsockname()[1])
    server.close()
    port = free_port()
    plain = uvicorn.Server(uvicorn.Config(nothing, host=HOST, port=port, log_level="error"))
    threading.Thread(target=plain.run, daemon=True).start()
    until_open(port)
    dripped("uvicorn", port)
    plain.should_exit = True
    if optional("hypercorn") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "hypercorn.toml"
        settings.write_text("read_timeout = 15\n")
        port = free_port()
        call = [sys.executable, "-m", "hypercorn", "-c", str(settings), "-b", f"{HOST}:{port}"]
        other = subprocess.Popen([*call, "measure_parts:nothing"], cwd=Path(__file__).parent)
        try:
            until_open(port)
            dripped("hypercorn", port)
        finally:
            other.terminate()
            other.wait()


def codecs(review: Path) -> None:
    """A stroke of a journal decoded; and what becomes of an unknown field or a wrong type."""
    with Journal(review / "journal.sqlite") as journal:
        payload = next(journal.entries("stroke")).payload
    forged = {"unknown field": {**payload, "x": 1}, "text for a number": {**payload, "start_s": "1.5"}}
    decoders: dict[str, Callable[[Any], object]] = {"ours": lambda p: decode(SeenStroke, p)}
    msgspec, cattrs, pydantic = optional("msgspec"), optional("cattrs"), optional("pydantic")
    if msgspec is not None:
        decoders["msgspec"] = lambda p: msgspec.convert(p, SeenStroke)
    if cattrs is not None:
        converter = cattrs.Converter(forbid_extra_keys=True)
        decoders["cattrs"] = lambda p: converter.structure(p, SeenStroke)
    if pydantic is not None:
        adapter = pydantic.TypeAdapter(SeenStroke)
        decoders["pydantic"] = lambda p: adapter.validate_json(canonical(p), strict=True)
    for name, work in decoders.items():
        said = {}
        for what, entry in forged.items():
            try:
                work(entry)
                said[what] = "taken"
            except Exception as error:  # each library has its own
                said[what] = f"refused ({type(error).__name__})"
        print(f"a stroke decoded: {name} {microseconds(lambda w=work: w(payload), 300):.0f} us, {said}")


def locks(folder: Path) -> None:
    """A folder locked and let go; what a second one is told."""

    def ours() -> None:
        with only_writer(folder, "cueref review"):
            pass

    print(f"folder locked: ours {microseconds(ours, 300):.0f} us")
    with only_writer(folder, "cueref review"):
        try:
            with only_writer(folder, "cueref live"):
                pass
        except UnusableInput as refusal:
            print("a second one: ours says", refusal)
    filelock: Any = optional("filelock")
    if filelock is None:
        return
    lock = filelock.FileLock(str(folder / "other.lock"), timeout=0)

    def theirs() -> None:
        with lock:
            pass

    print(f"folder locked: filelock {microseconds(theirs, 300):.0f} us")
    with lock:
        try:
            with filelock.FileLock(str(folder / "other.lock"), timeout=0):
                pass
        except filelock.Timeout as refusal:
            print("a second one: filelock says", refusal)


def logs() -> None:
    """A line of the log, with a camera's password that must not be in it."""
    address = "rtsp://anna:geheim@10.0.0.7/live"
    into = io.StringIO()
    own = LiveLog("table-1", into)
    print(f"a line of the log: ours {microseconds(lambda: own('camera_lost', camera=address)):.1f} us")
    print("ours:", into.getvalue().splitlines()[0])
    structlog: Any = optional("structlog")
    if structlog is None:
        return
    into = io.StringIO()
    stamp, as_json = structlog.processors.TimeStamper("iso"), structlog.processors.JSONRenderer()
    structlog.configure(processors=[stamp, as_json], logger_factory=structlog.PrintLoggerFactory(into))
    log = structlog.get_logger().bind()
    print(f"a line: structlog {microseconds(lambda: log.info('camera_lost', camera=address)):.1f} us")
    print("structlog:", into.getvalue().splitlines()[0])


def editing_list() -> None:
    """A marker by OpenTimelineIO's adapter for CMX 3600, beside ours of referee/outputs/exports.py."""
    otio: Any = optional("opentimelineio")
    if otio is None:
        return
    at, image = (otio.opentime.RationalTime(n, 25) for n in (0, 1))
    time_range = otio.opentime.TimeRange(at, image)
    track = otio.schema.Track("V1")
    timeline = otio.schema.Timeline("cueref")
    timeline.tracks.append(track)
    clip = otio.schema.Clip("stroke 1", source_range=time_range)
    clip.markers.append(otio.schema.Marker("1: red in TL", color="GREEN", marked_range=time_range))
    track.append(clip)
    print("OpenTimelineIO:", otio.adapters.write_to_string(timeline, "cmx_3600").splitlines()[2:])
    print("ours: [..., ' |C:ResolveColorGreen |M:1: red in TL |D:1']")


def captions(folder: Path) -> None:
    """A name that is markup, through each writer of WebVTT, with its identifier."""
    name = "A <b> & {c} --> d"
    print("ours:", _cue_text(name))
    webvtt: Any = optional("webvtt")
    if webvtt is not None:
        for text in (name, name.replace(" -->", "")):
            cue = webvtt.Caption("00:00:01.000", "00:00:02.000", text, identifier="stroke-1")
            target = folder / "a.vtt"
            try:
                webvtt.WebVTT(captions=[cue]).save(str(target))
                print("webvtt-py:", target.read_text().splitlines()[2:])
            except ValueError as error:
                print("webvtt-py refuses:", error)
    pysubs2: Any = optional("pysubs2")
    if pysubs2 is not None:
        subs = pysubs2.SSAFile()
        subs.append(pysubs2.SSAEvent(start=1000, end=2000, text=name))
        print("pysubs2:", subs.to_string("vtt").splitlines()[2:])


def main() -> None:
    codecs(Path(sys.argv[1]))
    guards()
    pauses()
    logs()
    editing_list()
    with tempfile.TemporaryDirectory() as folder:
        captions(Path(folder))
        locks(Path(folder))
    slow_connections()


if __name__ == "__main__":
    main()
