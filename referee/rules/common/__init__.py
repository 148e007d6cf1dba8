"""Rules that several games share: racks, matches of racks, pool shots, placing on a line."""
