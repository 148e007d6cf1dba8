"""Solves the camera, and the table's lengths that nobody stated, by least squares over the points found."""
