"""Geometry of the table and of the camera above it. Importing this package loads no third-party library."""
