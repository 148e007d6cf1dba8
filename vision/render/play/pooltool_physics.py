"""Strokes simulated by pooltool (the extra `physics`), on a table of our dimensions.

pooltool's frame is ours moved by half the table's width (its origin: bottom left cushion corner), in
metres. Its pockets are not exactly ours, so a ball counts as potted when its centre passes our drop.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibration.table.specs import TableSpec
from vision.render.play.match import Layout
from vision.render.play.physics import Flight, Stroke

STEP_S = 0.002


def simulate_pooltool(layout: Layout, stroke: Stroke, table: TableSpec) -> Flight:
    """Play a stroke on a layout (ball -> x, y mm); deterministic."""
    import pooltool as pt

    half = table.half_width_mm
    specs = _specs(pt, table)
    radius = table.ball_radius_mm / 1000
    balls = {
        name: pt.Ball.create(
            name,
            xy=((p[0] + half) / 1000, p[1] / 1000),
            R=radius,
            m=0.142,
            u_s=0.2,
            u_r=0.0105,
            u_sp_proportionality=0.4444,
            e_c=0.80,
            f_c=0.2,
            g=9.81,
        )
        for name, p in layout.items()
    }
    system = pt.System(cue=pt.Cue(cue_ball_id="white"), table=pt.Table.from_table_specs(specs), balls=balls)
    # a cue of 567 g leaves a ball of 142 g at 1.6 times its own speed
    system.cue.set_state(
        V0=stroke.speed_mm_s / 1600,
        phi=math.degrees(stroke.direction) % 360,
        theta=0.0,
        a=0.0,
        b=float(np.clip(0.4 * stroke.follow, -0.45, 0.45)),
    )
    pt.simulate(system, inplace=True, continuous=True, dt=STEP_S, t_final=25.0)
    return _flight(pt, system, layout, table)


def _specs(pt: Any, table: TableSpec) -> Any:
    """pooltool's table with our playing area, noses, mouths and drops."""
    corner, centre = table.pocket("BL"), table.pocket("CL")
    beyond = math.hypot(table.half_width_mm + corner.x_mm, corner.y_mm)
    return pt.objects.PocketTableSpecs(
        l=table.length_mm / 1000,
        w=table.width_mm / 1000,
        cushion_height=table.nose_height_mm / 1000,
        corner_pocket_width=table.corner_mouth_mm / 1000 * math.sqrt(2),
        corner_pocket_angle=5.0,
        corner_pocket_depth=beyond / 1000,
        corner_pocket_radius=corner.drop_radius_mm / 1000,
        corner_jaw_radius=table.corner_jaw_radius_mm / 1000,
        side_pocket_width=table.centre_mouth_mm / 1000,
        side_pocket_angle=5.0,
        side_pocket_depth=(abs(centre.x_mm) - table.half_width_mm) / 1000,
        side_pocket_radius=centre.drop_radius_mm / 1000,
        side_jaw_radius=table.centre_jaw_radius_mm / 1000 * 0.5,
    )


def _flight(pt: Any, system: Any, layout: Layout, table: TableSpec) -> Flight:
    names = tuple(layout)
    half = table.half_width_mm
    columns, times = [], None
    for name in names:
        rvw, _, t = system.balls[name].history_cts.vectorize()
        times = np.asarray(t)
        columns.append(np.stack([rvw[:, 0, 0] * 1000 - half, rvw[:, 0, 1] * 1000], 1))
    assert times is not None
    xy = np.stack(columns, 1)
    contacts, cushions, ended = [], [], {}
    kinds = pt.EventType
    for event in system.events:
        ids = [a.id for a in event.agents]
        if event.event_type == kinds.BALL_BALL:
            contacts.append((ids[0], ids[1], float(event.time)))
        elif event.event_type in (kinds.BALL_LINEAR_CUSHION, kinds.BALL_CIRCULAR_CUSHION):
            cushions.append((ids[0], float(event.time)))
        elif event.event_type == kinds.BALL_POCKET:
            ended[ids[0]] = float(event.time)
    pots = []
    for k, name in enumerate(names):
        if name not in ended:
            continue
        first, pocket = _drop(xy[:, k], times, ended[name], table)
        pots.append((name, pocket, float(times[first])))
        xy[first:, k] = np.nan
    pots.sort(key=lambda p: p[2])
    gone = {b: t for b, _, t in pots}
    return Flight(
        names,
        times,
        xy,
        tuple(c for c in contacts if c[2] <= min(gone.get(c[0], 99.0), gone.get(c[1], 99.0))),
        tuple(c for c in cushions if c[1] <= gone.get(c[0], 99.0)),
        tuple(pots),
        float(times[-1]),
    )


def _drop(path: np.ndarray, times: np.ndarray, at_s: float, table: TableSpec) -> tuple[int, str]:
    """Index of the first sample past a drop of ours, and the pocket; pooltool's own moment otherwise."""
    k = min(int(np.searchsorted(times, at_s)), len(times) - 1)
    x, y = path[k]
    pocket = min(table.pockets, key=lambda p: math.hypot(p.x_mm - x, p.y_mm - y))
    inside = np.hypot(path[: k + 1, 0] - pocket.x_mm, path[: k + 1, 1] - pocket.y_mm) <= pocket.drop_radius_mm
    hits = np.nonzero(inside)[0]
    return (int(hits[0]) if hits.size else k), pocket.name
