"""Positions of every game are restored with that game's pieces, in the frame of its records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from match_fixture import document, stroke

import referee.console.restore as console_restore
from calibration.result import Calibration
from calibration.table.board import origin_of_records_mm
from calibration.table.games import GAMES, GameSpec
from calibration.table.pieces import PieceSet
from referee.cli import main
from referee.console.match_view import MatchView
from referee.console.restore import layout_of, layout_of_video, outlines, restore_at, restore_picture
from referee.console.reviews import open_review
from referee.outputs.annotated import calibration_of
from referee.outputs.document import write_match
from referee.outputs.stills import moments_of
from referee.outputs.tracks import BallPath
from vision.io.images import read_video
from vision.layout import LayoutBall

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
BOARD_CLIP = SAMPLES / "carrom_two_strokes.mp4"
NEAR_MM = 3.0  # C/m are read to 1 mm in this picture, the striker, beside its hand, to 2.2 mm


def pieces_in_rows(game: GameSpec) -> list[tuple[str, float, float]]:
    """Every piece of the game's set, `(kind, x_mm, y_mm)` in the table's frame, well apart."""
    table = game.table()
    kinds = [k.name for k in game.pieces.kinds for _ in range(k.count)]
    apart = table.length_mm / 9
    return [(kind, (n % 4 - 1.5) * apart, (n // 4 + 1.5) * apart) for n, kind in enumerate(kinds)]


def by_kind(game: GameSpec) -> dict[str, list[list[float]]]:
    """The same by kind, in the frame of the game's records."""
    down, out = origin_of_records_mm(game.table()), {}  # type: float, dict[str, list[list[float]]]
    for kind, x, y in pieces_in_rows(game):
        out.setdefault(kind, []).append([x, y - down, 0.3])
    return out


def reviewed(game: GameSpec, folder: Path, camera: dict[str, Any], **times: float) -> Path:
    """The folder of a review of one stroke before which the pieces lay in rows."""
    match = document([stroke(1, before=by_kind(game), after={}, **times)], ("A", "B"), 40.0)
    match["game"] = game.name
    table = game.table().as_fields()
    match["calibration"] = {"residual_px": 0.1, "residual_mm": 0.4, "camera": camera, "table": table}
    write_match(folder, match)  # type: ignore[arg-type]
    return folder


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda g: g.name)
def test_a_picture_of_any_game_is_read_with_its_pieces(
    game: GameSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def looked(pictures: Any, calibration: Calibration, detector: Any, name: str = "", **of: PieceSet) -> Any:
        assert of["pieces"] == game.pieces and detector.pieces == game.pieces
        return tuple(LayoutBall(k, x, y, 0.0, 0.0, 0.3, 0.3, 1.0) for k, x, y in pieces_in_rows(game))

    class Known:
        def __init__(self, pieces: PieceSet) -> None:
            self.pieces = pieces

    monkeypatch.setattr(console_restore, "read_layout", looked)
    monkeypatch.setattr(console_restore, "Detector", Known)
    camera = json.loads(BOARD_CLIP.with_suffix(".json").read_text())["camera"]
    folder, now = reviewed(game, tmp_path / "r", camera), tmp_path / "now.png"
    cv2.imwrite(str(now), np.full((camera["height_px"], camera["width_px"], 3), 90, np.uint8))
    drawn = tmp_path / "drawn.png"
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["restore", str(folder), "--stroke", "1", "--image", str(now), "--draw", str(drawn)])
    count = len(pieces_in_rows(game))
    assert f"{count} of {count} balls are back" in capsys.readouterr().out
    assert (cv2.imread(str(drawn)) != 90).any()
    uploaded = restore_picture(open_review("r", folder, None), 1, now.read_bytes())
    assert all(b["done"] for b in uploaded["balls"]) and len(uploaded["balls"]) == count


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> MatchView:
    """The carrom sample with its true camera and its true positions before the first stroke."""
    truth = json.loads(BOARD_CLIP.with_suffix(".json").read_text())
    first = next(e for e in truth["events"] if e["type"] == "stroke")
    game, before = GAMES["carrom"], {}  # type: GameSpec, dict[str, list[list[float]]]
    for piece, (x, y) in first["start"].items():
        kind = "striker" if piece == "white" else piece.split("-")[0]
        before.setdefault(kind, []).append([1000 * x, 1000 * y - game.table().length_mm / 2, 0.1])
    folder = tmp_path_factory.mktemp("board") / "r"
    reviewed(game, folder, truth["camera"], start_s=first["t_strike"], end_s=first["t_rest"])
    match = json.loads((folder / "match.json").read_text())
    match["strokes"][0]["before"] = before
    write_match(folder, match)
    return open_review("r", folder, BOARD_CLIP)


def test_a_real_board_is_read_as_it_lay(board: MatchView) -> None:
    at_s = board.document["strokes"][0]["start_s"] - 0.5
    seen = restore_at(board, 1, at_s)["balls"]
    assert len(seen) == 20 and all(b["left_mm"] < NEAR_MM for b in seen)
    assert len(layout_of_video(board, at_s)["striker"]) == 1


def test_outlines_of_a_board_lie_on_its_discs_and_the_striker_is_the_largest(board: MatchView) -> None:
    """A white C/m's place is brighter than the board's black C/m, at the places of the records."""
    calibration, first = calibration_of(board.document), board.document["strokes"][0]
    assert calibration is not None
    pieces = GAMES["carrom"].pieces
    circles = outlines(first["before"], calibration.camera, calibration.table, pieces)
    grey = next(iter(read_video(BOARD_CLIP, first["start_s"] - 0.5))).picture.y.astype(float)
    light = {
        kind: [grey[round(c["y_px"]), round(c["x_px"])] for c in circles if c["colour"] == kind]
        for kind in ("white", "black")
    }
    assert min(light["white"]) > max(light["black"])
    assert max(circles, key=lambda c: c["r_px"])["colour"] == "striker"


def test_nine_ball_is_read_with_the_numbers_of_its_balls() -> None:
    truth = json.loads((SAMPLES / "nine_ball_two_strokes.json").read_text())
    first = next(e for e in truth["events"] if e["type"] == "stroke")
    game = GAMES["wpa_9ball"]
    record = {"residual_px": 0.1, "residual_mm": 0.4, "camera": truth["camera"], "table": truth["table"]}
    calibration = calibration_of({"calibration": record})  # type: ignore[typeddict-item]
    assert calibration is not None
    image = next(iter(read_video(SAMPLES / "nine_ball_two_strokes.mp4", first["t_strike"] - 0.5)))
    assert set(layout_of([image.picture], calibration, game.pieces)) == set(game.pieces.names)


@pytest.mark.parametrize("game", ["wpa_9ball", "carrom"])
def test_the_stills_of_a_stroke_show_its_own_cue_ball_and_pockets_where_they_are(game: str) -> None:
    spec = GAMES[game]
    table, cue = spec.table(), spec.pieces.cue
    path = BallPath(cue, (0.0, 9.0), ((10.0, 20.0), (10.0, 20.0)), ("rest", "rest"))
    pot = {"ball": "1", "pocket": "TR", "t_s": 7.5, "confidence": 1.0}
    played: Any = stroke(1, before={cue: [[10.0, 20.0, 0.3]]}, potted=[pot])
    first, fell = moments_of(played, table, {cue: path})[1:3]
    assert first.at_mm == (10.0, 20.0)
    hole = table.pocket("TR")
    assert fell.at_mm == (hole.x_mm, hole.y_mm - origin_of_records_mm(table))
