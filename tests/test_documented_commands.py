"""What the documents tell people to type is what the command line takes; the reference names all of it."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from referee.access.needs import NEEDS
from referee.cli import COMMANDS, add_command, command_line
from referee.quality.soak.camera import FakeCamera
from referee.quality.soak.clips import SoakClip
from tests.test_docs import documents

ROOT = Path(__file__).resolve().parents[1]
TYPED = re.compile(r"^ {4,}(?:.*&& )?(?:sudo (?:-u \S+ )?)?(?:\S*/)?cueref (.+)$", re.MULTILINE)
"""A line of an example in a document that calls the command, perhaps at the end of several."""


def examples() -> Iterator[tuple[str, str]]:
    """Each documented call: document and arguments."""
    for document in documents():
        for match in TYPED.finditer(document.read_text("utf-8")):
            yield document.relative_to(ROOT).as_posix(), match[1].split(" # ")[0].rstrip()
    for name in COMMANDS:
        app = typer.Typer()
        add_command(app, name)
        for command in below(typer.main.get_command(app)):
            for told in re.finditer(
                r"Example: (?:.*&& )?(?:sudo )?(?:\S*/)?cueref (.+)", command.epilog or ""
            ):
                yield f"cueref {name} --help", told[1]


def below(command: Any) -> Iterator[Any]:
    """A click command and its commands."""
    yield command
    for sub in getattr(command, "commands", {}).values():
        yield from below(sub)


def problem_of(arguments: list[str]) -> str | None:
    """What the command line says against a call, without calling it."""
    command: Any = typer.main.get_command(command_line(arguments))
    context = None
    try:
        while True:
            context = command.make_context(command.name, list(arguments), parent=context)
            rest = [*context._protected_args, *context.args]
            if not hasattr(command, "commands") or not rest:
                return None
            name, command, arguments = command.resolve_command(context, rest)
            if command is None:
                return f"no command {name}"
    except Exception as error:  # typer does not export its usage errors
        if getattr(error, "exit_code", None) == 0:
            return None  # --help, --version
        return str(getattr(error, "message", None) or error)


CALLS = sorted(set(examples()))


def test_the_documents_hold_examples_and_a_wrong_one_is_found() -> None:
    assert len(CALLS) > 40
    assert problem_of(["review", "x.mp4", "--no-such-option"])
    assert problem_of(["batch", "in"]) and problem_of(["no-such-command"])
    assert problem_of(["library", "no-such-command"])


@pytest.mark.parametrize(("document", "call"), CALLS, ids=lambda text: text[:60])
def test_a_documented_call_is_taken(document: str, call: str) -> None:
    assert problem_of(shlex.split(call)) is None, f"{document}: cueref {call}"


def site_pages() -> Any:
    """The module that makes the pages of the site."""
    pytest.importorskip("mkdocs", reason="the extra 'docs' brings MkDocs")
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs/site_pages.py")
    assert spec and spec.loader
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    return pages


def test_the_web_api_page_has_every_route_that_is_served_with_its_role() -> None:
    """All but those of the club's page, which shows what its own sockets bring."""
    page = "\n".join(site_pages()._web_api())
    served = {
        (method, path.replace(":path", ""))
        for method, path in NEEDS
        if path.startswith("/api/") and method != "WS"
    }
    named = set(re.findall(r"^\| `([A-Z]+) (\S+)` \| (?:nobody|public|spectator|referee|owner) ", page, re.M))
    assert len(named) > 60
    club = {("GET", "/api/tables"), ("GET", "/api/tables/{topic}/qr")}
    assert served - named <= club | {("GET", "/api/openapi.json")}
    assert named - served == set()


def test_the_reference_is_made_of_every_option_of_every_command() -> None:
    """`docs/site_pages.py` makes it whenever the site is built, so it cannot be out of date."""
    page = "\n".join(site_pages()._commands())
    for name in COMMANDS:
        app = typer.Typer()
        add_command(app, name)
        for command in below(typer.main.get_command(app)):
            shown = [p for p in command.params if p.name != "help" and not hasattr(command, "commands")]
            for option in (o for p in shown if p.param_type_name == "option" for o in p.opts):
                assert f"`{option}`" in page, f"cueref {name}: {option}"


