"""The bench's pixel tier: rendered cameras filmed, reviewed as a user would, and judged."""
