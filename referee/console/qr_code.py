"""An address as a QR code, made here: no other machine is asked."""

from __future__ import annotations

import segno


def qr_rows(address: str) -> list[str]:
    """The code's rows of `0` and `1`, dark is 1, without the quiet zone."""
    return ["".join("1" if dark else "0" for dark in row) for row in segno.make_qr(address).matrix]
