"""Scenes rendered with exact truth; a leaf: nothing at run time imports it."""
