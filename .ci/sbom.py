"""Lists every part that a table runs: as CycloneDX for machines, as a page of licences for people.

    python .ci/sbom.py out/sbom.cdx.json docs/licences.md

Takes the environment that runs it (`pip install '.[live,library,data,print,dev]'`): cueref's requirements and
theirs, with the compiled libraries that lie inside their wheels, which no list of packages shows.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("live", "library", "data", "print")
NATIVE = {
    "libx264": "GPL-2.0-or-later",
    "libx265": "GPL-2.0-or-later",
    "libgmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls": "LGPL-2.1-or-later",
    "libhogweed": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libnettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libmp3lame": "LGPL-2.0-or-later",
    "libasound": "LGPL-2.1-or-later",
    "libopencore-amr": "Apache-2.0",
    "libSvtAv1Enc": "BSD-3-Clause-Clear",
    "libdav1d": "BSD-2-Clause",
    "libaom": "BSD-2-Clause",
    "libavif": "BSD-2-Clause",
    "libopus": "BSD-3-Clause",
    "libvpx": "BSD-3-Clause",
    "libwebp": "BSD-3-Clause",
    "libsharpyuv": "BSD-3-Clause",
    "libvpl": "MIT",
    "libdrm": "MIT",
    "libxcb": "MIT",
    "libXau": "MIT",
    "libpng": "libpng-2.0",
    "libgeos": "LGPL-2.1-or-later",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libquadmath": "LGPL-2.1-or-later",
    "libopenblas": "BSD-3-Clause",
    "libscipy_openblas": "BSD-3-Clause",
    "libssl": "Apache-2.0",
    "libcrypto": "Apache-2.0",
    "libcrypt-": "LGPL-2.1-or-later",
    "libpq": "PostgreSQL",
    "libldap": "OLDAP-2.8",
    "liblber": "OLDAP-2.8",
    "libsasl2": "BSD-Attribution-HPND-disclaimer",
    "libkeyutils": "LGPL-2.1-or-later",
    "libcom_err": "MIT",
    "libgssapi_krb5": "MIT",
    "libk5crypto": "MIT",
    "libkrb5": "MIT",
    "libbrotli": "MIT",
    "libfreetype": "FTL OR GPL-2.0-or-later",
    "libharfbuzz": "MIT",
    "libjpeg": "IJG AND BSD-3-Clause AND Zlib",
    "liblcms2": "MIT",
    "liblzma": "0BSD",
    "libopenjp2": "BSD-2-Clause",
    "libtiff": "libtiff",
    "libzstd": "BSD-3-Clause OR GPL-2.0-only",
}
"""Licences of compiled libraries by the beginning of their file's name, from each project's own licence file.
OpenSSL before 3.0 has its own (`OpenSSL`)."""
FFMPEG = (
    "libavcodec",
    "libavdevice",
    "libavfilter",
    "libavformat",
    "libavutil",
    "libswresample",
    "libswscale",
)
_HASHED = re.compile(r"^(lib[\w+-]+?)(?:-[0-9a-f]{8})*(?:[.-]([\d.]+\w?))?\.so(?:\.([\d.]+\w?))?$")
UNKNOWN = "not stated"
SHIPPED = (
    ("DejaVu Sans, two files", "2.37", "Bitstream Vera", "`referee/outputs/fonts`: score sheets, television"),
    ("uPlot", "1.6.32", "MIT", "`referee/console/static/uplot`: charts in the browser"),
)
"""Files of others that lie in cueref itself, each beside its licence."""


def requirements(extras: tuple[str, ...]) -> Iterator[Requirement]:
    """What pyproject.toml asks for with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *(r for e in extras for r in project["optional-dependencies"][e])]
    for needed in map(Requirement, asked):
        if needed.name == project["name"]:
            yield from requirements(tuple(needed.extras))
        else:
            yield needed


def installed(needed: Iterable[Requirement], seen: set[str]) -> Iterator[Distribution]:
    """What is installed here of the requirements and of theirs, each once."""
    for requirement in needed:
        key = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if key in seen:
            continue
        try:
            found = distribution(requirement.name)
        except PackageNotFoundError:
            continue  # of another platform or Python
        seen.add(key)
        yield found
        extras = (*requirement.extras, "")
        below = (Requirement(text) for text in found.requires or ())
        yield from installed(
            (r for r in below if r.marker is None or any(r.marker.evaluate({"extra": e}) for e in extras)),
            seen,
        )


def parts() -> list[Distribution]:
    """Every distribution of a table's environment, in order of name."""
    return sorted(installed(requirements(EXTRAS), set()), key=lambda d: d.metadata["Name"].lower())


