"""The table of text formats is what the command line offers, and each row writes a match."""

from __future__ import annotations

import re
from typing import cast

import pytest
from match_fixture import invented

from calibration.texts import load_texts
from referee.commands.export import FORMS
from referee.console.app import STATIC
from referee.outputs.document import Match
from referee.outputs.formats import FORMATS, Source, TextForm
from referee.outputs.words import say_of


def test_every_text_format_has_a_row_and_a_name_on_the_command_line() -> None:
    assert set(FORMATS) == set(TextForm)
    assert set(TextForm) <= set(FORMS)
    assert len({f.file_name for f in FORMATS.values()}) == len(FORMATS)


def test_the_page_has_a_link_with_its_texts_for_every_format_that_its_route_offers() -> None:
    script = (STATIC / "export.js").read_text(encoding="utf-8")
    listed = re.search(r"^const WITH_CHOICES = \[(.*)\];", script, re.MULTILINE)
    assert listed is not None
    forms = re.findall(r'"(\w+)"', listed[1])
    own = re.findall(r"link\([\"`]export/(\w+)", script)
    assert set(forms) == set(own) <= set(TextForm)
    texts = load_texts("en")
    plain = {"tracks", *TextForm} - set(forms)
    assert all(texts.say(f"export.{form}") and texts.say(f"export.{form}_is") for form in plain)


@pytest.mark.parametrize("form", TextForm)
def test_every_text_format_is_written_from_a_match(form: TextForm) -> None:
    match = cast("Match", invented())
    text = FORMATS[form].write(Source(match, say_of(match), url="http://127.0.0.1:8765/overlay"))
    assert text.strip() and not text.startswith("None")


@pytest.mark.parametrize("turn", [0, 2])
@pytest.mark.parametrize("form", [TextForm.CHAPTERS, TextForm.MARKERS])
def test_what_is_written_for_the_video_names_a_pocket_as_the_camera_sees_it(
    form: TextForm, turn: int
) -> None:
    match = cast("Match", invented())
    say = say_of(match, turn=turn)
    pot = next(p for s in match["strokes"] for p in s["potted"])
    assert f"potted in {say.pocket(str(pot['pocket']))}" in FORMATS[form].write(Source(match, say))
