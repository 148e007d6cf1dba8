"""Training of the network that reads what is on numbered balls."""
