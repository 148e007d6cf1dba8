"""Black ball (WPA section 5)."""

from referee.rules.blackball.engine import GAME as GAME
