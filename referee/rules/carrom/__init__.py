"""Carrom (Laws of Carrom 27 to 148): boards of nine C/m each and the Queen."""

from referee.rules.carrom.game import GAME as GAME
