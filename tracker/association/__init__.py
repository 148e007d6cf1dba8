"""Which detection is which ball at rest, which ball has left its place, and where it may be then.

Balls that move have no names here; their tracks are named when the stroke is explained.
"""
