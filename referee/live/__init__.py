"""A table while the game is played: the engine that referees it, its recording, feeds, pages and set-up."""
