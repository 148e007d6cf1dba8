"""The rules: a folder a game, each a pure `Game` of states, facts and rulings (`game.py`, `registry.py`).

Every game has the same parts under the same names (`State`, `Ruling`, `Reason`, `GAME`). The package says
whose they are, as in `from referee.rules import carrom`; a name with the game in it would say that twice.
Code that serves all games names none of these classes: it takes a `Game`. `common` holds what several games
share, and `wpa` the games on one set of general rules. No module here imports a case file, a journal or a
match.
"""
