"""The files that a review writes: the schema, whole or nothing, escaping, and what they say."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from itertools import pairwise
from pathlib import Path
from typing import Any, NotRequired, get_origin, get_type_hints

import jsonschema
import pytest
from match_fixture import from_truth, invented, rows_for, stroke

from calibration.errors import UnusableInput
from calibration.files import whole_file
from calibration.table.specs import TableSpec
from referee.outputs import document, exports
from referee.outputs.annotated import camera_from_record
from referee.outputs.cells import safe_cell
from referee.outputs.diagram import stroke_svg, svg_point
from referee.outputs.document import match_bytes, problem_of, read_match, schema_text, write_match
from referee.outputs.evidence import evidence_html
from referee.outputs.media import video_of
from referee.outputs.report import report_html
from referee.outputs.sheet import score_sheet_html
from referee.outputs.statistics import attempted, breaks_of, statistics_of
from referee.outputs.tracks import HEADER, BallPath, TracksWriter, read_tracks, simplified
from referee.outputs.words import happened
from tracker.events import TrackRow

NASTY = "<script>alert(1)</script> & \"x\" 'y' -->"


def tracks_in(folder: Path, match: dict) -> dict:
    with TracksWriter(folder) as writer:
        writer.write_all(rows_for(match))
    return read_tracks(folder)


def test_the_schema_is_a_valid_2020_12_schema_and_accepts_a_review() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert problem_of(invented()) is None


def _damaged(document: object, rng: random.Random) -> object:
    """A copy with one value somewhere replaced, added or taken away."""
    copy = json.loads(json.dumps(document))
    node, path = copy, 0
    while path < 12:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            break
        key = rng.choice(keys)
        if isinstance(node[key], dict | list) and node[key] and rng.random() < 0.85:
            node, path = node[key], path + 1
            continue
        if rng.random() < 0.2:
            del node[key]
        else:
            node[key] = rng.choice(
                [
                    None,
                    True,
                    -1,
                    0,
                    1.5,
                    3.0,
                    "",
                    "red",
                    "red_16",
                    "white",
                    "A",
                    "certain",
                    [],
                    [1, 2, 3],
                    [1, 2, 3, 4],
                    {},
                    10**9,
                ]
            )
        break
    return copy


def test_the_validator_agrees_with_the_reference_library() -> None:
    """Whatever is damaged, both see it or both do not; the library is the definition of the draft."""
    reference = jsonschema.Draft202012Validator(json.loads(schema_text()))
    rng, verdicts = random.Random(5), []
    for _ in range(400):
        damaged = _damaged(invented(), rng)
        ours = problem_of(damaged) is None
        assert ours == reference.is_valid(damaged), problem_of(damaged)
        verdicts.append(ours)
    assert 60 < sum(verdicts) < 340  # the damage is neither always nor never harmless


def test_a_number_that_json_does_not_have_is_no_match_and_the_message_is_short() -> None:
    match = invented()
    match["video"]["duration_s"] = math.nan
    assert "video/duration_s" in (problem_of(match) or "")
    match["strokes"][0] = ["x"] * 10**6
    assert len(problem_of(match) or "") < 300


@pytest.mark.parametrize("key", ["first_contact", "foul", "touching", "gap_before", "candidates", "break"])
def test_unknown_is_null_never_left_out(key: str) -> None:
    match = invented()
    del match["strokes"][0][key]
    assert key in (problem_of(match) or "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("striker", "C"),
        ("cue_ball", "gone"),
        ("before", {"white": [[1, 2]]}),
        ("before", {"mauve": []}),
        ("verdict", "sure"),
        ("potted", [{"ball": "red_16", "pocket": "TL", "t_s": 1, "confidence": 1}]),
    ],
)
def test_the_schema_refuses_what_the_design_does_not_know(path: str, value: object) -> None:
    match = invented()
    match["strokes"][0][path] = value
    assert problem_of(match)


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    write_match(tmp_path, invented())
    good = (tmp_path / "match.json").read_bytes()
    assert good == match_bytes(read_match(tmp_path))
    with pytest.raises(ValueError):
        write_match(tmp_path, invented() | {"score": [float("nan"), 0]})
    with pytest.raises(RuntimeError), whole_file(tmp_path / "match.json") as part:
        part.write_text("half")
        raise RuntimeError
    assert (tmp_path / "match.json").read_bytes() == good
    assert [p.name for p in tmp_path.iterdir()] == ["match.json"]


def test_reading_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="neither"):
        read_match(tmp_path / "nothing")
    for text, words in (("{", "expected JSON"), ("[]", "schema 1"), ("[" * 100000, "expected JSON")):
        (tmp_path / "match.json").write_text(text)
        with pytest.raises(UnusableInput, match=words):
            read_match(tmp_path)


def test_tracks_resume_from_a_mark_gives_the_same_file(tmp_path: Path) -> None:
    rows = rows_for(invented())
    with TracksWriter(tmp_path / "whole") as writer:
        writer.write_all(rows)
    first = TracksWriter(tmp_path / "cut")
    first.write_all(rows[:50])
    mark = first.mark()
    first.write_all(rows[50:77])
    first.close()  # killed here: 27 rows too many are on disk
    with TracksWriter(tmp_path / "cut", resume_at=mark) as writer:
        writer.write_all(rows[50:])
    assert (tmp_path / "cut/tracks.csv").read_bytes() == (tmp_path / "whole/tracks.csv").read_bytes()
    assert list((tmp_path / "cut").iterdir()) == [tmp_path / "cut/tracks.csv"]


def test_tracks_read_back_what_was_written_and_name_a_bad_line(tmp_path: Path) -> None:
    with TracksWriter(tmp_path) as writer:
        writer.write(TrackRow(1.0, "white", 10.0, 20.0, 0.5, "moving"))
        writer.write(TrackRow(1.5, "white", 20.0, 40.0, 0.5, "rest"))
        writer.write(TrackRow(2.0, "white", 20.0, 40.0, 0.5, "potted"))
    path = read_tracks(tmp_path)["white"]
    assert path.at(1.25) == (15.0, 30.0, "moving")
    assert path.at(1.9) == (20.0, 40.0, "rest")
    assert path.at(2.1) is None and path.at(0.5) is None
    with (tmp_path / "tracks.csv").open("a") as file:
        file.write("3.0,white,nan,1,1,rest\n")
    with pytest.raises(UnusableInput, match="line 5"):
        read_tracks(tmp_path)


def test_tracks_in_one_endless_line_are_refused_at_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "tracks.csv"
    file.write_text(HEADER)
    with file.open("r+b") as handle:
        handle.truncate(1 << 40)  # nobody has so much memory
    with pytest.raises(UnusableInput, match="line 2"):
        read_tracks(tmp_path)


def test_a_simplified_path_stays_within_its_tolerance() -> None:
    import math

    points = tuple((float(k), 40 * math.sin(k / 15)) for k in range(400))
    few = simplified(points, 2.0)
    assert len(few) < 80
    for x, y in points:
        a, b = next((p, q) for p, q in pairwise(few) if p[0] <= x <= q[0])
        on = a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])
        assert abs(on - y) <= 3.0  # vertical distance on slopes up to 70 degrees


def test_the_diagram_turns_the_table_and_does_not_mirror_it() -> None:
    """Walking from the baulk cushion to the top with the right cushion at one's right stays so."""
    origin, up, right = svg_point(0, 0), svg_point(0, 1), svg_point(1, 0)
    ux, uy = up[0] - origin[0], up[1] - origin[1]
    rx, ry = right[0] - origin[0], right[1] - origin[1]
    # SVG's y points down, so a right turn from `up` to `right` has a positive cross product
    assert ux * ry - uy * rx > 0


