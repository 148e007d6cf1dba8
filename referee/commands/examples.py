"""Examples under a command's help."""

from __future__ import annotations

from calibration.texts import sentence


def examples(*commands: str) -> str:
    """One example a line, never broken by a narrow terminal: what is pasted must work."""
    return "\n\n".join(f"\b\n{sentence('help.example', command=c)}" for c in commands)
