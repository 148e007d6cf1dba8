"""Frozen records of what was seen, called, corrected and judged. Standard library only."""