def test_the_diagram_shows_letters_contacts_pots_and_where_balls_came_from(tmp_path: Path) -> None:
    match = invented()
    svg = stroke_svg(match["strokes"][0], TableSpec(), tracks_in(tmp_path, match), standalone=True)
    assert ">R</text>" in svg and ">G</text>" in svg
    assert 'class="contact"' in svg and 'class="pot"' in svg and 'opacity=".38"' in svg
    assert svg.count("<polyline") == 4  # two balls moved, each with its casing


def test_names_are_escaped_everywhere(tmp_path: Path) -> None:
    match = invented((NASTY, '=HYPERLINK("x")'))
    match["warnings"][0]["text"] = NASTY
    match["strokes"][1]["question"] = NASTY
    pages = [
        report_html(match),
        score_sheet_html(match),
        evidence_html(match, 2, {}, None, [{"who": NASTY}]),
    ]
    for page in pages:
        assert "<script" not in page
        assert "&lt;script&gt;" in page
        assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page
    vtt = exports.chapters_vtt(match)
    assert "<script" not in vtt and vtt.count("-->") == len(match["strokes"])
    rows = list(csv.reader(io.StringIO(exports.strokes_csv(match))))
    assert all(not c.lstrip().startswith(("=", "+", "@")) for row in rows for c in row)


