"""The lock, the bill of materials and the licences: complete, without a host, true of what is installed."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("cyclonedx", reason="the extra 'test' brings cyclonedx-python-lib")
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
ENTRY = re.compile(
    r"^[a-z0-9][a-z0-9.-]*==\S+(?: ; [^\\\n]+)? \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", re.M
)
"""One part: name, version, perhaps for which system, and at least one hash."""


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / ".ci/sbom.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_lock_holds_versions_and_hashes_and_names_no_host() -> None:
    rest = ENTRY.sub("", LOCK)
    assert [line for line in rest.splitlines() if line and not line.startswith("#")] == []
    assert "://" not in LOCK and "--index" not in LOCK and "--find-links" not in LOCK


def test_the_lock_has_a_version_of_everything_that_pyproject_asks_for(sbom: ModuleType) -> None:
    locked: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9][a-z0-9.-]*)==([^\s;\\]+)", LOCK, re.M):
        locked.setdefault(name, []).append(version)
    for needed in sbom.requirements(sbom.EXTRAS):
        found = locked[canonicalize_name(needed.name)]
        assert any(needed.specifier.contains(v) for v in found), f"{needed}: run .ci/lock"


def test_an_abi_that_breaks_has_an_upper_bound() -> None:
    """NumPy's, FFmpeg's (av), OpenCV's, GEOS's and what is used of uvicorn's inside."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["serve"]]
    bounds = {r.name: str(r.specifier) for r in map(Requirement, asked)}
    for name in (
        "numpy",
        "scipy",
        "av",
        "opencv-python-headless",
        "onnxruntime",
        "shapely",
        "uvicorn",
        "h11",
    ):
        assert "<" in bounds[name], name


def test_the_bill_of_materials_lists_what_lies_inside_wheels_with_its_licence(
    sbom: ModuleType, tmp_path: Path
) -> None:
    sbom.main(tmp_path / "sbom.json", tmp_path / "licences.md")
    found = json.loads((tmp_path / "sbom.json").read_text("utf-8"))
    assert found["bomFormat"] == "CycloneDX" and found["metadata"]["component"]["name"] == "cueref"
    parts = {c["name"]: c for c in found["components"]}
    assert all(c.get("licenses") for c in found["components"])
    assert {"av", "numpy", "fastapi", "argon2-cffi", "uvicorn"} <= set(parts)
    video = {c["name"] for c in found["components"] if c["bom-ref"].startswith("av==")}
    if "libx264" in video:  # the wheel, not Debian's own
        assert "GPL-2.0" in str(parts["libx264"]["licenses"])
        codecs = [
            c for c in found["components"] if c["bom-ref"].startswith("av==") and c["name"] == "libavcodec"
        ]
        assert "linked with GPL" in str(codecs[0]["licenses"])
    refs = {c["bom-ref"] for c in found["components"]} | {found["metadata"]["component"]["bom-ref"]}
    assert {d["ref"] for d in found["dependencies"]} <= refs


def test_the_page_of_licences_knows_every_part_and_every_licence(sbom: ModuleType) -> None:
    page = (ROOT / "docs/licences.md").read_text("utf-8")
    for part in sbom.parts():
        assert f"| {part.metadata['Name']} |" in page, "run .ci/sbom.py"
    assert sbom.UNKNOWN not in page
