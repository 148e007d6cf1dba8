"""The games' rules: one game a file (or a small folder), pure `(state, facts) -> (state, ruling)`."""