@pytest.mark.parametrize("text", ["=1", "+1", "-1+2", "@x", " =1", "\t=1", "\r\n@x", "＝1"])
def test_no_cell_begins_like_a_formula(text: str) -> None:
    assert safe_cell(text).startswith("'")
    assert safe_cell(-3.5) == "-3.5"


def test_breaks_and_statistics_count_what_was_played(tmp_path: Path) -> None:
    strokes = [
        stroke(
            1,
            points=1,
            potted=[{"ball": "red_1", "pocket": "TL", "t_s": 8.0, "confidence": 1.0}],
            **{"break": 1},
        ),
        stroke(
            2,
            points=7,
            potted=[{"ball": "black", "pocket": "TR", "t_s": 14.0, "confidence": 1.0}],
            **{"break": 8},
        ),
        stroke(3, **{"break": 8}),
        stroke(4, striker="B", foul={"clause": "snooker 3.3(h)", "penalty": 4, "penalty_to": "A"}),
        stroke(5),
    ]
    match = invented() | {"strokes": strokes}
    assert [(b.side, b.points, b.first, b.last, b.balls) for b in breaks_of(strokes)] == [
        ("A", 8, 1, 2, ("red", "black"))
    ]
    a, b = statistics_of(match).sides
    assert (a.points_potted, a.points_from_fouls, a.highest_break, a.visits) == (8, 4, 8, 2)
    assert (b.fouls, b.points_potted, b.shot_time_s) == (1, 0, 2.0)
    assert dict(a.points_by_ball) == {"red": 1, "black": 7} and a.average_break == 4.0
    assert a.pots is None  # without paths a missed pot cannot be told from a safety


def test_a_missed_pot_is_an_attempt_and_a_safety_is_not() -> None:
    table = TableSpec()
    s = stroke(
        1,
        first_contact={"ball": "blue", "t_s": 6.4, "confidence": 1.0},
        cushions=[{"ball": "blue", "cushion": "right", "t_s": 7.0, "confidence": 1.0}],
    )
    near = BallPath(
        "blue", (6.4, 7.0, 7.5), ((0.0, 1784.0), (800.0, 1700.0), (300.0, 900.0)), ("moving",) * 3
    )
    far = BallPath("blue", (6.4, 7.0, 7.5), ((0.0, 1784.0), (860.0, 900.0), (880.0, 1784.0)), ("moving",) * 3)
    assert attempted(s, table, {"blue": near})
    assert not attempted(s, table, {"blue": far})  # it reaches the pocket only after a cushion


def test_chapters_and_markers_stand_on_the_videos_clock() -> None:
    match = invented()
    assert "00:00:06.000 --> 00:00:10.000" in exports.chapters_vtt(match)
    assert "00:00:06:00 00:00:06:01" in exports.markers_edl(match, 50.0)
    match["players"] = ["Ann\n\n002  001      V     C ", "Bo | |C:Red"]
    edits = [x for x in exports.markers_edl(match, 50.0).splitlines() if x[:3].isdigit()]
    assert len(edits) == len(match["strokes"])  # a name's line break makes no edit


