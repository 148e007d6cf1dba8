"""Six-red snooker: snooker's rules with its own options."""

from referee.rules.six_red.game import GAME as GAME
