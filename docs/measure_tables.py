"""How many live tables this machine bears: load and memory of `cueref tables`, for `docs/tables.md`.

    python docs/measure_tables.py 1 2 4 8

For each number of tables it plays the bundled clip (720p25) as that many cameras under one supervisor, with
an MQTT broker (Debian: apt install mosquitto) and the club's page, waits until all run, and measures.
Cores: processor time of a process over the time of the clock. Memory: PSS, which shares out what several map.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from calibration.files import work_folder
from referee.bundled import sample_clip
from referee.live.feeds.mqtt import ROOT, client_of, parse_broker
from referee.live.setup.settings_file import SetupFile, write_settings

_TICKS = os.sysconf("SC_CLK_TCK")
_STARTS_IN_S = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", type=int, nargs="+")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--clip", type=Path, default=sample_clip(), help="instead of the bundled one")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the tables end with it
    print(
        "tables | cores a table | cores of the page | MiB a table | MiB of the page | skipped | delay ms"
        " | load"
    )
    print("--- | --- | --- | --- | --- | --- | --- | ---")
    with work_folder("cueref-tables-") as folder:
        calibration = folder / "table.json"
        cueref = [sys.executable, "-m", "referee"]
        subprocess.run(
            [*cueref, "calibrate", str(given.clip), "-o", str(calibration)], check=True, capture_output=True
        )
        for count in given.tables:
            print(" | ".join(measured(folder / str(count), count, given, calibration)), flush=True)


def measured(folder: Path, count: int, given: argparse.Namespace, calibration: Path) -> list[str]:
    """A row of the table."""
    broker_port, club_port = free_port(), free_port()
    for n in range(1, count + 1):
        table = folder / f"table-{n}"
        write_settings(table, SetupFile(str(given.clip), f"Table {n}", port=free_port()))
        shutil.copy(calibration, table / "table.json")
    program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    quiet = subprocess.DEVNULL
    broker = subprocess.Popen([program, "-p", str(broker_port)], stdout=quiet, stderr=quiet)
    address = f"mqtt://127.0.0.1:{broker_port}"
    command = [sys.executable, "-m", "referee", "tables", str(folder), "--loop", "--mqtt", address]
    run = subprocess.Popen([*command, "--club", str(club_port)], stdout=quiet, stderr=quiet)
    states = States(address)
    try:
        states.wait_for(count)
        processes = {p: Path(f"/proc/{p}/cmdline").read_text().split("\0") for p in children(run.pid)}
        live = [p for p, words in processes.items() if "live" in words]
        club = [p for p, words in processes.items() if "club" in words]
        before, skipped, began = cpu_s([*live, *club]), states.skipped(), time.monotonic()
        time.sleep(given.seconds)
        took, after = time.monotonic() - began, cpu_s([*live, *club])
        cores = {p: (after[p] - before[p]) / took for p in after}
        images = 25.0 * took * count
        return [
            str(count),
            f"{sum(cores[p] for p in live) / count:.2f}",
            f"{sum(cores[p] for p in club):.2f}",
            f"{sum(pss_mib(p) for p in live) / count:.0f}",
            f"{sum(pss_mib(p) for p in club):.0f}",
            f"{100 * (states.skipped() - skipped) / images:.1f} %",
            f"{states.delay_ms():.0f}",
            f"{os.getloadavg()[0]:.1f}",
        ]
    finally:
        states.close()
        for process in (run, broker):
            process.terminate()
            process.wait(60.0)


class States:
    """The last state of each table, from the broker."""

    def __init__(self, address: str) -> None:
        self._last: dict[str, dict[str, Any]] = {}
        self._lock = threading.Lock()
        broker = parse_broker(address)
        self._client = client_of(broker, "")
        self._client.on_connect = lambda client, *_: client.subscribe(f"{ROOT}/+/state", 1)
        self._client.on_message = self._take
        self._client.connect_async(broker.host, broker.port)
        self._client.loop_start()

    def _take(self, _client: Any, _data: Any, message: Any) -> None:
        with self._lock:
            if message.payload:  # a table clears the topics of an earlier version by empty ones
                self._last[message.topic] = json.loads(message.payload)["body"]

    def wait_for(self, count: int) -> None:
        """Until so many tables judge images."""
        until = time.monotonic() + _STARTS_IN_S
        while sum(s["status"] in ("running", "slow") for s in self._all()) < count:
            if time.monotonic() > until:
                raise SystemExit(f"{count} tables: only {len(self._all())} run after {_STARTS_IN_S:.0f} s")
            time.sleep(0.2)

    def _all(self) -> list[dict[str, Any]]:
        with self._lock:
            return list(self._last.values())

    def skipped(self) -> int:
        """Images that the machine was too slow for, all tables."""
        return sum(s["camera"]["skipped"] for s in self._all())

    def delay_ms(self) -> float:
        """The longest of the tables' delays from an image to its places."""
        return max(s["camera"]["delay_ms"] or 0.0 for s in self._all())

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cpu_s(pids: list[int]) -> dict[int, float]:
    """Processor time of processes, all threads."""
    found = {}
    for pid in pids:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        found[pid] = (int(user) + int(system)) / _TICKS
    return found


def pss_mib(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    main()
