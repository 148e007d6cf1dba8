"""The bench's real footage: clips with their truth, reviewed and compared."""
