"""Start positions and facts of simulated games, for `cueref synth` and the soak."""
