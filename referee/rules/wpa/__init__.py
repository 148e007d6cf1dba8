"""WPA pool: eight, nine and ten ball, 14.1 continuous, and the general rules that they share."""
