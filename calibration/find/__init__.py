"""Finds a table in a picture: cloth, cushion edges, marks, sights and pockets, measured to a part of a pixel.

The result is points in the picture that belong to known points of the table. Nothing here solves a camera.
"""
