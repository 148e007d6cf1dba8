"""The reports of bench and soak are German in German: every text that their code writes is a phrase."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from calibration.table.games import GAMES
from calibration.texts import load_texts, phrase
from referee.quality.bench.report.limits import REAL_LIMITS, limits_of
from referee.quality.bench.report.targets import targets_of
from referee.quality.bench.rooms.measures import side_by_side

ROOT = Path(__file__).parents[3] / "referee" / "quality"
GERMAN = load_texts("de")
TERMS = frozenset(
    {"cueref", "bench", "soak", "Clip", "Clips", "Code", "Median", "median", "Hough", "HSV", "pip", "install"}
    | {"matplotlib", "report", "json", "html", "certain", "Seed", "seed", "Frames", "size", "Sigma", "min"}
    | {"Pixel"}
)
"""Words of both languages, names and file names."""


def english_left(said: str) -> set[str]:
    """Words of three letters that a text still has in German."""
    words = re.findall(r"[A-Za-z]{3,}", said)
    return {w for w in words if w in re.findall(r"[A-Za-z]{3,}", phrase(said, GERMAN))} - TERMS


def written(path: Path, functions: tuple[str, ...]) -> Iterator[str]:
    """The texts that functions of a module write, with 7 for every value."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name in functions:
            for statement in node.body[1:] if ast.get_docstring(node) else node.body:
                yield from texts(statement)


def texts(node: ast.AST) -> Iterator[str]:
    """The string literals below a node as a reader sees them."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(v.value) if isinstance(v, ast.Constant) else "7" for v in node.values)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif not isinstance(node, ast.Subscript | ast.Compare):  # keys of the figures
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


SOAK = ("_of_the_record", "_of_the_strokes", "_of_the_times", "_of_the_process", "table", "markdown")
KEYS = re.compile(r"[a-z]+(_[a-z0-9]+)*|[|, -]*")
"""Keys of the figures, and what stands between cells."""


def test_a_soaks_findings_and_figures_are_german() -> None:
    said = {t for t in written(ROOT / "soak" / "report.py", SOAK) if " " in t and not KEYS.fullmatch(t)}
    said = {t.replace("a 7 ", "a broker ").replace("times a 7", "times a broker") for t in said}
    assert len(said) > 40
    assert {t: left for t in said if (left := english_left(t))} == {}


@pytest.mark.parametrize("path", ["soak/report.py", "soak/ledger.py"])
def test_headings_of_a_soak_are_german(path: str) -> None:
    source = (ROOT / path).read_text("utf-8")
    headings = re.findall(
        r"<h[12]>([^<{]+)<|_panel\(\"([^\"]+)\"|^    \"([a-z][a-z :,]+)\",$", source, re.MULTILINE
    )
    found = {h for one in headings for h in one if h} - {"cueref soak"}
    assert found and {h: left for h in found if (left := english_left(h))} == {}


def test_every_target_measure_and_limit_of_the_bench_is_german() -> None:
    targets = {t for game in GAMES for t in targets_of(game)}
    limits = {*REAL_LIMITS, *(x for game in GAMES for x in limits_of(game))}
    said = (
        {t.name for t in targets} | {t.reach for t in targets} | {p.words for t in targets for p in t.parts}
    )
    said |= {x.row for x in limits} | {x.words for x in limits}
    said |= {row[0] for row in side_by_side({})}
    said |= {"reached", "missed", "not measured", "partly measured", "beside", "pixels", "tracks"}
    assert {t: left for t in said if (left := english_left(t))} == {}


def test_the_benchs_page_is_german() -> None:
    source = (ROOT / "bench" / "templates" / "bench.html.j2").read_text("utf-8").partition("<body>")[2]
    titles = re.findall(r"\(\"\w+\",\"([^\"]+)\"\)", source)
    value = re.sub(r"\{\{.*?\}\}", "7", re.sub(r"\{%.*?%\}|<code>.*?</code>", "<>", source))
    pieces = {re.sub(r"\s+", " ", p).strip() for p in re.split(r"<[^>]*>", value)}
    # pieces of a text with conditions in it
    joined = r"Seed|strokes of|Confidence|, 7 of processor|\. 7 cores|class="
    said = {p for p in pieces if re.search(r"[a-z]{3}", p) and not re.match(joined, p)}
    assert len(said) > 40 and len(titles) > 8
    assert {t: left for t in (*said, *titles) if (left := english_left(t))} == {}
