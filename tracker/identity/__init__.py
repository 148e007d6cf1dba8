"""Names of balls: which piece each one is, how sure that is, and which ball a reappearing one is."""
