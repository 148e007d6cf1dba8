"""Where the table is: the geometry of every game's table, and of the camera that sees it.

`table` has the dimensions, `find` finds a table in a picture, `solve` solves the camera from what was found,
and `monitor` watches both during a match. `texts` has every sentence for people. Other packages import this
one; it imports none of them. Importing it loads no third-party library.
"""
