"""A batch on several workers: whoever dies and wherever the files lie, the same bytes come out."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import av
import pytest

from referee.journal import JOURNAL_FILE
from referee.season.parquet import MATCHES_FILE, STROKES_FILE

pytest.importorskip("distributed", reason="the extra 'batch' brings Dask")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
SAMPLE = HERE.parents[2] / "samples/club_four_strokes.mp4"
SCRIPT = HERE / "short_pieces.py"
FILES = ("match.json", "tracks.csv", "report.html")
LONG_S = 900.0
SECOND_REST_S = 18.5
"""The sample's second stroke ends at 15.4 s, its third begins at 19.5."""
OWN_GROUP_THAT_HEARS_CTRL_C = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.setsid()
os.execv(sys.argv[1], sys.argv[1:])
"""


def batch(
    source: str | Path, out: str | Path, *options: str, env: dict[str, str] | None = None
) -> subprocess.Popen[str]:
    """A batch as a terminal starts one: it hears Ctrl-C and has a group of its own."""
    command = [sys.executable, str(SCRIPT), "batch", str(source), "--out", str(out), *options]
    return subprocess.Popen(
        [sys.executable, "-c", OWN_GROUP_THAT_HEARS_CTRL_C, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", **(env or {})},
    )


def said(run: subprocess.Popen[str], status: int = 0) -> str:
    """What a batch printed when it has ended."""
    try:
        words, _ = run.communicate(timeout=LONG_S)
    finally:
        run.kill()
    assert run.returncode == status, words
    return words


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings of two strokes: the sample up to the rest after its second one."""
    folder = tmp_path_factory.mktemp("in")
    with av.open(str(SAMPLE)) as sample, av.open(str(folder / "a.mp4"), "w") as cut:
        stream = cut.add_stream_from_template(sample.streams.video[0])
        for packet in sample.demux(sample.streams.video[0]):
            if packet.dts is not None and packet.dts * packet.time_base < SECOND_REST_S:
                packet.stream = stream
                cut.mux(packet)
    shutil.copy(folder / "a.mp4", folder / "b.mp4")
    return folder


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The batch by one worker, each recording in one go, undisturbed."""
    out = tmp_path_factory.mktemp("whole")
    assert "2 reviewed" in said(batch(source, out, "--workers", "1"))
    return out


def check_same(out: Path, whole: Path) -> None:
    """Matches and tables to the byte."""
    for name in (*(f"{m}/{f}" for m in "ab" for f in FILES), MATCHES_FILE, STROKES_FILE):
        assert (out / name).read_bytes() == (whole / name).read_bytes(), name


def test_two_workers_of_which_one_dies_at_each_kind_of_work_give_the_same_bytes(
    source: Path, whole: Path, tmp_path: Path
) -> None:
    """While a recording is divided, in a piece, while pieces are joined, and between two recordings."""
    from short_pieces import PLACES

    (tmp_path / "died").mkdir()
    options = ["--workers", "2", "--pieces"]
    words = said(batch(source, tmp_path / "out", *options, env={"DIES_IN": str(tmp_path / "died")}))
    assert {p.name for p in (tmp_path / "died").iterdir()} == set(PLACES), words
    assert "0 failed" in words
    check_same(tmp_path / "out", whole)
    assert "0 reviewed, 2 kept, 0 failed" in said(batch(source, tmp_path / "out", *options))
    check_same(tmp_path / "out", whole)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def answers(address: str, within_s: float = 60.0) -> bool:
    """Whether a page is served."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5) as page:
            return bool(page.status == 200)
        time.sleep(0.2)
    return False


@pytest.fixture(scope="module")
def store() -> Iterator[dict[str, str]]:
    """What a program's environment says of an object store of this test alone."""
    moto = pytest.importorskip("moto.server", reason="the extra 'test' brings an S3 to test with")
    pytest.importorskip("s3fs")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=free_port(), verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield {
        "FSSPEC_S3_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "club",
        "AWS_SECRET_ACCESS_KEY": "club",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    server.stop()


@pytest.fixture(scope="module")
def scheduler(store: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a `dask scheduler` with two `dask worker` processes, as on three machines."""
    folder, port = tmp_path_factory.mktemp("dask"), free_port()
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    ports = ["--port", str(port), "--dashboard-address", f"127.0.0.1:{free_port()}"]
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--preload", str(SCRIPT)]
    env = {**os.environ, **store, "XDG_CACHE_HOME": str(folder)}
    commands = [[*dask, "scheduler", "--host", "127.0.0.1", *ports], worker, worker]
    with ExitStack() as stack, (folder / "log").open("w") as log:
        for command in commands:
            process = stack.enter_context(
                subprocess.Popen(command, stdout=log, stderr=log, env=env, cwd=folder)
            )
            stack.callback(process.wait, 60)
            stack.callback(process.terminate)
        yield address


def test_ctrl_c_at_the_client_of_a_scheduler_leaves_a_batch_that_goes_on_when_asked_again(
    scheduler: str, source: Path, whole: Path, tmp_path: Path
) -> None:
    """The workers are still at the recordings that the first client gave them: they are waited for."""
    out, options = tmp_path / "out", ["--scheduler", scheduler, "--pieces"]
    first = batch(source, out, *options)
    until = time.monotonic() + LONG_S
    while not list(out.rglob(JOURNAL_FILE)):
        assert time.monotonic() < until and first.poll() is None
        time.sleep(0.1)
    os.killpg(first.pid, signal.SIGINT)
    words = said(first, 130)
    found = re.search(r"http://127\.0\.0\.1:\d+/status", words)
    assert found and answers(found[0]) and "Traceback" not in words, words
    assert "0 failed" in said(batch(source, out, *options))
    check_same(out, whole)


def test_recordings_of_a_store_and_results_in_one_are_those_of_folders(
    scheduler: str, store: dict[str, str], source: Path, whole: Path, tmp_path: Path
) -> None:
    import s3fs

    s3 = s3fs.S3FileSystem(
        key="club", secret="club", endpoint_url=store["FSSPEC_S3_ENDPOINT_URL"], skip_instance_cache=True
    )
    s3.mkdir("club")
    s3.put(str(source), "club/recordings", recursive=True)
    given = ["s3://club/recordings", "s3://club/season", "--scheduler", scheduler]
    assert "2 reviewed, 0 kept, 0 failed; s3://club/season/matches.parquet" in said(batch(*given, env=store))
    assert "0 reviewed, 2 kept, 0 failed" in said(batch(*given, env=store))
    s3.invalidate_cache()
    s3.get("club/season/", str(tmp_path / "out"), recursive=True)
    check_same(tmp_path / "out", whole)
    assert (tmp_path / "out/a/batch.json").is_file() and (tmp_path / "out/a" / JOURNAL_FILE).is_file()
