"""Sentences for people stand in one file a language (`calibration/texts`), never in the code."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache
from pathlib import Path

import pytest

from calibration.errors import UnusableInput
from calibration.texts import (
    accepted,
    again,
    fields_of,
    language_of_terminal,
    load_texts,
    phrase,
    sentence,
    speak,
)
from vision.advice.summary import Advisor

ROOT = Path(__file__).parents[1]
PACKAGES = ("calibration", "vision", "tracker", "referee", "cueref")
SOURCES = sorted(p for name in PACKAGES for p in (ROOT / name).rglob("*.py"))
GLUE = {  # errors made of other errors' sentences alone
    "referee/season/library/records.py",
    "vision/wrong_game.py",
    "calibration/texts/language.py",  # says itself what is wrong with a file of texts
}


@cache
def tree_of(path: Path) -> ast.Module:
    """A source, parsed once for all tests."""
    return ast.parse(path.read_text("utf-8"))


@cache
def called() -> tuple[tuple[str, str, ast.Call], ...]:
    """Every call in the packages: file, name of the function, the call. Parsed once for all tests."""
    return tuple(
        (path.relative_to(ROOT).as_posix(), getattr(n.func, "id", getattr(n.func, "attr", "")), n)
        for path in SOURCES
        for n in ast.walk(tree_of(path))
        if isinstance(n, ast.Call)
    )


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of a function of one of these names, with its file."""
    return ((file, node) for file, name, node in called() if name in names)


def literal(node: ast.expr) -> str:
    """The words that an expression writes itself."""
    return " ".join(
        str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )


def plain(node: ast.expr) -> str:
    """The words that an expression writes outside calls."""
    if isinstance(node, ast.Call):
        return ""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return " ".join(plain(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))


def test_every_sentence_that_code_asks_for_is_there_with_all_its_fields() -> None:
    sections = load_texts().sections
    wrong = []
    for file, call in calls("sentence", "unusable_input"):
        if not call.args or not isinstance(call.args[0], ast.Constant):
            continue
        section, _, name = str(call.args[0].value).partition(".")
        text = sections.get(section, {}).get(name)
        given = {k.arg for k in call.keywords}
        if text is None or (None not in given and not fields_of(text) <= given):
            wrong.append((file, call.lineno, call.args[0].value))
    assert wrong == []


def test_no_error_writes_its_own_sentence() -> None:
    own = [
        (file, call.lineno)
        for file, call in calls("UnusableInput", "HTTPException", "Refusal")
        if file not in GLUE
        and not any(getattr(n, "id", "") in ("sentence", "again") for a in call.args for n in ast.walk(a))
        and any(re.search(r"[a-z]{2,} [a-z]{2,}", literal(a)) for a in call.args)
    ]
    assert own == []


def test_every_question_that_code_asks_is_a_text_with_all_its_fields() -> None:
    texts = load_texts().sections["questions"]
    wrong = [
        (file, call.lineno)
        for file, call in calls("Asked", "asks")
        if call.args and isinstance(call.args[0], ast.Constant)
        for text in [texts.get(str(call.args[0].value))]
        if text is None or not fields_of(text) <= {k.arg for k in call.keywords} | values_of(call)
    ]
    assert wrong == []


def values_of(call: ast.Call) -> set[str | None]:
    """Names in the pairs that a call is given."""
    return {
        str(n.elts[0].value)
        for a in call.args[1:]
        for n in ast.walk(a)
        if isinstance(n, ast.Tuple) and n.elts and isinstance(n.elts[0], ast.Constant)
    }


def test_no_question_and_no_sentence_of_a_match_is_written_in_code_alone() -> None:
    """A question is a text of `[questions]`; other English of a record is an instance of `[phrases]`."""
    german = load_texts("de")
    found = [
        (path.relative_to(ROOT).as_posix(), line, words)
        for path in SOURCES
        for line, words in said_in(path)
        if re.search(r"[a-z]{2,} .*\?$", words)
        or (
            "referee/match/" in path.as_posix()
            and not any(phrase(w, german) != w for w in (words, f"A{words[1:]}"))
        )
    ]
    assert found == []


