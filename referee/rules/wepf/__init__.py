"""Eightball of the World Eightball Pool Federation."""

from referee.rules.wepf.engine import GAME as GAME
