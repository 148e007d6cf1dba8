"""English billiards: games to a target or a time, with the commentary's options."""

from referee.rules.english_billiards.game import GAME as GAME
