"""Measures cueref: bench, certificate, soak, networks adapted to a room. Nothing at run time imports it."""