def licence_of(found: Distribution) -> str:
    """As the package states it: an expression, a classifier, or the first line of its licence."""
    told = found.metadata.get("License-Expression")
    if told:
        return told
    classes = [
        c.rsplit(" :: ", 1)[-1] for c in found.metadata.get_all("Classifier") or () if c.startswith("License")
    ]
    named = [c for c in classes if c != "OSI Approved"]
    first = (found.metadata.get("License") or "").strip().split("\n", 1)[0]
    return "; ".join(named) or (first if 0 < len(first) < 60 else "") or UNKNOWN


def native_parts(found: Distribution) -> Iterator[tuple[str, str, str]]:
    """Name, version and licence of each compiled library inside a wheel."""
    for file in sorted(found.files or (), key=str):
        if not (file.parts and file.parts[0].endswith(".libs") and ".so" in file.name):
            continue
        matched = _HASHED.match(file.name)
        name = matched[1] if matched else file.name
        version = (matched[3] or matched[2] or "") if matched else ""
        yield name, version, native_licence(found, name, version)


def native_licence(found: Distribution, name: str, version: str) -> str:
    """FFmpeg's is what that build says of itself, and that it is linked with x264 or x265: their GPL then
    covers the whole.
    """
    if name.startswith(FFMPEG):
        gpl = any(str(f).split("/")[-1].startswith(("libx264", "libx265")) for f in found.files or ())
        return "LGPL-3.0-or-later linked with GPL-2.0-or-later" if gpl else "LGPL-2.1-or-later"
    if name in ("libssl", "libcrypto") and version.startswith("1."):
        return "OpenSSL"
    return next((spdx for start, spdx in NATIVE.items() if name.startswith(start.rstrip("-"))), UNKNOWN)


def bill(found_parts: list[Distribution]) -> Bom:
    """The bill of materials: cueref, what it requires, and what lies inside those wheels."""
    bom = Bom()
    version = re.search(r'__version__ = "(.+)"', (ROOT / "referee/__init__.py").read_text("utf-8"))
    assert version is not None
    cueref = Component(
        name="cueref",
        version=version[1],
        type=ComponentType.APPLICATION,
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
    )
    bom.metadata.component = cueref
    for found in found_parts:
        name = found.metadata["Name"]
        component = Component(
            name=name,
            version=found.version,
            type=ComponentType.LIBRARY,
            purl=PackageURL("pypi", name=name.lower(), version=found.version),
            bom_ref=f"{name}=={found.version}",
            licenses=[DisjunctiveLicense(name=licence_of(found))],
        )
        bom.components.add(component)
        inside = [_native(component, *part) for part in native_parts(found)]
        bom.components.update(inside)
        bom.register_dependency(component, inside)
    bom.register_dependency(cueref, [c for c in bom.components if c.purl is not None])
    return bom


def _native(wheel: Component, name: str, version: str, licence: str) -> Component:
    return Component(
        name=name,
        version=version or None,
        type=ComponentType.LIBRARY,
        bom_ref=f"{wheel.name}=={wheel.version}/{name}-{version}",
        licenses=[DisjunctiveLicense(name=licence)],
        properties=[Property(name="cueref:inside", value=f"{wheel.name}=={wheel.version}")],
    )


def page(found_parts: list[Distribution]) -> str:
    """The licences as a document."""
    lines = [
        "# Licences of all parts",
        "",
        "Made by `python .ci/sbom.py out/sbom.cdx.json docs/licences.md`, which writes a bill of materials"
        " (CycloneDX) too.",
        "cueref itself is under the Apache License 2.0. What it means to ship these together:"
        " [parts](parts.md#shipping-an-image).",
        "",
        "| part | version | licence | compiled libraries inside its wheel |",
        "| --- | --- | --- | --- |",
    ]
    for found in found_parts:
        inside = sorted({f"{name} ({licence})" for name, _, licence in native_parts(found)})
        lines.append(
            f"| {found.metadata['Name']} | {found.version} | {licence_of(found)} | {', '.join(inside)} |"
        )
    lines += ["", "Files of others inside cueref, each beside the text of its licence:", ""]
    lines += ["| file | version | licence | where, and for what |", "| --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in SHIPPED]
    return "\n".join(lines) + "\n"


def main(bom_file: Path, licences_file: Path) -> None:
    found = parts()
    bom_file.parent.mkdir(parents=True, exist_ok=True)
    outputter = make_outputter(bill(found), OutputFormat.JSON, SchemaVersion.V1_6)
    bom_file.write_text(outputter.output_as_string(indent=2), "utf-8")
    licences_file.write_text(page(found), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
