"""English billiards: `(state, fact) -> (state, ruling)`, pure."""
