"""QR codes: an address as rows of modules, drawn by the page that shows it."""

from __future__ import annotations

import segno


def qr_rows(text: str) -> list[str]:
    """The code without its quiet zone, a string of 0 and 1 for each row; 1 is dark."""
    return ["".join("1" if dark else "0" for dark in row) for row in segno.make_qr(text).matrix]
