"""Passwords stay out of the list of processes: an address comes from a file or the environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calibration.errors import UnusableInput
from referee.cli import main
from referee.commands import live as live_command
from referee.commands import tables as tables_command
from referee.commands.secret_options import camera_address
from referee.live.engine.settings import LiveSettings
from referee.live.setup.settings_file import SetupFile, write_settings

ADDRESS = "rtsp://watcher:s3cret@camera.club/table1"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[LiveSettings]:
    """The settings with which `cueref live` would have run."""
    found: list[LiveSettings] = []
    monkeypatch.setattr(live_command, "run", lambda settings, *_: found.append(settings))
    return found


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(["live", *arguments, "--no-pages"])
    assert end.value.code == 0
    return capsys.readouterr().err


def test_a_camera_comes_from_a_file_or_the_environment_without_a_warning(
    asked: list[LiveSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "camera.txt"
    file.write_text(f"{ADDRESS}\n")
    assert said(capsys, f"@{file}") == ""
    monkeypatch.setenv("CUEREF_CAMERA", ADDRESS)
    assert said(capsys) == ""
    assert [s.camera for s in asked] == [ADDRESS, ADDRESS]


@pytest.mark.parametrize("given", [[ADDRESS], ["/dev/video0", "--token", "t" * 20]])
def test_a_secret_among_the_arguments_is_told_without_it(
    asked: list[LiveSettings], capsys: pytest.CaptureFixture[str], given: list[str]
) -> None:
    words = said(capsys, *given)
    assert "list of processes" in words and "s3cret" not in words and "t" * 20 not in words
    assert len(asked) == 1


def test_a_camera_of_the_environment_gives_way_to_the_settings_file(
    asked: list[LiveSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_settings(tmp_path, SetupFile("/dev/video7", "Table 1"))
    monkeypatch.setenv("CUEREF_CAMERA", ADDRESS)
    with pytest.raises(SystemExit) as end:
        main(["live", "--settings", str(tmp_path)])
    assert end.value.code == 0, capsys.readouterr().err
    assert [s.camera for s in asked] == ["/dev/video7"]


@pytest.mark.parametrize("text", ["", "a b", "a\nb\n", "x" * 5000])
def test_a_file_that_holds_no_address_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "camera.txt"
    file.write_text(text)
    with pytest.raises(UnusableInput, match="expected one line"):
        camera_address(f"@{file}")


def test_a_brokers_password_is_in_no_argument_of_the_processes_that_tables_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_settings(tmp_path, SetupFile("/dev/video7", "Table 1"))
    started: list[Any] = []

    class Supervisor:
        def __init__(self, environment: dict[str, str], say: object) -> None:
            started.append(environment["CUEREF_MQTT"])

        def keep(self, name: str, command: list[str]) -> None:
            started.append(command)

        def run(self, ending: object) -> None: ...

    monkeypatch.setattr(tables_command, "Supervisor", Supervisor)
    monkeypatch.setenv("CUEREF_MQTT", "mqtt://club:s3cret@broker")
    with pytest.raises(SystemExit) as end:
        main(["tables", str(tmp_path), "--club", "8799"])
    assert end.value.code == 0
    assert started[0] == "mqtt://club:s3cret@broker" and len(started) == 3
    assert "s3cret" not in json.dumps(started[1:])
