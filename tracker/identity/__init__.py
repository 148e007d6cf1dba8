"""Names of balls: which piece each ball is, the evidence for it, and its name after it was out of sight."""
