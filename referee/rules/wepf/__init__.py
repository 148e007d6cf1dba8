"""WEPF eightball: `(state, fact) -> (state, ruling)`, pure."""
