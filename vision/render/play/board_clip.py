"""Pictures of carrom clips: a board with discs, hands that flick and set the striker down."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.table.pieces import CARROM
from vision.render.board import BoardLook, render_board
from vision.render.discs import DiscLook
from vision.render.game_looks import board_look, disc_looks
from vision.render.people import arm
from vision.render.play.director import Script, StrokeEvent
from vision.render.play.sliding import STRIKER
from vision.render.rays import Rays
from vision.render.scene import Ball, Capsule, Scene
from vision.render.scene_picture import Rendering

FLICK_S, LEAVE_S = 1.0, 0.5
_NEAR_MM, _SPEED_MM_S = 16.0, 1100.0  # from the striker's rim to the fingertip, and how fast a hand comes
_KINDS = {"white": "white disc", "black": "black disc", "queen": "red disc"}


class BoardPicture:
    """Draws scenes of one board; the scene's balls are its discs, by the names of a clip."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng([seed, 3])
        self._look: BoardLook = board_look(rng)
        self._discs: dict[str, DiscLook] = disc_looks(rng, self._look.wood)

    def __call__(self, scene: Scene, rays: Rays, exposure_s: float = 0.0) -> Rendering:
        """The board with its discs; one that falls is gone at once: its hole is as deep as it is high."""
        lying = [b for b in scene.balls if b.z_mm is None or b.z_mm >= scene.table.ball_radius_mm]
        discs = tuple(self._disc(b) for b in lying)
        return render_board(replace(scene, balls=discs), self._look, self._discs, rays, exposure_s)

    @staticmethod
    def _disc(piece: Ball) -> Ball:
        if piece.colour == STRIKER:
            radius = CARROM.kind("striker").diameter_mm / 2
            return replace(piece, colour="striker", radius_mm=radius, z_mm=None)
        look = _KINDS[piece.colour.split("-")[0]]
        return replace(piece, colour=look, radius_mm=CARROM.kind("queen").diameter_mm / 2, z_mm=None)


class BoardScript(Script):
    """A clip's events with fingers in place of cues."""

    def _striker(self, event: StrokeEvent, t_s: float, k: int) -> list[Capsule]:
        """The flicking hand behind the striker, from its player's side of the board."""
        dt = t_s - event.t_strike
        if not -FLICK_S < dt < LEAVE_S:
            return []
        rng = np.random.default_rng(self.seed * 89 + k)
        x, y = event.played.start[STRIKER]
        side = -1.0 if y < self.table.length_mm / 2 else 1.0
        away = max(-0.7 - dt, 0.0) + max(dt - 0.12, 0.0)
        gap = CARROM.kind("striker").diameter_mm / 2 + _NEAR_MM + away * _SPEED_MM_S
        return arm(rng, (x, y + side * gap), side * math.pi / 2 + float(rng.normal(0, 0.1)), 10.0)
