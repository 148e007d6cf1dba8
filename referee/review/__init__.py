"""The web console for a reviewed match."""
