"""Prediction of one moving ball between images: constant-velocity filter with friction and cushions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.pockets import in_mouth
from calibration.table.specs import TableSpec
from tracker.params import CUSHION_RESTITUTION, DISC_MM_S2, ROLL_MM_S2

ACCELERATION_SIGMA_MM_S2 = 1500.0  # sliding (0.2 g) in an unknown direction, swerve


@dataclass(slots=True)
class Motion:
    """State of a moving ball at `t_s`: position, velocity and one covariance that both axes share."""

    t_s: float
    x_mm: float
    y_mm: float
    vx_mm_s: float
    vy_mm_s: float
    p_xx: float
    p_xv: float
    p_vv: float

    @property
    def speed_mm_s(self) -> float:
        return math.hypot(self.vx_mm_s, self.vy_mm_s)

    def predicted(self, t_s: float, table: TableSpec) -> Motion:
        """The state at a later time: friction (discs slide, balls roll), then a rebound from a straight
        cushion if one is met.
        """
        dt = t_s - self.t_s
        speed = self.speed_mm_s
        slowing = DISC_MM_S2 if table.is_board else ROLL_MM_S2
        keep = max(0.0, 1.0 - slowing * dt / speed) if speed > 1e-6 else 0.0
        vx, vy = self.vx_mm_s * keep, self.vy_mm_s * keep
        x = self.x_mm + 0.5 * (self.vx_mm_s + vx) * dt
        y = self.y_mm + 0.5 * (self.vy_mm_s + vy) * dt
        a = min(ACCELERATION_SIGMA_MM_S2, 300.0 + speed)
        p_xx = self.p_xx + 2 * dt * self.p_xv + dt * dt * self.p_vv + (0.5 * a * dt * dt) ** 2
        p_xv = self.p_xv + dt * self.p_vv + 0.5 * a * a * dt**3
        p_vv = self.p_vv + (a * dt) ** 2
        out = Motion(t_s, x, y, vx, vy, p_xx, p_xv, p_vv)
        _rebound(out, table)
        return out

    def shown_again(self, t_s: float) -> None:
        """Take note that an image of a later time is this one again: the ball was there at some time between.

        Either the recording stood still meanwhile, or images are repeated to fill a faster rate (25 a second
        shown at 30) and the next one shows the ball one image on.
        """
        dt = t_s - self.t_s
        self.t_s += 0.5 * dt
        self.p_xx += (0.5 * dt * self.speed_mm_s) ** 2

    def updated(self, x_mm: float, y_mm: float, sigma_mm: float) -> Motion:
        """The state after one observation at this state's own time (Kalman update, both axes alike)."""
        s = self.p_xx + sigma_mm * sigma_mm
        k_x, k_v = self.p_xx / s, self.p_xv / s
        dx, dy = x_mm - self.x_mm, y_mm - self.y_mm
        return Motion(
            self.t_s,
            self.x_mm + k_x * dx,
            self.y_mm + k_x * dy,
            self.vx_mm_s + k_v * dx,
            self.vy_mm_s + k_v * dy,
            (1 - k_x) * self.p_xx,
            (1 - k_x) * self.p_xv,
            max(self.p_vv - k_v * self.p_xv, 1.0),
        )


FASTEST_MM_S = 14_000.0
"""No ball of any game is faster; two images of nearly the same time may say so."""


def started(
    t0_s: float, x0_mm: float, y0_mm: float, t_s: float, x_mm: float, y_mm: float, sigma_mm: float
) -> Motion:
    """A motion that began or turned somewhere between two images: mean velocity, wide uncertainty."""
    dt = max(t_s - t0_s, 1e-4)
    vx, vy = (x_mm - x0_mm) / dt, (y_mm - y0_mm) / dt
    speed = math.hypot(vx, vy)
    if speed > FASTEST_MM_S:
        vx, vy, speed = vx * FASTEST_MM_S / speed, vy * FASTEST_MM_S / speed, FASTEST_MM_S
    # the turn may have been anywhere in the interval: the velocity may be several times the mean
    sigma_v = max(1.0 * speed, 2 * sigma_mm / dt, 100.0)
    return Motion(t_s, x_mm, y_mm, vx, vy, sigma_mm**2, 0.0, sigma_v**2)


def _rebound(m: Motion, table: TableSpec) -> None:
    r = table.ball_radius_mm
    if abs(m.x_mm) <= table.half_width_mm - r and table.bottom_mm + r <= m.y_mm <= table.top_mm - r:
        return
    if in_mouth(m.x_mm, m.y_mm, table):
        return
    speed = m.speed_mm_s
    for axis in ("x", "y"):
        lo, hi = (
            (-table.half_width_mm + r, table.half_width_mm - r)
            if axis == "x"
            else (table.bottom_mm + r, table.top_mm - r)
        )
        at: float = getattr(m, f"{axis}_mm")
        v: float = getattr(m, f"v{axis}_mm_s")
        if lo <= at <= hi:
            continue
        wall = lo if at < lo else hi
        if (at - wall) * v > 0:
            setattr(m, f"{axis}_mm", wall - CUSHION_RESTITUTION * (at - wall))
            setattr(m, f"v{axis}_mm_s", -CUSHION_RESTITUTION * v)
            m.p_xx += (0.3 * abs(at - wall)) ** 2 + 4.0
            m.p_vv += (0.3 * speed) ** 2