def test_a_video_outside_the_matchs_folder_is_not_taken(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out.mp4"
    inside.mkdir()
    outside.write_bytes(b"x")
    (inside / "link.mp4").symlink_to(outside)
    (inside / "clip.mp4").write_bytes(b"x")
    for name, found in (
        ("clip.mp4", True),
        ("../out.mp4", False),
        (str(outside), False),
        ("link.mp4", False),
        ("..", False),
    ):
        match = invented()
        match["video"]["file"] = name
        assert (video_of(match, inside) is not None) == found, name
    assert video_of(match, inside, outside) == outside


def test_an_odd_camera_record_is_no_camera() -> None:
    assert camera_from_record(None) is None
    assert camera_from_record({"model": "radial", "focal_px": "x"}) is None


def test_a_perfect_review_of_the_shared_clip_conforms_and_reports(tmp_path: Path) -> None:
    made = from_truth("club_a")
    if made is None:
        pytest.skip("../shared is absent: no clip to convert")
    match, rows = made
    write_match(tmp_path, match)
    with TracksWriter(tmp_path) as writer:
        writer.write_all(rows)
    page = report_html(read_match(tmp_path), read_tracks(tmp_path))
    assert page.count("<article") == len(match["strokes"]) and page.count("<polyline") >= 12
    a, _ = statistics_of(match, read_tracks(tmp_path)).sides
    assert a.pots is not None and a.pots.made == 3


def test_records_convert_to_a_document_that_the_schema_accepts() -> None:
    from referee.facts import judged as j
    from referee.facts import seen as r
    from referee.outputs.convert import calibration_json, match_document

    ball = r.SeenBall("red_1", "red", 10.0, 2400.0, 0.4, 0.99)
    white = r.SeenBall("white", "white", 100.0, 600.0, 0.4, 0.99)
    seen = r.SeenStroke(
        1.0,
        4.0,
        (white, ball),
        (white,),
        (r.SeenFirstContact("red_1", 1.4, 0.97),),
        (r.SeenContact(("white", "red_1"), 1.4, 0.97),),
        (r.SeenCushion("white", "top", 1.9),),
        (r.SeenPot("red_1", "TL", 2.2, 0.99),),
        "pocketed",
        "BR",
        (),
        (),
        (),
        (),
        (),
        None,
        False,
    )
    foul = j.FoulRuled("snooker 3.12(a)(vi)", 4, "B", "in_off")
    candidate = j.Candidate((("nominated", "pink"),), 0.6, foul, False, False, 0, (0, 4), "B", "red")
    judged = j.JudgedStroke(
        1,
        1,
        7,
        seen,
        "A",
        "red",
        None,
        False,
        foul,
        False,
        0,
        (0, 4),
        0,
        (),
        (),
        False,
        "B",
        "red",
        ("Foul, 4",),
        (("pink", "pink", 0.0, 2676.75, "snooker 3.7"),),
        "call",
        "Which?",
        (candidate,),
    )
    record = j.MatchRecord(
        start=j.StartRecord("A", "red", (0, 0), True),
        frames=(j.FrameRecord(1, 1, (0, 4), None),),
        strokes=(judged,),
        hands=(r.SeenHand("in_hand", "white", None, (0.0, 600.0, 0.4), 5.0),),
        spotting=(j.SpottingCheck("pink", "pink", 6.0, 0.1, 0.2, 0.22, 0.4, None),),
        warnings=(j.Warned("gap", None, "x"),),
        score=(0, 4),
    )
    video: document.VideoJson = {"file": "x.mp4", "width": 1, "height": 1, "images": 1, "duration_s": 1.0}
    match = match_document("snooker", video, calibration_json(None), record)
    assert problem_of(json.loads(match_bytes(match))) is None
    assert match["strokes"][0]["before"] == {"white": [[100.0, 600.0, 0.4]], "red": [[10.0, 2400.0, 0.4]]}
    assert "possible_balls" not in match["strokes"][0]
    missed = r.SeenFirstContact(None, None, 0.9)
    from dataclasses import replace

    unmet = j.MatchRecord(strokes=(replace(judged, seen=replace(seen, first_contact=(missed,))),))
    nothing = match_document("snooker", video, calibration_json(None), unmet)
    assert nothing["strokes"][0]["first_contact"] is None
    assert problem_of(json.loads(match_bytes(nothing))) is None
    thing = r.SeenPossibleBall(-400.0, 1200.0, 0.0423)
    more = j.MatchRecord(strokes=(replace(judged, seen=replace(seen, possible=(thing,))),))
    perhaps = match_document("snooker", video, calibration_json(None), more)
    assert problem_of(json.loads(match_bytes(perhaps))) is None
    (stroke,) = perhaps["strokes"]
    assert happened(stroke).endswith("what lies at x -400 mm, y 1200 mm may be a ball (4 %)")
    assert 'class="possible"' in stroke_svg(stroke, TableSpec())


def test_the_annotated_video_keeps_times_and_colours_and_shows_the_balls(tmp_path: Path) -> None:
    """Irregular timestamps stay; what nothing was drawn on looks as before; outlines lie where balls do."""
    from fractions import Fraction

    import av
    import numpy as np

    from referee.outputs.annotated import write_annotated
    from vision.io.images import read_video

    stamps = [0, 40, 80, 200, 240, 360, 400]
    with av.open(str(tmp_path / "in.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 1000)
        for t in stamps:
            picture = np.full((360, 640, 3), (40, 120, 30), np.uint8)
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = t, Fraction(1, 1000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    match = invented()
    match["calibration"]["camera"] = {
        "width_px": 640,
        "height_px": 360,
        "model": "radial",
        "focal_px": 400.0,
        "cx_px": 319.5,
        "cy_px": 179.5,
        "distortion": [],
        "rotation": [0.0, 3.141592653589793, 0.0],
        "translation_mm": [0.0, -1784.5, 2750.0],
    }
    ball = BallPath("blue", (0.0, 9.0), ((0.0, 1784.5), (0.0, 1784.5)), ("rest", "rest"))
    seen: list[int] = []
    out = write_annotated(
        tmp_path / "in.mp4", tmp_path / "out", match, {"blue": ball}, lambda k, of: seen.append(k)
    )
    images = list(read_video(out))
    assert [round(i.t_s * 1000) for i in images] == stamps and len(seen) == len(stamps)
    before, after = next(iter(read_video(tmp_path / "in.mp4"))).picture.bgr(), images[0].picture.bgr()
    assert np.abs(before[250:330, 40:200].astype(int) - after[250:330, 40:200].astype(int)).mean() < 3
    ring = after[150:210, 290:350].astype(int)
    assert (ring[..., 0] > 150).sum() > 20 and (ring[..., 0] > 150).sum() < 1500  # a blue outline, no disc
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["annotated.mp4"]


def test_a_film_speaks_the_language_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    from calibration.texts import load_texts
    from referee.outputs import annotated
    from referee.outputs.words import say_of

    match, drawn = invented(), []
    monkeypatch.setattr(annotated, "_line", lambda picture, text, at, size: drawn.append(text))
    overlay = annotated.overlay_of(match, {}, say_of(match, load_texts("de")))
    stroke = match["strokes"][0]
    for t_s in (stroke["start_s"], stroke["end_s"]):
        annotated.draw_overlay(np.zeros((360, 640, 3), np.uint8), overlay, t_s)
    assert drawn[1].startswith("Stoß 1: ") and "Ball on Rot" in drawn[1] and "1 Punkt" in drawn[3]


def test_a_line_of_a_film_fits_its_picture_and_knows_every_letter() -> None:
    import numpy as np

    from referee.outputs.annotated import _line

    pytest.importorskip("PIL")
    for text in ("Stoß 4: Łukasz Ńowak", "Foul, 4 an 丁俊晖, und ein Miss " * 4):
        picture = np.zeros((40, 320, 3), np.uint8)
        _line(picture, text, (20, 27), 20)
        across = np.flatnonzero(picture.any(axis=(0, 2)))
        assert across.min() >= 19 and across.max() < 305 and picture.max() == 255


@pytest.mark.parametrize(
    ("form", "part"),
    [
        (document.Match, None),
        (document.Stroke, "stroke"),
        (document.FrameJson, "frame"),
        (document.SpottingJson, "spotting"),
        (document.WarningJson, "warning"),
        (document.FirstContactJson, "first_contact"),
        (document.ContactJson, "contact"),
        (document.CushionJson, "cushion_hit"),
        (document.PotJson, "pot"),
        (document.FoulJson, "foul"),
        (document.CandidateJson, "candidate"),
    ],
)
def test_the_types_of_the_document_have_the_fields_of_the_published_schema(
    form: Any, part: str | None
) -> None:
    whole = json.loads(schema_text())
    schema = whole if part is None else whole["$defs"][part]
    reserved = {"break"} if form is document.Stroke else set()  # a word of Python's; see `break_of`
    fields = get_type_hints(form, include_extras=True)
    required = {name for name, hint in fields.items() if get_origin(hint) is not NotRequired}
    assert required | reserved == set(schema["required"])
    assert set(fields) | reserved == set(schema["properties"])
