"""Live at the table: the engine that referees while the game is played, and what it publishes."""
