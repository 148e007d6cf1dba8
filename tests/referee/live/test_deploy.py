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


def test_the_container_is_built_from_all_that_the_wheel_needs(tmp_path: Path) -> None:
    """What the Containerfile copies suffices to build the wheel, with every package in it."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    for line in (shlex.split(line) for line in lines if line.startswith("COPY ")):
        *sources, target = line[1:]
        for source in sources:
            at = tmp_path / target / (source if target == "./" else "")
            copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
            copy(ROOT / source, at)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", "dist"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_compose_file_names_commands_and_files_that_exist() -> None:
    yaml = pytest.importorskip("yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    assert set(services) == {"table-1", "table-2", "club", "broker", "proxy"}
    for name in ("table-1", "table-2", "club"):
        module = services[name]["command"][0]
        assert (ROOT / f"referee/commands/{module}.py").is_file()
        assert services[name]["cap_drop"] == ["ALL"]
    mounted = [v.split(":")[0] for s in services.values() for v in s.get("volumes", ())]
    assert all((DEPLOY / v).is_file() for v in mounted if v.startswith("./"))
    assert {v for v in mounted if not v.startswith("./")} == set(compose["volumes"])
    proxied = re.findall(r"reverse_proxy ([a-z0-9-]+):(\d+)", (DEPLOY / "Caddyfile").read_text())
    assert proxied == [("club", "8780"), ("table-1", "8765"), ("table-2", "8765")]
    assert "ports" not in services["broker"]


def test_the_package_script_is_a_script() -> None:
    """Building takes minutes and fetches packages: it is tried by hand, see docs/club.md."""
    done = subprocess.run(["bash", "-n", str(DEPLOY / "build_deb")], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
