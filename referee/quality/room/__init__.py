"""A detector adapted to one's own table: labels that the recording gives itself, and whether they helped."""
