"""Random shots judged twice: by the engines, and by the shortest reading of each text written down here.

The readings below were written from the rule texts alone and share nothing with the engines.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from referee.cases.play import play

Shot = dict[str, Any]
Values = dict[str, Any]
POCKETS = ("TL", "TR", "BL", "BR", "CL", "CR")
SHOTS = 500


def _play(game: str, start: Values, shot: Shot) -> Values:
    case = {"game": game, "start": start, "steps": [shot]}
    (values,) = play(case)
    return dict(values)


def _check(game: str, start: Values, shot: Shot, wanted: Values) -> None:
    got = _play(game, start, shot)
    assert {k: got[k] for k in wanted} == wanted, (start, shot)


def _shot(rng: random.Random, balls: list[str], counted: str) -> Shot:
    """A's shot: any first contact, any balls gone, any number of rails."""
    first = [rng.choice(balls)] if rng.random() < 0.92 else []
    gone = rng.sample(balls, min(len(balls), rng.choice((0, 0, 0, 1, 1, 2)))) if first else []
    cut = rng.choice((0, 0, 0, 0, 1))
    return {
        "type": "shot",
        "by": "A",
        "first_contact": first,
        "off_table": gone[:cut],
        "potted": [{"ball": b, "pocket": rng.choice(POCKETS)} for b in gone[cut:]],
        "cue_ball": rng.choice(("on_table",) * 5 + ("pocketed",)),
        counted: rng.choice((0, 1, 2)) if first else 0,
        "infringements": [],
    }


def _call(rng: random.Random, shot: Shot, balls: list[str]) -> Any:
    """A safety, a ball that fell where it fell, or some ball and pocket."""
    other = {"ball": rng.choice(balls), "pocket": rng.choice(POCKETS)}
    return rng.choice(("safety", other, *([dict(p) for p in shot["potted"]] * 3)))


def _made(shot: Shot) -> bool:
    return shot.get("called") in shot["potted"]


def _general_foul(shot: Shot, rails: int) -> bool:
    """6.1, 6.5 and 6.3 with 8.4: what is pocketed or off the table was driven to a rail."""
    gone = bool(shot["potted"] or shot["off_table"])
    lost = shot["cue_ball"] != "on_table" or bool(shot["off_table"])
    return lost or (not gone and (not shot["first_contact"] or rails == 0))


@pytest.mark.parametrize(("game", "top"), [("wpa_9ball", 9), ("wpa_10ball", 10)])
def test_rotation_games(game: str, top: int) -> None:
    """2.3 to 2.8 and 9.3 to 9.11: break, push out, lowest ball first, the last ball, three fouls."""
    rng = random.Random(top)
    for _ in range(SHOTS):
        kind = rng.choice(("break", "push", "plain", "plain"))
        on = [*range(1, top)] if kind == "break" else sorted(rng.sample(range(1, top), rng.randrange(top)))
        balls, last = [str(b) for b in (*on, top)], str(top)
        fouls, warned = rng.randrange(3), rng.random() < 0.5
        start = {
            "shooter": "A",
            "on_table": [*on, top],
            "break_shot": kind == "break",
            "second_shot": kind == "push",
            "consecutive_fouls": {"A": fouls},
            "warned": warned,
        }
        shot = _shot(rng, balls, "balls_driven_to_rail_after_contact")
        rails = shot["object_balls_driven_to_rail"] = shot["balls_driven_to_rail_after_contact"] = (
            rng.randrange(6)
        )
        if kind == "push":
            shot["push_out"] = True
        if kind == "plain" and top == 10:
            shot["called"] = _call(rng, shot, balls)
        fell = [p["ball"] for p in shot["potted"]]
        foul = _general_foul(shot, rails) or shot["first_contact"] not in ([], [balls[0]])
        if kind == "push":  # 6.2 and 6.3 are suspended
            foul = shot["cue_ball"] != "on_table" or bool(shot["off_table"])
        if kind == "break":
            foul |= not fell and rails < 4
        won = not foul and kind != "push" and last in fell and (top == 9 or (_made(shot) and not on))
        lost = foul and fouls == 2 and warned
        plays_on = bool(fell) if top == 9 or kind == "break" else _made(shot)
        offered = kind == "push" or (top == 10 and bool(fell) and not plays_on)
        following = "B" if foul else "choice:B" if offered else "A" if plays_on else "B"
        _check(
            game,
            start,
            shot,
            {
                "foul": foul,
                "winner": "A" if won else "B" if lost else None,
                "rack_over": won or lost,
                "next_shooter": None if won or lost else following,
                "cue_ball_in_hand": "anywhere" if foul and not lost else False,
                "respot_order": [last] if last in (*fell, *shot["off_table"]) and not won else [],
                "consecutive_fouls": {"A": (3 if lost else min(fouls + 1, 2)) if foul else 0, "B": 0},
            },
        )


