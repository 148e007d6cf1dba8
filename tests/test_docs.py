"""Documents are true: links, paths and names in them exist, and the README stays short."""

import ast
import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from referee.cli import COMMANDS

ROOT = Path(__file__).parents[1]
TOP_FOLDERS = ("calibration", "vision", "tracker", "referee", "models", "samples", "tests", "docs", ".ci")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?P<path>[\w./*-]+)(?::(?P<name>[A-Za-z_][\w.]*))?$")


def documents() -> list[Path]:
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    for pattern in ("docs/**/*.md", "referee/rules/*/readings.md", "models/*.md", "samples/*.md"):
        found += sorted(ROOT.glob(pattern))
    return found


def prose(text: str) -> str:
    """The text without fenced blocks: a link or path in an example is not a claim."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def broken_links(document: Path, text: str) -> list[str]:
    """Relative links whose file is missing; an anchor after `#` is not checked."""
    targets = (target.split("#")[0] for target in LINK.findall(prose(text)) if "://" not in target)
    return [target for target in targets if target and not (document.parent / target).exists()]


def defined_names(path: Path) -> set[str]:
    """Functions, classes, methods and constants of a module, methods as `Class.method`."""
    names: set[str] = set()

    def add(nodes: list[ast.stmt], prefix: str) -> None:
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(prefix + node.name)
            if isinstance(node, ast.ClassDef):
                add(node.body, f"{prefix}{node.name}.")
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets += [node.target] if isinstance(node, ast.AnnAssign) else []
            names.update(prefix + target.id for target in targets if isinstance(target, ast.Name))

    add(ast.parse(path.read_text(encoding="utf-8")).body, "")
    return names


def missing_paths(text: str) -> list[str]:
    """Paths in backticks that begin with a folder of the project and do not exist.

    `folder/file.py:name` also asks for a definition of that name; `*` for at least one match.
    """
    missing = []
    for code in CODE.findall(prose(text)):
        match = PATH.match(code)
        if match is None or match["path"].split("/")[0] not in TOP_FOLDERS or "/" not in match["path"]:
            continue
        path, name = match["path"], match["name"]
        found = [*ROOT.glob(path.rstrip("/"))] if "*" in path else [ROOT / path]
        exists = bool(found) and all(file.exists() for file in found)
        if not exists or (name is not None and name not in defined_names(found[0])):
            missing.append(code)
    return missing


def long_cells(text: str, limit: int) -> list[str]:
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [cell.strip() for row in rows for cell in row.strip("|").split("|")]
    return [cell for cell in cells if len(cell) > limit]


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_paths_of_a_document_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert broken_links(document, text) == []
    assert missing_paths(text) == []


def test_readme_is_short_and_its_tables_are_narrow() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 120
    assert long_cells(text, 120) == []


def test_every_command_is_named_in_the_readme_and_every_named_one_exists() -> None:
    named = set(re.findall(r"`cueref ([a-z]+(?:-[a-z]+)*)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named == set(COMMANDS)


def test_every_case_cited_by_a_reading_exists() -> None:
    files = (ROOT / "tests/cases").glob("*.jsonl")
    known = {
        case for file in files for case in re.findall(r'^\{"id": "([^"]+)"', file.read_text(), re.MULTILINE)
    }
    readings = [path.read_text(encoding="utf-8") for path in ROOT.glob("referee/rules/*/readings.md")]
    cited = {code for text in readings for code in re.findall(r"`([A-Z]+\d*-\d+[a-z]?)`", text)}
    assert len(cited) > 150
    assert cited - known == set()


def test_every_cell_about_another_tool_names_its_source_or_says_that_it_is_not_known() -> None:
    """A comparison by its author's own word is an advertisement."""
    text = (ROOT / "docs/compare.md").read_text(encoding="utf-8")
    sources = set(re.findall(r"^(\d+)\. \[", text, re.MULTILINE))
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| ")][2:]
    cells = [cell.strip() for row in rows for cell in row[2:]]
    assert len(cells) == 4 * len(rows) >= 36
    cited: set[str] = set()
    for cell in cells:
        named = {n for group in re.findall(r"\[([\d, ]+)\]", cell) for n in group.split(", ")}
        assert cell == "not known" or named, cell
        cited |= named
    assert cited == sources


def test_the_tables_of_the_page_on_hardware_are_those_of_the_results() -> None:
    """docs/data holds what was measured; a number typed by hand would differ from it one day."""
    page = (ROOT / "docs/hardware.md").read_text(encoding="utf-8")
    assert script("measure_cameras").with_tables(page) == page


def texts() -> list[str]:
    """All sentences of the program in English, and those that pages answer without a language."""
    found = []
    parts = [tomllib.loads((ROOT / "calibration/texts/en.toml").read_text(encoding="utf-8"))]
    while parts:
        for value in parts.pop().values():
            if isinstance(value, dict):
                parts.append(value)
            elif isinstance(value, str):
                found.append(value)
    login = (ROOT / "referee/console/login.py").read_text(encoding="utf-8")
    return [*found, *re.findall(r'Response\("([^"]+)"', login)]


def said_by(text: str, quote: str) -> bool:
    """Whether a text with its `{names}` filled in can hold the quote, whose `...` leave something out."""
    parts = re.split(r"\{[^}]*\}", re.sub(r"^\{[^}]*\}:? ?", "", text))
    if len(re.sub(r"\W", "", "".join(parts))) < 10:
        return False  # names alone fit everything
    literal = [p.strip(" .") for p in quote.split("...") if p.strip(" .")]
    plain = re.sub(r"\{[^}]*\}", "\0", text).lower()
    if all(p.lower() in plain for p in literal):
        return True
    return re.search(".{1,60}".join(map(re.escape, parts)), quote, re.IGNORECASE) is not None


def test_each_message_of_the_page_on_trouble_is_one_that_the_program_says() -> None:
    """A reader searches the page for what the screen says, word by word."""
    page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    quotes = [quote for row in rows for quote in re.findall(r'"([^"]+)"', row)]
    assert len(quotes) >= 12
    known = texts()
    assert [q for q in quotes if not any(said_by(text, q) for text in known)] == []
    assert not any(said_by(text, "the chain is broken at entry 12") for text in known)


def script(name: str) -> ModuleType:
    """A script of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/{name}.py")
    assert spec and spec.loader
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_decision_and_lab_note_is_in_its_index() -> None:
    for folder in ("docs/decisions", "docs/lab"):
        index = (ROOT / folder / "README.md").read_text(encoding="utf-8")
        notes = {path.name for path in (ROOT / folder).glob("*.md")} - {"README.md"}
        assert len(notes) >= 19
        assert {note for note in notes if f"({note})" not in index} == set()


def test_the_checks_find_a_missing_link_path_name_and_a_long_cell() -> None:
    text = "[a](no_such.md) [b](README.md#x) [c](https://example.org) `referee/cli.py` `referee/no.py` "
    text += "`docs/*.nothing` `referee/cli.py:main` `referee/cli.py:no_such` `x_mm` `A/B`"
    text += "\n```\n`tests/gone.py`\n```\n"
    assert broken_links(ROOT / "README.md", text) == ["no_such.md"]
    assert missing_paths(text) == ["referee/no.py", "docs/*.nothing", "referee/cli.py:no_such"]
    assert long_cells("| short | " + "x" * 121 + " |", 120) == ["x" * 121]
