"""Solving the camera and the table's unknown lengths by least squares over what was found."""