def test_eight_ball() -> None:
    """3.4 to 3.9 after the break: open or not, calls, the eight."""
    rng = random.Random(8)
    for _ in range(2 * SHOTS):
        is_open, left = rng.random() < 0.3, rng.randrange(8)
        mine = [str(b) for b in range(1, (7 if is_open else left) + 1)]
        balls = [*mine, "8", *(str(b) for b in range(9, 16))]
        own = [b for b in balls if b != "8"] if is_open else mine
        groups = {"A": None, "B": None} if is_open else {"A": "solids", "B": "stripes"}
        start: Values = {"shooter": "A", "groups": groups, "table_open": is_open, "break_shot": False}
        start |= {} if is_open else {"remaining": {"A": left}}
        shot = _shot(rng, balls, "balls_driven_to_rail_after_contact")
        shot["called"] = _call(rng, shot, balls)
        fell = [p["ball"] for p in shot["potted"]]
        foul = _general_foul(shot, shot["balls_driven_to_rail_after_contact"])
        foul |= bool(shot["first_contact"]) and shot["first_contact"][0] not in (own or ["8"])
        called = shot["called"]["ball"] if _made(shot) else None
        winner = None
        if "8" in (*fell, *shot["off_table"]):
            winner = "A" if not foul and not own and called == "8" else "B"
        on = called is not None and (is_open or int(called) < 8) and not foul
        if is_open and on and winner is None:
            groups = (
                {"A": "solids", "B": "stripes"} if int(called or 0) < 8 else {"A": "stripes", "B": "solids"}
            )
        _check(
            "wpa_8ball",
            start,
            shot,
            {
                "foul": foul if winner is None else winner == "B",
                "winner": winner,
                "groups": groups,
                "next_shooter": None if winner else "A" if on else "B",
                "cue_ball_in_hand": "anywhere" if foul and winner is None else False,
            },
        )


def _colours(rng: random.Random, black: str, counted: str) -> tuple[bool, int, Shot]:
    is_open, left = rng.random() < 0.3, rng.randrange(8)
    balls = ["red"] * (7 if is_open else left) + ["yellow"] * 7 + [black]
    return is_open, left, _shot(rng, balls, counted)


def test_black_ball() -> None:
    """5.6 to 5.14 after the break; the last own ball and the black may fall together."""
    rng = random.Random(5)
    for _ in range(2 * SHOTS):
        is_open, left, shot = _colours(rng, "black", "balls_driven_to_rail_after_contact")
        free = rng.random() < 0.3
        start: Values = {"shooter": "A", "table_open": is_open, "free_shot": free}
        start |= {} if is_open else {"groups": {"A": "red", "B": "yellow"}, "remaining": {"A": left}}
        fell = [p["ball"] for p in shot["potted"]]
        on = ["red", "yellow"] if is_open else ["red"] if left else ["black"]
        foul = _general_foul(shot, shot["balls_driven_to_rail_after_contact"])
        foul |= bool(shot["first_contact"]) and shot["first_contact"][0] not in on and not free
        foul |= not is_open and "yellow" in fell and "red" not in fell
        winner = None
        if "black" in fell:
            winner = "A" if not foul and not is_open and left == fell.count("red") else "B"
        wanted: Values = {"winner": winner, "foul": foul if winner is None else winner == "B"}
        if winner is None:
            wanted |= {"next_shooter": "B" if foul or not fell else "A", "free_shot": foul}
            wanted["table_open"] = is_open and (foul or free or len(set(fell)) != 1)
        _check("blackball", start, shot, wanted)


