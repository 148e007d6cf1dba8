"""Training of the centre network and the pair network on rendered windows."""
