"""Adapts a detector to one's own table: labels what is certain in a recording, and judges the new network."""