def test_wepf() -> None:
    """C(5), C(6), G(1), H(3), K, N after the break; the last own ball and the 8 together lose."""
    rng = random.Random(6)
    for _ in range(2 * SHOTS):
        is_open, left, shot = _colours(rng, "8", "cushion_contacts_after_first_contact")
        visits = rng.choice((1, 2))
        start: Values = {"player": "A", "open": is_open, "visits_left": visits, "visit": 1}
        start |= {} if is_open else {"colours": {"A": "red", "B": "yellow"}, "remaining": {"A": left}}
        fell = [p["ball"] for p in shot["potted"]]
        on = ["red", "yellow"] if is_open else ["red"] if left else ["8"]
        foul = shot["cue_ball"] != "on_table" or bool(shot["off_table"])
        foul |= not shot["first_contact"] or shot["first_contact"][0] not in on
        foul |= not set(fell) & set(on) and shot["cushion_contacts_after_first_contact"] == 0
        foul |= not is_open and "yellow" in fell
        winner = None
        if "8" in fell:
            winner = "A" if not foul and not is_open and not left else "B"
        wanted: Values = {"winner": winner, "foul": foul if winner is None else winner == "B"}
        if winner is None:
            stays = not foul and (bool(fell) or visits == 2)
            wanted |= {
                "next_player": "A" if stays else "B",
                "visits_awarded": 2 if foul else 0 if stays else 1,
            }
            wanted["visit"] = 2 if stays and not fell else 1
            wanted["must_nominate"] = is_open and not foul and len(set(fell)) == 2
            wanted["open"] = is_open and (foul or len(set(fell)) != 1)
        _check("wepf", start, shot, wanted)


def test_fourteen_one() -> None:
    """4.4 to 4.11 after the opening break: points, balls that come back, three fouls, the target."""
    rng = random.Random(14)
    balls = [str(b) for b in range(1, 16)]
    for _ in range(2 * SHOTS):
        score, fouls, warned = rng.choice((0, 50, 148)), rng.randrange(3), rng.random() < 0.5
        count = rng.choice((15, 9, 3, 2))
        start = {
            "shooter": "A",
            "scores": {"A": score, "B": 7},
            "target": 150,
            "balls_on_table": count,
            "consecutive_standard_fouls": {"A": fouls},
            "warned": warned,
        }
        shot = _shot(rng, balls, "balls_driven_to_rail_after_contact")
        shot["called"] = _call(rng, shot, balls)
        fell = [p["ball"] for p in shot["potted"]]
        foul = _general_foul(shot, shot["balls_driven_to_rail_after_contact"])
        third = foul and fouls == 2 and warned
        points = -16 if third else -1 if foul else len(fell) if _made(shot) else 0
        won = score + points >= 150
        racked = third or (points > 0 and not won and count - points <= 1)
        back = [] if third or points > 0 else [*fell, *shot["off_table"]]
        scratch = shot["cue_ball"] != "on_table"
        _check(
            "wpa_14_1",
            start,
            shot,
            {
                "foul": foul,
                "scores": {"A": score + points, "B": 7},
                "winner": "A" if won else None,
                "next_shooter": None if won else "A" if points > 0 or third else "B",
                "cue_ball_in_hand": "behind_head_string" if foul and (scratch or third) else False,
                "respot_order": back,
                "opening_break": third,
                "rerack": (15 if third or count == points else 14) if racked else None,
                "consecutive_standard_fouls": {
                    "A": (0 if third else min(fouls + 1, 2)) if foul else 0,
                    "B": 0,
                },
            },
        )
