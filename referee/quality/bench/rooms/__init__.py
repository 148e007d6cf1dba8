"""The bench's second world: rooms that no training has seen, path-traced, filmed and judged by themselves."""
