"""When a ball lies still and where, gaps between resting balls, and images that need no examination."""
