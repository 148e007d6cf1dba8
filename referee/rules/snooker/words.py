"""The words that a referee says with a ruling."""

from __future__ import annotations

from referee.rules.snooker.ruling import Miss, Reason, Ruling, Warn
from referee.rules.snooker.state import ANY_COLOUR

_WARNINGS: dict[Warn, str] = {
    Warn.THIRD_MISS_LOSES_FRAME: "Warning: a third miss will lose the frame",
    Warn.THIRD_MISS_IN_HAND: "Warning: a third miss gives your opponent the cue-ball in-hand",
    Warn.FIFTH_MISS: "Warning: a fifth miss gives your opponent the cue-ball anywhere",
    Warn.CONDUCT: "Warning: the frame will be awarded to your opponent",
}
_ACTS: dict[Reason, str] = {
    Reason.REPLAY: "Balls replaced, play again",
    Reason.AGAIN_LEFT: "Play again",
    Reason.AGAIN_ORIGINAL: "Play again, cue-ball replaced",
    Reason.AGAIN_ALL_REPLACED: "Play again, balls replaced",
    Reason.CONCEDED: "Frame conceded",
    Reason.STALEMATE: "Stalemate, re-rack",
    Reason.RESTARTED: "Re-rack, wrong player to break",
    Reason.FRAME_AWARDED: "Frame awarded",
    Reason.GAME_AWARDED: "Game awarded",
    Reason.CONDONED: "Condoned",
}


def say(ruling: Ruling) -> tuple[str, ...]:
    """What is said, in order: the foul or the break, touching ball, free ball, warnings, the end."""
    said: list[str] = []
    if ruling.foul:
        name = "Foul and a miss" if ruling.miss is Miss.CALLED else "Foul"
        said.append(f"{name}, {ruling.penalty}")
    elif ruling.points:
        said.append(str(ruling.break_points))
    elif ruling.reason is Reason.FAIR and ruling.break_points:
        said.append(f"Break, {ruling.break_points}")
    elif ruling.reason in _ACTS and ruling.accepted:
        said.append(_ACTS[ruling.reason])
    said += _position(ruling)
    said += [_WARNINGS[w] for w in ruling.warnings if w in _WARNINGS]
    if ruling.frame_over:
        said.append(f"Frame to {ruling.winner}" if ruling.winner else "Frame over, scores level")
    elif ruling.next_striker is None:
        said.append("Black re-spotted")
    return tuple(said)


def _position(ruling: Ruling) -> list[str]:
    said = []
    on = ruling.next_ball_on
    touched = [b for b in ruling.touching if b == on or (on == ANY_COLOUR and b != "red")]
    if touched and not ruling.frame_over:
        said.append("Touching ball")
        if on == ANY_COLOUR:
            said.append("Declare")  # 3.8(a)
    if ruling.free_ball and ruling.foul:
        said.append("Free ball")
    return said
