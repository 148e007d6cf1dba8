"""Carrom: `(state, fact) -> (state, ruling)`, pure."""
