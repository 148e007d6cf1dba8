"""Black ball (WPA section 5): `(state, fact) -> (state, ruling)`, pure."""