def follower() -> Any:
    """`.ci/follow.py` as a module."""
    spec = importlib.util.spec_from_file_location("follow", ROOT / ".ci/follow.py")
    assert spec and spec.loader
    module = sys.modules["follow"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_typed_line_by_line_with_one_way_to_install() -> None:
    page = (ROOT / "docs/tutorial.md").read_text("utf-8")
    checkout, wheel = (follower().lines_of(page, way) for way in ("checkout", "wheel"))
    assert len(checkout) == len(wheel) == 10 and checkout[4:] == wheel[4:]
    assert "venv" in checkout[1] and "pipx install" in wheel[1]
    commands = ["demo", "review", "serve", "doctor", "setup", "certify"]
    assert [line.split()[1] for line in checkout[4:]] == commands


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_tutorial_is_followed_to_its_end_with_a_film_for_a_camera(tmp_path: Path) -> None:
    """Every line that the page lets a reader type, but those that install; `setup` up to a running table."""
    clip = tmp_path / "recording.mp4"
    shutil.copy(ROOT / "samples/club_four_strokes.mp4", clip)
    clip.with_suffix(".json").write_text(json.dumps({"end": 34.5, "events": []}))
    size = (1280, 720)
    camera = FakeCamera([SoakClip(clip, 34.5, 25, ())], size, size, 1, plain=True)
    threading.Thread(target=camera.play, args=(900.0,), daemon=True).start()
    call = [sys.executable, str(ROOT / ".ci/follow.py"), str(ROOT / "docs/tutorial.md")]
    call += ["--camera", camera.address, "--recording", str(clip)]
    for left_out in ("apt", "pip install", "export PATH"):
        call += ["--without", left_out]
    try:
        said = followed(call, tmp_path)
    finally:
        camera.close()
    assert len(re.findall(r"^ok ", said, re.M)) == 7
    assert (tmp_path / "certificate.html").is_file() and (tmp_path / "first/match.json").is_file()
    assert (tmp_path / "table1/live.toml").is_file()


def followed(call: list[str], folder: Path) -> str:
    """What `.ci/follow.py` prints; `cueref` is this checkout's, home the folder."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(folder)}
    ended = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, timeout=800)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_page_on_retraining_is_followed_with_a_training_of_two_steps(tmp_path: Path) -> None:
    """Too little to be of use; but each command finds what the one before it made."""
    pytest.importorskip("torch", reason="the extra 'train' brings it")
    own = tmp_path / "own"
    own.mkdir()
    shutil.copy(ROOT / "samples/club_four_strokes.mp4", own / "monday.mp4")
    strokes = [
        {"first_contact": "red", "potted": [["red", "TL"]], "points": 1},
        {"first_contact": "black", "potted": [["black", "TR"]], "points": 7},
        {"first_contact": "red", "potted": [], "points": 0},
        {"first_contact": "red", "potted": [["red", "TR"]]},
    ]
    (own / "truth.json").write_text(json.dumps({"monday.mp4": {"score": [12, 0], "strokes": strokes}}))
    calibrated = [sys.executable, "-m", "referee", "calibrate", str(own / "monday.mp4")]
    subprocess.run([*calibrated, "-o", str(tmp_path / "table.json")], cwd=ROOT, check=True, timeout=300)
    call = [sys.executable, str(ROOT / ".ci/follow.py"), str(ROOT / "docs/retraining.md")]
    call += ["--recording", "own/monday.mp4", "--without", "pip install"]
    for this, that in (
        ("~/table1/table.json", "table.json"),
        ("--steps 1500", "--steps 2 --patches 250"),
        ("--cameras 20 --strokes 60 --layouts 200", "--cameras 1 --strokes 0 --layouts 1"),
    ):
        call += ["--instead", f"{this}=>{that}"]
    said = followed(call, tmp_path)
    assert len(re.findall(r"^ok ", said, re.M)) == 9
    real = json.loads((tmp_path / "before/report.json").read_text())["real"]
    assert (real["strokes"], real["wrong"], real["missed"], real["invented"]) == (4, 0, 0, 0)
    assert (tmp_path / "after/report.json").is_file() and (tmp_path / "scenes/report.json").is_file()
    assert (tmp_path / "own-models/ball_detector.onnx").is_file() and (tmp_path / "after.png").is_file()
