"""A table as a service, a container, a package: what can be checked without systemd or container runtime."""

from __future__ import annotations

import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from referee.live.setup.service import UNIT, Service, install, unit_text
from tests.test_documented_commands import problem_of

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "referee/live/deploy"
COMMAND = Path("/opt/cueref/bin/cueref")
MOST_EXPOSED = 2.5
"""systemd's measure: 9.6 for a unit that restricts nothing, 1.8 for ours with systemd 252."""


def never(command: object) -> None:
    raise AssertionError(f"nothing of this system may be called, found {command}")


def test_an_image_gets_unit_token_and_folder_and_keeps_its_token(tmp_path: Path) -> None:
    service = Service("table-1", Path("/srv/club/bin/cueref"), "club", tmp_path)
    install(service, never)
    text = service.unit_file.read_text()
    assert (
        "User=club\n" in text
        and "ExecStart=/srv/club/bin/cueref live --settings /var/lib/cueref/%i\n" in text
    )
    token = service.environment_file.read_text()
    assert re.fullmatch(r"CUEREF_TOKEN=\S{16,}\n", token)
    assert stat.S_IMODE(service.environment_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(service.folder.stat().st_mode) == 0o700
    install(service, never)
    assert service.environment_file.read_text() == token


def test_a_packaged_unit_is_not_hidden_by_a_copy_unless_it_runs_another_command(tmp_path: Path) -> None:
    """systemd reads `/etc` before `/lib`: a copy there would outlive each upgrade of the package."""
    packaged = Service("table-1", COMMAND, root=tmp_path)
    packaged.packaged_unit_file.parent.mkdir(parents=True)
    shutil.copy(DEPLOY / UNIT, packaged.packaged_unit_file)
    install(packaged, never)
    assert not packaged.unit_file.exists() and packaged.environment_file.is_file()
    install(Service("table-2", Path("/srv/club/bin/cueref"), root=tmp_path), never)
    assert "/srv/club/bin/cueref live" in packaged.unit_file.read_text()


@pytest.mark.parametrize(
    ("table", "command", "user", "words"),
    [
        ("../x", COMMAND, "cueref", "expected small letters"),
        ("table 1", COMMAND, "cueref", "expected small letters"),
        ("table-1", COMMAND, "club\nExecStartPre=x", "expected the name of a system user"),
        ("table-1", Path("/home/ann/.local/bin/cueref"), "cueref", "that services do not see"),
    ],
)
def test_what_no_service_can_be_is_refused(table: str, command: Path, user: str, words: str) -> None:
    with pytest.raises(UnusableInput, match=words):
        Service(table, command, user)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
def test_systemd_takes_the_unit_and_finds_it_hardened(tmp_path: Path) -> None:
    unit = tmp_path / UNIT
    unit.write_text(unit_text(Service("table-1", Path("/usr/bin/env"), "root")))
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True
    )
    assert "cueref" not in checked.stderr, checked.stderr
    judged = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)],
        capture_output=True,
        text=True,
    )
    found = re.search(r"exposure level for \S+ ([\d.]+)", judged.stdout)
    assert found and float(found[1]) <= MOST_EXPOSED, judged.stdout


@pytest.mark.parametrize("recipe", ["Containerfile", "Containerfile.debian"])
def test_a_container_is_built_from_all_that_the_wheel_needs(recipe: str, tmp_path: Path) -> None:
    """What it copies suffices to build the wheel, and `.dockerignore` hides none of it."""
    lines = (DEPLOY / recipe).read_text().splitlines()
    shown = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for line in (shlex.split(line) for line in lines if line.startswith("COPY ")):
        *sources, target = line[1:]
        assert set(sources) <= shown
        for source in sources:
            at = tmp_path / target / (source if target == "./" else "")
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, at)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_both_containers_run_as_the_same_number_so_that_volumes_outlive_a_change_of_base() -> None:
    found = [re.findall(r"--uid (\d+)", (DEPLOY / f"Containerfile{e}").read_text()) for e in ("", ".debian")]
    assert found[0] == found[1] and len(found[0]) == 1


def test_debians_container_takes_every_part_from_the_lock_but_the_video_library(tmp_path: Path) -> None:
    """The awk line of Containerfile.debian, run on the lock."""
    program = re.search(r"awk '([^']+)' requirements.lock", (DEPLOY / "Containerfile.debian").read_text())
    assert program is not None
    done = subprocess.run(
        ["awk", program[1], str(ROOT / "requirements.lock")], capture_output=True, text=True, check=True
    )
    parts = re.compile(r"^([a-z0-9][a-z0-9.-]*)==", re.M)
    kept, all_of_them = parts.findall(done.stdout), parts.findall((ROOT / "requirements.lock").read_text())
    assert sorted({*all_of_them} - {*kept}) == ["av"]
    hashes = re.findall(
        r"^av==[^\n]+\n((?: +--hash[^\n]+\n)+)", (ROOT / "requirements.lock").read_text(), re.M
    )
    assert hashes and not any(h.strip() in done.stdout for h in hashes[0].splitlines())


def test_the_compose_file_names_commands_and_files_that_exist() -> None:
    yaml = pytest.importorskip("yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    rehearsal = yaml.safe_load((DEPLOY / "compose.rehearsal.yaml").read_text())["services"]
    assert set(services) == {"table-1", "table-2", "club", "broker", "proxy"}
    for name in ("table-1", "table-2", "club"):
        assert services[name]["cap_drop"] == ["ALL"]
    mounted = [v.split(":")[0] for s in services.values() for v in s.get("volumes", ())]
    assert all((DEPLOY / v).is_file() for v in mounted if v.startswith("./"))
    assert {v for v in mounted if not v.startswith("./")} == set(compose["volumes"])
    proxied = re.findall(r"reverse_proxy ([a-z0-9-]+):(\d+)", (DEPLOY / "Caddyfile").read_text())
    assert proxied == [("club", "8780"), ("table-1", "8765"), ("table-2", "8765")]
    assert "ports" not in services["broker"]
    assert set(rehearsal) == {"table-1", "table-2"}
    told = {n: s["command"] for n, s in services.items() if "command" in s}
    for command in (*told.values(), *(s["command"] for s in rehearsal.values())):
        # words, not a list: podman-compose 1.0 appends a list to the one that it should take the place of
        assert problem_of(shlex.split(re.sub(r"\$\{CUEREF_HOST[^}]*\}", "club.example", command))) is None
    for name, port in (("table-1", 8443), ("table-2", 8444)):
        for command in (told[name], rehearsal[name]["command"]):
            assert f"--address https://${{CUEREF_HOST}}:{port} " in command
            assert f"{port}:{port}" in services["proxy"]["ports"]


def test_the_package_script_is_a_script() -> None:
    """Building takes minutes and fetches packages: it is tried by hand, see docs/club.md."""
    done = subprocess.run(["bash", "-n", str(DEPLOY / "build_deb")], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
