"""A short soak: two strokes of the sample through an RTSP camera into `cueref live` in a process of its own.

The camera drops out after the second ruling and the disk fills in the first stroke: nothing is lost.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cut_clip import cut

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import TableSpec
from referee.quality.soak.clips import read_clip
from referee.quality.soak.plan import Fault
from referee.quality.soak.report import write_report
from referee.quality.soak.run import SoakOptions, run_soak
from referee.quality.soak.watchers import mosquitto

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = ROOT / "samples" / "club_four_strokes.mp4"
PLAY_S = 19.3  # two strokes, the black back on its spot
SIZE = (1280, 720)
pytestmark = pytest.mark.slow  # plays for a minute in real time, on a machine that does nothing else


@pytest.fixture(scope="module")
def soaked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("soak")
    known = json.loads(SAMPLE.with_suffix(".json").read_text())
    strokes = [e for e in known["events"] if e.get("t_rest", e.get("t", 0.0)) < PLAY_S]
    clip = folder / "two_strokes.mp4"
    cut(SAMPLE, clip, PLAY_S)
    clip.with_suffix(".json").write_text(json.dumps({"end": PLAY_S, "events": strokes}))
    camera = Camera(**{k: tuple(v) if isinstance(v, list) else v for k, v in known["camera"].items()})
    table = folder / "table.json"
    Calibration(camera, TableSpec(**known["table"]), 0.1, 0.2, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1)).save(
        table
    )
    # 6 s until the room is light, 4 s until the clip begins; the second stroke rests at 26
    # (the disk is looked at every 2 s: it stays full for three looks)
    faults = (
        Fault(9.0, "broker", 1.5),
        Fault(10.6, "browser", 1.5),
        Fault(13.0, "disk", 6.0),
        Fault(28.6, "drop", 0.4),
    )
    # a folder as people give it: from where they are, which is not where `cueref live` is run
    options = SoakOptions(
        Path("out"),
        table,
        1.0,
        size=SIZE,
        other_size=SIZE,
        tmpfs_mb=1200 if os.geteuid() == 0 else 0,
        plain=True,
        faults=faults,
        linger_s=1.0,
        priority=-15,
    )
    with contextlib.chdir(folder):
        run_soak([read_clip(clip, 25)], options)
    return {"out": folder / "out", **write_report(folder / "out")}


def in_time(soaked: dict[str, Any]) -> None:
    """A machine that is busy with other things cannot play in real time: nothing follows from what is missed
    then.
    """
    images = soaked["camera"]
    if images["images_skipped"] > 0.1 * (images["images_judged"] + images["images_skipped"]):
        pytest.skip(
            f"this machine was too busy: {images['images_skipped']} images skipped, {images['images_judged']}"
            " judged"
        )


def test_no_stroke_is_lost_and_no_score_is_wrong(soaked: dict[str, Any]) -> None:
    in_time(soaked)
    clear = soaked["clear"]
    assert clear["strokes"] == 2 and clear["lost"] == 0
    assert clear["certain_and_wrong"] == 0 and soaked["wrong"] == []
    assert clear["scores_checked"] == 2 and clear["scores_wrong"] == 0
    assert soaked["extra_rulings"] == []


def test_it_is_ruled_soon(soaked: dict[str, Any]) -> None:
    in_time(soaked)
    assert soaked["time_to_rule_s"]["most"] < 3.0, "1 s is promised on a machine that does nothing else"


def test_the_camera_is_found_again(soaked: dict[str, Any]) -> None:
    assert soaked["reconnect_s"]["n"] == 1 and soaked["reconnect_s"]["most"] < 5.0


def test_a_broker_and_a_browser_that_were_gone_hear_of_the_table_again(soaked: dict[str, Any]) -> None:
    back = soaked["feeds_back_s"]
    assert back["browser"]["n"] == 1 and back["browser"]["never"] == 0
    assert back["broker"]["never"] == 0
    assert back["broker"]["n"] == (1 if mosquitto() is not None else 0)


def test_the_password_stands_nowhere(soaked: dict[str, Any]) -> None:
    assert soaked["password_in_files"] == []
    assert "rtsp://***@" in (soaked["out"] / "live.log").read_text(), "the address is told, without it"


def test_the_report_is_written(soaked: dict[str, Any]) -> None:
    assert {p.name for p in soaked["out"].glob("soak.*")} == {"soak.json", "soak.md", "soak.svg", "soak.html"}
    assert soaked["trouble"] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="a small disk can be mounted by root alone")
def test_a_full_disk_stopped_the_recording_and_not_the_referee(soaked: dict[str, Any]) -> None:
    mounted = json.loads((soaked["out"] / "raw" / "about.jsonl").read_text())["tmpfs"]
    if not mounted:
        pytest.skip("mounting is not allowed here")
    events = [json.loads(line) for line in (soaked["out"] / "raw" / "events.jsonl").read_text().splitlines()]
    told = {(e["body"]["code"], e["body"]["active"]) for e in events if e["type"] == "status"}
    assert ("recording_stopped", True) in told and ("recording_stopped", False) in told
    assert subprocess.run(["mountpoint", "-q", str(soaked["out"] / "live")]).returncode != 0, (
        "nothing stays mounted"
    )