def test_every_condition_of_a_live_table_is_a_text() -> None:
    own = [
        (file, call.lineno)
        for file, call in calls("begin", "end", "hold")
        if file.startswith("referee/live/engine/")
        and any(re.search(r"[a-z]{2,} [a-z]{2,}", plain(a)) for a in call.args)
    ]
    assert own == []


def said_in(path: Path) -> Iterator[tuple[int, str]]:
    """Line and words of each sentence of three words or more that a file writes outside docstrings and
    errors; a number stands for each value.
    """
    tree = tree_of(path)
    apart = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for outer in ast.walk(tree):
        if isinstance(outer, ast.Raise | ast.JoinedStr):
            apart |= {id(n) for n in ast.walk(outer) if n is not outer}
    for n in ast.walk(tree):
        if id(n) in apart or not isinstance(n, ast.JoinedStr | ast.Constant):
            continue
        parts = n.values if isinstance(n, ast.JoinedStr) else [n]
        said = [str(p.value) if isinstance(p, ast.Constant) else "7" for p in parts]
        words = "".join(said)
        whole = not words.startswith((" ", ","))  # a part of a sentence is found with the sentence
        if whole and len(re.findall(r"[a-z]{2,}", words)) > 2 and re.search(r"[a-z]{2,} [a-z]{2,}", words):
            yield n.lineno, words


def test_a_sentence_can_be_said_again_in_another_language_also_within_an_error() -> None:
    german = load_texts("de")
    inner = sentence("errors.plain_file", path="a.toml")
    error = UnusableInput(
        sentence("errors.remove_to_begin_another_match", error=UnusableInput(inner), out="out")
    )
    assert "expected a plain file" in str(error)
    assert again(error, german).startswith("a.toml: erwartet: eine gewöhnliche Datei")
    assert again(pickle.loads(pickle.dumps(inner)), german) == inner.in_language(german)


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "en_GB.UTF-8", "CUEREF_LANG": "de"}, "de"),
        ({"LANG": "xx_XX"}, "en"),
        ({}, "en"),
    ],
)
def test_the_terminal_speaks_the_language_that_the_environment_names(
    environment: dict[str, str], code: str
) -> None:
    assert language_of_terminal(environment) == code


def test_a_page_is_answered_in_the_first_language_that_it_accepts() -> None:
    assert accepted("fr-CH, de;q=0.9, en;q=0.8").language == "de"
    assert accepted("fr").language == accepted("").language == "en"


def test_errors_of_a_german_process_are_german() -> None:
    try:
        speak("de")
        assert sentence("errors.plain_file", path="x").endswith("gefunden: etwas anderes")
    finally:
        speak("en")


def test_no_command_writes_its_own_help_or_output() -> None:
    own = [
        (file, call.lineno, keyword.arg)
        for file, call in calls("Option", "Argument", "command", "Typer", "add_typer")
        for keyword in call.keywords
        if keyword.arg in ("help", "epilog") and re.search(r"[a-z]{2,} [a-z]{2,}", plain(keyword.value))
    ]
    own += [
        (file, call.lineno, "printed")
        for file, call in calls("echo", "print", "add_task", "secho")
        if file.startswith(("referee/commands/", "referee/outputs/")) or file == "referee/cli.py"
        if call.args and re.search(r"[a-z]{3,} [a-z]{2,}", plain(call.args[0]))
    ]
    assert own == []


def test_a_light_on_a_camera_is_said_again_in_the_pages_language() -> None:
    texts = load_texts("de")
    german = again([asdict(a) for a in Advisor().advise()], texts)
    assert {a["sentence"] for a in german} == {texts.say("advice.no_picture_has_come")}


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_condition_does_not_say_its_status_again(language: str) -> None:
    """A page shows both: "Images are being skipped: images are skipped: this machine does not keep up"."""
    texts = load_texts(language)
    status, why = texts.say("status.slow"), texts.say("conditions.skipped")
    long = {w.lower() for w in status.split() if len(w) > 4}
    assert not long & {w.lower().strip(":") for w in why.split()}
